// A long call is replayed with a failure in the place of each of its steps. Every time it has one end, a bounded number
// of attempts, the correct Sent, and it leaves no permit.
#include "call/call_fixture.hpp"

namespace call_test { namespace call_replay_test {

/// A failure that replaces one step of the call.
struct Failure {
  std::string name;
  /// What the attempt that it ends contributes to Error::sent().
  Sent sent = Sent::no;
  std::function<void(CallBench&)> on_attempt;
  std::function<void(CallBench&)> on_wait;
};

std::function<void(CallBench&)> failing(Errc code, Sent sent) {
  return [=](CallBench& bench) { bench.fail(code, sent); };
}
std::function<void(CallBench&)> responding(int status, noun::Headers headers = {}) {
  return [=](CallBench& bench) { bench.respond(status, headers); };
}
void wakes(CallBench& bench) { bench.wake(); }
void cancels(CallBench& bench) { bench.cancel(); }
void oversleeps(CallBench& bench) { bench.wake(bench.wait() + 1h); }
void wakes_early(CallBench& bench) { bench.wake(bench.wait() / 2); }

std::vector<Failure> all_failures() {
  return {
      {"resolve", Sent::no, failing(Errc::resolve, Sent::no), cancels},
      {"connect", Sent::no, failing(Errc::connect, Sent::no), oversleeps},
      {"tls", Sent::no, failing(Errc::tls, Sent::no), wakes_early},
      {"send", Sent::maybe, failing(Errc::send, Sent::maybe), wakes},
      {"timeout", Sent::maybe, failing(Errc::timeout, Sent::maybe), wakes},
      {"truncated", Sent::maybe, failing(Errc::truncated, Sent::maybe), wakes},
      {"protocol", Sent::maybe, failing(Errc::protocol, Sent::maybe), wakes},
      {"too_large", Sent::answered, failing(Errc::too_large, Sent::answered), wakes},
      {"cancelled", Sent::maybe, failing(Errc::cancelled, Sent::maybe), wakes},
      {"resource", Sent::no, failing(Errc::resource, Sent::no), wakes},
      {"404", Sent::answered, responding(404), wakes},
      {"500", Sent::answered, responding(500), wakes},
      {"401", Sent::answered, responding(401), wakes},
      {"421", Sent::answered, responding(421), wakes},
      {"redirect to another origin", Sent::answered, responding(307, {{"Location", "https://evil.example/"}}), wakes},
      {"redirect within the origin", Sent::answered, responding(307, {{"Location", "/v1/else"}}), wakes},
      {"429 with a long wait", Sent::answered, responding(429, {{"Retry-After", 999'999}}), wakes},
      {"429 without a wait", Sent::answered, responding(429, {{"Retry-After", 0}}), wakes},
  };
}

/// How the attempts of the long call end without a failure.
const std::vector<std::pair<Sent, std::function<void(CallBench&)>>> usual_attempts = {
    {Sent::answered, responding(401)},
    {Sent::answered, responding(429, {{"Retry-After", 3}})},
    {Sent::no, failing(Errc::connect, Sent::no)},
    {Sent::answered, responding(307, {{"Location", "/v1/moved"}})},
    {Sent::answered, responding(503, {{"X-RateLimit-Remaining", 0}, {"X-RateLimit-Reset", 30}})},
    {Sent::maybe, failing(Errc::timeout, Sent::maybe)},
    {Sent::answered, responding(200)},
};

int rank(Sent sent) { return sent == Sent::maybe ? 2 : sent == Sent::answered ? 1 : 0; }

struct Replay {
  int steps = 0;
  int attempts = 0;
  Sent worst = Sent::no;
};

/// Runs the call with `failure` in the place of its step number `at`, from 0; a step is an attempt or a wait.
Replay replay_call(CallBench& bench, const Failure* failure, int at) {
  Replay replay;
  bench.begin();
  while (!bench.is_done() && replay.steps < 200) {
    const bool replaced = replay.steps++ == at && failure != nullptr;
    if (bench.waits_now()) {
      replaced ? failure->on_wait(bench) : wakes(bench);
      continue;
    }
    const auto& usual = usual_attempts[static_cast<std::size_t>(replay.attempts) % usual_attempts.size()];
    ++replay.attempts;
    const auto sent = replaced ? failure->sent : usual.first;
    if (rank(sent) > rank(replay.worst)) replay.worst = sent;
    (replaced ? failure->on_attempt : usual.second)(bench);
  }
  return replay;
}

void set_up(CallBench& bench) {
  bench.context.credentials_may_change = true;
  bench.context.retry.max_attempts = 6;
  bench.request.deadline = bench_begin + 1h;
}

TEST(CallReplay, the_call_succeeds_without_a_failure) {
  CallBench bench(Method::put);
  set_up(bench);
  const auto replay = replay_call(bench, nullptr, 0);
  EXPECT_TRUE(bench.succeeded()) << bench.message();
  EXPECT_EQ(replay.attempts, 7);
  EXPECT_EQ(replay.steps, 12);
  EXPECT_EQ(bench.call().history().sent, Sent::maybe);
}

void check_end(CallBench& bench, const Replay& replay) {
  ASSERT_TRUE(bench.is_done());
  EXPECT_LE(replay.attempts, 20);
  EXPECT_EQ(bench.attempts(), replay.attempts);
  EXPECT_EQ(bench.call().history().sent, replay.worst);
  EXPECT_EQ(bench.in_flight(), 0U);
  EXPECT_EQ(bench.held(), 0U);
  EXPECT_GE(bench.context.budget->tokens(), 0);
  if (!bench.failed()) return;
  EXPECT_EQ(bench.error().sent(), replay.worst);
  EXPECT_EQ(bench.error().attempts(), replay.attempts);
  EXPECT_FALSE(bench.message().empty());
  EXPECT_EQ(bench.message().find(";;"), std::string::npos) << bench.message();
  EXPECT_EQ(bench.error().request().url.find("evil.example"), std::string::npos) << bench.message();
}

TEST(CallReplay, a_failure_at_any_step_ends_the_call_correctly_and_leaves_no_permit) {
  for (const auto method : {Method::get, Method::post, Method::put, Method::delete_})
    for (const bool key : {false, true})
      for (const auto& failure : all_failures())
        for (int at = 0; at < 12; ++at) {
          SCOPED_TRACE(std::string(to_string(method)) + (key ? " with key, " : ", ") + failure.name + " at step " +
                       std::to_string(at));
          CallBench bench(method);
          set_up(bench);
          if (key) bench.request.idempotency_key = "k";
          check_end(bench, replay_call(bench, &failure, at));
        }
}

TEST(CallReplay, the_same_failure_at_every_step_ends_the_call) {
  for (const auto& failure : all_failures()) {
    SCOPED_TRACE(failure.name);
    CallBench bench;
    set_up(bench);
    bench.begin();
    int attempts = 0;
    while (!bench.is_done() && attempts < 300) {
      if (bench.waits_now()) {
        failure.on_wait(bench);
      } else {
        ++attempts;
        failure.on_attempt(bench);
      }
    }
    ASSERT_TRUE(bench.is_done());
    EXPECT_LT(attempts, 80);
    EXPECT_TRUE(bench.failed());
    EXPECT_EQ(bench.in_flight(), 0U);
  }
}

TEST(CallReplay, a_call_destroyed_at_any_step_leaves_no_permit) {
  for (int at = 0; at < 12; ++at) {
    auto bench = std::make_unique<CallBench>(Method::put);
    set_up(*bench);
    const auto gate = bench->context.gate;
    bench->begin();
    std::size_t attempt = 0;
    for (int step = 0; step < at && !bench->is_done(); ++step) {
      if (bench->waits_now())
        bench->wake();
      else
        usual_attempts[attempt++].second(*bench);
    }
    const auto now = bench->now;
    bench.reset();
    EXPECT_EQ(gate->snapshot(now).in_flight, 0U) << at;
    EXPECT_EQ(gate->snapshot(now).held, 0U) << at;
  }
}

}  // namespace call_replay_test
}  // namespace call_test
