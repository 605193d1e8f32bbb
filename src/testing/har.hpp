#pragma once
/// @file
/// Recordings of HTTP exchanges: HAR 1.2 text ⇄ values. Reads what browsers and proxies export, too.
/// @source http://www.softwareishard.com/blog/har-12-spec/

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <noun/error.hpp>
#include <noun/http.hpp>
#include <noun/result.hpp>
#include <noun/testing/recording.hpp>
#include <noun/testing/scripted_transport.hpp>
#include <noun/time.hpp>

namespace noun { inline namespace v0 { namespace testing {

/// Stands for a secret that was hidden, in any text of a recording.
inline constexpr std::string_view hidden = "***";

/// A part of a body that was received at one time.
struct HarPiece {
  std::string bytes;
  Duration after;  ///< from the head, or from the piece before
};

/// One attempt, and its response or failure.
struct HarExchange {
  std::size_t entry = 0;  ///< its place in the file, from 0
  WallTime started = {};
  Duration latency = {};  ///< until the head, or until the failure
  SentRequest request = {};
  bool lacks_request_body = false;  ///< there was one, and it was not recorded
  /// The status is 0 if there was none. The body is decoded, also if Content-Encoding is listed, and empty if there are
  /// pieces.
  Response response = {};
  std::vector<HarPiece> pieces = {};
  bool lacks_body = false;            ///< there was one, and it was not recorded
  std::optional<Error> failure = {};  ///< how the attempt failed, also after a head
  /// What was hidden because of its name, for people: `response member key`. Written, and not read.
  std::vector<std::string> hidden_names = {};
};

/// Reads the exchanges of a recording, in the order in which they started. Left out is what noun never has: preflights
/// of CORS, methods that it does not know, URLs that are not http, and statuses that are none of a final response.
/// @param name  of the file, for errors.
/// @returns     `decode` for text that is no HAR; the error has the entry and the member.
Result<std::vector<HarExchange>> parse_har(std::string_view text, std::string_view name);
/// The same of a file. @returns  also `invalid_argument` if it cannot be read.
Result<std::vector<HarExchange>> read_har(const std::string& path);

/// The text of a HAR file, from its start to the first entry, and from the last entry to its end.
extern const std::string_view har_start;
extern const std::string_view har_end;
/// One entry as JSON text, without what separates it from others.
std::string har_entry(const HarExchange& exchange);

/// Changes the bytes of pieces. Those with parts of something to change become one, received with the last of them.
/// @param change  the new bytes; called for pieces, and for several together, with at most 10 times all bytes.
void change_pieces(std::vector<HarPiece>& pieces, const std::function<std::string(const std::string&)>& change);

/// The exchanges as they would be at other origins, in URLs, headers and bodies. What was moved is not moved again.
std::vector<HarExchange> moved(std::vector<HarExchange> exchanges, const std::vector<MovedOrigin>& origins);

}}}  // namespace noun::testing
