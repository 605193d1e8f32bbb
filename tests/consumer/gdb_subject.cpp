// Results, errors, clients and addresses for the gdb printers, at the line marked below.
#include <utility>

#include <noun/noun.hpp>

int main() {
  const noun::Result<int> good(7);
  const noun::Result<int> bad(
      noun::Error(noun::Errc::not_found, "no such thing", "look elsewhere", noun::Sent::answered));
  const noun::Result<void> done;
  const noun::Result<void> undone(noun::Error(noun::Errc::connect, "connection refused"));
  const noun::Error error(noun::Errc::timeout, "too slow", noun::Sent::maybe);
  const noun::Client client("https://api.example.com/v1/", {.credentials = noun::bearer("s3cret-token")});
  const auto languages = client.collection("languages");
  const auto german = languages["d/e"];
  const auto nameless = languages[""];
  auto gone = client.root();
  const auto root = std::move(gone);
  const noun::Query query = {{"state", "open"}, {"page_token", 7}, {"api_key", "s3cret"}, {"access-token", "s3cret"}};
  const noun::Query none;
  // shows: client = https://api.example.com/v1
  // shows: languages = https://api.example.com/v1/languages
  // shows: german = https://api.example.com/v1/languages/d%2Fe
  // shows: nameless = https://api.example.com/v1/languages (invalid: the id below /languages is empty)
  // shows: root = https://api.example.com/v1
  // shows: gone = moved from
  // shows: query = ?state=open&page_token=7&api_key=***&access-token=***
  // shows: none = no parameters
  // shows: good = value = {value = 7}
  // shows: bad = error not_found: no such thing; look elsewhere = {sent = answered, attempts = 0, status = 0}
  // shows: done = success
  // shows: undone = error connect: connection refused = {sent = no, attempts = 0, status = 0}
  // shows: error = timeout: too slow = {sent = maybe, attempts = 0, status = 0}
  return good && done ? 0 : 1;  // stop here
}
