// Tests of async_run() with Boost.Asio.
#include <noun/boost_asio.hpp>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include <boost/asio.hpp>
#include <gtest/gtest.h>
#include <noun/noun.hpp>
#include <noun/stop.hpp>
#include <noun/testing.hpp>

#include "os/stoppable_condition.hpp"

namespace asio_test { namespace boost_asio_test {

namespace net = boost::asio;
using noun::with_boost_asio::async_run;

#define NOUN_ASIO_TESTS BoostAsio
#ifdef BOOST_ASIO_HAS_CO_AWAIT
#define NOUN_HAS_AWAITABLE
#endif
#include "asio/asio_tests.hpp"
#undef NOUN_HAS_AWAITABLE
#undef NOUN_ASIO_TESTS

}  // namespace boost_asio_test
}  // namespace asio_test
