// The main job: lists a rate-limited, paginated collection, reads sub-resources, and creates, changes and removes an
// item. Its last line is JSON. Exits 0 only if every item of the server was delivered exactly once, and the line was
// written.
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <system_error>

#include <fmt/format.h>
#include <noun/noun.hpp>

#include "main_job_progress.hpp"
#include "standard_streams.hpp"

using namespace std::chrono_literals;

struct Language {
  std::string alpha_3;
  std::string name;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Language, alpha_3, name)

struct Subdivision {
  std::string code;
  std::string name;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Subdivision, code, name)

namespace {

/// The server's statistics; not counted against the quota.
noun::Json stats(const noun::Client& api) {
  const auto response = api.send({.path = "_stats"}).value();
  return noun::Json::parse(response.body);
}

std::size_t drain_languages(const noun::Client& api, main_job::Progress& progress) {
  std::set<std::string> seen;
  auto languages = api.collection<Language>("languages").list({.page_size = 100});
  std::size_t pages = 0;
  for (const auto& language : languages) {
    const auto& id = language.value().alpha_3;
    if (!seen.insert(id).second) throw std::runtime_error("the item " + id + " was delivered twice");
    if (languages.tally().pages == pages) continue;
    pages = languages.tally().pages;
    progress.page(seen.size(), pages, languages.plan());
  }
  progress.page(seen.size(), pages, languages.plan());
  return seen.size();
}

void read_sub_resources(const noun::Client& api, main_job::Progress& progress) {
  for (const auto* country : {"IS", "IT", "JP"}) {
    std::size_t count = 0;
    const auto subdivisions = api.collection("countries")[country].collection<Subdivision>("subdivisions");
    for (const auto& subdivision : subdivisions.list({.page_size = 100}))
      count += subdivision.value().name.empty() ? 0 : 1;
    progress.say(fmt::format("GET    /countries/{}/subdivisions -> {} items", country, count));
  }
}

void crud_demo(const noun::Client& api, main_job::Progress& progress) {
  const auto languages = api.collection<Language>("languages");
  const auto made = languages.create({.alpha_3 = "qnx", .name = "Nounish"}).value();
  progress.say(fmt::format("POST   /languages      -> {} {}", made.alpha_3, made.name));
  const auto nounish = languages["qnx"];
  progress.say(fmt::format("GET    /languages/qnx  -> {}", nounish.get().value().name));
  const auto replaced = nounish.replace({.alpha_3 = "qnx", .name = "New Nounish"}).value();
  progress.say(fmt::format("PUT    /languages/qnx  -> {}", replaced.name));
  progress.say(
      fmt::format("PATCH  /languages/qnx  -> {}", nounish.update(noun::Json{{"name", "Old Nounish"}}).value().name));
  nounish.remove().value();
  progress.say("DELETE /languages/qnx  -> done");
  progress.say(fmt::format("GET    /languages/qnx  -> {}", nounish.get().error().message()));
}

int run(const char* base_url) {
  main_job::Progress progress;
  // At Ctrl-C the terminal is left clean.
  const auto leave = [&] {
    progress.stop();
    constexpr int interrupted = 130;
    std::_Exit(interrupted);
  };
  const noun::StopCallback<decltype(leave)> at_an_interruption(noun::stop_on_signals(), leave);
  noun::Client api{base_url, {.observer = [&](const noun::Event& event) { progress.observe(event); }}};
  const auto before = stats(api);
  const auto expected = before.at("items").at("languages").get<std::size_t>();

  progress.start(expected);
  const auto items = drain_languages(api, progress);
  progress.finish();
  read_sub_resources(api, progress);
  crud_demo(api, progress);

  const auto after = stats(api);
  const auto rejected = after.at("rejected").get<std::size_t>() - before.at("rejected").get<std::size_t>();
  const auto requests = after.at("requests").get<std::size_t>() - before.at("requests").get<std::size_t>();
  progress.stop();
  fmt::print("{}\n", progress.summary(items, requests, rejected));
  if (std::fflush(stdout) != 0)
    throw std::system_error(errno, std::generic_category(), "cannot write to standard output");
  return items == expected && rejected == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) try {
  progress::open_closed_streams();
  if (argc != 2) return progress::print_error("usage: main_job BASE_URL\n"), 2;
  return run(argv[1]);
} catch (const std::exception& failure) {
  return progress::print_error(fmt::format("{}\n", failure.what())), 1;
}
