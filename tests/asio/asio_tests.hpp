// The tests of async_run(), for the Asio that is `net` where this is included.

/// A server of one page, which responds when it is opened.
struct GatedService final : noun::Transport {
  noun::Result<noun::Response> send(const noun::Attempt&, const noun::StopToken& stop) override {
    std::unique_lock lock(mutex);
    ++requests;
    changed.notify_all();
    if (!changed.wait_until(lock, stop, noun::Instant::max(), [this] { return open; }))
      return noun::Error(noun::Errc::cancelled, "cancelled", noun::Sent::maybe);
    return noun::Response{.status = 200, .headers = fields, .body = "7"};
  }
  void open_gate() {
    const std::lock_guard lock(mutex);
    open = true;
    changed.notify_all();
  }
  void wait_for_request() {
    std::unique_lock lock(mutex);
    changed.wait_until(lock, {}, noun::Instant::max(), [this] { return requests > 0; });
  }

  std::mutex mutex;
  noun::StoppableCondition changed;
  noun::Headers fields;
  bool open = true;
  int requests = 0;
};

struct Bench {
  std::shared_ptr<GatedService> service = std::make_shared<GatedService>();
  noun::Client api{"https://api.example.com", {.transport = service, .quota_ledger = noun::make_quota_ledger()}};
  noun::Operation<int> get = noun::op::get(api.singleton<int>("seven"));
  net::io_context context;
  std::optional<noun::Result<int>> result;

  auto keep() {
    return [this](noun::Result<int> completed) {
      EXPECT_TRUE(context.get_executor().running_in_this_thread());
      result.emplace(std::move(completed));
    };
  }
  noun::Errc code() const { return result->error().code(); }
};

TEST(NOUN_ASIO_TESTS, a_handler_runs_on_its_executor_which_has_work_until_then) {
  Bench bench;
  async_run(bench.get, net::bind_executor(bench.context, bench.keep()));
  EXPECT_FALSE(bench.result);
  bench.context.run();
  EXPECT_EQ(bench.result->value(), 7);
}

TEST(NOUN_ASIO_TESTS, a_handler_is_never_called_in_the_initiating_function) {
  Bench bench;
  bench.get = noun::op::get(bench.api.collection<int>("numbers")[""]);
  net::post(bench.context, [&] {
    async_run(bench.get, net::bind_executor(bench.context, bench.keep()));
    EXPECT_FALSE(bench.result);
  });
  bench.context.run();
  EXPECT_EQ(bench.code(), noun::Errc::invalid_argument);
}

TEST(NOUN_ASIO_TESTS, a_handler_may_be_move_only_and_have_no_executor) {
  Bench bench;
  std::promise<int> value;
  async_run(bench.get, [&value, one = std::make_unique<int>(1)](noun::Result<int> completed) {
    value.set_value(completed.value() + *one);
  });
  EXPECT_EQ(value.get_future().get(), 8);
}

TEST(NOUN_ASIO_TESTS, a_future_has_the_result) {
  Bench bench;
  auto later = async_run(bench.get, net::use_future);
  EXPECT_EQ(later.get().value(), 7);
}

#ifdef NOUN_HAS_AWAITABLE
TEST(NOUN_ASIO_TESTS, a_coroutine_awaits_the_result) {
  Bench bench;
  const auto read = [](Bench& in) -> net::awaitable<void> {
    for (int i = 0; i < 3; ++i) {
      auto value = co_await async_run(in.get, net::use_awaitable);
      EXPECT_EQ(value.value(), 7);
      EXPECT_TRUE(in.context.get_executor().running_in_this_thread());
    }
    in.result.emplace(3);
  };
  net::co_spawn(bench.context, read(bench), net::detached);
  bench.context.run();
  EXPECT_EQ(bench.result->value(), 3);
}
#endif

