// Included by <noun/asio.hpp> and <noun/boost_asio.hpp>, inside a namespace of noun where `net` is the Asio in use. It
// has no include guard: a program may use both.

/// The calls whose handlers belong to one execution context. From its end on nothing is posted to it.
/// @threadsafety  safe.
class ContextCalls {
 public:
  class Call {
   public:
    virtual ~Call() = default;
    /// Cancels the call and destroys its handler, unless another thread does.
    virtual void abandon() noexcept = 0;

   private:
    friend ContextCalls;
    std::optional<std::list<std::shared_ptr<Call>>::iterator> place_;
    bool is_abandoned_ = false;
  };

  void add(std::shared_ptr<Call> call) {
    const std::lock_guard lock(mutex_);
    call->place_ = calls_.insert(calls_.end(), call);
  }
  void remove(Call& call) noexcept {
    const std::lock_guard lock(mutex_);
    if (const auto place = std::exchange(call.place_, std::nullopt)) calls_.erase(*place);
    changed_.notify_all();
  }
  /// Calls `post` unless the context has ended; its end waits for it.
  template <class Post>
  void post(Post post) {
    {
      const std::lock_guard lock(mutex_);
      if (ended_) return;
      ++posting_;
    }
    struct Posted {
      explicit Posted(ContextCalls& calls) : of(calls) {}
      Posted(const Posted&) = delete;
      Posted& operator=(const Posted&) = delete;
      ~Posted() {
        const std::lock_guard lock(of.mutex_);
        if (--of.posting_ == 0) of.changed_.notify_all();
      }
      ContextCalls& of;
    } const posted(*this);
    post();
  }
  /// Returns when all handlers are destroyed.
  void end() noexcept {
    std::unique_lock lock(mutex_);
    ended_ = true;
    changed_.wait(lock, [this] { return posting_ == 0; });
    while (!calls_.empty() && !calls_.front()->is_abandoned_) {
      const auto call = calls_.front();
      call->is_abandoned_ = true;
      calls_.splice(calls_.end(), calls_, calls_.begin());
      lock.unlock();
      call->abandon();
      lock.lock();
    }
    changed_.wait(lock, [this] { return calls_.empty(); });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<std::shared_ptr<Call>> calls_;
  std::size_t posting_ = 0;
  bool ended_ = false;
};

/// Ends the calls of its execution context with it.
class ContextService final : public net::execution_context::service {
 public:
  static inline net::execution_context::id id;

  explicit ContextService(net::execution_context& context) : service(context) {}
  const std::shared_ptr<ContextCalls>& calls() const noexcept { return calls_; }

 private:
  void shutdown() noexcept override { calls_->end(); }

  const std::shared_ptr<ContextCalls> calls_ = std::make_shared<ContextCalls>();
};

/// Returns the calls of the executor's context; null if the executor has no Asio context.
template <class Executor>
std::shared_ptr<ContextCalls> calls_of(const Executor& executor) {
  if constexpr (net::can_query<const Executor&, net::execution::context_t>::value) {
    using Context = decltype(net::query(executor, net::execution::context));
    if constexpr (std::is_convertible_v<Context, net::execution_context&>)
      return net::use_service<ContextService>(
                 static_cast<net::execution_context&>(net::query(executor, net::execution::context)))
          .calls();
  }
  return nullptr;
}

/// A call that was started, and the executor of its handler, which is not used after the end of its context.
template <class Executor>
class HandledCall final : public ContextCalls::Call {
 public:
  explicit HandledCall(const Executor& executor) : executor_(executor), calls_(calls_of(executor)) {}

  /// The handler exists while one of these does. After it nothing uses the context.
  class Presence {
   public:
    explicit Presence(std::shared_ptr<HandledCall> call) : call_(std::move(call)) {
      if (call_->calls_) call_->calls_->add(call_);
    }
    Presence(const Presence&) = delete;
    Presence& operator=(const Presence&) = delete;
    ~Presence() {
      if (!call_->calls_) return;
      call_->executor_.reset();
      call_->calls_->remove(*call_);
    }

   private:
    const std::shared_ptr<HandledCall> call_;
  };
  void set_call(const noun::Started& started) noexcept { call_ = Access::weak(started); }
  void post(std::function<void()> run) {
    if (!calls_) return net::post(*executor_, std::move(run));
    calls_->post([&] {
      // The handler may run, and take the executor away, before post() returns.
      const Executor executor = *executor_;
      net::post(executor, std::move(run));
    });
  }
  void cancel(net::cancellation_type type) const {
    using Type = net::cancellation_type;
    const auto started = Access::locked(call_);
    if ((type & (Type::terminal | Type::partial)) != Type::none)
      started.stop();
    else if ((type & Type::total) != Type::none)
      Access::stop_unless_sent(started);
  }

 private:
  using Access = noun::detail::StartedAccess;

  void abandon() noexcept override { Access::disarm(Access::locked(call_)); }

  std::optional<Executor> executor_;
  const std::shared_ptr<ContextCalls> calls_;
  std::weak_ptr<noun::detail::StartedCall> call_;
};

/// Starts an operation when it is called with a handler.
template <class T>
class Initiation {
 public:
  using executor_type = net::system_executor;

  explicit Initiation(Operation<T> operation) : operation_(std::move(operation)) {}
  /// Where a handler runs that has no executor of its own.
  executor_type get_executor() const noexcept { return {}; }

  template <class Handler>
  void operator()(Handler&& handler) const {
    const auto executor = net::get_associated_executor(handler, get_executor());
    using Completed = Handled<std::decay_t<Handler>, std::decay_t<decltype(executor)>>;
    auto slot = net::get_associated_cancellation_slot(handler);
    const auto call = std::make_shared<HandledCall<std::decay_t<decltype(executor)>>>(executor);
    // Assigned before the start: the completion clears the slot. What it holds does not keep the handler alive.
    if (slot.is_connected()) slot.assign([call](net::cancellation_type type) { call->cancel(type); });
    Started started;
    noun::detail::StartedAccess::start(
        noun::detail::OperationAccess::erase(operation_),
        [call](std::function<void()> run) { call->post(std::move(run)); },
        std::make_unique<Completed>(std::forward<Handler>(handler), executor, call), started);
    call->set_call(started);
  }

 private:
  /// Calls the handler with the result. Until then its executor has outstanding work; that ends on the executor, which
  /// the program may destroy afterwards, and not on a thread of noun.
  template <class Handler, class HandlerExecutor>
  class Handled final : public noun::detail::Completion {
   public:
    Handled(Handler handler, const HandlerExecutor& executor, std::shared_ptr<HandledCall<HandlerExecutor>> call)
        : presence_(std::move(call)), handler_(std::move(handler)), work_(executor) {}
    Handled(const Handled&) = delete;
    Handled& operator=(const Handled&) = delete;
    void complete(noun::detail::ErasedResult result) override {
      net::get_associated_cancellation_slot(handler_).clear();
      std::move(handler_)(noun::detail::OperationAccess::result_of<T>(std::move(result)));
    }

   private:
    const typename HandledCall<HandlerExecutor>::Presence presence_;  // destroyed last
    Handler handler_;
    net::executor_work_guard<HandlerExecutor> work_;
  };

  Operation<T> operation_;
};
