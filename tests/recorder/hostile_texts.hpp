#pragma once
// Texts that a server may send, and that would be markup or script where they are not escaped.

#include <string>
#include <vector>

namespace recorder_test {

inline const std::vector<std::string>& hostile_texts() {
  static const std::vector<std::string> texts = {"</script><script>alert(1)</script>",
                                                 "<img src=x onerror=alert(1)>",
                                                 "<!--<script>",
                                                 "]]>-->&lt;\"'`${1}\\",
                                                 "\u2028\u2029\u202Etxt.exe",
                                                 "javascript:alert(1)",
                                                 "{{run}} {0} @run_page.js@",
                                                 std::string("\x01\x7f\0", 3)};
  return texts;
}

}  // namespace recorder_test