TEST(NOUN_ASIO_TESTS, terminal_and_partial_cancellation_end_a_request_that_was_sent) {
  for (const auto type : {net::cancellation_type::terminal, net::cancellation_type::partial}) {
    Bench bench;
    bench.service->open = false;
    net::cancellation_signal signal;
    async_run(bench.get,
              net::bind_cancellation_slot(signal.slot(), net::bind_executor(bench.context, bench.keep())));
    bench.service->wait_for_request();
    signal.emit(type);
    bench.context.run();
    EXPECT_EQ(bench.code(), noun::Errc::cancelled);
    signal.emit(type);
  }
}

TEST(NOUN_ASIO_TESTS, total_cancellation_leaves_a_request_that_was_sent) {
  Bench bench;
  bench.service->open = false;
  net::cancellation_signal signal;
  async_run(bench.get, net::bind_cancellation_slot(signal.slot(), net::bind_executor(bench.context, bench.keep())));
  bench.service->wait_for_request();
  signal.emit(net::cancellation_type::total);
  bench.service->open_gate();
  bench.context.run();
  EXPECT_EQ(bench.result->value(), 7);
}

TEST(NOUN_ASIO_TESTS, total_cancellation_ends_what_waits_for_the_quota) {
  Bench bench;
  bench.service->fields = {{"X-RateLimit-Limit", "1"}, {"X-RateLimit-Remaining", "0"}, {"X-RateLimit-Reset", "3600"}};
  ASSERT_TRUE(bench.get.run());
  net::cancellation_signal signal;
  async_run(bench.get, net::bind_cancellation_slot(signal.slot(), net::bind_executor(bench.context, bench.keep())));
  signal.emit(net::cancellation_type::total);
  bench.context.run();
  EXPECT_EQ(bench.code(), noun::Errc::cancelled);
  EXPECT_EQ(bench.result->error().sent(), noun::Sent::no);
}

TEST(NOUN_ASIO_TESTS, a_context_that_ends_first_destroys_the_handler) {
  Bench bench;
  auto kept = std::make_shared<int>(1);
  const std::weak_ptr<int> watched = kept;
  std::promise<void> sent;
  {
    net::io_context context;
    async_run(bench.get, net::bind_executor(context, [kept = std::move(kept)](const noun::Result<int>&) { FAIL(); }));
    // Its completion is posted before that of the next operation.
    noun::start(bench.get, [&](const noun::Result<int>&) { sent.set_value(); });
    sent.get_future().wait();
    EXPECT_FALSE(watched.expired());
  }
  EXPECT_TRUE(watched.expired());
}

/// Sets the flag when its last copy is destroyed.
std::shared_ptr<void> destroyed_sets(bool& flag) {
  return {nullptr, [&flag](void*) { flag = true; }};
}

TEST(NOUN_ASIO_TESTS, a_context_that_ends_cancels_what_is_in_flight) {
  for (const bool strand : {false, true}) {
    Bench bench;
    bench.service->open = false;
    bool destroyed = false;
    auto context = std::make_unique<net::io_context>();
    auto on = strand ? net::any_io_executor(net::make_strand(*context)) : net::any_io_executor(context->get_executor());
    net::cancellation_signal signal;
    async_run(bench.get, net::bind_cancellation_slot(
                             signal.slot(), net::bind_executor(on, [kept = destroyed_sets(destroyed)](
                                                                       const noun::Result<int>&) { FAIL(); })));
    on = {};
    bench.service->wait_for_request();
    context.reset();
    EXPECT_TRUE(destroyed);
    signal.emit(net::cancellation_type::terminal);
    // Its attempt ends with the call, whose result has nowhere to go.
    bench.service->open_gate();
    EXPECT_EQ(bench.get.run().value(), 7);
  }
}

TEST(NOUN_ASIO_TESTS, a_context_may_end_while_results_are_posted_to_it) {
  for (int round = 0; round < 200; ++round) {
    Bench bench;
    bool destroyed = false;
    {
      net::io_context context;
      async_run(bench.get,
                net::bind_executor(context, [kept = destroyed_sets(destroyed)](const noun::Result<int>&) {}));
      async_run(bench.get, net::bind_executor(context, [](const noun::Result<int>&) {}));
      if (round % 2 == 0) bench.service->wait_for_request();
    }
    EXPECT_TRUE(destroyed);
  }
}

