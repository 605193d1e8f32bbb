// What stands on Windows for the servers that tests start as programs, and for a name service in front of that of libc:
// the tests that need them fail, and tests/portability/run leaves them out by name.
#include <stdexcept>

#include "curl/certificates.hpp"
#include "curl/name_service.hpp"
#include "curl/tls_server.hpp"
#include "faults/fault.hpp"

namespace noun_test {
namespace {

[[noreturn]] void fail() { throw std::runtime_error("not on this system"); }

}  // namespace

struct NameService::Entry {};
NameService::NameService(std::string, std::vector<std::uint16_t>) { fail(); }
NameService::NameService(std::string, std::function<void()>) { fail(); }
NameService::~NameService() = default;

TlsServer::TlsServer(const Certificates&, const std::string&, std::vector<std::string>) { fail(); }
TlsServer::~TlsServer() = default;
std::string TlsServer::url(std::string_view) const { fail(); }
std::string TlsServer::stop() { fail(); }
std::size_t count_of(std::string_view, std::string_view) { fail(); }

void Certificates::make(const std::string&, std::string_view) { fail(); }
void Certificates::make_expired(const std::string&) { fail(); }
void Certificates::issue(const std::string&, const std::string&, const Issue&) { fail(); }
void Certificates::chain(const std::string&, const std::vector<std::string>&) { fail(); }

std::vector<Fault> faults_on_the_way() { return {}; }
std::vector<Fault> faults_of_tls() { return {}; }
std::vector<Fault> faults_of_http2() { return {}; }
RawServer::Script secured(const Tls&, RawServer::Script) { fail(); }
std::string trusted_authority() { fail(); }

}  // namespace noun_test
