#include "resource/cache_access.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <string_view>
#include <utility>

#include "call/redaction.hpp"
#include "call/report.hpp"
#include "resource/client_core.hpp"
#include "vocabulary/error_text.hpp"
#include "wire/ascii.hpp"

namespace noun { inline namespace v0 { namespace detail {
namespace {

/// @source RFC 9111, section 4.4: 2xx and 3xx are no errors.
constexpr bool is_error(int status) noexcept { return status >= 400; }

/// Beginnings of words, between hyphens, in names of request fields that say whose data is asked for: X-Tenant-Id,
/// OpenAI-Organization.
constexpr std::string_view owners[] = {"tenant",    "account",   "organization", "organisation", "org",
                                       "workspace", "project",   "subscription", "team",         "company",
                                       "customer",  "user",      "subject",      "behalf",       "impersonate",
                                       "realm",     "namespace", "site",         "shop",         "store"};

bool names_owner(std::string_view header) {
  const auto name = wire::lowered(header);
  if (name.ends_with("user-agent") || name.starts_with("sec-")) return false;
  for (std::string_view rest = name; !rest.empty();) {
    const auto word = rest.substr(0, rest.find('-'));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    const auto starts_word = [&](std::string_view owner) { return word.starts_with(owner); };
    if (std::any_of(std::begin(owners), std::end(owners), starts_word)) return true;
  }
  return false;
}

}  // namespace

CacheAccess::CacheAccess(std::shared_ptr<Cache> cache, CacheSettings settings)
    : cache_(std::move(cache)),
      settings_(settings.exchange),
      in_memory_(dynamic_cast<cache::ByteStore*>(cache_.get())),
      // The seed may have any length.
      hash_(wire::KeyedHash(wire::KeyedHash({}).of(cache_->seed())).of(settings.owner)) {}

/// The group of a URL in a cache::Key. It begins with 16 bytes that are different for each owner.
std::string CacheAccess::group_of(std::string_view url) const {
  const auto group = cache::group_of(url);
  std::string text;
  text.reserve(hash_.seed().size() + group.size());
  return text.append(hash_.seed().data(), hash_.seed().size()).append(group);
}

/// The name in a group is a digest, since there may be secrets in it: of the query of the URL, the method, and the fields
/// of the request that say who asks, and for whom, which a server may forget to list in Vary; of a QUERY also its body,
/// and the fields that describe it. A GET of a URL without a query has no name.
/// @source RFC 10008, section 2.7.
cache::Key CacheAccess::key_of(const CallRequest& request) const {
  const std::string_view url = request.url;
  std::string rest(request.method == Method::get ? "" : to_string(request.method));
  if (const auto size = cache::group_of(url).size(); url.size() > size) (rest += ' ') += url.substr(size);
  for (const auto& field : request.headers)
    if (names_credentials(field.name) || names_owner(field.name))
      ((((rest += '\n') += field.name) += ':') += field.value);
  if (request.method == Method::query) {
    for (const auto& field : request.headers)
      if (cache::describes_body(field.name)) ((((rest += '\n') += field.name) += ':') += field.value);
    (rest += "\n\n") += BodyAccess::text_of(request.body);
  }
  if (rest.empty()) return cache::Key(group_of(url));
  return cache::Key(group_of(url), wire::to_text(hash_.of(rest)));
}

CacheKey CacheAccess::digests_of(const cache::Key& key) const {
  return {wire::to_text(hash_.of(key.group())), wire::to_text(hash_.of(key.text()))};
}

std::atomic<std::uint64_t>& CacheAccess::writes_of(std::size_t group) noexcept {
  return writes_[group % writes_.size()];
}

/// A failure of the cache is no failure of the call.
template <class Work>
void CacheAccess::guarded(Use use, const Notice& notice, Work work) noexcept {
  const auto bit = static_cast<std::uint8_t>(use);
  std::string why;
  try {
    const Result<void> done = work();
    if (done) return void(failing_.fetch_and(static_cast<std::uint8_t>(~bit)));
    why = what_of(done.error());
  } catch (const std::exception& exception) {
    try {
      why = exception.what();
    } catch (...) {
    }
  } catch (...) {
  }
  if (failing_.fetch_or(bit) != 0) return;
  try {
    notice("the cache failed, and calls continue without it: " + why);
  } catch (...) {
  }
}

void CacheAccess::look_up(CallRequest& request, const Notice& notice) noexcept {
  if (request.use_cache == UseCache::off || request.continuation != nullptr || request.source != nullptr ||
      !cache::may_use_cache(request.method, request.headers))
    return;
  guarded(Use::read, notice, [&]() -> Result<void> {
    request.cached = std::make_shared<CachedRequest>();
    auto& own = *request.cached;
    own.key = key_of(request);
    own.flights = flights_.get([] { return std::make_shared<cache::Flights>(); });
    own.writes = writes_of(own.key.group_hash());
    const auto stored = find(own.key);
    auto settings = settings_;
    settings.reload = request.use_cache == UseCache::reload;
    if (request.validates) settings.mode = CacheMode::validate;
    own.exchange = std::make_shared<cache::Exchange>(settings, hash_.seed(), stored ? *stored : nullptr);
    if (!stored) return stored.error();
    if (own.exchange->is_damaged()) return remove(own.key);
    return {};
  });
}

/// What is stored under a key, or null.
Result<cache::Bytes> CacheAccess::find(const cache::Key& key) {
  if (in_memory_ != nullptr) return in_memory_->find(key);
  auto bytes = cache_->get(digests_of(key));
  if (!bytes) return std::move(bytes).error();
  return *bytes ? std::make_shared<const std::string>(**std::move(bytes)) : nullptr;
}

Result<void> CacheAccess::replace(const cache::Key& key, const cache::Bytes& bytes) {
  if (bytes->empty()) return remove(key);
  auto put = in_memory_ != nullptr ? in_memory_->keep(key, bytes) : cache_->put(digests_of(key), *bytes);
  if (!put) return std::move(put).error();
  return {};
}

Result<void> CacheAccess::remove(const cache::Key& key) {
  if (in_memory_ == nullptr) return cache_->remove(digests_of(key));
  in_memory_->drop(key);
  return {};
}

Result<void> CacheAccess::remove_group(std::string_view group) {
  if (in_memory_ == nullptr) return cache_->remove_group(wire::to_text(hash_.of(group)));
  in_memory_->drop_group(group);
  return {};
}

void CacheAccess::keep(ClientCore& core, const Call& call, const Done& done) {
  store(call, done, core.notice_of(call.request()));
  if (auto claim = claim_revalidation(call)) revalidate(core, call.request(), std::move(claim));
}

void CacheAccess::store(const Call& call, const Done& done, const Notice& notice) noexcept {
  const auto& request = call.request();
  if (request.writes()) return invalidate(call, done, notice);
  if (request.exchange() == nullptr || request.exchange()->change() == nullptr) return;
  const auto& own = *request.cached;
  if (writes_of(own.key.group_hash()) != own.writes) return;
  guarded(Use::write, notice, [&]() -> Result<void> {
    auto replaced = replace(own.key, own.exchange->change());
    // A write that ended meanwhile has removed what was there before.
    if (replaced && writes_of(own.key.group_hash()) != own.writes) return remove(own.key);
    return replaced;
  });
}

/// After a write nothing that was stored of its URLs is used, nor is what was requested before its end.
void CacheAccess::invalidate(const Call& call, const Done& done, const Notice& notice) {
  const auto& request = call.request();
  const auto& history = call.history();
  // Also of a call that failed: its status may be unusual, its body too long, its redirect not followed.
  const auto* const response = done.response && !is_error(done.response->status) ? done.response.get() : nullptr;
  if (response == nullptr && history.sent != Sent::maybe && !history.maybe_applied) return;
  const std::string_view collection = request.cached ? request.cached->collection : std::string_view();
  guarded(Use::write, notice, [&]() -> Result<void> {
    Result<void> result;
    for (const auto& url : cache::invalidated_by(request.url, collection, response)) {
      const auto group = group_of(url);
      ++writes_of(cache::Key::hash(group));
      if (auto removed = remove_group(group); !removed) result = std::move(removed);
    }
    return result;
  });
}

/// Returns the right to validate the stored response of the call in the background, which is lost with the last copy;
/// null if that is not needed, or if another has it.
std::shared_ptr<void> CacheAccess::claim_revalidation(const Call& call) {
  const auto* const exchange = call.request().exchange();
  if (exchange == nullptr || !exchange->must_revalidate()) return nullptr;
  const auto& name = call.request().cached->key.text();
  // Made before the name is there, so that the name does not stay if memory runs out.
  auto end = [self = shared_from_this(), name](void*) {
    const std::lock_guard lock(self->mutex_);
    self->revalidating_.erase(name);
  };
  {
    const std::lock_guard lock(mutex_);
    if (!revalidating_.insert(name).second) return nullptr;
  }
  return {this, std::move(end)};
}

/// Validates a stored response in the background.
/// @param claim  kept until it is validated.
void CacheAccess::revalidate(ClientCore& core, CallRequest request, std::shared_ptr<void> claim) {
  request.use_cache = UseCache::normal;
  request.validates = true;
  request.cached = nullptr;
  request.deadline = Instant::max();
  auto finished = [this, &core, claim = std::move(claim)](Done done, std::shared_ptr<CallJob> job) {
    core.driver().post([this, &core, claim, done = std::move(done), job = std::move(job)] {
      store(job->call(), done, core.notice_of(job->request()));
    });
  };
  core.start(std::move(request), {.finished = std::move(finished)});
}

}  // namespace detail

Cache::~Cache() = default;

std::shared_ptr<detail::CacheAccess> Cache::access(std::shared_ptr<Cache> self, detail::CacheSettings settings) const {
  return std::make_shared<detail::CacheAccess>(std::move(self), std::move(settings));
}

}}  // namespace noun
