// Tests of decoding with simdjson: the values and errors are those of nlohmann.
#include <noun/simdjson.hpp>

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

namespace noun_test {

struct Tag {
  std::string text;
  std::optional<double> weight;
};
NOUN_DESCRIBE(Tag, text, weight)

struct Entry {
  std::int64_t id = 0;
  std::uint64_t size = 0;
  noun::checked<std::uint8_t> level;
  float share = 0;
  double score = 0;
  bool open = false;
  std::string title = {};
  std::vector<Tag> tags = {};
  std::vector<int> numbers = {};
  std::optional<Tag> first = {};
  std::map<std::string, int> counts = {};
  noun::Json extra = {};
  std::vector<bool> flags = {};
  std::vector<Entry> entries = {};
};
NOUN_DESCRIBE(Entry, id, size, level, share, score, open, title, tags, numbers, first, counts, extra, flags, entries)

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

namespace simdjson_test {

using noun::Json;
using noun::detail::JsonDecoder;

/// How a text was read.
enum class Way { by_layout, by_from_json, by_nlohmann };

/// Sees what the decoder reads, while it lives.
class WatchedDecoder final : public JsonDecoder {
 public:
  WatchedDecoder() { noun::detail::install(this); }
  WatchedDecoder(const WatchedDecoder&) = delete;
  WatchedDecoder& operator=(const WatchedDecoder&) = delete;
  ~WatchedDecoder() { noun::detail::install(decoder_); }
  bool read(std::string_view text, const noun::detail::Layout& layout, void* value) const override {
    return decoder_->read(text, layout, value) && see(Way::by_layout);
  }
  bool report(std::string_view text, noun::detail::JsonEvents& events) const override {
    return decoder_->report(text, events) && see(Way::by_from_json);
  }
  /// Of the last text.
  Way way() const { return way_; }

 private:
  bool see(Way way) const {
    way_ = way;
    return true;
  }
  const JsonDecoder* decoder_ = noun::detail::json_decoder();
  mutable Way way_ = Way::by_nlohmann;
};

/// No decoder is installed while it lives.
class WithoutDecoder {
 public:
  WithoutDecoder() { noun::detail::install(nullptr); }
  WithoutDecoder(const WithoutDecoder&) = delete;
  WithoutDecoder& operator=(const WithoutDecoder&) = delete;
  ~WithoutDecoder() { noun::detail::install(decoder_); }

