#include "curl/trust_store.hpp"

#include <chrono>
#include <utility>

#include <curl/curl.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/x509_vfy.h>

namespace noun { inline namespace v0 { namespace curl {
namespace {

std::string text_of(const char* text) { return text == nullptr ? "" : text; }

}  // namespace

Authorities authorities_of(const Tls& tls) {
  // Asked once, because libcurl writes it to the same place each time.
  static const auto* const libcurl = curl_version_info(CURLVERSION_NOW);
  const auto own = std::string("OpenSSL/") + OpenSSL_version(OPENSSL_VERSION_STRING);
  if (!tls.verify || text_of(libcurl->ssl_version) != own) return {};
  if (!tls.ca_file.empty()) return {.file = tls.ca_file};
  return {.file = text_of(libcurl->cainfo), .folder = text_of(libcurl->capath)};
}

void TrustStore::Release::operator()(x509_store_st* store) const noexcept { X509_STORE_free(store); }

TrustStore::TrustStore(Authorities authorities) noexcept : authorities_(std::move(authorities)) {}

TrustStore::Reference TrustStore::get(Instant now) noexcept {
  if (authorities_ == Authorities{}) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto file = file_version(authorities_.file);
  const auto folder = file_version(authorities_.folder);
  constexpr auto longest = std::chrono::hours(24);
  if (!store_ || file != file_ || folder != folder_ || now - loaded_ >= longest) {
    if (auto store = load()) {
      store_ = std::move(store);
      file_ = file;
      folder_ = folder;
      loaded_ = now;
    }
  }
  if (store_) X509_STORE_up_ref(store_.get());
  return Reference(store_.get());
}

TrustStore::Reference TrustStore::load() const noexcept {
  const auto& [file, folder] = authorities_;
  Reference store(X509_STORE_new());
  // The errors are of no use to the program. The flags are those that libcurl sets.
  ERR_set_mark();
  const bool loaded = store && (file.empty() || X509_STORE_load_file(store.get(), file.c_str()) == 1) &&
                      (folder.empty() || X509_STORE_load_path(store.get(), folder.c_str()) == 1) &&
                      X509_STORE_set_flags(store.get(), X509_V_FLAG_TRUSTED_FIRST | X509_V_FLAG_PARTIAL_CHAIN) == 1;
  ERR_pop_to_mark();
  return loaded ? std::move(store) : nullptr;
}

}}}  // namespace noun::curl
