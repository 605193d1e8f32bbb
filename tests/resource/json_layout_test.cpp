// Tests of decoding: the values and errors are those of nlohmann, whichever parser reads.
#include <noun/detail/json_layout.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <noun/describe.hpp>

#include "resource/json_reference.hpp"

namespace noun_test {

/// A type that only nlohmann knows.
struct Plain {
  std::string text;
  double score = 0;
  std::vector<std::string> words;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Plain, text, score, words)

/// A class that is described by the one that it derives from: read by the from_json of that.
struct DerivedTag : Tag {
  int more = 7;
};

/// Text that is JSON itself.
struct Embedded {
  Tag tag;
};
inline void to_json(noun::Json& json, const Embedded& value) { json = noun::Json(value.tag).dump(); }
inline void from_json(const noun::Json& json, Embedded& value) {
  value.tag = noun::Codec<Tag>::decode(json.get<std::string>()).value();
}
struct Letter {
  Embedded embedded;
  std::string after;
};
NOUN_DESCRIBE(Letter, embedded, after)

struct NoDefault {
  explicit NoDefault(int from) : number(from) {}
  int number;
};
NOUN_DESCRIBE(NoDefault, number)

}  // namespace noun_test

template <>
struct nlohmann::adl_serializer<noun_test::NoDefault> {
  static noun_test::NoDefault from_json(const noun::Json& json) {
    return noun_test::NoDefault(json.at("number").get<int>());
  }
  static void to_json(noun::Json& json, const noun_test::NoDefault& value) { json["number"] = value.number; }
};

