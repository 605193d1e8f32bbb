#pragma once
/// @file
/// A journey through noun, in steps. Each step knows what is true, whatever fails.

#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <noun/noun.hpp>

#include "torture/failing_calls.hpp"

namespace torture {

/// Ends a step that has no client.
struct Ended {};

/// Where a step takes place, and what it says about it.
class Stage {
 public:
  struct Place {
    std::string url;
    std::string tls_url;
    std::string authority;  ///< the certificate's file
    std::string folder;     ///< exists, and is empty
  };

  /// @param calm  whether nothing fails.
  Stage(Place place, bool calm) : place_(std::move(place)), calm_(calm) {}

  const Place& place() const noexcept { return place_; }
  std::string file(std::string_view name) const { return place_.folder + "/" + std::string(name); }

  /// A client with short waits. Throws Ended if there is an error instead.
  noun::Client client(noun::ClientOptions options = {});
  noun::Client client(const std::string& url, noun::ClientOptions options = {});
  /// The value, or an error that is noted. Throws Ended.
  template <class T>
  T value_of(noun::Result<T> result) {
    if (!result) failed("", result.error()), throw Ended();
    return *std::move(result);
  }

  /// @{
  /// Notes the result of a request: it is as expected, or an error that may be. Returns whether it is a success.
  /// @param request  its method and path below the URL; each only once in a step.
  template <class T>
  bool holds(std::string_view request, const noun::Result<T>& result, const std::type_identity_t<T>& expected) {
    if (!result) return failed(request, result.error());
    return is_true(*result == expected, request, "has another value"), succeeded(request);
  }
  bool holds(std::string_view request, const noun::Result<void>& result) {
    return result ? succeeded(request) : failed(request, result.error());
  }
  bool failed(std::string_view request, const noun::Error& error);
  bool succeeded(std::string_view request);
  /// @}
  /// Notes a lie unless it is true.
  void is_true(bool fact, std::string_view about, std::string_view otherwise);
  /// These codes are true errors of this step too.
  void allow(noun::Errc code) { allowed_.push_back(code); }
  /// From here on nothing fails, and everything succeeds.
  void calm_down() noexcept;

  /// Compares what was noted with what the server has seen.
  void compare(const std::map<std::string, int>& seen);
  const std::vector<std::string>& lies() const noexcept { return lies_; }
  bool has_errors() const noexcept { return errors_ > 0; }

 private:
  struct Note {
    std::string request;
    noun::Sent sent;
  };

  Place place_;
  bool calm_;
  std::vector<noun::Errc> allowed_;
  std::vector<Note> notes_;
  std::vector<std::string> lies_;
  int errors_ = 0;
};

struct Step {
  std::string_view name;
  void (*run)(Stage& stage);
};

const std::vector<Step>& journey();

}  // namespace torture
