// Marks what was ordered since the last run as seen, in bulk. @source https://docs.couchdb.org/en/stable/api/database/changes.html
#include <cstdio>
#include <cstdlib>
#include <string>

#include <fmt/format.h>
#include <noun/noun.hpp>

int main(int argc, char** argv) try {
  if (argc != 2) return fmt::print(stderr, "usage: couchdb SEQ, where 0 is the beginning\n"), 2;
  const char *url = std::getenv("COUCHDB_URL"), *user = std::getenv("COUCHDB_USER");
  noun::Dialect dialect;
  dialect.paging = {.style = noun::paging::Cursor{.parameter = "since", .from = "/last_seq"},
                    .items = "/results",
                    .size_parameter = "limit",
                    .end = {.empty_page = true}};
  const noun::Client api{
      url ? url : "http://localhost:5984/orders",
      {.credentials = user ? noun::basic(user, std::getenv("COUCHDB_PASSWORD")) : noun::Credentials(),
       .dialect = dialect}};
  noun::Json docs = noun::Json::array();
  auto changes =
      api.collection("_changes").list({.query = {{"since", argv[1]}, {"include_docs", true}}, .page_size = 100});
  for (const auto& change : changes) {
    auto doc = change.value().at("doc");
    const bool is_order = !doc.value("_id", "").starts_with("_design/");
    if (!is_order || doc.contains("_deleted") || doc.value("seen", false)) continue;
    doc["seen"] = true;
    docs.push_back(doc);
  }
  // Each document has its _rev: one that somebody has changed meanwhile is a conflict, and the next run sees it again.
  const auto stored = docs.empty() ? docs : api.collection("_bulk_docs").create({{"docs", docs}}).value();
  for (const auto& each : stored) fmt::print("{}: {}\n", each.at("id").get<std::string>(), each.value("error", "seen"));
  fmt::print("the next run starts at {}\n", noun::Json::parse(changes.response()->body).at("last_seq").dump());
} catch (const std::exception& exception) {
  return fmt::print(stderr, "{}\n", exception.what()), 1;
}
