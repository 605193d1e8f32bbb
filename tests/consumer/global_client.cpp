// A shared object with a global client; WHO is its identity.
#include <noun/noun.hpp>

namespace {

const noun::Client client{"http://127.0.0.1:9", {.retry = {.max_attempts = 1}, .identity = WHO}};

}  // namespace

/// Whether the call fails with a connect error, because no server listens.
extern "C" bool ask() {
  const auto got = client.collection("things")[1].get();
  return !got && got.error().code() == noun::Errc::connect;
}