 private:
  const JsonDecoder* decoder_ = noun::detail::json_decoder();
};

/// What a text decodes to: the value, or the code and the error.
template <class T>
std::string outcome(std::string_view text) {
  noun::detail::DecodeFault fault;
  if (const auto value = noun::detail::decode_value<T>(text, noun::Limits(), fault)) return Json(*value).dump();
  return "error " + std::to_string(static_cast<int>(fault.code)) + ": " + fault.what;
}

/// Expects the outcome of nlohmann.
template <class T>
Way expect_same(std::string_view text) {
  std::string expected;
  {
    const WithoutDecoder without;
    expected = outcome<T>(text);
  }
  const WatchedDecoder watched;
  EXPECT_EQ(outcome<T>(text), expected) << text;
  return watched.way();
}

const std::string entry =
    R"({"id":-7,"size":18446744073709551615,"level":255,"share":0.5,"score":1e3,"open":true,)"
    R"("title":"gr\u00fcn \ud83d\ude00","tags":[{"text":"a","weight":1},{"text":"b","weight":null},{"text":"c"}],)"
    R"("numbers":[1,2.0,-3],"unknown":[{"a":[0]}],"first":{"text":"d","weight":2.25},"counts":{"x":1,"y":2},)"
    R"("extra":{"any":[1,-2,2.5,null,true,"t",{}]},)"
    R"("flags":[true,false],"entries":[]})";

TEST(Simdjson, is_installed_by_its_header) { EXPECT_NE(noun::detail::json_decoder(), nullptr); }

TEST(Simdjson, reads_described_types_by_their_layout_and_others_by_their_from_json) {
  EXPECT_EQ(expect_same<Entry>(entry), Way::by_layout);
  EXPECT_EQ(expect_same<std::vector<Entry>>("[" + entry + "," + entry + "]"), Way::by_layout);
  EXPECT_EQ(expect_same<std::vector<std::vector<Entry>>>("[[" + entry + "],[]]"), Way::by_layout);
  EXPECT_EQ(expect_same<std::vector<std::string>>(R"(["a\u0000b", ""])"), Way::by_layout);
  EXPECT_EQ(expect_same<Json>(entry), Way::by_from_json);
  EXPECT_EQ(expect_same<Plain>(R"({"words": ["a", "b"], "text": "", "score": 7})"), Way::by_from_json);
  EXPECT_EQ((expect_same<std::map<std::string, Tag>>(R"({"a": {"text": "b"}})")), Way::by_from_json);
}

TEST(Simdjson, reads_types_that_contain_themselves_and_optionals) {
  const auto outer = R"({"id":1,"size":1,"level":1,"share":1,"score":1,"open":false,"title":"","tags":[],"numbers":[],)"
                     R"("counts":{},"extra":null,"flags":[],"entries":[)" +
                     entry + "]}";
  EXPECT_EQ(expect_same<Entry>(outer), Way::by_layout);
  EXPECT_EQ(noun::Codec<Entry>::decode(outer)->entries.at(0).tags.at(2).text, "c");
  EXPECT_EQ(noun::Codec<Entry>::decode(outer)->entries.at(0).size, 18446744073709551615U);
  const WatchedDecoder watched;
  EXPECT_EQ(noun::Codec<std::optional<Tag>>::decode(R"({"text":"a"})")->value().text, "a");
  EXPECT_EQ(watched.way(), Way::by_layout);
}

TEST(Simdjson, leaves_what_does_not_fit_the_layout_to_from_json) {
  for (const std::string_view text : {R"({})", R"([])", R"("a")", R"({"text":7})", R"({"text":null})",
                                      R"({"text":"a","text":"b"})", R"({"text":"a","weight":"b"})"})
    EXPECT_EQ(expect_same<Tag>(text), Way::by_from_json) << text;
}

TEST(Simdjson, leaves_what_it_refuses_to_nlohmann) {
  for (const std::string_view text :
       {R"({"text":"a","weight":1e400})", R"({"text":"a","x":18446744073709551616})", R"({"text":"a","x":"\ud800"})",
        "{\"text\":\"a\",\"x\":\"\xff\"}", R"({"text":"a","x":[1,]})", R"({"text":"a"} x)", R"({"text":"a"}{})",
        R"({"text":"a")", "", " "})
    EXPECT_EQ(expect_same<Tag>(text), Way::by_nlohmann) << text;
  // nlohmann skips a byte order mark (RFC 8259, section 8.1), simdjson 3.12 does, too, and 3.0 refuses it.
  expect_same<Tag>("\xEF\xBB\xBF{\"text\":\"a\"}");
  EXPECT_TRUE(noun::Codec<Tag>::decode("\xEF\xBB\xBF{\"text\":\"a\"}"));
  // Its parser takes at most 1,024 levels.
  const WatchedDecoder watched;
  EXPECT_TRUE(noun::Codec<Json>::decode(std::string(1100, '[') + std::string(1100, ']')));
  EXPECT_EQ(watched.way(), Way::by_nlohmann);
}

TEST(Simdjson, reads_the_last_of_equal_keys) {
  EXPECT_EQ(expect_same<Json>(R"({"a":{"b":1,"c":2},"a":{"b":3},"d":1,"d":[]})"), Way::by_from_json);
  EXPECT_EQ(expect_same<Tag>(R"({"text":"a","x":1,"x":{"text":2}})"), Way::by_layout);
  EXPECT_EQ(noun::Codec<Tag>::decode(R"({"text":"a","te\u0078t":"b"})")->text, "b");
}

TEST(Simdjson, reads_a_text_in_the_from_json_of_another) {
  const auto text = R"({"embedded": "{\"text\": \"inner\", \"weight\": null}", "after": "outer"})";
  EXPECT_EQ(expect_same<Letter>(text), Way::by_layout);
  EXPECT_EQ(noun::Codec<Letter>::decode(text)->after, "outer");
}

TEST(Simdjson, reads_a_derived_class_by_its_from_json) {
  EXPECT_EQ(expect_same<DerivedTag>(R"({"text": "a", "weight": 2})"), Way::by_from_json);
}

TEST(Simdjson, reads_an_optional_member_without_a_default_constructor) {
  EXPECT_EQ(expect_same<Holder>(R"({"held": {"number": 3}, "after": "a"})"), Way::by_layout);
  EXPECT_EQ(noun::Codec<Holder>::decode(R"({"held": {"number": 3}, "after": "a"})")->held->number, 3);
  EXPECT_EQ(expect_same<Holder>(R"({"held": null, "after": "a"})"), Way::by_layout);
  expect_same<Holder>(R"({"held": {"number": "3"}, "after": "a"})");
}

TEST(Layout, leaves_lists_of_what_has_no_default_constructor_to_nlohmann) {
  EXPECT_EQ(noun::detail::kind_of<std::vector<NoDefault>>, noun::detail::Layout::Kind::other);
  EXPECT_FALSE(noun::detail::read_by_layout<std::vector<NoDefault>>);
}

TEST(Simdjson, reads_numbers_as_nlohmann) {
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

TEST(Simdjson, has_the_values_and_errors_of_nlohmann_for_random_texts) {
  std::size_t by_layout = 0;
  constexpr unsigned texts = 4000;
  for (unsigned seed = 0; seed < texts && !::testing::Test::HasFailure(); ++seed) {
    Texts random(seed);
    const auto text = random.changed(random.entry());
    by_layout += expect_same<Entry>(text) == Way::by_layout ? 1 : 0;
    expect_same<Json>(text);
    expect_same<std::vector<Entry>>("[" + text + "]");
    expect_same<Tag>(text);
    expect_same<Plain>(text);
  }
  EXPECT_GT(by_layout, texts / 8);
  EXPECT_LT(by_layout, texts - texts / 8);
}

}  // namespace simdjson_test
}  // namespace noun_test
