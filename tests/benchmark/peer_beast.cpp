#include <exception>
#include <string>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include "benchmark/peer.hpp"

namespace noun_benchmark {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;

tcp::endpoint endpoint_of(const Target& target) { return {asio::ip::make_address(target.host), target.port}; }

http::request<http::empty_body> request_of(const Target& target) {
  http::request<http::empty_body> request(http::verb::get, target.path, 11);
  request.set(http::field::host, target.host + ":" + std::to_string(target.port));
  request.set(http::field::accept, "application/json");
  request.set(http::field::user_agent, "by-hand/1.0");
  return request;
}

void get_blocking(const Target& target, std::size_t count) {
  asio::io_context context;
  tcp::socket socket(context);
  socket.connect(endpoint_of(target));
  beast::flat_buffer buffer;
  for (std::size_t i = 0; i < count; ++i) {
    http::write(socket, request_of(target));
    http::response<http::string_body> response;
    http::read(socket, buffer, response);
    check(response.result_int(), response.body());
  }
}

/// One connection, while requests are left.
asio::awaitable<void> get_some(const Target& target, std::size_t& left) {
  tcp::socket socket(co_await asio::this_coro::executor);
  co_await socket.async_connect(endpoint_of(target), asio::use_awaitable);
  beast::flat_buffer buffer;
  while (left > 0) {
    --left;
    const auto request = request_of(target);
    co_await http::async_write(socket, request, asio::use_awaitable);
    http::response<http::string_body> response;
    co_await http::async_read(socket, buffer, response, asio::use_awaitable);
    check(response.result_int(), response.body());
  }
}

void get_in_coroutines(const Target& target, std::size_t left, std::size_t in_flight) {
  asio::io_context context(1);
  for (std::size_t i = 0; i < in_flight; ++i)
    asio::co_spawn(context, get_some(target, left), [](const std::exception_ptr& failure) {
      if (failure) std::rethrow_exception(failure);
    });
  context.run();
}

}  // namespace

void run(const Job& job) {
  if (job.way == "sequential")
    get_blocking(target_of(job), job.count);
  else if (job.way == "concurrent")
    get_in_coroutines(target_of(job), job.count, job.in_flight);
  else
    refuse_way(job);
}

}  // namespace noun_benchmark
