// A download over its attempts: what is requested, where a body goes, and what cannot go on.
#include "decision/resumption.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace decision_test { namespace resumption_test {

using noun::BodyPlace;
using noun::BodyFault;
using noun::Errc;
using noun::Headers;
using noun::Method;
using noun::Resumption;
using noun::Unsatisfiable;

constexpr noun::WallTime now{std::chrono::seconds(1'768'910'400)};

constexpr const char* older = "Tue, 20 Jan 2026 12:00:00 GMT";
constexpr const char* later = "Tue, 20 Jan 2026 12:00:01 GMT";

TEST(StrongValidator, is_a_strong_etag_or_an_old_enough_date) {
  const struct {
    Headers headers;
    const char* validator;
  } cases[] = {
      {{}, ""},
      {{{"ETag", "\"a\""}}, "\"a\""},
      {{{"ETag", "\"\""}}, "\"\""},
      {{{"ETag", "W/\"a\""}}, ""},
      {{{"ETag", "a"}}, ""},
      {{{"ETag", "\""}}, ""},
      {{{"ETag", "\"a\""}, {"ETag", "\"b\""}}, ""},
      {{{"Last-Modified", older}}, ""},
      {{{"Last-Modified", older}, {"Date", older}}, ""},
      {{{"Last-Modified", later}, {"Date", older}}, ""},
      {{{"Last-Modified", older}, {"Date", later}}, older},
      {{{"Last-Modified", "yesterday"}, {"Date", later}}, ""},
      {{{"Last-Modified", older}, {"Date", "now"}}, ""},
      {{{"ETag", "W/\"a\""}, {"Last-Modified", older}, {"Date", later}}, ""},
      {{{"ETag", "\"a\""}, {"Last-Modified", older}, {"Date", later}}, "\"a\""},
  };
  for (const auto& [headers, validator] : cases) EXPECT_EQ(noun::strong_validator(headers, now), validator);
}

std::string range_of(Resumption& download) {
  Headers headers;
  download.add_fields(headers);
  return headers.empty() ? "" : headers.begin()->value + " " + std::string(headers.get("If-Range").value_or("-"));
}

/// Where it puts the body of a response; or the error's code.
std::string place(Resumption& download, int status, Headers headers) {
  const auto decided = download.on_head({.status = status, .headers = std::move(headers)}, now);
  if (const auto* fault = std::get_if<BodyFault>(&decided)) return std::string(to_string(fault->code));
  switch (std::get<BodyPlace>(decided)) {
    case BodyPlace::response: return "response";
    case BodyPlace::start: return "start";
    case BodyPlace::end: return "end";
  }
  return "";
}

/// A download of 100 bytes, of which 40 were received, and whose next attempt has been prepared.
Resumption at_40(bool can_restart = true, Headers headers = {{"Content-Length", "100"}, {"ETag", "\"a\""}}) {
  Resumption download(Method::get, can_restart, {});
  EXPECT_EQ(range_of(download), "");
  EXPECT_EQ(place(download, 200, std::move(headers)), "start");
  EXPECT_FALSE(download.on_bytes(40));
  return download;
}

TEST(Resumption, requests_the_rest_if_there_is_a_strong_validator) {
  const struct {
    Headers headers;
    const char* range;
  } cases[] = {
      {{{"ETag", "\"a\""}}, "bytes=40- \"a\""},
      {{{"ETag", "\"a\""}, {"Accept-Ranges", "bytes"}}, "bytes=40- \"a\""},
      {{{"ETag", "\"a\""}, {"Accept-Ranges", "none"}}, ""},
      {{{"ETag", "W/\"a\""}}, ""},
      {{{"Last-Modified", older}, {"Date", later}}, "bytes=40- Tue, 20 Jan 2026 12:00:00 GMT"},
      {{}, ""},
  };
  for (const auto& [headers, range] : cases) {
    auto download = at_40(true, headers);
    EXPECT_EQ(range_of(download), range);
    EXPECT_FALSE(download.stuck());
    EXPECT_EQ(at_40(false, headers).stuck(), range[0] == '\0') << "a function cannot take bytes back";
  }
}

TEST(Resumption, requests_the_rest_of_a_get_alone) {
  for (const auto method : {Method::get, Method::post, Method::put}) {
    Resumption download(method, true, {});
    EXPECT_EQ(place(download, 200, {{"ETag", "\"a\""}}), "start");
    EXPECT_FALSE(download.on_bytes(1));
    EXPECT_EQ(range_of(download).empty(), method != Method::get);
  }
}

TEST(Resumption, takes_the_part_that_it_requested_and_no_other) {
  const struct {
    Headers headers;
    const char* place;
  } cases[] = {
      {{{"Content-Range", "bytes 40-99/100"}}, "end"},
      {{{"Content-Range", "bytes 40-99/100"}, {"ETag", "\"a\""}, {"Content-Length", "60"}}, "end"},
      {{{"Content-Range", "BYTES 40-99/*"}}, "end"},
      {{{"Content-Range", "bytes 40-59/100"}, {"Content-Length", "20"}}, "end"},
      {{{"Content-Range", "bytes 40-99/100"}, {"ETag", "\"b\""}}, "protocol"},
      {{{"Content-Range", "bytes 40-99/100"}, {"Content-Length", "59"}}, "protocol"},
      {{{"Content-Range", "bytes 39-99/100"}}, "protocol"},
      {{{"Content-Range", "bytes 41-99/100"}}, "protocol"},
      {{{"Content-Range", "bytes 40-100/101"}}, "protocol"},
      {{{"Content-Range", "bytes 40-99/99"}}, "protocol"},
      {{{"Content-Range", "bytes */100"}}, "protocol"},
      {{{"Content-Range", "items 40-99/100"}}, "protocol"},
      {{{"Content-Range", "40-99/100"}}, "protocol"},
      {{{"Content-Range", "bytes 40-99/100"}, {"Content-Range", "bytes 40-99/100"}}, "protocol"},
      {{{"Content-Type", "multipart/byteranges; boundary=b"}}, "protocol"},
  };
  for (const auto& [headers, expected] : cases) {
    SCOPED_TRACE(headers.begin()->value);
    auto download = at_40();
    EXPECT_EQ(range_of(download), "bytes=40- \"a\"");
    EXPECT_EQ(place(download, 206, headers), expected);
    if (expected == std::string("end")) continue;
    EXPECT_EQ(range_of(download), "") << "the next attempt requests the whole body";
    EXPECT_EQ(place(download, 200, {}), "start");
    EXPECT_EQ(download.received(), 0U);
  }
}

TEST(Resumption, takes_no_part_of_a_body_that_was_changed_later) {
  const struct {
    Headers headers;
    const char* place;
  } cases[] = {
      {{}, "end"},
      {{{"Last-Modified", older}}, "end"},
      {{{"Last-Modified", older}, {"ETag", "\"a\""}}, "end"},
      {{{"Last-Modified", later}}, "protocol"},
  };
  for (const auto& [headers, expected] : cases) {
    SCOPED_TRACE(headers.get("Last-Modified").value_or("none"));
    auto download = at_40(true, {{"Content-Length", "100"}, {"Last-Modified", older}, {"Date", later}});
    EXPECT_EQ(range_of(download), std::string("bytes=40- ") + older);
    auto part = headers;
    part.add("Content-Range", "bytes 40-99/100");
    EXPECT_EQ(place(download, 206, part), expected);
    EXPECT_EQ(range_of(download).empty(), expected == std::string("protocol"));
  }
}

TEST(Resumption, starts_again_if_the_server_sends_the_whole_body) {
  auto download = at_40();
  EXPECT_EQ(range_of(download), "bytes=40- \"a\"");
  EXPECT_EQ(place(download, 200, {{"Content-Length", "7"}, {"ETag", "\"b\""}}), "start");
  EXPECT_EQ(download.received(), 0U);
  EXPECT_EQ(download.total(), 7U);
  EXPECT_EQ(download.restarted(), 1);
  EXPECT_FALSE(download.on_bytes(3));
  EXPECT_EQ(range_of(download), "bytes=3- \"b\"");
}

TEST(Resumption, bytes_that_were_delivered_to_a_function_cannot_be_replaced) {
  auto whole = at_40(false);
  EXPECT_EQ(range_of(whole), "bytes=40- \"a\"");
  EXPECT_EQ(place(whole, 200, {{"ETag", "\"a\""}}), "truncated");
  EXPECT_TRUE(whole.stuck());
  auto other = at_40(false);
  EXPECT_EQ(range_of(other), "bytes=40- \"a\"");
  EXPECT_EQ(place(other, 206, {{"Content-Range", "bytes 0-98/100"}}), "protocol");
  EXPECT_TRUE(other.stuck());
  auto again = at_40(false);
  EXPECT_EQ(range_of(again), "bytes=40- \"a\"");
  EXPECT_EQ(place(again, 206, {{"Content-Range", "bytes 0-99/100"}}), "truncated");
  auto nothing = at_40(false);
  EXPECT_EQ(range_of(nothing), "bytes=40- \"a\"");
  EXPECT_EQ(nothing.on_unsatisfiable({}), Unsatisfiable::refused);
  EXPECT_TRUE(nothing.stuck());
}

TEST(Resumption, a_416_starts_again_once) {
  for (const Headers& headers : {Headers{}, {{"Content-Range", "bytes */41"}}, {{"Content-Range", "bytes */40"}},
                                 {{"Content-Range", "bytes 40-99/100"}}}) {
    auto download = at_40();
    EXPECT_EQ(download.on_unsatisfiable(headers), Unsatisfiable::refused) << "no range was requested";
    EXPECT_EQ(range_of(download), "bytes=40- \"a\"");
    EXPECT_EQ(download.on_unsatisfiable(headers), Unsatisfiable::restart);
    EXPECT_EQ(range_of(download), "");
    EXPECT_EQ(download.on_unsatisfiable(headers), Unsatisfiable::refused);
  }
}

TEST(Resumption, a_416_may_say_that_all_bytes_are_there) {
  const Headers of_40 = {{"Content-Range", "bytes */40"}};
  auto download = at_40(false, {{"Transfer-Encoding", "chunked"}, {"ETag", "\"a\""}});
  EXPECT_EQ(range_of(download), "bytes=40- \"a\"");
  EXPECT_EQ(download.on_unsatisfiable(of_40), Unsatisfiable::complete);
  EXPECT_TRUE(download.complete());
  auto longer = at_40();
  EXPECT_EQ(range_of(longer), "bytes=40- \"a\"");
  EXPECT_EQ(longer.on_unsatisfiable(of_40), Unsatisfiable::restart) << "it was declared as 100 bytes";
}

TEST(Resumption, after_a_part_of_an_unknown_total_there_may_be_more) {
  auto download = at_40(true, {{"Transfer-Encoding", "chunked"}, {"ETag", "\"a\""}});
  EXPECT_EQ(range_of(download), "bytes=40- \"a\"");
  EXPECT_EQ(place(download, 206, {{"Content-Range", "bytes 40-59/*"}}), "end");
  EXPECT_FALSE(download.on_bytes(20));
  EXPECT_FALSE(download.complete());
  EXPECT_EQ(range_of(download), "bytes=60- \"a\"");
  auto known = download;
  EXPECT_EQ(download.on_unsatisfiable({}), Unsatisfiable::complete);
  EXPECT_TRUE(download.complete());
  EXPECT_EQ(place(known, 206, {{"Content-Range", "bytes 60-99/100"}}), "end");
  EXPECT_FALSE(known.on_bytes(40));
  EXPECT_TRUE(known.complete());
}

TEST(Resumption, a_416_does_not_complete_a_part_that_was_cut) {
  for (const Headers& headers : {Headers{}, {{"Content-Range", "bytes */50"}}}) {
    auto download = at_40(true, {{"Transfer-Encoding", "chunked"}, {"ETag", "\"a\""}});
    EXPECT_EQ(range_of(download), "bytes=40- \"a\"");
    EXPECT_EQ(place(download, 206, {{"Content-Range", "bytes 40-59/*"}}), "end");
    EXPECT_FALSE(download.on_bytes(10));
    EXPECT_EQ(range_of(download), "bytes=50- \"a\"");
    EXPECT_EQ(download.on_unsatisfiable(headers), Unsatisfiable::restart) << "20 bytes were declared";
    EXPECT_FALSE(download.complete());
  }
}

TEST(Resumption, content_range_decides_whatever_the_status_is) {
  const struct {
    int status;
    Headers headers;
    const char* place;
  } cases[] = {
      {200, {{"Content-Range", "bytes 40-99/100"}, {"Content-Length", "60"}}, "end"},
      {200, {{"Content-Range", "bytes 41-99/100"}, {"Content-Length", "59"}}, "protocol"},
      {200, {{"Content-Range", "bytes nonsense"}}, "protocol"},
      {200, {{"Content-Range", "bytes */100"}}, "protocol"},
      {200, {{"Content-Range", "bytes 0-99/100"}}, "start"},
      {206, {{"Content-Range", "bytes 0-99/100"}, {"Content-Length", "100"}}, "start"},
      {200, {{"Content-Range", "bytes 0-99/100"}, {"Content-Length", "60"}}, "protocol"},
      {200, {{"Content-Range", "bytes 0-99/*"}}, "protocol"},
      {200, {{"Content-Range", "items 0-9/100"}}, "start"},
  };
  for (const auto& [status, headers, expected] : cases) {
    SCOPED_TRACE(headers.begin()->value);
    auto download = at_40();
    EXPECT_EQ(range_of(download), "bytes=40- \"a\"");
    EXPECT_EQ(place(download, status, headers), expected);
  }
  Resumption first(Method::get, true, {});
  EXPECT_EQ(place(first, 200, {{"Content-Range", "bytes 0-59/100"}}), "protocol");
}

TEST(Resumption, refuses_a_body_with_a_coding) {
  for (const auto* coding : {"gzip", "identity, br", "x"}) {
    Resumption download(Method::get, true, {});
    EXPECT_EQ(place(download, 200, {{"Content-Encoding", coding}}), "protocol") << coding;
  }
  for (const auto* coding : {"", "Identity"}) {
    Resumption download(Method::get, true, {});
    EXPECT_EQ(place(download, 200, {{"Content-Encoding", coding}}), "start") << coding;
  }
}

TEST(Resumption, a_part_that_was_not_requested_is_a_fault) {
  Resumption download(Method::get, true, {});
  EXPECT_EQ(range_of(download), "");
  EXPECT_EQ(place(download, 206, {{"Content-Range", "bytes 0-9/100"}}), "protocol");
}

TEST(Resumption, other_statuses_are_not_the_download) {
  Resumption download(Method::get, false, {});
  EXPECT_FALSE(download.stuck()) << "nothing was delivered";
  for (const int status : {300, 302, 304, 404, 416, 429, 503}) EXPECT_EQ(place(download, status, {}), "response");
  EXPECT_EQ(place(download, 204, {}), "no_content");
  EXPECT_EQ(place(download, 205, {}), "no_content");
  EXPECT_EQ(place(download, 202, {}), "no_content") << "the body of a 202 is not what is downloaded";
  EXPECT_FALSE(download.complete());
  EXPECT_EQ(place(download, 203, {}), "start");
  EXPECT_TRUE(download.complete());
}

TEST(Resumption, is_complete_with_its_last_byte) {
  auto download = at_40();
  EXPECT_FALSE(download.complete());
  EXPECT_EQ(range_of(download), "bytes=40- \"a\"");
  EXPECT_EQ(place(download, 206, {{"Content-Range", "bytes 40-59/100"}}), "end");
  EXPECT_FALSE(download.on_bytes(20));
  EXPECT_FALSE(download.complete());
  EXPECT_TRUE(download.on_bytes(1)) << "the part ended at 60";
  EXPECT_EQ(range_of(download), "bytes=60- \"a\"");
  EXPECT_EQ(place(download, 206, {{"Content-Range", "bytes 60-99/*"}}), "end");
  EXPECT_FALSE(download.on_bytes(40));
  EXPECT_TRUE(download.complete());
  EXPECT_EQ(download.resumed(), 2);
}

TEST(Resumption, of_unknown_size_learns_it_from_a_part) {
  const Headers chunked = {{"ETag", "\"a\""}, {"Content-Length", "5"}, {"Transfer-Encoding", "chunked"}};
  auto download = at_40(true, chunked);
  EXPECT_EQ(download.total(), std::nullopt);
  EXPECT_EQ(range_of(download), "bytes=40- \"a\"");
  EXPECT_EQ(place(download, 206, {{"Content-Range", "bytes 40-59/100"}}), "end");
  EXPECT_FALSE(download.on_bytes(20));
  EXPECT_EQ(download.total(), 100U);
  EXPECT_FALSE(download.complete());
  auto wrong = at_40(true, chunked);
  EXPECT_EQ(range_of(wrong), "bytes=40- \"a\"");
  EXPECT_EQ(place(wrong, 206, {{"Content-Range", "bytes 40-99/99"}}), "protocol");
}

TEST(Resumption, reports_progress_once) {
  auto download = at_40();
  EXPECT_TRUE(download.take_progress());
  EXPECT_FALSE(download.take_progress());
  EXPECT_FALSE(download.on_bytes(0));
  EXPECT_FALSE(download.take_progress());
}

TEST(Resumption, progress_is_a_byte_beyond_the_furthest) {
  auto download = at_40(true, {{"Content-Length", "100"}});
  EXPECT_TRUE(download.take_progress());
  for (int attempt = 0; attempt < 3; ++attempt) {
    EXPECT_EQ(place(download, 200, {{"Content-Length", "100"}}), "start");
    EXPECT_FALSE(download.on_bytes(40));
    EXPECT_FALSE(download.take_progress());
  }
  EXPECT_FALSE(download.on_bytes(1));
  EXPECT_TRUE(download.take_progress());
}

TEST(Resumption, refuses_more_than_max_bytes_as_soon_as_it_is_known) {
  const auto download = [](std::uint64_t most) { return Resumption(Method::get, true, most); };
  auto declared = download(99);
  EXPECT_EQ(place(declared, 200, {{"Content-Length", "100"}}), "too_large");
  auto just = download(100);
  EXPECT_EQ(place(just, 200, {{"Content-Length", "100"}}), "start");
  EXPECT_FALSE(just.on_bytes(100));
  auto undeclared = download(10);
  EXPECT_EQ(place(undeclared, 200, {{"Transfer-Encoding", "chunked"}, {"ETag", "\"a\""}}), "start");
  EXPECT_FALSE(undeclared.on_bytes(10));
  EXPECT_EQ(undeclared.on_bytes(1)->code, Errc::too_large);
  EXPECT_EQ(range_of(undeclared), "bytes=10- \"a\"");
  EXPECT_EQ(place(undeclared, 206, {{"Content-Range", "bytes 10-19/20"}}), "too_large");
}

}}  // namespace decision_test::resumption_test
