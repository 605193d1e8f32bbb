#include "house/function_lengths.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace house { namespace function_lengths_test {

using testing::ElementsAre;
using testing::IsEmpty;

/// The functions as `line+lines`.
std::vector<std::string> found_in(std::string_view text) {
  std::vector<std::string> found;
  for (const auto& function : function_lengths(text)) {
    found.push_back(std::to_string(function.line) + "+" + std::to_string(function.lines));
  }
  return found;
}

TEST(FunctionLengths, counts_from_the_first_token_to_the_closing_brace) {
  EXPECT_THAT(found_in("int one() { return 1; }\n\nint two(\n    int a) {\n  return a;\n}\n"),
              ElementsAre("1+1", "3+4"));
}

TEST(FunctionLengths, looks_into_namespaces_and_classes) {
  EXPECT_THAT(
      found_in(
          "namespace noun { inline namespace v0 {\nnamespace {\nclass [[nodiscard]] NOUN_API A final : public B<C> {\n"
          " public:\n  int f() const noexcept {\n    return 1;\n  }\n  struct D {\n    int g() { return 2; }\n"
          "  };\n private:\n  int h_ = 0;\n  std::string i_ = {};\n};\n}\n}\n"),
      ElementsAre("5+3", "9+1"));
}

TEST(FunctionLengths, sees_through_templates_and_constraints) {
  EXPECT_THAT(found_in("template <class T>\nclass A {\n  template <class U = T>\n    requires(B<U> && C<T>)\n"
                       "  explicit A(U&& u)\n      : u_(u) {\n  }\n};\n"),
              ElementsAre("3+5"));
  EXPECT_THAT(found_in("template <class T>\n  requires B<T>\nstruct A {\n  int f() { return 1; }\n};\n"),
              ElementsAre("4+1"));
  EXPECT_THAT(found_in("template <>\nclass A<void> {\n  void f() {}\n};\n"), ElementsAre("3+1"));
}

TEST(FunctionLengths, initialisers_belong_to_their_constructor) {
  EXPECT_THAT(found_in("A::A(int a)\n    : a_{a},\n      b_(a),\n      c_{} {\n  f();\n}\n"), ElementsAre("1+6"));
  EXPECT_THAT(found_in("A::A() : a_{1} {}\nint f() {\n}\n"), ElementsAre("1+1", "2+2"));
}

TEST(FunctionLengths, braces_inside_a_body_do_not_end_it) {
  EXPECT_THAT(found_in("void f() {\n  if (a) {\n    g({1, 2}, [] { return 3; });\n  }\n  struct B {\n    int h() {}\n"
                       "  };\n}\n"),
              ElementsAre("1+8"));
}

TEST(FunctionLengths, braces_that_are_not_code_do_not_count) {
  EXPECT_THAT(found_in("void f() {\n  // }\n  g(\"}\", '}');  /* } */\n  g(R\"(}\n})\");\n}\n"), ElementsAre("1+6"));
  EXPECT_THAT(found_in("#define A(x) \\\n  {        \\\n  x\nvoid f() {\n}\n"), ElementsAre("4+2"));
}

TEST(FunctionLengths, tables_and_values_are_not_functions) {
  EXPECT_THAT(found_in("const A table[] = {\n    {1, f(2)},\n    {3, f(4)},\n};\nA a{1};\nenum class B { c, d };\n"),
              IsEmpty());
  EXPECT_THAT(found_in("const auto a = f({\n    1,\n    2,\n});\n"), IsEmpty());
  EXPECT_THAT(found_in("INSTANTIATE_TEST_SUITE_P(A, B,\n    Values(C{1},\n           C{2}));\n"), IsEmpty());
}

TEST(FunctionLengths, tests_are_functions_and_other_macros_are_not) {
  EXPECT_THAT(found_in("TEST(A, b) {\n  f();\n}\nTEST_F(A, c) {\n}\n"), ElementsAre("1+3", "4+2"));
  EXPECT_THAT(found_in("DEFINE_JSON(A, b, c)\nstruct D {\n  int f() { return 1; }\n};\n"), ElementsAre("3+1"));
  EXPECT_THAT(found_in("extern \"C\" {\nint f() { return 1; }\n}\nextern \"C\" int g() {\n}\n"),
              ElementsAre("2+1", "4+2"));
}

}  // namespace function_lengths_test
}  // namespace house
