// Results and errors for the gdb printers, at the line marked below.
#include <noun/noun.hpp>

int main() {
  const noun::Result<int> good(7);
  const noun::Result<int> bad(
      noun::Error(noun::Errc::not_found, "no such thing", "look elsewhere", noun::Sent::answered));
  const noun::Result<void> done;
  const noun::Result<void> undone(noun::Error(noun::Errc::connect, "connection refused"));
  const noun::Error error(noun::Errc::timeout, "too slow", noun::Sent::maybe);
  // shows: good = value = {value = 7}
  // shows: bad = error not_found: no such thing; look elsewhere = {sent = answered, attempts = 0, status = 0}
  // shows: done = success
  // shows: undone = error connect: connection refused = {sent = no, attempts = 0, status = 0}
  // shows: error = timeout: too slow = {sent = maybe, attempts = 0, status = 0}
  return good && done ? 0 : 1;  // stop here
}
