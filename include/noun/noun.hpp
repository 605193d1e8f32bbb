#pragma once
/// @file
/// All public headers except <noun/coroutine.hpp>, <noun/future.hpp>, <noun/asio.hpp>, <noun/boost_asio.hpp>,
/// <noun/simdjson.hpp> and the testing kit, <noun/testing.hpp>.

#include <noun/address.hpp>
#include <noun/body.hpp>
#include <noun/checked.hpp>
#include <noun/client.hpp>
#include <noun/clock.hpp>
#include <noun/collection.hpp>
#include <noun/credentials.hpp>
#include <noun/describe.hpp>
#include <noun/dialect.hpp>
#include <noun/download.hpp>
#include <noun/error.hpp>
#include <noun/event.hpp>
#include <noun/format.hpp>
#include <noun/http.hpp>
#include <noun/item.hpp>
#include <noun/json.hpp>
#include <noun/limits.hpp>
#include <noun/listing.hpp>
#include <noun/listing_plan.hpp>
#include <noun/log.hpp>
#include <noun/op.hpp>
#include <noun/operation.hpp>
#include <noun/options.hpp>
#include <noun/paging.hpp>
#include <noun/quota.hpp>
#include <noun/result.hpp>
#include <noun/retry.hpp>
#include <noun/signals.hpp>
#include <noun/start.hpp>
#include <noun/text.hpp>
#include <noun/time.hpp>
#include <noun/transport.hpp>
#include <noun/version.hpp>
