// What one sequential typed GET of 1 KB costs through noun, and by hand over one reused libcurl handle that does the
// same: two request headers, response headers stored, the body decoded by nlohmann into the same struct. Run by
// tests/benchmark/get_cost, which takes the slope between two counts, so that what happens once does not count.
//
//   get_cost noun|hand COUNT BASE_URL      prints the number of heap allocations
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <curl/curl.h>
#include <fmt/format.h>
#include <noun/noun.hpp>

namespace {

std::size_t allocations = 0;

}  // namespace

// libcurl's allocations count as well as C++'s, so this counts where both end up.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);

void* malloc(std::size_t size) { return ++allocations, __libc_malloc(size); }
void* calloc(std::size_t count, std::size_t size) { return ++allocations, __libc_calloc(count, size); }
void* realloc(void* block, std::size_t size) { return ++allocations, __libc_realloc(block, size); }
}

namespace {

struct Record {
  std::string alpha_3;
  std::string name;
  std::string description;
  std::int64_t speakers = 0;
  double latitude = 0;
  bool living = false;
  std::vector<std::string> countries;
  std::vector<int> years;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Record, alpha_3, name, description, speakers, latitude, living, countries, years)

Record one_kilobyte() {
  return {.alpha_3 = "qkb",
          .name = "A language of one kilobyte",
          .description = std::string(700, 'x'),
          .speakers = 1234567,
          .latitude = 64.1355,
          .living = true,
          .countries = {"Iceland", "Norway", "Denmark", "Sweden", "Finland", "Greenland"},
          .years = {1262, 1380, 1550, 1845, 1918, 1944, 1980, 2008, 2020, 2026}};
}

void check(const Record& record) {
  if (record.alpha_3 != "qkb" || record.years.size() != 10)
    throw std::runtime_error("not the record that was put there");
}

void get_by_noun(const std::string& base_url, std::size_t count) {
  noun::Client api{base_url};
  const auto languages = api.collection<Record>("languages");
  for (std::size_t i = 0; i < count; ++i) check(languages["qkb"].get().value());
}

struct Answer {
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
};

std::size_t store_header(char* data, std::size_t, std::size_t size, void* answer) {
  std::string_view line(data, size);
  while (!line.empty() && (line.back() == '\r' || line.back() == '\n')) line.remove_suffix(1);
  if (const auto colon = line.find(':'); colon != std::string_view::npos) {
    auto value = line.substr(colon + 1);
    while (!value.empty() && value.front() == ' ') value.remove_prefix(1);
    static_cast<Answer*>(answer)->headers.emplace_back(line.substr(0, colon), value);
  }
  return size;
}

std::size_t store_body(char* data, std::size_t, std::size_t size, void* answer) {
  static_cast<Answer*>(answer)->body.append(data, size);
  return size;
}

void get_by_hand(const std::string& base_url, std::size_t count) {
  CURL* handle = curl_easy_init();
  curl_slist* fields = curl_slist_append(nullptr, "Accept: application/json");
  fields = curl_slist_append(fields, "User-Agent: by-hand/1.0");
  curl_easy_setopt(handle, CURLOPT_HTTPHEADER, fields);
  curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, store_header);
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, store_body);
  for (std::size_t i = 0; i < count; ++i) {
    Answer answer;
    const auto url = base_url + "/languages/" + "qkb";
    curl_easy_setopt(handle, CURLOPT_URL, url.c_str());
    curl_easy_setopt(handle, CURLOPT_HEADERDATA, &answer);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, &answer);
    if (curl_easy_perform(handle) != CURLE_OK) throw std::runtime_error("the transfer failed");
    long status = 0;
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
    if (status != 200) throw std::runtime_error("not 200");
    check(nlohmann::json::parse(answer.body).get<Record>());
  }
  curl_slist_free_all(fields);
  curl_easy_cleanup(handle);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 4) return std::fputs("usage: get_cost noun|hand|put COUNT BASE_URL\n", stderr), 2;
  const std::string_view way(argv[1]);
  const auto count = std::strtoull(argv[2], nullptr, 10);
  if (way == "put") {
    noun::Client{argv[3]}.collection<Record>("languages")["qkb"].replace(one_kilobyte()).value();
    return 0;
  }
  (way == "noun" ? get_by_noun : get_by_hand)(argv[3], count);
  std::printf("%zu\n", allocations);
} catch (const std::exception& failure) {
  return std::fprintf(stderr, "%s\n", failure.what()), 1;
}
