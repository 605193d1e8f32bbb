// Included by <noun/asio.hpp> and <noun/boost_asio.hpp>, inside a namespace of noun where `net` is the Asio in use. It
// has no include guard: a program may use both.

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
    // Assigned before the start: the completion clears the slot. What it holds does not keep the handler alive.
    const auto call = std::make_shared<std::weak_ptr<noun::detail::StartedCall>>();
    if (slot.is_connected()) slot.assign([call](net::cancellation_type type) { cancel(*call, type); });
    Started started;
    Access::start(noun::detail::OperationAccess::erase(operation_),
                  [executor](std::function<void()> run) { net::post(executor, std::move(run)); },
                  std::make_unique<Completed>(std::forward<Handler>(handler), executor), started);
    *call = Access::weak(started);
  }

 private:
  using Access = noun::detail::StartedAccess;

  static void cancel(const std::weak_ptr<noun::detail::StartedCall>& call, net::cancellation_type type) {
    using Type = net::cancellation_type;
    const auto started = Access::locked(call);
    if ((type & (Type::terminal | Type::partial)) != Type::none)
      started.stop();
    else if ((type & Type::total) != Type::none)
      Access::stop_unless_sent(started);
  }

  /// Calls the handler with the result. Until then its executor has outstanding work; that ends on the executor, which
  /// the program may destroy afterwards, and not on a thread of noun.
  template <class Handler, class HandlerExecutor>
  class Handled final : public noun::detail::Completion {
   public:
    Handled(Handler handler, const HandlerExecutor& executor) : handler_(std::move(handler)), work_(executor) {}
    void complete(noun::detail::ErasedResult result) override {
      net::get_associated_cancellation_slot(handler_).clear();
      std::move(handler_)(noun::detail::OperationAccess::result_of<T>(std::move(result)));
    }

   private:
    Handler handler_;
    net::executor_work_guard<HandlerExecutor> work_;
  };

  Operation<T> operation_;
};
