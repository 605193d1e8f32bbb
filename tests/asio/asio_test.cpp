// Tests of async_run() with standalone Asio.
#include <noun/asio.hpp>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include <asio.hpp>
#include <gtest/gtest.h>
#include <noun/noun.hpp>
#include <noun/stop.hpp>
#include <noun/testing.hpp>

#include "os/stoppable_condition.hpp"

namespace asio_test { namespace asio_test {

namespace net = asio;
using noun::with_asio::async_run;

#define NOUN_ASIO_TESTS Asio
#ifdef ASIO_HAS_CO_AWAIT
#define NOUN_HAS_AWAITABLE
#endif
#include "asio/asio_tests.hpp"
#undef NOUN_HAS_AWAITABLE
#undef NOUN_ASIO_TESTS

}  // namespace asio_test
}  // namespace asio_test
