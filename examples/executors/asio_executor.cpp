// Calls in coroutines of Asio: one item, then a listing page by page. Boost.Asio: <noun/boost_asio.hpp>.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include <asio/awaitable.hpp>
#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <asio/use_awaitable.hpp>
#include <fmt/format.h>
#include <noun/asio.hpp>
#include <noun/noun.hpp>

struct Subdivision {
  std::string code;
  std::string name;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Subdivision, code, name)

// value() throws a noun::Exception, which ends the coroutine.
asio::awaitable<void> read_italy(noun::Client api) {
  const auto italy = api.collection("countries")["IT"];
  const auto country = co_await noun::async_run(noun::op::get(italy), asio::use_awaitable);
  fmt::print("{}\n", country.value().at("name").get<std::string>());

  auto listing = italy.collection<Subdivision>("subdivisions").list({.page_size = 50});
  for (;;) {
    const auto page = co_await noun::async_run(noun::op::next_page(listing), asio::use_awaitable);
    if (!page.value()) break;  // the end
    fmt::print("page {}: {} subdivisions\n", (*page)->number, (*page)->items.size());
  }
}

int main() {
  asio::io_context context;
  int status = 0;
  asio::co_spawn(context, read_italy(noun::Client{std::getenv("NOUN_EXAMPLE_URL")}), [&](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const std::exception& exception) {
      fmt::print(stderr, "{}\n", exception.what());
      status = 1;
    }
  });
  context.run();
  return status;
}