TEST(NOUN_ASIO_TESTS, a_context_outlives_the_handlers_that_noun_destroys_for_it) {
  for (int round = 0; round < 200; ++round) {
    Bench bench;
    std::atomic<int> destroyed = 0;
    constexpr int calls = 40;
    struct Counts {
      explicit Counts(std::atomic<int>& count) : of(&count) {}
      Counts(Counts&& other) noexcept : of(std::exchange(other.of, nullptr)) {}
      ~Counts() {
        if (of != nullptr) ++*of;
      }
      std::atomic<int>* of;
    };
    {
      net::io_context context;
      for (int i = 0; i < calls; ++i)
        async_run(bench.get, net::bind_executor(net::make_strand(context),
                                                [counts = Counts(destroyed)](const noun::Result<int>&) {}));
      if (round % 2 == 0) bench.service->wait_for_request();
    }
    EXPECT_EQ(destroyed, calls);
  }
}

TEST(NOUN_ASIO_TESTS, a_pool_that_ends_cancels_what_is_in_flight) {
  Bench bench;
  bench.service->open = false;
  bool destroyed = false;
  {
    net::thread_pool pool(1);
    async_run(bench.get, net::bind_executor(pool, [kept = destroyed_sets(destroyed)](const noun::Result<int>&) {}));
    bench.service->wait_for_request();
    pool.stop();
  }
  EXPECT_TRUE(destroyed);
}

/// A feed of numbers, and a collection whose members are made by operations.
struct Simulated {
  using Event = std::optional<noun::StreamItem<int>>;

  explicit Simulated(noun::testing::ServiceOperations how = {}) {
    service->run_feed("/feed");
    service->run_operations("/reports", how);
  }
  void publish(int number) const { service->publish("/feed", number); }
  auto keep() {
    return [this](noun::Result<Event> completed) {
      EXPECT_TRUE(context.get_executor().running_in_this_thread());
      event.emplace(std::move(completed));
    };
  }
  int value() const { return event->value().value().value; }

  std::shared_ptr<noun::testing::ManualClock> clock = std::make_shared<noun::testing::ManualClock>();
  std::shared_ptr<noun::testing::SimulatedService> service = std::make_shared<noun::testing::SimulatedService>(clock);
  /// Whether an operation waits before a poll.
  std::atomic<bool> waits = false;
  // Waits take time.
  noun::Client api{"https://api.example.com", {.observer =
                                                   [this](const noun::Event& seen) {
                                                     if (seen.kind == noun::EventKind::polling) waits = true;
                                                   },
                                               .transport = service,
                                               .quota_ledger = noun::make_quota_ledger()}};
  noun::Stream<int> feed = api.stream<int>({.path = "feed"});
  net::io_context context;
  std::optional<noun::Result<Event>> event;
};

TEST(NOUN_ASIO_TESTS, events_of_a_stream_arrive_on_the_executor_of_their_handlers) {
  Simulated bench;
  for (int number = 1; number <= 3; ++number) {
    async_run(noun::op::next_event(bench.feed), net::bind_executor(bench.context, bench.keep()));
    EXPECT_FALSE(bench.event);
    bench.publish(number);
    bench.context.run();
    EXPECT_EQ(bench.value(), number);
    bench.context.restart();
    bench.event.reset();
  }
  bench.publish(4);
  EXPECT_EQ(async_run(noun::op::next_event(bench.feed), net::use_future).get().value()->value, 4);
}

TEST(NOUN_ASIO_TESTS, a_second_event_of_a_stream_is_refused_while_one_is_awaited) {
  Simulated bench;
  net::cancellation_signal signal;
  async_run(noun::op::next_event(bench.feed),
            net::bind_cancellation_slot(signal.slot(), net::bind_executor(bench.context, bench.keep())));
  EXPECT_EQ(async_run(noun::op::next_event(bench.feed), net::use_future).get().error().code(),
            noun::Errc::invalid_argument);
  signal.emit(net::cancellation_type::terminal);
  bench.context.run();
  EXPECT_EQ(bench.event->error().code(), noun::Errc::cancelled);
}

