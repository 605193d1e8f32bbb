// Faults of names and of the way to their addresses.
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "curl/name_service.hpp"
#include "curl/raw_responses.hpp"
#include "faults/fault.hpp"

namespace noun_test {
namespace {

using namespace std::chrono_literals;
using noun::Errc;
using noun::Sent;
using Peer = RawServer::Peer;

/// A name whose resolution takes until the site ends, or three seconds: libcurl by hand waits for it.
class SlowName {
 public:
  ~SlowName() { ended_->open(); }

 private:
  std::shared_ptr<Gate> ended_ = std::make_shared<Gate>();
  NameService service_{"slow.test", [ended = ended_] { ended->wait_for(3s); }};
};

/// A name with several addresses, of which some are dead.
struct ManyAddresses {
  RawServer server{always(http_response("[1,2]"))};
  BlackHole hole;
  NameService service;

  explicit ManyAddresses(bool refused_first)
      : service("many.test", {refused_first ? std::uint16_t{1} : hole.port(), server.port()}) {}
};

Site slow_name() { return {"http://slow.test/", std::make_shared<SlowName>()}; }

Site many_addresses(bool refused_first) {
  const auto all = std::make_shared<ManyAddresses>(refused_first);
  return {"http://many.test/", all, [all] { return all->server.requests().size(); }};
}

Site refused_port() { return {RawServer(always("")).url()}; }

Site black_hole() {
  const auto hole = std::make_shared<BlackHole>();
  return {hole->url(), hole};
}

}  // namespace

std::vector<Fault> faults_on_the_way() {
  return {
      {.name = "name_without_an_address",
       .code = Errc::resolve,
       .sent = Sent::no,
       .place = [] { return Site{"http://nowhere.invalid/"}; }},
      {.name = "name_that_hangs", .code = Errc::timeout, .sent = Sent::no, .hangs = true, .place = slow_name},
      {.name = "refused", .code = Errc::connect, .sent = Sent::no, .place = refused_port},
      {.name = "black_hole", .code = Errc::timeout, .sent = Sent::no, .hangs = true, .place = black_hole},
      {.name = "first_address_refused", .code = {}, .place = [] { return many_addresses(true); }},
      {.name = "first_address_is_a_black_hole", .code = {}, .place = [] { return many_addresses(false); }},
  };
}

}  // namespace noun_test
