#pragma once
/// @file
/// The position of a long-running operation, as sealed text (wire/sealed_text) under ClientOptions::bookmark_key.

#include <string>
#include <string_view>
#include <variant>

#include "decision/poll.hpp"
#include "wire/sealed_text.hpp"

namespace noun { inline namespace v0 {

/// What a token says.
struct PollToken {
  /// In the text, secrets are not in its URLs.
  PollPosition position = {};
  /// Of the client: another one refuses it.
  std::string base_url = {};
  /// When the next poll is due.
  WallTime next = {};
};

std::string write_poll_token(const PollToken& token, std::string_view key);
/// Reads a text that write_poll_token() wrote with the same key.
std::variant<PollToken, wire::SealFault> read_poll_token(std::string_view text, std::string_view key);

}}  // namespace noun