TEST(NOUN_ASIO_TESTS, every_cancellation_ends_the_wait_for_an_event_and_leaves_the_event) {
  Simulated bench;
  int number = 0;
  for (const auto type :
       {net::cancellation_type::terminal, net::cancellation_type::partial, net::cancellation_type::total}) {
    net::cancellation_signal signal;
    async_run(noun::op::next_event(bench.feed),
              net::bind_cancellation_slot(signal.slot(), net::bind_executor(bench.context, bench.keep())));
    signal.emit(type);
    bench.context.run();
    EXPECT_EQ(bench.event->error().code(), noun::Errc::cancelled);
    bench.context.restart();
    bench.publish(++number);
    async_run(noun::op::next_event(bench.feed), net::bind_executor(bench.context, bench.keep()));
    bench.context.run();
    EXPECT_EQ(bench.value(), number);
    bench.context.restart();
  }
}

TEST(NOUN_ASIO_TESTS, a_context_that_ends_leaves_the_event_that_its_handler_awaits) {
  Simulated bench;
  for (int number = 1; number <= 20; ++number) {
    bool destroyed = false;
    {
      net::io_context context;
      async_run(noun::op::next_event(bench.feed),
                net::bind_executor(context, [kept = destroyed_sets(destroyed)](
                                                const noun::Result<Simulated::Event>&) { FAIL(); }));
      if (number % 2 == 0) bench.publish(number);
    }
    EXPECT_TRUE(destroyed);
    if (number % 2 == 1) bench.publish(number);
    // A thread of noun may still hold the operation.
    auto event = noun::op::next_event(bench.feed).run();
    while (!event && event.error().code() == noun::Errc::invalid_argument)
      event = noun::op::next_event(bench.feed).run();
    EXPECT_EQ(event.value()->value, number);
  }
}

#ifdef NOUN_HAS_AWAITABLE
TEST(NOUN_ASIO_TESTS, a_coroutine_awaits_the_events_of_a_stream_and_an_operation) {
  Simulated bench({.polls = 1, .retry_after = std::chrono::milliseconds(250)});
  for (int number = 1; number <= 5; ++number) bench.publish(number);
  bench.service->run_feed("/feed", {.ends = true});
  const auto read = [](Simulated& in) -> net::awaitable<void> {
    int last = 0;
    for (;;) {
      auto event = co_await async_run(noun::op::next_event(in.feed), net::use_awaitable);
      if (!event.value()) break;
      last = (*event)->value;
    }
    EXPECT_EQ(last, 5);
    const noun::Json spec = {{"pages", 7}};
    const auto finish = noun::op::finish(in.api, noun::op::create<noun::Json>(in.api.collection("reports"), spec));
    auto report = co_await async_run(finish, net::use_awaitable);
    EXPECT_EQ(report.value()["pages"], 7);
    EXPECT_TRUE(in.context.get_executor().running_in_this_thread());
  };
  net::co_spawn(bench.context, read(bench), net::detached);
  bench.context.run();
  EXPECT_EQ(bench.service->size("/reports"), 1U);
}
#endif

TEST(NOUN_ASIO_TESTS, an_operation_is_cancelled_between_polls_but_not_as_if_nothing_was_sent) {
  for (const auto type : {net::cancellation_type::partial, net::cancellation_type::total}) {
    Simulated bench({.polls = 0, .retry_after = std::chrono::milliseconds(300)});
    const auto finish =
        noun::op::finish(bench.api, noun::op::create<noun::Json>(bench.api.collection("reports"), noun::Json::object()));
    std::optional<noun::Result<noun::Json>> report;
    net::cancellation_signal signal;
    async_run(finish, net::bind_cancellation_slot(
                          signal.slot(), net::bind_executor(bench.context, [&](noun::Result<noun::Json> completed) {
                            report.emplace(std::move(completed));
                          })));
    while (!bench.waits) std::this_thread::yield();
    signal.emit(type);
    bench.context.run();
    if (type == net::cancellation_type::total) {
      EXPECT_TRUE(report->has_value());
    } else {
      EXPECT_EQ(report->error().code(), noun::Errc::cancelled);
      EXPECT_NE(report->error().poll_token(), "");
    }
  }
}