namespace noun_test {

struct Holder {
  std::optional<NoDefault> held = {};
  std::string after = {};
};
NOUN_DESCRIBE(Holder, held, after)

namespace json_layout_test {

using noun::Json;
enum class Level : std::uint8_t { low, high };
/// How a text was read.
enum class Way { by_layout, by_from_json };

/// Whether described types are read by their layout in this program: noun has simdjson.
const bool has_simdjson = noun::detail::read_directly<std::vector<std::string>>("[]").has_value();
/// What is read by its layout if noun can.
const Way by_layout = has_simdjson ? Way::by_layout : Way::by_from_json;

/// Expects the outcome of nlohmann.
template <class T>
Way expect_same(std::string_view text) {
  EXPECT_EQ(outcome(by_codec<T>(text)), outcome(by_nlohmann<T>(text))) << text;
  return noun::detail::read_directly<T>(text) ? Way::by_layout : Way::by_from_json;
}

const std::string entry =
    R"({"id":-7,"size":18446744073709551615,"level":255,"share":0.5,"score":1e3,"open":true,)"
    R"("title":"gr\u00fcn \ud83d\ude00","tags":[{"text":"a","weight":1},{"text":"b","weight":null},{"text":"c"}],)"
    R"("numbers":[1,2.0,-3],"unknown":[{"a":[0]}],"first":{"text":"d","weight":2.25},"counts":{"x":1,"y":2},)"
    R"("extra":{"any":[1,-2,2.5,null,true,"t",{}]},)"
    R"("flags":[true,false],"entries":[]})";

TEST(JsonLayout, reads_described_types_by_their_layout_and_others_by_their_from_json) {
  EXPECT_EQ(expect_same<Entry>(entry), by_layout);
  EXPECT_EQ(expect_same<std::vector<Entry>>("[" + entry + "," + entry + "]"), by_layout);
  EXPECT_EQ(expect_same<std::vector<std::vector<Entry>>>("[[" + entry + "],[]]"), by_layout);
  EXPECT_EQ(expect_same<std::vector<std::string>>(R"(["a\u0000b", ""])"), by_layout);
  EXPECT_EQ(expect_same<Json>(entry), Way::by_from_json);
  EXPECT_EQ(expect_same<Plain>(R"({"words": ["a", "b"], "text": "", "score": 7})"), Way::by_from_json);
  EXPECT_EQ((expect_same<std::map<std::string, Tag>>(R"({"a": {"text": "b"}})")), Way::by_from_json);
}

TEST(JsonLayout, reads_types_that_contain_themselves_and_optionals) {
  const auto outer = R"({"id":1,"size":1,"level":1,"share":1,"score":1,"open":false,"title":"","tags":[],"numbers":[],)"
                     R"("counts":{},"extra":null,"flags":[],"entries":[)" +
                     entry + "]}";
  EXPECT_EQ(expect_same<Entry>(outer), by_layout);
  EXPECT_EQ(noun::Codec<Entry>::decode(outer)->entries.at(0).tags.at(2).text, "c");
  EXPECT_EQ(noun::Codec<Entry>::decode(outer)->entries.at(0).size, 18446744073709551615U);
  EXPECT_EQ(noun::Codec<std::optional<Tag>>::decode(R"({"text":"a"})")->value().text, "a");
}

TEST(JsonLayout, leaves_what_does_not_fit_the_layout_to_from_json) {
  for (const std::string_view text : {R"({})", R"([])", R"("a")", R"({"text":7})", R"({"text":null})",
                                      R"({"text":"a","text":"b"})", R"({"text":"a","weight":"b"})"})
    EXPECT_EQ(expect_same<Tag>(text), Way::by_from_json) << text;
}

TEST(JsonLayout, leaves_what_it_refuses_to_nlohmann) {
  for (const std::string_view text :
       {R"({"text":"a","weight":1e400})", R"({"text":"a","x":18446744073709551616})", R"({"text":"a","x":"\ud800"})",
        "{\"text\":\"a\",\"x\":\"\xff\"}", R"({"text":"a","x":[1,]})", R"({"text":"a"} x)", R"({"text":"a"}{})",
        R"({"text":"a")", "", " "})
    EXPECT_EQ(expect_same<Tag>(text), Way::by_from_json) << text;
  // nlohmann skips a byte order mark (RFC 8259, section 8.1), simdjson 3.12 does, too, and 3.0 refuses it.
  expect_same<Tag>("\xEF\xBB\xBF{\"text\":\"a\"}");
  EXPECT_TRUE(noun::Codec<Tag>::decode("\xEF\xBB\xBF{\"text\":\"a\"}"));
  // Its parser takes at most 1,024 levels.
  EXPECT_TRUE(noun::Codec<Json>::decode(std::string(1100, '[') + std::string(1100, ']')));
}

TEST(JsonLayout, leaves_a_negative_zero_to_nlohmann_also_in_a_json_member) {
  auto text = entry;
  text.replace(text.find("[1,-2,2.5"), 5, "[1,-0");
  EXPECT_EQ(expect_same<Entry>(text), Way::by_from_json);
  text.replace(text.find("\"t\""), 3, "\"won 3-0, 5-0 \"");
  text.replace(text.find("[1,-0"), 5, "[1,-2");
  EXPECT_EQ(expect_same<Entry>(text), by_layout);
}

TEST(JsonLayout, reads_the_last_of_equal_keys) {
  EXPECT_EQ(expect_same<Json>(R"({"a":{"b":1,"c":2},"a":{"b":3},"d":1,"d":[]})"), Way::by_from_json);
  EXPECT_EQ(expect_same<Tag>(R"({"text":"a","x":1,"x":{"text":2}})"), by_layout);
  EXPECT_EQ(noun::Codec<Tag>::decode(R"({"text":"a","te\u0078t":"b"})")->text, "b");
}

TEST(JsonLayout, reads_a_text_in_the_from_json_of_another) {
  const auto text = R"({"embedded": "{\"text\": \"inner\", \"weight\": null}", "after": "outer"})";
  EXPECT_EQ(expect_same<Letter>(text), by_layout);
  EXPECT_EQ(noun::Codec<Letter>::decode(text)->after, "outer");
}

TEST(JsonLayout, reads_a_derived_class_by_its_from_json) {
  EXPECT_EQ(expect_same<DerivedTag>(R"({"text": "a", "weight": 2})"), Way::by_from_json);
}

TEST(JsonLayout, reads_an_optional_member_without_a_default_constructor) {
  EXPECT_EQ(expect_same<Holder>(R"({"held": {"number": 3}, "after": "a"})"), by_layout);
  EXPECT_EQ(noun::Codec<Holder>::decode(R"({"held": {"number": 3}, "after": "a"})")->held->number, 3);
  EXPECT_EQ(expect_same<Holder>(R"({"held": null, "after": "a"})"), by_layout);
  expect_same<Holder>(R"({"held": {"number": "3"}, "after": "a"})");
}

TEST(JsonLayout, leaves_lists_of_what_has_no_default_constructor_to_nlohmann) {
  EXPECT_EQ(noun::detail::kind_of<std::vector<NoDefault>>, noun::detail::Layout::Kind::other);
  EXPECT_FALSE(noun::detail::is_laid_out<std::vector<NoDefault>>);
}

TEST(JsonLayout, reads_numbers_as_nlohmann) {
  for (const std::string_view number : {"0",
                                        "-0",
                                        "-0.0",
                                        "0.0",
                                        "1",
                                        "-1",
                                        "127",
                                        "128",
                                        "255",
                                        "256",
                                        "255.0",
                                        "256.0",
                                        "2.5",
                                        "1e2",
                                        "1E+2",
                                        "25.5e1",
                                        "2147483647",
                                        "2147483648",
                                        "-2147483648",
                                        "-2147483649",
                                        "9007199254740992.0",
                                        "9007199254740994.0",
                                        "9223372036854775807",
                                        "9223372036854775808",
                                        "-9223372036854775808",
                                        "-9223372036854775809",
                                        "18446744073709551615",
                                        "18446744073709551616",
                                        "9223372036854775807.0",
                                        "3.4028234663852886e38",
                                        "3.4028235e38",
                                        "3.4028235677973366e38",
                                        "3.5e38",
                                        "1e300",
                                        "1.7976931348623157e308",
                                        "1.7976931348623159e308",
                                        "-1e309",
                                        "4.9e-324",
                                        "2.4e-324",
                                        "1e-400",
                                        "0.1",
                                        "0.1000000000000000055511151231257827021181583404541015625",
                                        "123456789012345678901234567890.0",
                                        "8.589973428413488e9",
                                        "9007199254740993.0",
                                        "1e00000000000000000000002",
                                        "1e-00000000000000000000002",
                                        "0e999999999999",
                                        "16777217",
                                        "16777217.0",
                                        "01",
                                        "-",
                                        "+1",
                                        ".5",
                                        "1.",
                                        "1e",
                                        "0x1",
                                        "1_0",
                                        "Infinity",
                                        "NaN"}) {
    const auto list = "[" + std::string(number) + "]";
    expect_same<std::vector<std::int64_t>>(list);
    expect_same<std::vector<std::uint64_t>>(list);
    expect_same<std::vector<std::uint8_t>>(list);
    expect_same<std::vector<std::int8_t>>(list);
    expect_same<std::vector<int>>(list);
    expect_same<std::vector<char>>(list);
    expect_same<std::vector<Level>>(list);
    expect_same<std::vector<float>>(list);
    expect_same<std::vector<double>>(list);
    expect_same<std::vector<noun::checked<short>>>(list);
    expect_same<Json>(list);
    expect_same<Json>(number);
    expect_same<double>(number);
    expect_same<Tag>(R"({"text":"","weight":)" + std::string(number) + "}");
  }
}

/// Random texts: valid ones of the types, and what is left of them after a few changes.
class Texts {
 public:
  explicit Texts(unsigned seed) : random_(seed) {}

