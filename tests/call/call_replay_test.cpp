// A long call, played again and again, with a failure in the place of each of its events in turn. Whatever happens, and
// whenever: one end, a bounded number of attempts, the truth about what was sent, and nothing kept of the quota.
#include "call/call_fixture.hpp"

namespace call_test { namespace call_replay_test {

/// What the surroundings may do to a call at one of its steps.
struct Blow {
  std::string name;
  /// What it does to the truth about what was sent, if it is what ends an attempt.
  Sent sent = Sent::no;
  std::function<void(CallBench&)> on_attempt;
  std::function<void(CallBench&)> on_wait;
};

std::function<void(CallBench&)> failing(Errc code, Sent sent) {
  return [=](CallBench& bench) { bench.fail(code, sent); };
}
std::function<void(CallBench&)> answering(int status, noun::Headers headers = {}) {
  return [=](CallBench& bench) { bench.answer(status, headers); };
}
void wakes(CallBench& bench) { bench.wake(); }
void cancels(CallBench& bench) { bench.cancel(); }
void oversleeps(CallBench& bench) { bench.wake(bench.wait() + 1h); }
void wakes_early(CallBench& bench) { bench.wake(bench.wait() / 2); }

std::vector<Blow> all_blows() {
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
      {"404", Sent::answered, answering(404), wakes},
      {"500", Sent::answered, answering(500), wakes},
      {"401", Sent::answered, answering(401), wakes},
      {"421", Sent::answered, answering(421), wakes},
      {"redirect away", Sent::answered, answering(307, {{"Location", "https://evil.example/"}}), wakes},
      {"redirect home", Sent::answered, answering(307, {{"Location", "/v1/else"}}), wakes},
      {"429 for ever", Sent::answered, answering(429, {{"Retry-After", 999'999}}), wakes},
      {"429 at once", Sent::answered, answering(429, {{"Retry-After", 0}}), wakes},
  };
}

/// The long call: what its attempts meet when no blow falls.
const std::vector<std::pair<Sent, std::function<void(CallBench&)>>> usual_attempts = {
    {Sent::answered, answering(401)},
    {Sent::answered, answering(429, {{"Retry-After", 3}})},
    {Sent::no, failing(Errc::connect, Sent::no)},
    {Sent::answered, answering(307, {{"Location", "/v1/moved"}})},
    {Sent::answered, answering(503, {{"X-RateLimit-Remaining", 0}, {"X-RateLimit-Reset", 30}})},
    {Sent::maybe, failing(Errc::timeout, Sent::maybe)},
    {Sent::answered, answering(200)},
};

int rank(Sent sent) { return sent == Sent::maybe ? 2 : sent == Sent::answered ? 1 : 0; }

struct Replay {
  int steps = 0;
  int attempts = 0;
  Sent worst = Sent::no;
};

/// Plays the call with `blow` in the place of its step number `at`; a step is an attempt or a wait.
Replay play(CallBench& bench, const Blow* blow, int at) {
  Replay replay;
  bench.begin();
  while (!bench.is_done() && replay.steps < 200) {
    const bool struck = replay.steps++ == at && blow != nullptr;
    if (bench.waits_now()) {
      struck ? blow->on_wait(bench) : wakes(bench);
      continue;
    }
    const auto& usual = usual_attempts[static_cast<std::size_t>(replay.attempts) % usual_attempts.size()];
    ++replay.attempts;
    const auto sent = struck ? blow->sent : usual.first;
    if (rank(sent) > rank(replay.worst)) replay.worst = sent;
    (struck ? blow->on_attempt : usual.second)(bench);
  }
  return replay;
}

void set_up(CallBench& bench) {
  bench.context.credentials_may_change = true;
  bench.context.retry.max_attempts = 6;
  bench.request.deadline = bench_begin + 1h;
}

TEST(CallReplay, the_long_call_succeeds_when_no_blow_falls) {
  CallBench bench(Method::put);
  set_up(bench);
  const auto replay = play(bench, nullptr, 0);
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
  EXPECT_EQ(bench.message().find("evil.example/"), std::string::npos) << bench.message();
}

TEST(CallReplay, a_failure_at_any_step_leaves_one_true_end_and_nothing_behind) {
  for (const auto method : {Method::get, Method::post, Method::put, Method::delete_})
    for (const bool key : {false, true})
      for (const auto& blow : all_blows())
        for (int at = 0; at < 12; ++at) {
          SCOPED_TRACE(std::string(to_string(method)) + (key ? " with key, " : ", ") + blow.name + " at step " +
                       std::to_string(at));
          CallBench bench(method);
          set_up(bench);
          if (key) bench.request.idempotency_key = "k";
          check_end(bench, play(bench, &blow, at));
        }
}

TEST(CallReplay, the_same_failure_at_every_step_ends_too) {
  for (const auto& blow : all_blows()) {
    SCOPED_TRACE(blow.name);
    CallBench bench;
    set_up(bench);
    bench.begin();
    int attempts = 0;
    while (!bench.is_done() && attempts < 300) {
      if (bench.waits_now()) {
        blow.on_wait(bench);
      } else {
        ++attempts;
        blow.on_attempt(bench);
      }
    }
    ASSERT_TRUE(bench.is_done());
    EXPECT_LT(attempts, 80);
    EXPECT_TRUE(bench.failed());
    EXPECT_EQ(bench.in_flight(), 0U);
  }
}

TEST(CallReplay, a_call_that_is_dropped_at_any_step_leaves_nothing_behind) {
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
