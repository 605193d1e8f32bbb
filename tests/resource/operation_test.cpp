// Tests of operations: their requests before they are run, and repeated runs.
#include <noun/operation.hpp>

#include <gtest/gtest.h>

#include "resource/client_core.hpp"
#include "resource/scripted_client.hpp"

namespace resource_test { namespace operation_test {

using noun::detail::operation_with_body;
using noun::detail::OperationAccess;
using noun::detail::Verb;

noun::Address address_of(const Bench& bench, noun::Name name) {
  return noun::Address(noun::detail::ClientCore::create("https://api.example.com", bench.filled()).value()).below(name);
}

template <class T>
noun::detail::VerbRequest request_of(const noun::Operation<T>& operation) {
  return std::get<noun::detail::VerbRequest>(OperationAccess::request_of(operation).work);
}

std::string_view text_of(const noun::detail::VerbRequest& request) {
  return noun::detail::BodyAccess::text_of(request.body);
}

TEST(Operation, describes_its_request_and_sends_nothing_until_run) {
  WholeScript bench;
  const auto operation = operation_with_body<Json>(address_of(bench, "a"), Method::post, Verb::create,
                                                         Language{"deu", "German"}, {});
  EXPECT_EQ(request_of(operation).method, Method::post);
  EXPECT_EQ(text_of(request_of(operation)), R"({"alpha_3":"deu","name":"German"})");
  EXPECT_TRUE(request_of(operation).has_body);
  EXPECT_EQ(OperationAccess::request_of(operation).address.path(), "/a");
  EXPECT_EQ(bench.sent(), 0U);
  bench.script->expect(Method::post, "/a").reply(201, "1").times(2);
  EXPECT_TRUE(operation.run());
  EXPECT_TRUE(operation.run());
}

TEST(Operation, with_a_body_that_cannot_be_encoded_is_refused_when_run) {
  Bench bench;
  const auto operation =
      operation_with_body<void>(address_of(bench, "a"), Method::put, Verb::replace, Json("\xff"), {});
  ASSERT_TRUE(request_of(operation).refused);
  EXPECT_EQ(code_of(operation.run()), Errc::invalid_argument);
  EXPECT_EQ(bench.sent(), 0U);
}

TEST(Operation, distinguishes_no_body_and_an_empty_body) {
  const auto intent_with = [](const auto& body) {
    return request_of(operation_with_body<void>(address_of({}, "a"), Method::put, Verb::replace, body, {}));
  };
  EXPECT_FALSE(intent_with(noun::no_body).has_body);
  EXPECT_EQ(text_of(intent_with(noun::no_body)), "");
  EXPECT_TRUE(intent_with("").has_body);
  EXPECT_EQ(text_of(intent_with("")), "\"\"");
}

}  // namespace operation_test
}  // namespace resource_test
