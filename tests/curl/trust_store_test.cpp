// The certificate authorities of a transport: how often they are read, changes of their files, what depends on them.

#include "curl/trust_store.hpp"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include <curl/curl.h>
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/x509_vfy.h>
#include <sys/wait.h>
#include <unistd.h>

#include "curl/caller.hpp"
#include "curl/certificates.hpp"
#include "curl/curl_crowd.hpp"
#include "curl/fails_with.hpp"
#include "curl/raw_responses.hpp"
#include "curl/raw_server.hpp"
#include "curl/tls_server.hpp"
#include "joining_thread.hpp"
#include "os/temporary_folder.hpp"
#include "sanitized.hpp"

namespace noun_test { namespace trust_store_test {

using noun::Errc;
using noun::Instant;
using noun::Sent;
using noun::curl::Authorities;
using noun::curl::TrustStore;
using ::testing::EndsWith;
using ::testing::HasSubstr;

std::atomic<int> files_read = 0;
std::mutex mutex;
// Called once, before the next file is read.
std::function<void()> before_reading;

void prepare_reading() {
  std::unique_lock lock(mutex);
  const auto call = std::exchange(before_reading, nullptr);
  lock.unlock();
  if (call) call();
}

}}  // namespace noun_test::trust_store_test

// Both noun and libcurl read files of authorities with this.
extern "C" int X509_STORE_load_file(X509_STORE* store, const char* file) {
  using namespace noun_test::trust_store_test;
  static const auto real = reinterpret_cast<int (*)(X509_STORE*, const char*)>(::dlsym(RTLD_NEXT, __func__));
  prepare_reading();
  ++files_read;
  return real(store, file);
}

namespace noun_test { namespace trust_store_test {

/// Opens a connection for each request.
Caller caller(const noun::Tls& tls) {
  Caller call{.transport = noun::libcurl_transport({.tls = tls}).value()};
  call.limits.idle_connections = 0;
  return call;
}

Crowd crowd_of(const Caller& call) {
  Crowd crowd;
  crowd.multiplexer = call.transport->multiplexer();
  crowd.limits = call.limits;
  return crowd;
}

class TrustStoreFiles : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    certificates_ = new Certificates;
    certificates_->make("mine");
    certificates_->make("other");
  }
  static void TearDownTestSuite() {
    delete certificates_;
    certificates_ = nullptr;
  }
  static std::string path(const std::string& file) { return certificates_->path(file); }
  /// Puts a copy in place of `file`.
  static void replace(const std::string& file, const std::string& copied) {
    std::filesystem::copy_file(path(copied), path("new"), std::filesystem::copy_options::overwrite_existing);
    std::filesystem::rename(path("new"), path(file));
  }

  static Certificates* certificates_;
};
Certificates* TrustStoreFiles::certificates_ = nullptr;

TEST_F(TrustStoreFiles, are_read_once_for_all_connections_of_a_transport) {
  TlsServer server(*certificates_, "mine");
  const auto call = caller({.ca_file = path("mine.pem")});
  const int before = files_read;
  auto crowd = crowd_of(call);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(call.get(server.url()));
    EXPECT_TRUE(crowd.get(server.url()));
  }
  EXPECT_EQ(files_read - before, 1);
  EXPECT_EQ(count_of("-----BEGIN SSL SESSION PARAMETERS-----", server.stop()), 6U);
}

TEST_F(TrustStoreFiles, of_the_system_are_read_once_too) {
  const auto* const file = curl_version_info(CURLVERSION_NOW)->cainfo;
  if (file == nullptr || !std::filesystem::exists(file)) GTEST_SKIP() << "the system has no such file";
  TlsServer server(*certificates_, "mine");
  const auto call = caller({});
  const int before = files_read;
  auto crowd = crowd_of(call);
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(call.get(server.url()), FailsWith(Errc::tls, Sent::no));
    EXPECT_THAT(crowd.get(server.url()), FailsWith(Errc::tls, Sent::no));
  }
  EXPECT_EQ(files_read - before, 1);
}

TEST_F(TrustStoreFiles, are_not_read_if_nothing_is_verified) {
  RawServer plain(always(http_response("ok")));
  TlsServer server(*certificates_, "mine");
  const int before = files_read;
  EXPECT_TRUE(caller({.ca_file = path("mine.pem")}).get(plain.url()));
  EXPECT_TRUE(caller({.verify = false, .ca_file = path("mine.pem")}).get(server.url()));
  EXPECT_EQ(files_read - before, 0);
}

TEST_F(TrustStoreFiles, that_change_are_read_again) {
  replace("changing.pem", "other.pem");
  TlsServer server(*certificates_, "mine");
  const auto call = caller({.ca_file = path("changing.pem")});
  for (const bool trusted : {false, true, false}) {
    replace("changing.pem", trusted ? "mine.pem" : "other.pem");
    EXPECT_EQ(call.get(server.url()).has_value(), trusted);
    EXPECT_EQ(crowd_of(call).get(server.url()).has_value(), trusted);
  }
}

