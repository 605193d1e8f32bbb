#include "curl/certificates.hpp"

#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace noun_test {
namespace {

void run_quietly(const std::string& command) {
  if (std::system((command + " >/dev/null 2>&1").c_str()) != 0)
    throw std::runtime_error("this failed, is openssl installed? " + command);
}

std::string key_options(const std::string& name) {
  return " -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=" + name;
}

}  // namespace

void Certificates::make(const std::string& name, std::string_view subject) {
  run_quietly("openssl req -x509 -days 1 -addext subjectAltName=" + std::string(subject) + key_options(name) +
              " -keyout " + path(name + ".key") + " -out " + path(name + ".pem"));
}

void Certificates::make_expired(const std::string& name) {
  issue(name, "", {.from = "20200101000000Z", .until = "20201231000000Z"});
}

void Certificates::issue(const std::string& name, const std::string& by, const Issue& issue) {
  std::ofstream(path("index")) << "";
  std::ofstream(path("index.attr")) << "unique_subject = no\n";
  std::ofstream(path("ca")) << "[ca]\ndefault_ca=a\n[a]\ndatabase=" << path("index")
                            << "\nrand_serial=yes\nnew_certs_dir=" << path("")
                            << "\ndefault_md=sha256\npolicy=p\nx509_extensions=e\n[p]\ncommonName=supplied\n"
                            << "[e]\nsubjectAltName=" << issue.subject
                            << "\nbasicConstraints=critical,CA:" << (issue.authority ? "TRUE" : "FALSE") << "\n";
  run_quietly("openssl req -new" + key_options(name) + " -keyout " + path(name + ".key") + " -out " +
              path(name + ".csr"));
  const auto signer = by.empty() ? " -selfsign -keyfile " + path(name + ".key")
                                 : " -cert " + path(by + ".pem") + " -keyfile " + path(by + ".key");
  const auto validity = issue.from.empty()
                            ? std::string(" -days 1")
                            : " -startdate " + std::string(issue.from) + " -enddate " + std::string(issue.until);
  run_quietly("openssl ca -batch -notext" + validity + " -config " + path("ca") + signer + " -in " +
              path(name + ".csr") + " -out " + path(name + ".pem"));
}

void Certificates::chain(const std::string& name, const std::vector<std::string>& links) {
  std::ofstream chained(path(name + ".pem"));
  for (const auto& link : links) chained << std::ifstream(path(link + ".pem")).rdbuf();
}

}  // namespace noun_test
