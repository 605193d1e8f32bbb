#pragma once
/// @file
/// A streamed body whose bytes are counted while an attempt sends it.

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include <noun/transport.hpp>

namespace noun { inline namespace v0 {

/// The same body, for one attempt.
class CountedSource final : public BodySource {
 public:
  /// Called after each piece, with the number of bytes so far. An empty body has no piece: called when it is opened.
  using Report = std::function<void(std::uint64_t bytes)>;

  /// @param source  must outlive it.
  /// @param report  must not throw.
  CountedSource(const BodySource& source, Report report) : source_(source), report_(std::move(report)) {}

  std::uint64_t size() const noexcept override { return source_.size(); }
  Result<std::unique_ptr<BodyReader>> open() const override {
    auto reader = source_.open();
    if (!reader) return reader;
    if (size() == 0) report_(0);
    return std::unique_ptr<BodyReader>(std::make_unique<Reader>(*std::move(reader), report_));
  }

 private:
  class Reader final : public BodyReader {
   public:
    Reader(std::unique_ptr<BodyReader> reader, Report report)
        : reader_(std::move(reader)), report_(std::move(report)) {}

    Result<std::size_t> read(char* into, std::size_t at_most) override {
      auto count = reader_->read(into, at_most);
      if (count && *count > 0) report_(bytes_ += *count);
      return count;
    }

   private:
    std::unique_ptr<BodyReader> reader_;
    Report report_;
    std::uint64_t bytes_ = 0;
  };

  const BodySource& source_;
  Report report_;
};

}}  // namespace noun