TEST_F(TrustStoreFiles, that_cannot_be_read_again_stay_trusted) {
  replace("lost.pem", "mine.pem");
  TlsServer server(*certificates_, "mine");
  const auto call = caller({.ca_file = path("lost.pem")});
  EXPECT_TRUE(call.get(server.url()));
  replace("lost.pem", "mine.key");
  EXPECT_TRUE(call.get(server.url()));
  std::filesystem::remove(path("lost.pem"));
  EXPECT_TRUE(call.get(server.url()));
  replace("lost.pem", "other.pem");
  EXPECT_FALSE(call.get(server.url()));
}

TEST_F(TrustStoreFiles, that_could_never_be_read_are_reported) {
  replace("removed.pem", "mine.pem");
  TlsServer server(*certificates_, "mine");
  for (const auto* name : {"mine.key", "removed.pem"}) {
    const auto file = path(name);
    const auto call = caller({.ca_file = file});
    if (std::string_view(name) == "removed.pem") std::filesystem::remove(file);
    auto crowd = crowd_of(call);
    for (const auto& result : {call.get(server.url()), crowd.get(server.url())}) {
      ASSERT_THAT(result, FailsWith(Errc::tls, Sent::no));
      EXPECT_THAT(result.error().message(), HasSubstr("the certificate authorities for 127.0.0.1"));
      EXPECT_THAT(result.error().message(), EndsWith("cannot be read: error setting certificate file: " + file +
                                                     "; check ClientOptions::tls.ca_file"));
    }
  }
  TrustStore missing({.file = path("removed.pem")});
  EXPECT_EQ(missing.get(Instant{}), nullptr);
  replace("removed.pem", "mine.pem");
  EXPECT_NE(missing.get(Instant{}), nullptr);
}

TEST_F(TrustStoreFiles, are_read_again_after_a_day_and_when_the_folder_changes) {
  const TemporaryFolder folder;
  TrustStore trust({.file = path("mine.pem"), .folder = folder.path("")});
  const auto first = trust.get(Instant{});
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(trust.get(Instant{} + 24h - 1ns), first);
  const auto second = trust.get(Instant{} + 24h);
  EXPECT_NE(second, first);
  EXPECT_EQ(trust.get(Instant{} + 47h), second);
  std::filesystem::rename(folder.path(""), path("moved"));
  std::filesystem::create_directory(folder.path(""));
  EXPECT_NE(trust.get(Instant{} + 47h), second);
}

TEST_F(TrustStoreFiles, are_those_that_libcurl_would_read) {
  const auto text = [](const char* one) { return std::string(one == nullptr ? "" : one); };
  const auto& libcurl = *curl_version_info(CURLVERSION_NOW);
  const auto of = [](const noun::Tls& tls) { return noun::curl::authorities_of(tls); };
  EXPECT_EQ(of({}), (Authorities{text(libcurl.cainfo), text(libcurl.capath)}));
  EXPECT_EQ(of({.ca_file = "mine.pem"}), Authorities{"mine.pem"});
  EXPECT_EQ(of({.verify = false}), Authorities{});
}

TEST_F(TrustStoreFiles, may_be_an_authority_between) {
  certificates_->issue("root", "", {.subject = "DNS:root.test", .authority = true});
  certificates_->issue("between", "root", {.subject = "DNS:between.test", .authority = true});
  certificates_->issue("leaf", "between", {});
  TlsServer server(*certificates_, "leaf");
  EXPECT_TRUE(caller({.ca_file = path("between.pem")}).get(server.url()));
  EXPECT_FALSE(caller({.ca_file = path("root.pem")}).get(server.url()));
}

TEST_F(TrustStoreFiles, complete_the_chain_of_a_client_certificate) {
  certificates_->issue("root", "", {.subject = "DNS:root.test", .authority = true});
  certificates_->issue("between", "root", {.subject = "DNS:between.test", .authority = true});
  certificates_->issue("client", "between", {.subject = "DNS:client.test"});
  certificates_->chain("trusted", {"mine", "between", "root"});
  TlsServer server(*certificates_, "mine", {"-Verify", "3", "-verify_return_error", "-CAfile", path("root.pem")});
  const auto result = caller({.ca_file = path("trusted.pem"),
                              .client_certificate = path("client.pem"),
                              .client_key = path("client.key")})
                          .get(server.url());
  EXPECT_TRUE(result) << result.error().message();
}

TEST_F(TrustStoreFiles, that_are_being_read_do_not_block_a_child) {
  if (sanitized) GTEST_SKIP() << "the sanitizer's own allocator does not survive a fork while a thread starts";
  TlsServer server(*certificates_, "mine");
  const auto call = caller({.ca_file = path("mine.pem")});
  Gate reading;
  Gate forked;
  before_reading = [&] {
    reading.open();
    forked.wait();
  };
  JoiningThread other([&] { EXPECT_TRUE(call.get(server.url())); });
  reading.wait();
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(30);
    ::_exit(call.get(server.url()) ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  forked.open();
  EXPECT_EQ(status, 0);
}

}}  // namespace noun_test::trust_store_test
