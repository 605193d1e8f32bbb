// A value or an error, in every value category.
#include <noun/result.hpp>

#include <gtest/gtest.h>

#include <any>
#include <concepts>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

namespace vocabulary_test { namespace result_test {

using noun::Errc;
using noun::Error;
using noun::Response;
using noun::Result;

std::shared_ptr<const Response> answer(int status = 200) {
  return std::make_shared<const Response>(Response{status, {}, "body", {}});
}
Error failure(std::shared_ptr<const Response> response = nullptr) {
  return Error(
      noun::ErrorDetails{.code = Errc::not_found, .what = "no such thing", .response = std::move(response)});
}

static_assert(!std::is_default_constructible_v<Result<int>> && std::is_default_constructible_v<Result<void>>);
static_assert(std::is_nothrow_move_constructible_v<Result<std::string>>);
static_assert(std::is_copy_constructible_v<Result<std::string>>);
static_assert(!std::is_copy_constructible_v<Result<std::unique_ptr<int>>>);
static_assert(std::is_move_constructible_v<Result<std::unique_ptr<int>>>);
static_assert(std::is_convertible_v<const char*, Result<std::string>>);
static_assert(std::is_convertible_v<Error, Result<int>> && std::is_convertible_v<Error, Result<void>>);
static_assert(!std::is_convertible_v<Errc, Result<std::string>>);
static_assert(!std::is_convertible_v<Result<int>, Result<long>> && !std::is_constructible_v<Result<long>, Result<int>>);
static_assert(!std::is_convertible_v<Result<int>, bool> && std::is_constructible_v<bool, Result<int>>);
static_assert(!std::is_convertible_v<int, Result<std::vector<int>>>, "an explicit constructor stays explicit");
static_assert(std::is_constructible_v<Result<std::vector<int>>, int>);

// On an lvalue they lend, on an rvalue they give.
using R = Result<std::string>;
using std::same_as;
R& lvalue();
const R& constant();
R rvalue();
static_assert(same_as<decltype(*lvalue()), std::string&> && same_as<decltype(*constant()), const std::string&>);
static_assert(same_as<decltype(*rvalue()), std::string> && same_as<decltype(rvalue().operator->()), std::string*>);
static_assert(same_as<decltype(lvalue().value()), std::string&> && same_as<decltype(rvalue().value()), std::string>);
static_assert(same_as<decltype(lvalue().error()), const Error&> && same_as<decltype(rvalue().error()), Error>);
static_assert(same_as<decltype(rvalue().error().message()), std::string>);
static_assert(same_as<decltype(lvalue().response()), const Response*>);
static_assert(same_as<decltype(rvalue().response()), std::shared_ptr<const Response>>);
static_assert(same_as<decltype(std::declval<Result<void>&>().error()), const Error&>);
static_assert(same_as<decltype(std::declval<Result<void>>().error()), Error>);
const R constant_rvalue();
static_assert(same_as<decltype(*constant_rvalue()), std::string>);
static_assert(same_as<decltype(constant_rvalue().value()), std::string>);
static_assert(same_as<decltype(constant_rvalue().error()), Error>);
static_assert(same_as<decltype(constant_rvalue().response()), std::shared_ptr<const Response>>);
static_assert(same_as<R::value_type, std::string> && same_as<R::error_type, Error>);
static_assert(same_as<Result<void>::value_type, void>);

/// The value or the error, and the status of the response if there is one: `deu of 200`.
template <class T>
std::string shown(const Result<T>& result) {
  const auto response = result.response();
  return ::testing::PrintToString(result) + (response ? " of " + std::to_string(response->status) : "");
}

TEST(Result, a_value_is_there_and_no_error) {
  Result<std::string> result("deu", answer());
  ASSERT_TRUE(result);
  EXPECT_TRUE(result.has_value());
  EXPECT_EQ(*result, "deu");
  EXPECT_EQ(result->size(), 3U);
  EXPECT_EQ(result.value(), "deu");
  EXPECT_EQ(std::as_const(result).value(), "deu");
  EXPECT_EQ(*std::as_const(result), "deu");
  EXPECT_EQ(std::as_const(result)->size(), 3U);
  EXPECT_EQ(result.response()->status, 200);
  *result += "!";
  EXPECT_EQ(std::move(result).value(), "deu!");
}

TEST(Result, an_error_is_there_with_its_answer) {
  const Result<std::string> result = failure(answer(404));
  ASSERT_FALSE(result);
  EXPECT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code(), Errc::not_found);
  EXPECT_EQ(shown(result), "not_found: no such thing of 404");
  EXPECT_EQ(Result<int>(failure()).response(), nullptr);
}

TEST(Result, asking_an_error_for_its_value_throws_the_error_with_its_message) {
  Result<std::string> result = failure();
  const auto thrown_by = [](auto ask) {
    try {
      ask();
    } catch (const noun::Exception& exception) {
      EXPECT_EQ(exception.error().code(), Errc::not_found);
      return std::string(exception.what());
    }
    return std::string("nothing");
  };
  EXPECT_EQ(thrown_by([&] { (void)result.value(); }), "no such thing");
  EXPECT_EQ(thrown_by([&] { (void)std::as_const(result).value(); }), "no such thing");
  EXPECT_EQ(thrown_by([&] { (void)std::move(result).value(); }), "no such thing");
  const Result<void> nothing = failure();
  EXPECT_EQ(thrown_by([&] { nothing.value(); }), "no such thing");
  EXPECT_EQ(thrown_by([] { Result<void>().value(); }), "nothing");
}

TEST(Result, copies_and_moves_keep_value_error_and_answer) {
  const Result<std::string> good("deu", answer());
  Result<std::string> copy = good;
  EXPECT_EQ(shown(copy), "deu of 200");
  Result<std::string> moved = std::move(copy);
  EXPECT_EQ(shown(moved), "deu of 200");
  moved = failure(answer(404));
  EXPECT_EQ(shown(moved), "not_found: no such thing of 404");
  moved = good;
  EXPECT_EQ(shown(moved), "deu of 200");
  EXPECT_EQ(moved.response(), good.response());
  copy = std::move(moved);
  EXPECT_EQ(copy.response(), good.response());
}

TEST(Result, a_move_only_value_passes_through) {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(7), answer());
  EXPECT_EQ(**result, 7);
  auto moved = std::move(result);
  EXPECT_EQ(shown(std::move(moved).transform([](std::unique_ptr<int>&& number) { return *number + 1; })), "8 of 200");
  EXPECT_EQ(*Result<std::unique_ptr<int>>(failure()).value_or(std::make_unique<int>(3)), 3);
  EXPECT_EQ(**Result<std::unique_ptr<int>>(std::make_unique<int>(9)), 9);
}