  std::string changed(std::string text) {
    static const std::vector<std::string> pieces = {"\"",
                                                    "\\",
                                                    "{",
                                                    "}",
                                                    "[",
                                                    "]",
                                                    ",",
                                                    ":",
                                                    " ",
                                                    "\n",
                                                    "null",
                                                    "true",
                                                    "0",
                                                    "-",
                                                    "e9",
                                                    ".5",
                                                    "\\u0041",
                                                    "\\ud83d",
                                                    "\\udc00",
                                                    "\xc3",
                                                    "\xbc",
                                                    "\xed\xa0\x80",
                                                    "\xf4\x90",
                                                    "\x01",
                                                    "\x7f",
                                                    std::string(1, '\0'),
                                                    "\"text\":\"z\",",
                                                    "\"id\":1,",
                                                    "18446744073709551616",
                                                    "-0",
                                                    "1e400",
                                                    "\"x\":",
                                                    "[]",
                                                    "{}"};
    for (auto changes = below(4); changes > 0; --changes) {
      const auto at = below(text.size() + 1);
      switch (below(4)) {
        case 0: text.insert(at, pieces[below(pieces.size())]); break;
        case 1: text.erase(at, 1 + below(3)); break;
        case 2: text.insert(at, text.substr(below(text.size() + 1), below(12))); break;
        default:
          if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
      }
    }
    return text;
  }

