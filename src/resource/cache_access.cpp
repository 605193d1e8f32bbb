#include "resource/cache_access.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>

#include "call/redaction.hpp"
#include "call/report.hpp"
#include "resource/client_core.hpp"
#include "vocabulary/error_text.hpp"

namespace noun { inline namespace v0 { namespace detail {
namespace {

/// The seed of digests, from one of any length.
wire::HashSeed seed_of(Cache& cache) {
  const auto digest = wire::KeyedHash({}).of(cache.seed());
  wire::HashSeed seed;
  std::copy(digest.begin(), digest.end(), seed.begin());
  return seed;
}

/// @source RFC 9111, section 4.4: 2xx and 3xx are no errors.
constexpr bool is_error(int status) noexcept { return status >= 400; }

}  // namespace

CacheAccess::CacheAccess(std::shared_ptr<Cache> cache, CacheSettings settings)
    : cache_(std::move(cache)), settings_(std::move(settings)), seed_(seed_of(*cache_)) {
  settings_.owner = digest("owner", settings_.owner);
}

std::string CacheAccess::digest(std::string_view what, const std::string& text) {
  std::string whole;
  whole.reserve(what.size() + settings_.owner.size() + text.size() + 2);
  ((((whole += what) += '\n') += settings_.owner) += '\n') += text;
  const std::lock_guard lock(mutex_);
  return wire::to_text(hash_.of(whole));
}

std::string CacheAccess::group_of(std::string_view url) { return digest("group", std::string(cache::group_of(url))); }

/// The name within a group: of the rest of the URL, the method, and the fields of the request that identify the caller,
/// since a server may forget to list those in Vary; of a QUERY also its body, and the fields that describe it. That of a
/// GET without any needs no digest of its own.
/// @source RFC 10008, section 2.7.
CacheKey CacheAccess::key_of(const CallRequest& request) {
  const std::string_view url = request.url;
  const auto group = cache::group_of(url);
  CacheKey key{.group = group_of(url), .name = {}};
  std::string rest(request.method == Method::get ? "" : to_string(request.method));
  if (url.size() > group.size()) (rest += ' ') += url.substr(group.size());
  for (const auto& field : request.headers)
    if (names_credentials(field.name)) ((((rest += '\n') += field.name) += ':') += field.value);
  if (request.method == Method::query) {
    for (const auto& field : request.headers)
      if (cache::describes_body(field.name)) ((((rest += '\n') += field.name) += ':') += field.value);
    (rest += "\n\n") += BodyAccess::text_of(request.body);
  }
  key.name = rest.empty() ? key.group : digest("response", rest.insert(0, key.group));
  return key;
}

std::atomic<std::uint64_t>& CacheAccess::writes_of(std::string_view group) noexcept {
  return writes_[static_cast<unsigned char>(group.front())];
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
  auto& own = request.cache;
  if (own.use == UseCache::off || request.continuation != nullptr || request.source != nullptr ||
      !cache::may_use_cache(request.method, request.headers))
    return;
  guarded(Use::read, notice, [&]() -> Result<void> {
    own.key = key_of(request);
    own.flights = flights_.get([] { return std::make_shared<cache::Flights>(); });
    own.writes = writes_of(own.key.group);
    auto bytes = cache_->get(own.key);
    cache::StoredResponses stored;
    if (bytes && *bytes) {
      auto read = cache::read_bytes(**bytes);
      if (!read) {
        if (auto removed = cache_->remove(own.key); !removed) return removed;
      } else {
        stored = *std::move(read);
      }
    }
    auto settings = settings_.exchange;
    settings.reload = own.use == UseCache::reload;
    if (own.validates) settings.mode = CacheMode::validate;
    own.exchange = std::make_shared<cache::Exchange>(settings, seed_, std::move(stored));
    if (!bytes) return std::move(bytes).error();
    return {};
  });
}

void CacheAccess::keep(ClientCore& core, const Call& call, const Done& done) {
  store(call, done, core.notice_of(call.request()));
  if (auto claim = claim_revalidation(call)) revalidate(core, call.request(), std::move(claim));
}

void CacheAccess::store(const Call& call, const Done& done, const Notice& notice) noexcept {
  const auto& request = call.request();
  const auto& own = request.cache;
  if (!is_safe(request.method) && !request.changes_nothing) return invalidate(call, done, notice);
  if (!own.exchange || own.exchange->change() == nullptr || writes_of(own.key.group) != own.writes) return;
  const auto& change = *own.exchange->change();
  guarded(Use::write, notice, [&]() -> Result<void> {
    if (change.empty()) return cache_->remove(own.key);
    auto put = cache_->put(own.key, change);
    if (!put) return std::move(put).error();
    // A write that ended meanwhile has removed what was there before.
    if (writes_of(own.key.group) != own.writes) return cache_->remove(own.key);
    return {};
  });
}

/// After a write nothing that was stored of its URLs is used, nor is what was requested before its end.
void CacheAccess::invalidate(const Call& call, const Done& done, const Notice& notice) {
  const auto& request = call.request();
  const auto& history = call.history();
  // Also of a call that failed: its status may be unusual, its body too long, its redirect not followed.
  const auto* const response = done.response && !is_error(done.response->status) ? done.response.get() : nullptr;
  if (response == nullptr && history.sent != Sent::maybe && !history.maybe_applied) return;
  guarded(Use::write, notice, [&]() -> Result<void> {
    Result<void> result;
    for (const auto& url : cache::invalidated_by(request.url, request.cache.collection, response)) {
      const auto group = group_of(url);
      ++writes_of(group);
      if (auto removed = cache_->remove_group(group); !removed) result = std::move(removed);
    }
    return result;
  });
}

/// Returns the right to validate the stored response of the call in the background, which is lost with the last copy;
/// null if that is not needed, or if another has it.
std::shared_ptr<void> CacheAccess::claim_revalidation(const Call& call) {
  const auto& own = call.request().cache;
  if (!own.exchange || !own.exchange->must_revalidate()) return nullptr;
  // Made before the name is there, so that the name does not stay if memory runs out.
  auto end = [self = shared_from_this(), name = own.key.name](void*) {
    const std::lock_guard lock(self->mutex_);
    self->revalidating_.erase(name);
  };
  {
    const std::lock_guard lock(mutex_);
    if (!revalidating_.insert(own.key.name).second) return nullptr;
  }
  return {this, std::move(end)};
}

/// Validates a stored response in the background.
/// @param claim  kept until it is validated.
void CacheAccess::revalidate(ClientCore& core, CallRequest request, std::shared_ptr<void> claim) {
  request.cache = {.validates = true};
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
