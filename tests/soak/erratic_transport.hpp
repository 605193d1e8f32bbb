#pragma once
// A transport without a network, whose responses come at once, late, never, as faults, or as rejections.

#include <atomic>
#include <cstdint>
#include <memory>
#include <random>

#include <noun/noun.hpp>
#include <noun/stop.hpp>

namespace soak {

/// What happens to the attempts of a request. The name of the item, or of the listing or stream, begins with its letter.
enum class Fate : char {
  at_once = 'a',
  late = 'l',
  /// The attempt ends when it is cancelled, or at its timeout.
  never = 'n',
  /// A fault of the network, a 4xx or 5xx, or a body that does not decode.
  fault = 'f',
  /// The response to every second attempt is a 429.
  rejected = 'r',
};

/// Responds to /numbers/a12 with 12, to /lists?of=a12 with a listing of three pages, 12 to 17, to /events?of=a12 with a
/// stream of these, and to a POST to /reports?of=a12 with an operation whose result is 12.
class ErraticTransport final : public noun::Transport {
 public:
  explicit ErraticTransport(std::uint64_t seed) : seed_(seed) { ++alive; }
  ~ErraticTransport() override { --alive; }

  /// Responds at once, but for the fate of a stream.
  noun::Result<noun::Response> send(const noun::Attempt& attempt, const noun::StopToken& stop) override;
  std::unique_ptr<noun::Multiplexer> multiplexer() override;

  /// How many exist.
  static inline std::atomic<int> alive = 0;

 private:
  noun::Result<noun::Response> stream(const noun::Attempt& attempt, const noun::StopToken& stop);

  std::atomic<std::uint64_t> seed_;
  std::atomic<bool> rejects_ = true;
};

}  // namespace soak