  std::string entry(int depth = 2) {
    std::vector<std::string> members = {
        "\"id\":" + number(),
        "\"size\":" + number(),
        "\"level\":" + number(),
        "\"share\":" + number(),
        "\"score\":" + number(),
        "\"open\":" + (below(9) != 0 ? std::string("true") : value(0)),
        "\"title\":" + text(),
        "\"tags\":" + list([&] { return tag(); }),
        "\"numbers\":" + list([&] { return std::to_string(below(1000)); }),
        "\"first\":" + (below(3) != 0 ? tag() : "null"),
        "\"counts\":{\"a\":" + std::to_string(below(9)) + ",\"b\":" + std::to_string(below(9)) + "}",
        "\"extra\":" + value(depth),
        "\"flags\":[true,false]",
        "\"entries\":" + (depth > 0 && below(4) == 0 ? list([&] { return entry(depth - 1); }) : "[]"),
        "\"other\":" + value(depth)};
    if (below(3) == 0) std::shuffle(members.begin(), members.end(), random_);
    if (below(20) == 0) members.pop_back();
    std::string joined = "{";
    for (const auto& member : members) (joined += joined.size() > 1 ? "," : "") += member;
    return joined + "}";
  }

 private:
  std::size_t below(std::size_t bound) { return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random_); }
  std::string number() {
    static const std::vector<std::string> numbers = {"0", "7", "255", "3.0", "100", "1e2", "12"};
    static const std::vector<std::string> bad = {"256",  "-1",    "2.5", "1e300", "9223372036854775808",
                                                 "null", "\"7\"", "-0"};
    return below(40) == 0 ? bad[below(bad.size())] : numbers[below(numbers.size())];
  }
  std::string text() {
    static const std::vector<std::string> texts = {"\"\"",
                                                   "\"plain\"",
                                                   "\"gr\xc3\xbcn\"",
                                                   R"("\n\"\\\/\b\f\r\t")",
                                                   R"("\u00e4\ud83d\ude00\u0000")",
                                                   "\"\xf0\x9f\x98\x80 a longer text\""};
    return texts[below(texts.size())];
  }
  std::string tag() {
    return "{\"text\":" + text() + (below(2) == 0 ? ",\"weight\":" + number() : std::string()) + "}";
  }
  template <class Make>
  std::string list(Make make) {
    std::string joined = "[";
    for (auto count = below(4); count > 0; --count) (joined += joined.size() > 1 ? "," : "") += make();
    return joined + "]";
  }
  std::string value(int depth) {
    switch (below(depth > 0 ? 7 : 4)) {
      case 0: return number();
      case 1: return text();
      case 2: return "null";
      case 3: return "false";
      case 4: return list([&] { return value(depth - 1); });
      default:
        return "{\"text\":" + text() + ",\"b\":" + value(depth - 1) + ",\"" + (below(9) == 0 ? "b" : "c") + "\":1}";
    }
  }

  std::mt19937 random_;
};

TEST(JsonLayout, has_the_values_and_errors_of_nlohmann_for_random_texts) {
  std::size_t read_by_layout = 0;
  constexpr unsigned texts = 4000;
  for (unsigned seed = 0; seed < texts && !::testing::Test::HasFailure(); ++seed) {
    Texts random(seed);
    const auto text = random.changed(random.entry());
    read_by_layout += expect_same<Entry>(text) == Way::by_layout ? 1 : 0;
    expect_same<Json>(text);
    expect_same<std::vector<Entry>>("[" + text + "]");
    expect_same<Tag>(text);
    expect_same<Plain>(text);
  }
  EXPECT_GE(read_by_layout, has_simdjson ? texts / 8 : 0);
  EXPECT_LT(read_by_layout, texts - texts / 8);
}

}  // namespace json_layout_test
}  // namespace noun_test
