// Tests of values that JSON has as text: what is malformed or out of range is an error that names the value.
#include <noun/as_text.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <noun/describe.hpp>

#include "resource/scripted_client.hpp"

namespace resource_test {

struct Message {
  noun::as_text<std::int64_t> id;
  noun::base64 body;
  noun::timestamp sent;
  std::optional<noun::timestamp> read = {};
  std::vector<noun::as_text<std::uint8_t>> levels = {};
};
NOUN_DESCRIBE(Message, id, body, sent, read, levels)

struct Envelope {
  Message message;
};
NOUN_DESCRIBE(Envelope, message)

namespace as_text_test {

using ::testing::HasSubstr;
using ::testing::StartsWith;

using namespace std::chrono_literals;

/// A value, or what is wrong with its text, as a clause.
template <class T>
std::pair<std::optional<T>, std::string> read(std::string_view text) {
  noun::detail::DecodeFault fault;
  auto value = noun::detail::decode_value<T>(text, noun::Limits(), fault);
  return {std::move(value), fault.what};
}

template <class T>
std::string written(const T& value) {
  return noun::detail::encode_body(value, 128).value();
}

/// Reads the text, and writes what was read; or why it is refused.
template <class T>
std::string there_and_back(std::string_view text) {
  const auto [value, fault] = read<T>(text);
  constexpr std::string_view prefix = "the body cannot be decoded: ";
  return value ? written(*value) : fault.substr(std::min(prefix.size(), fault.size()));
}

constexpr noun::WallTime noon = noun::WallTime(std::chrono::sys_days(std::chrono::year(2026) / 2 / 1) + 12h);

TEST(AsText, an_integer_of_any_size_goes_there_and_back) {
  for (const auto* text : {R"("0")", R"("7")", R"("-9223372036854775808")", R"("9007199254740993")",
                           R"("9223372036854775807")"})
    EXPECT_EQ(there_and_back<noun::as_text<std::int64_t>>(text), text);
  EXPECT_EQ(there_and_back<noun::as_text<std::uint64_t>>(R"("18446744073709551615")"), R"("18446744073709551615")");
  EXPECT_EQ(there_and_back<noun::as_text<std::int8_t>>(R"("-128")"), R"("-128")");
  EXPECT_EQ(there_and_back<noun::as_text<std::int64_t>>("9007199254740993"), R"("9007199254740993")") << "a number";
  noun::as_text<int> number = 80;
  EXPECT_EQ(number + 1, 81);
  EXPECT_EQ(number.value(), 80);
}

TEST(AsText, an_integer_that_does_not_fit_is_refused) {
  EXPECT_EQ(there_and_back<noun::as_text<std::uint8_t>>(R"("256")"), "the integer \"256\" does not fit its field");
  EXPECT_EQ(there_and_back<noun::as_text<unsigned>>(R"("-1")"), "the integer \"-1\" does not fit its field");
  EXPECT_EQ(there_and_back<noun::as_text<std::int64_t>>(R"("9223372036854775808")"),
            "the integer \"9223372036854775808\" does not fit its field");
  EXPECT_EQ(there_and_back<noun::as_text<std::uint8_t>>("256"), "the number 256 does not fit its field");
  EXPECT_EQ(there_and_back<noun::as_text<int>>("3.5"), "the number 3.5 does not fit its field");
}

TEST(AsText, malformed_integers_are_refused) {
  for (const auto* text : {"", " 7", "7 ", "+7", "007", "-0", "0x7", "7.0", "1e3", "1,000", "-", "--7", "seven", "7\\n"})
    EXPECT_THAT(there_and_back<noun::as_text<int>>("\"" + std::string(text) + "\""),
                StartsWith("an integer as text is expected, not \""))
        << text;
  EXPECT_EQ(there_and_back<noun::as_text<int>>(R"("x1")"), "an integer as text is expected, not \"x1\"");
  EXPECT_EQ(there_and_back<noun::as_text<int>>("true"), "an integer as text is expected, not boolean");
  EXPECT_EQ(there_and_back<noun::as_text<int>>("null"), "an integer as text is expected, not null");
  const auto text_of = [](std::size_t size) { return "\"" + std::string(size, 'x') + "\""; };
  EXPECT_EQ(there_and_back<noun::as_text<int>>(text_of(40)), "an integer as text is expected, not " + text_of(40));
  EXPECT_EQ(there_and_back<noun::as_text<int>>(text_of(41)), "an integer as text is expected, not text of 41 bytes");
}

TEST(Base64Bytes, both_alphabets_are_read_and_each_type_writes_its_own) {
  for (const auto* text : {R"("+/8=")", R"("+/8")", R"("-_8=")", R"("-_8")"}) {
    EXPECT_EQ(read<noun::base64>(text).first->bytes(), "\xfb\xff") << text;
    EXPECT_EQ(there_and_back<noun::base64>(text), R"("+/8=")");
    EXPECT_EQ(there_and_back<noun::base64url>(text), R"("-_8")");
  }
  EXPECT_EQ(there_and_back<noun::base64>(R"("")"), R"("")");
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) {
    bytes += static_cast<char>(byte);
    EXPECT_EQ(read<noun::base64>(written(noun::base64(bytes))).first, noun::base64(bytes));
    EXPECT_EQ(read<noun::base64url>(written(noun::base64url(bytes))).first, noun::base64url(bytes));
  }
}

TEST(Base64Bytes, malformed_text_is_refused) {
  for (const auto* text : {"A", "A===", "QQ=", "QQ===", "QUI==", "=", "====", "QR==", "QQ==QQ==", "Q Q=", "QQ\\n==",
                           "+_8=", "Q*=="})
    EXPECT_THAT(there_and_back<noun::base64>("\"" + std::string(text) + "\""), StartsWith("base64 is expected, not \""))
        << text;
  EXPECT_EQ(there_and_back<noun::base64>("7"), "base64 is expected, not number");
}

TEST(Timestamp, an_instant_goes_there_and_back_in_utc) {
  const std::pair<const char*, const char*> cases[] = {
      {"2026-02-01T12:00:00Z", "2026-02-01T12:00:00Z"},
      {"2026-02-01t12:00:00z", "2026-02-01T12:00:00Z"},
      {"2026-02-01T13:30:00+01:30", "2026-02-01T12:00:00Z"},
      {"2026-01-31T23:00:00-13:00", "2026-02-01T12:00:00Z"},
      {"2026-02-01T12:00:00-00:00", "2026-02-01T12:00:00Z"},
      {"2026-02-01T12:00:00.5Z", "2026-02-01T12:00:00.500Z"},
      {"2026-02-01T12:00:00.000001Z", "2026-02-01T12:00:00.000001Z"},
      {"2026-02-01T12:00:00.1234567Z", "2026-02-01T12:00:00.123456700Z"},
      {"2026-02-01T12:00:00.123456789000Z", "2026-02-01T12:00:00.123456789Z"},
      {"1678-01-01T00:00:00.25Z", "1678-01-01T00:00:00.250Z"},
      {"1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z"},
      {"2261-12-31T23:59:59.999999999Z", "2261-12-31T23:59:59.999999999Z"},
  };
  for (const auto& [text, back] : cases)
    EXPECT_EQ(there_and_back<noun::timestamp>(Json(text).dump()), Json(back).dump()) << text;
  EXPECT_EQ(read<noun::timestamp>(R"("2026-02-01T12:00:00.25Z")").first, noon + 250ms);
  EXPECT_LT(noun::timestamp(noon), noun::timestamp(noon + 1s));
  EXPECT_EQ(written(noun::timestamp()), R"("1970-01-01T00:00:00Z")");
}

TEST(Timestamp, what_is_no_instant_is_refused) {
  for (const auto* text :
       {"", "2026-02-01", "2026-02-01T12:00:00", "2026-02-01T12:00Z", "2026-02-01 12:00:00Z", "2026-02-30T12:00:00Z",
        "2026-02-01T24:00:00Z", "2026-02-01T12:00:60Z", "2016-12-31T23:59:60Z", "2026-02-01T12:00:00.Z",
        "2026-02-01T12:00:00,5Z", "2026-02-01T12:00:00.0000000001Z", "2026-02-01T12:00:00+0100", "2026-02-01T12:00:00+01",
        "2026-02-01T12:00:00+24:00", "2026-02-01T12:00:00 Z", " 2026-02-01T12:00:00Z", "2026-02-01T12:00:00Z ",
        "2026-02-01T12:00:00Zulu", "26-02-01T12:00:00Z", "1677-12-31T23:59:59Z", "9999-12-31T23:59:59Z",
        "0001-01-01T00:00:00Z", "1769947200", "Sun, 01 Feb 2026 12:00:00 GMT"})
    EXPECT_THAT(there_and_back<noun::timestamp>(Json(text).dump()), StartsWith("an RFC 3339 date-time of the years "))
        << text;
  EXPECT_EQ(there_and_back<noun::timestamp>("1769947200"),
            "an RFC 3339 date-time of the years 1678 to 2261, with seconds and zone, is expected, not number");
}

TEST(AsText, is_a_member_of_a_struct_whose_errors_name_it) {
  const std::string whole =
      R"({"message":{"id":"9007199254740993","body":"aGVsbG8=","sent":"2026-02-01T12:00:00Z","levels":["7","255"]}})";
  const auto [read_one, fault] = read<Envelope>(whole);
  ASSERT_TRUE(read_one) << fault;
  EXPECT_EQ(read_one->message.id, 9007199254740993);
  EXPECT_EQ(read_one->message.body.bytes(), "hello");
  EXPECT_EQ(read_one->message.sent, noon);
  EXPECT_FALSE(read_one->message.read);
  EXPECT_EQ(read_one->message.levels[1], 255);
  EXPECT_EQ(Json::parse(written(*read_one)), Json::parse(whole));
  const auto with = [&](const char* pointer, const char* value) {
    auto changed = Json::parse(whole);
    changed[Json::json_pointer(pointer)] = value;
    return there_and_back<Envelope>(changed.dump());
  };
  EXPECT_EQ(with("/message/id", "12x"), "at message: at id: an integer as text is expected, not \"12x\"");
  EXPECT_EQ(with("/message/body", "*"), "at message: at body: base64 is expected, not \"*\"");
  EXPECT_THAT(with("/message/sent", "now"), HasSubstr("at message: at sent: an RFC 3339 date-time"));
  EXPECT_THAT(with("/message/read", "now"), HasSubstr("at message: at read: an RFC 3339 date-time"));
  EXPECT_EQ(with("/message/levels/1", "256"), "at message: at levels: the integer \"256\" does not fit its field");
}

}  // namespace as_text_test
}  // namespace resource_test
