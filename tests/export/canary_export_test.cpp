// Secrets of noun-export: none is in its output, its files or its command line, whatever the server repeats.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "curl/raw_server.hpp"
#include "export/export_bench.hpp"
#include "export/export_process.hpp"
#include "journeys/canary.hpp"

namespace export_test { namespace canary_export_test {

using canary::Secret;
using noun_test::http_response;
using Strings = std::vector<std::string>;

/// One run of the program, and what its server has.
struct Export {
  /// Of the server if it is empty.
  std::string base_url;
  Strings more;
  std::map<std::string, std::string> environment;
  /// The first line of the file `token`.
  std::string token;
  /// What the server adds to its links, and what it sets as a cookie.
  std::string link = "n=1";
  std::string cookie = "n=1";
};

/// What the program does with the secret. What it refuses, the user has put on the command line already.
enum class Does { sends_it, is_given_it, refuses_it };

struct Place {
  const char* name;
  std::function<void(Export&, const std::string& secret, const std::string& server)> put;
  Does does = Does::sends_it;
  std::string_view between = "\"/\\+&=% ;,";
};

std::vector<Place> all_places() {
  const auto from_env = [](Export& job, const std::string& s) {
    job.environment = {{"CANARY_TOKEN", s}};
    job.more = {"--token-env", "CANARY_TOKEN"};
  };
  const auto arguments = [](Strings words) {
    return [=](Export& job, const std::string& s, const std::string&) {
      for (const auto& word : words) job.more.push_back(fmt::format(fmt::runtime(word), fmt::arg("s", s)));
    };
  };
  return {
      {"--token-env", [=](Export& job, auto& s, auto&) { from_env(job, s); }},
      {"--token-env with --token-header",
       [=](Export& job, auto& s, auto&) {
         from_env(job, s);
         job.more.insert(job.more.end(), {"--token-header", "X-Acme"});
       }},
      {"--token-file",
       [](Export& job, auto& s, auto&) {
         job.token = s + "\r\n";
         job.more = {"--token-file", "token"};
       }},
      {"--bookmark-key-env",
       [](Export& job, auto& s, auto&) {
         job.environment = {{"CANARY_KEY", s}};
         job.more = {"--bookmark-key-env", "CANARY_KEY"};
       },
       Does::is_given_it},
      {"the password of the environment's proxy",
       [](Export& job, auto& s, auto& server) {
         job.base_url = "http://service.invalid";
         job.environment = {{"http_proxy", fmt::format("http://user:{}@{}", canary::percent_encoded(s), server)}};
         job.more = {"--from-environment"};
       }},
      {"the password of a proxy that is not used",
       [](Export& job, auto& s, auto& server) {
         job.environment = {{"http_proxy", fmt::format("http://user:{}@{}", canary::percent_encoded(s), server)}};
       },
       Does::is_given_it},
      {"a token with a control character", [=](Export& job, auto& s, auto&) { from_env(job, s + "\n" + s); },
       Does::is_given_it},
      {"--header Authorization", arguments({"--header", "Authorization: Bearer {s}"}), Does::refuses_it},
      {"--header X-Api-Key", arguments({"--header", "X-Api-Key: {s}"}), Does::refuses_it},
      {"--header without a colon", arguments({"--header", "{s}"}), Does::refuses_it},
      {"--header with a scheme", arguments({"--header", "X-Acme: Bearer {s}"}), Does::refuses_it},
      {"--query api_key", arguments({"--query", "api_key={s}"}), Does::refuses_it},
      {"--query=access_token", arguments({"--query=access_token={s}"}), Does::refuses_it},
      {"--token", arguments({"--token", "{s}"}), Does::refuses_it},
      {"--password=", arguments({"--password={s}"}), Does::refuses_it},
      {"-u", arguments({"-u", "user:{s}"}), Does::refuses_it},
      {"userinfo of BASE_URL",
       [](Export& job, auto& s, auto& server) { job.base_url = fmt::format("http://user:{}@{}", s, server); },
       Does::refuses_it, "-"},
      {"the query of BASE_URL",
       [](Export& job, auto& s, auto& server) { job.base_url = fmt::format("http://{}/?token={}", server, s); },
       Does::refuses_it, "-"},
      {"links of the server",
       [](Export& job, auto& s, auto&) { job.link = "X-Amz-Signature=" + canary::percent_encoded(s); },
       Does::is_given_it},
      {"a cookie of the server", [](Export& job, auto& s, auto&) { job.cookie = "sid=" + s; }, Does::is_given_it},
  };
}

/// How the server responds to the second page. `all` is the secret in several spellings; URLs have `job.link`.
struct Scene {
  const char* name;
  std::function<std::string(const Export& job, const std::string& all, const std::string& fields)> respond;
};

std::vector<Scene> all_scenes() {
  const auto status = [](const char* line) {
    return [=](const Export&, const std::string& all, const std::string& fields) {
      const auto text = noun::Json(all).dump();
      const auto body = fmt::format(R"({{"message": {0}, "title": {0}, "detail": {0}, "type": {0}}})", text);
      return http_response(body, fields + "Content-Type: application/problem+json\r\n", line);
    };
  };
  return {
      {"the end", [](auto&, auto&, auto& fields) { return http_response(R"([{"id": 3}])", fields); }},
      {"401", status("401 Unauthorized")},
      {"403", status("403 Forbidden")},
      {"404", status("404 Not Found")},
      {"429", status("429 Too Many Requests\r\nRetry-After: 100000")},
      {"501", status("501 Not Implemented")},
      {"503", status("503 Service Unavailable\r\nRetry-After: 100000")},
      {"no JSON", [](auto&, auto& all, auto& fields) { return http_response("you sent " + all, fields); }},
      {"JSON of another form",
       [](auto& job, auto& all, auto& fields) {
         return http_response(
             fmt::format(R"({{"rows": {}, "next": "http://127.0.0.1:1/x?{}"}})", noun::Json(all).dump(), job.link),
             fields);
       }},
      {"a redirect to another origin",
       [](auto& job, auto& all, auto& fields) {
         return http_response(all, fmt::format("{}Location: http://127.0.0.1:1/x?{}\r\n", fields, job.link),
                              "302 Found");
       }},
      {"a next page at another origin",
       [](auto& job, auto&, auto& fields) {
         return http_response(R"([{"id": 3}])",
                              fmt::format("{}Link: <http://127.0.0.1:1/x?{}>; rel=\"next\"\r\n", fields, job.link));
       }},
  };
}

/// The inside of a string in a structured field.
std::string quoted(const std::string& text) {
  std::string escaped;
  for (const char c : text) (c == '"' || c == '\\' ? escaped += '\\' : escaped) += c;
  return escaped;
}

struct CanaryExport : Bench {};

TEST_F(CanaryExport, is_found_in_no_output_and_no_file) {
  std::vector<canary::Row> rows;
  const auto places = all_places();
  for (std::size_t number = 0; number < places.size(); ++number) {
    const auto& place = places[number];
    const Secret secret(700 + number, place.between);
    canary::Surfaces surfaces;
    bool arrived = false;
    for (const auto& scene : all_scenes()) {
      Export job;
      std::string all = "nothing";
      noun_test::Gate received;
      noun_test::Gate seen;
      noun_test::RawServer server([&](noun_test::RawServer::Peer& peer) {
        while (const auto request = peer.request()) {
          received.open();
          seen.wait();
          const auto fields =
              fmt::format("X-Request-Id: {0}\r\nSet-Cookie: {1}\r\nRateLimit-Policy: \"{2}\";q=100;w=60\r\n", all,
                          job.cookie, place.does == Does::sends_it ? quoted(secret.text) : "a");
          if (request->find("page=2") == std::string::npos)
            peer.send(http_response(R"([{"id": 1}, {"id": 2}])",
                                    fmt::format("{}Link: </items?page=2&{}>; rel=\"next\"\r\n", fields, job.link)));
          else
            peer.send(scene.respond(job, all, fields));
        }
      });
      const auto address = fmt::format("127.0.0.1:{}", server.port());
      place.put(job, secret.text, address);
      if (place.does == Does::sends_it) {
        job.link = "q=" + canary::percent_encoded(secret.text);
        all = fmt::format("{} {} {}", secret.text, canary::percent_encoded(secret.text),
                          canary::json_escaped(secret.text));
      }
      if (!job.token.empty()) put("token", job.token);
      auto words = words_of(
          "/items --key id --out l.jsonl --stats run.jsonl --plot run.svg --report run.html --deadline 20s");
      words.insert(words.begin(), job.base_url.empty() ? "http://" + address : job.base_url);
      words.insert(words.end(), job.more.begin(), job.more.end());
      Process process(folder.path, words, job.environment);
      const auto see = [&](std::string_view surface, const std::string& text) {
        if (!text.empty()) surfaces[surface].emplace(text, scene.name);
      };
      while (!received.wait_for(std::chrono::milliseconds(20)) && !process.ends_within(std::chrono::milliseconds(0))) {
      }
      if (place.does != Does::refuses_it)
        see("its command line", text_of(fmt::format("/proc/{}/cmdline", process.id())));
      seen.open();
      const auto end = process.wait();
      EXPECT_NE(end, 127);
      EXPECT_LT(end, 128);
      if (place.does == Does::refuses_it) EXPECT_EQ(end, 64) << place.name << process.err();
      see("standard output", process.out());
      see("standard error", process.err());
      for (const auto* file : {"l.jsonl", "l.jsonl.part", "l.jsonl.journal", "run.jsonl", "run.svg", "run.html"}) {
        see(file, text_of(folder / file));
        std::filesystem::remove(folder / file);
      }
      for (const auto& request : server.requests()) arrived = arrived || !canary::found(secret, request).empty();
    }
    if (place.does != Does::is_given_it) EXPECT_EQ(arrived, place.does == Does::sends_it) << place.name;
    canary::search(place.name, secret, surfaces, rows);
  }
  EXPECT_EQ(canary::number_of_leaks(rows), 0U) << canary::leaks_in(rows);
  EXPECT_GE(places.size(), 20U);
  fmt::print("{} places, {} rows\n", places.size(), rows.size());
}

}  // namespace canary_export_test
}  // namespace export_test
