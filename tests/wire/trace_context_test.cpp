// Tests of the header fields of a trace context.
#include "wire/trace_context.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace wire_test { namespace trace_context_test {

using noun::wire::is_traceparent;
using noun::wire::is_tracestate;

TEST(TraceContext, a_traceparent_has_the_form_of_version_00) {
  EXPECT_TRUE(is_traceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"));
  EXPECT_TRUE(is_traceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"));
  for (const std::string_view text : {
           "",
           "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0",
           "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-x",
           "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
           "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
           "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
           "00-00000000000000000000000000000000-b7ad6b7169203331-01",
           "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
           "00-0af7651916cd43dd8448eb211c80319c_b7ad6b7169203331-01",
           "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331_01",
           "00-0af7651916cd43dd8448eb211c80319c-b7ad6b716920333g-01",
           "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0x",
       })
    EXPECT_FALSE(is_traceparent(text)) << text;
}

TEST(TraceContext, a_tracestate_is_printable_and_of_at_most_512_characters) {
  EXPECT_TRUE(is_tracestate("rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"));
  EXPECT_TRUE(is_tracestate(std::string(512, 'a')));
  for (const auto& text : {std::string(), std::string(513, 'a'), std::string("a=b\r\nX: y"), std::string("a=\xC3\xA4")})
    EXPECT_FALSE(is_tracestate(text)) << text;
}

}}  // namespace wire_test::trace_context_test
