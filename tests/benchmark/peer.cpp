#include "benchmark/peer.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <regex>
#include <stdexcept>
#include <vector>

#include <sys/resource.h>
#include <sys/time.h>

#include "benchmark/allocations.hpp"
#include "joining_thread.hpp"

namespace noun_benchmark {
namespace {

long microseconds(const timeval& time) { return time.tv_sec * 1'000'000 + time.tv_usec; }

/// Not ru_maxrss, which begins with the memory of the program that started this one.
std::size_t peak_kib() {
  constexpr std::string_view name = "VmHWM:";
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(name)) return std::strtoull(line.c_str() + name.size(), nullptr, 10);
  throw std::runtime_error("/proc/self/status has no VmHWM");
}

void measure(const Job& job) {
  const auto allocated_before = allocations();
  rusage before{};
  getrusage(RUSAGE_SELF, &before);
  const auto began = std::chrono::steady_clock::now();
  run(job);
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - began;
  rusage after{};
  getrusage(RUSAGE_SELF, &after);
  const auto allocated = allocations() - allocated_before;
  std::printf("%.0f %ld %ld %ld %zu %zu\n", took.count(), microseconds(after.ru_utime) - microseconds(before.ru_utime),
              microseconds(after.ru_stime) - microseconds(before.ru_stime),
              after.ru_nvcsw + after.ru_nivcsw - before.ru_nvcsw - before.ru_nivcsw, peak_kib(), allocated);
}

}  // namespace

Target target_of(const Job& job) {
  static const std::regex url("http://([^:/]+):([0-9]+)(.*)");
  std::smatch parts;
  if (!std::regex_match(job.base_url, parts, url)) throw std::runtime_error("not a URL with a port: " + job.base_url);
  return {.host = parts[1],
          .port = static_cast<std::uint16_t>(std::stoi(parts[2])),
          .path = parts[3].str().append(record_path)};
}

void check(const Record& record) {
  if (record.alpha_3 != "qkb" || record.years.size() != 10) throw std::runtime_error("not the object that was stored");
}

void check(unsigned status, std::string_view body) {
  if (status != 200) throw std::runtime_error("status " + std::to_string(status));
  check(nlohmann::json::parse(body).get<Record>());
}

std::size_t check_page(unsigned status, std::string_view body) {
  if (status != 200) throw std::runtime_error("status " + std::to_string(status));
  const auto page = nlohmann::json::parse(body);
  const auto items = page.at("items").get<std::vector<Record>>();
  if (items.size() != page_size) throw std::runtime_error("not a whole page");
  for (const auto& item : items) check(item);
  return page.at("total").get<std::size_t>();
}

void share(const Job& job, const std::function<void(std::size_t)>& get) {
  std::vector<noun_test::JoiningThread> threads;
  for (std::size_t i = 0; i < job.in_flight; ++i) {
    const auto part = job.count / job.in_flight + (i < job.count % job.in_flight ? 1 : 0);
    threads.emplace_back([&get, part] { get(part); });
  }
}

void refuse_way(const Job& job) { throw std::runtime_error("not a way of this peer: " + job.way); }

}  // namespace noun_benchmark

int main(int argc, char** argv) try {
  if (argc != 5) return std::fputs("usage: PEER WAY COUNT IN_FLIGHT BASE_URL\n", stderr), 2;
  noun_benchmark::measure({.way = argv[1],
                           .count = std::strtoull(argv[2], nullptr, 10),
                           .in_flight = std::strtoull(argv[3], nullptr, 10),
                           .base_url = argv[4]});
} catch (const std::exception& failure) {
  return std::fprintf(stderr, "%s\n", failure.what()), 1;
}
