// Downloads: the input is a script of a server whose file changes, and of connections that break. A download that ends
// well has all bytes of one version of the file; one that can take nothing back has delivered the start of one.
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include <fuzzer/FuzzedDataProvider.h>

#include <fmt/format.h>

#include "call/call.hpp"
#include "decision/resumption.hpp"
#include "fuzz/invariant.hpp"
#include "wire/content_range.hpp"
#include "wire/http_date.hpp"
#include "wire/integer.hpp"

namespace {

using namespace std::chrono_literals;
using namespace noun;
using noun_fuzz::require;

constexpr std::string_view url = "https://api.example.com/v1/files/7";

/// The file, by the number of its version.
std::string content_of(int version) {
  std::string content;
  for (int i = 0; i < 20 + version % 3; ++i) content += static_cast<char>('a' + (i * (version + 1) + version) % 26);
  return content;
}

bool is_start_of_a_version(std::string_view text, int versions) {
  for (int version = 0; version <= versions; ++version)
    if (content_of(version).starts_with(text)) return true;
  return false;
}

bool is_a_version(std::string_view text, int versions) {
  for (int version = 0; version <= versions; ++version)
    if (content_of(version) == text) return true;
  return false;
}

/// What identifies the bytes of a version: an ETag, a date, or nothing.
enum class Validator { etag, weak_etag, date, none };

/// A response before it is sent, and how much of its body arrives.
struct Reply {
  Response head;
  std::string body = {};
  bool is_cut = false;
};

class FileServer {
 public:
  explicit FileServer(FuzzedDataProvider& input)
      : input_(input), validator_(static_cast<Validator>(input.ConsumeIntegralInRange(0, 3))) {}

  int versions() const { return version_; }

  Reply reply(const Headers& request, bool is_well) {
    if (!is_well && input_.ConsumeIntegralInRange(0, 7) == 7) ++version_;
    if (!is_well)
      if (auto refused = refusal()) return *std::move(refused);
    auto reply = body_for(request, is_well);
    if (is_well || input_.ConsumeBool()) return reply;
    reply.is_cut = true;
    reply.body.resize(input_.ConsumeIntegralInRange<std::size_t>(0, reply.body.size()));
    return reply;
  }

 private:
  std::optional<Reply> refusal() {
    static constexpr int statuses[] = {500, 503, 429, 416, 302, 404};
    if (input_.ConsumeIntegralInRange(0, 3) < 3) return std::nullopt;
    const int status = statuses[input_.ConsumeIntegralInRange(0, 5)];
    Reply reply{.head = {.status = status, .headers = {}, .body = {}, .url = {}}};
    if (status == 302) reply.head.headers.add("Location", "/asset");
    return reply;
  }