TEST(Result, value_or_answers_the_value_or_the_other) {
  const Result<std::string> good("deu");
  const Result<std::string> bad = failure();
  EXPECT_EQ(good.value_or("other"), "deu");
  EXPECT_EQ(bad.value_or("other"), "other");
  EXPECT_EQ(Result<std::string>("deu").value_or("other"), "deu");
  EXPECT_EQ(Result<std::string>(failure()).value_or("other"), "other");
}

TEST(Result, transform_applies_to_the_value_and_keeps_error_and_answer) {
  const auto size = [](const std::string& text) { return text.size(); };
  const Result<std::string> good("deu", answer());
  const Result<std::string> bad = failure(answer(404));
  EXPECT_EQ(shown(good.transform(size)), "3 of 200");
  EXPECT_EQ(shown(bad.transform(size)), "not_found: no such thing of 404");
  EXPECT_EQ(shown(Result<std::string>(failure()).transform(size)), "not_found: no such thing");
  int called = 0;
  EXPECT_EQ(shown(good.transform([&](const std::string&) { ++called; })), "done of 200");
  EXPECT_FALSE(bad.transform([&](const std::string&) { ++called; }));
  EXPECT_EQ(called, 1);
}

TEST(Result, and_then_goes_on_with_the_value_and_or_else_with_the_error) {
  const auto half = [](int number) -> Result<int> { return number % 2 == 0 ? Result<int>(number / 2) : failure(); };
  const Result<int> eight(8);
  EXPECT_EQ(*eight.and_then(half).and_then(half).and_then(half), 1);
  EXPECT_FALSE(Result<int>(3).and_then(half));
  EXPECT_EQ(Result<int>(failure()).and_then(half).error().message(), "no such thing");
  EXPECT_EQ(std::as_const(eight).and_then([](const int&) { return Result<void>(); }).has_value(), true);

  const auto mend = [](const Error& error) { return Result<int>(error.code() == Errc::not_found ? 0 : 1); };
  const Result<int> bad = failure();
  EXPECT_EQ(*bad.or_else(mend), 0);
  EXPECT_EQ(*Result<int>(failure()).or_else(mend), 0);
  EXPECT_EQ(*eight.or_else(mend), 8);
  EXPECT_EQ(*Result<int>(8).or_else(mend), 8);
}

TEST(Result, success_without_a_value_does_the_same) {
  const Result<void> good(answer(204));
  const Result<void> bad = failure(answer(404));
  *good;
  EXPECT_EQ(shown(good), "done of 204");
  EXPECT_EQ(shown(bad), "not_found: no such thing of 404");
  EXPECT_EQ(shown(good.transform([] { return 5; })), "5 of 204");
  EXPECT_TRUE(good.transform([] {}));
  EXPECT_FALSE(bad.transform([] { return 5; }));
  EXPECT_EQ(*good.and_then([] { return Result<int>(6); }), 6);
  EXPECT_FALSE(bad.and_then([] { return Result<int>(6); }));
  EXPECT_TRUE(bad.or_else([](const Error&) { return Result<void>(); }));
  EXPECT_TRUE(good.or_else([](const Error&) -> Result<void> { return failure(); }));
}