  std::string etag() const { return fmt::format("\"{}\"", version_); }
  std::string modified() const {
    return wire::format_http_date(std::chrono::sys_seconds(1'600'000'000s + version_ * 1h));
  }

  Response head(int status) const {
    Response head{.status = status, .headers = {}, .body = {}, .url = {}};
    if (validator_ == Validator::etag) head.headers.add("ETag", etag());
    if (validator_ == Validator::weak_etag) head.headers.add("ETag", "W/" + etag());
    if (validator_ == Validator::date) {
      head.headers.add("Last-Modified", modified());
      head.headers.add("Date", wire::format_http_date(std::chrono::sys_seconds(1'700'000'000s)));
    }
    return head;
  }

  Reply body_for(const Headers& request, bool is_well) {
    const auto content = content_of(version_);
    const auto range = request.get("Range");
    const auto condition = request.get("If-Range");
    const bool is_same = condition && (*condition == etag() || *condition == modified());
    const bool is_whole = !range || !is_same || (!is_well && input_.ConsumeIntegralInRange(0, 3) == 3);
    Reply reply{.head = head(is_whole ? 200 : 206), .body = content};
    if (!is_whole) cut_to_range(reply, *range, is_well);
    if (is_well || input_.ConsumeBool())
      reply.head.headers.add("Content-Length", std::to_string(reply.body.size()));
    else
      reply.head.headers.add("Transfer-Encoding", "chunked");
    return reply;
  }

  /// Also parts that were not requested: another start, or of a file of another size.
  void cut_to_range(Reply& reply, std::string_view range, bool is_well) {
    require(range.starts_with("bytes=") && range.ends_with("-"), "the rest is requested");
    auto first = wire::read_integer<std::size_t>(range.substr(6, range.size() - 7)).value_or(0);
    const auto size = reply.body.size();
    require(first > 0 && first <= size, "the rest is not more than the file has");
    if (first == size) {
      reply = {.head = {.status = 416, .headers = {}, .body = {}, .url = {}}};
      return;
    }
    auto last = size - 1;
    auto total = std::to_string(size);
    if (!is_well) {
      const auto choice = input_.ConsumeIntegralInRange(0, 15);
      if (choice == 0) first = 0;
      if (choice == 1) total = std::to_string(size + 1);
      if (choice == 2) total = "*";
      if (choice > 12) last = input_.ConsumeIntegralInRange(first, last);
    }
    reply.head.headers.add("Content-Range", fmt::format("bytes {}-{}/{}", first, last, total));
    reply.body = reply.body.substr(first, last - first + 1);
  }

  FuzzedDataProvider& input_;
  Validator validator_;
  int version_ = 0;
};

class DownloadTrial {
 public:
  explicit DownloadTrial(FuzzedDataProvider& input)
      : input_(input), server_(input), can_restart_(input.ConsumeBool()), resumption_(Method::get, can_restart_, {}) {
    context_.retry.jitter = 0;
    context_.retry.max_attempts = input.ConsumeIntegralInRange(1, 5);
    context_.budget = std::make_shared<BudgetAccount>(RetryBudget{});
    context_.gate = make_quota_ledger()->gate("https://api.example.com", "fuzz");
    request_.url = url;
    request_.attempt_timeout = 60s;
    request_.continuation = &resumption_;
  }

  void run() {
    Call call(context_, request_, 1, 42);
    auto step = call.begin(now_);
    for (int events = 0;; ++events) {
      const bool is_well = input_.remaining_bytes() == 0 || events > 200;
      require(events < 400, "a download ends when the server is well");
      if (const auto* wait = std::get_if<Wait>(&step)) {
        now_.steady = wait->until;
        step = call.on_wake(now_);
      } else if (const auto* send = std::get_if<Send>(&step)) {
        step = call.on_response(now_, attempt(*send, is_well));
      } else {
        return check(std::get<Done>(step));
      }
      require(resumption_.received() == target_.size(), "what was received is what was written");
    }
  }

 private:
  /// What the transport does with one attempt.
  Result<Response> attempt(const Send& send, bool is_well) {
    if (!is_well && input_.ConsumeIntegralInRange(0, 15) == 15) return Error(Errc::send, "it broke", Sent::maybe);
    auto reply = server_.reply(*send.headers, is_well);
    auto place = resumption_.on_head(reply.head, now_.wall);
    if (const auto* fault = std::get_if<BodyFault>(&place)) return failed(fault->code, fault->what);
    if (std::get<BodyPlace>(place) == BodyPlace::response) return reply.head;
    if (std::get<BodyPlace>(place) == BodyPlace::start) {
      require(can_restart_ || target_.empty(), "what was delivered is not delivered again");
      target_.clear();
    }
    const auto middle = is_well ? 0 : input_.ConsumeIntegralInRange<std::size_t>(0, reply.body.size());
    for (const auto& piece : {reply.body.substr(0, middle), reply.body.substr(middle)}) {
      if (const auto fault = resumption_.on_bytes(piece.size())) return failed(fault->code, fault->what);
      target_ += piece;
    }
    if (!can_restart_) require(is_start_of_a_version(target_, server_.versions()), "the start of a file is delivered");
    if (reply.is_cut) return failed(Errc::truncated, "it was cut");
    return reply.head;
  }

  static Error failed(Errc code, const std::string& what) { return Error(code, what, Sent::answered); }

  void check(const Done& done) const {
    if (!done.failure) require(is_a_version(target_, server_.versions()), "a whole file is delivered");
  }

  FuzzedDataProvider& input_;
  FileServer server_;
  bool can_restart_;
  Resumption resumption_;
  CallContext context_;
  CallRequest request_;
  Now now_{Instant(1000s), WallTime(1'700'000'000s)};
  std::string target_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider input(data, size);
  DownloadTrial(input).run();
  return 0;
}