TEST(Result, a_copy_equals_its_original) {
  const auto is_regular = [](const auto& result) {
    auto copy = result;
    auto assigned = copy;
    assigned = result;
    return copy == result && assigned == result && copy.response() == result.response();
  };
  EXPECT_TRUE(is_regular(Result<std::string>("deu", answer())));
  EXPECT_TRUE(is_regular(Result<std::string>("deu")));
  EXPECT_TRUE(is_regular(Result<std::string>(failure(answer(404)))));
  EXPECT_TRUE(is_regular(Result<nlohmann::json>(nlohmann::json{{"a", 1}})));
  EXPECT_TRUE(is_regular(Result<void>(answer(204))));
  EXPECT_TRUE(is_regular(Result<void>(failure())));
}

TEST(Result, equal_ones_have_equal_values_or_errors_and_equal_responses) {
  const Result<std::string> deu("deu", answer());
  EXPECT_EQ(deu, Result<std::string>("deu", answer()));
  EXPECT_NE(deu, Result<std::string>("eng", answer()));
  EXPECT_NE(deu, Result<std::string>("deu", answer(201)));
  EXPECT_NE(deu, Result<std::string>("deu"));
  EXPECT_NE(deu, Result<std::string>(failure(answer())));
  EXPECT_EQ(Result<int>(failure()), Result<int>(failure()));
  EXPECT_EQ(Result<int>(failure(answer(404))), Result<int>(failure(answer(404))));
  EXPECT_NE(Result<int>(failure(answer(404))), Result<int>(failure()));
  EXPECT_NE(Result<int>(failure()), Result<int>(Error(Errc::not_found, "another")));
  EXPECT_EQ(Result<void>(answer(204)), Result<void>(answer(204)));
  EXPECT_NE(Result<void>(answer(204)), Result<void>());
  EXPECT_NE(Result<void>(failure()), Result<void>());
}

struct Incomparable {};
static_assert(std::equality_comparable<R> && std::equality_comparable<Result<void>>);
static_assert(!std::equality_comparable<Result<Incomparable>>);
template <class A, class B>
concept comparable = requires(const A& a, const B& b) { a == b; };
static_assert(!comparable<Result<int>, int>, "it would compare the response too");

TEST(Result, a_response_can_be_kept_longer_than_the_result) {
  const auto response = answer();
  Result<std::string> result("deu", response);
  EXPECT_EQ(result.shared_response(), response);
  EXPECT_EQ(std::as_const(result).response(), response.get());
  EXPECT_EQ(std::move(std::as_const(result)).response(), response);
  EXPECT_EQ(std::move(result).response(), response);
}

TEST(Result, a_json_value_is_copied_and_not_wrapped) {
  using Json = nlohmann::json;
  const Json list = {1, 2, 3};
  const Result<Json> copied(list);
  EXPECT_EQ(*copied, list);
  Result<Json> moved(Json{{"a", 1}});
  EXPECT_EQ((*moved)["a"], 1);
  EXPECT_TRUE(std::move(moved).value().is_object());
  EXPECT_EQ(*Result<Json>(Json(nullptr)), nullptr);
  const Result<Json> bad = failure();
  EXPECT_FALSE(bad);
  EXPECT_EQ(bad.value_or(list), list);
}

TEST(Result, a_value_that_swallows_anything_does_not_swallow_an_error) {
  const Result<std::any> bad = failure();
  EXPECT_FALSE(bad);
  const Result<std::any> good = std::any(5);
  EXPECT_EQ(std::any_cast<int>(*good), 5);
  const Result<bool> no(false);
  EXPECT_TRUE(no);
  EXPECT_FALSE(*no);
}

TEST(Result, what_was_moved_from_can_still_be_looked_at) {
  Result<int> bad = failure();
  const Error taken = std::move(bad).error();
  EXPECT_EQ(taken.code(), Errc::not_found);
  EXPECT_FALSE(bad);
  EXPECT_EQ(bad.error().code(), Errc::not_found);
  EXPECT_EQ(bad.error().message(), "no such thing");
  Result<void> nothing = failure();
  const auto moved = std::move(nothing);
  EXPECT_FALSE(nothing);
  EXPECT_EQ(nothing.error().code(), Errc::not_found);
  EXPECT_FALSE(moved);
}

TEST(Result, a_stream_is_written_the_value_or_the_error) {
  struct Opaque {};
  std::ostringstream out;
  out << noun::Result<int>(7) << ' ' << noun::Result<void>() << ' ' << noun::Result<Opaque>(Opaque()) << ' '
      << noun::Result<int>(noun::Error(noun::Errc::timeout, "too slow"));
  EXPECT_EQ(out.str(), "7 done a value timeout: too slow");
}

TEST(Result, googletest_shows_the_error) {
  EXPECT_EQ(::testing::PrintToString(Result<int>(failure())), "not_found: no such thing");
  EXPECT_EQ(::testing::PrintToString(Result<int>(5)), "5");
  EXPECT_EQ(::testing::PrintToString(failure()), "not_found: no such thing");
}

TEST(Result, googletest_shows_a_json_that_is_not_utf_8) {
  using Json = nlohmann::json;
  EXPECT_EQ(::testing::PrintToString(Result<Json>(Json{{"name", "M\xFCller"}})), "{\"name\":\"M\xEF\xBF\xBDller\"}");
}

}}  // namespace vocabulary_test::result_test
