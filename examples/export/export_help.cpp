#include "export_help.hpp"

#include <fmt/format.h>

#include "export_dialects.hpp"
#include "export_end.hpp"
#include "export_environment.hpp"
#include "export_pagings.hpp"
#include "name_list.hpp"

namespace noun_export {
namespace {

constexpr const char* examples =
    R"(  noun-export https://api.github.com /repos/fmtlib/fmt/issues --dialect github \
      --query state=all --token-env GITHUB_TOKEN --key id --out issues.jsonl
  noun-export https://api.github.com /repos/fmtlib/fmt/issues --dialect github \
      --query state=all --token-env GITHUB_TOKEN --key id --out issues.jsonl --resume
  noun-export https://api.example.com /orders --token-file token --token-header X-Api-Key \
      --page-size 100 --concurrency 4 --deadline 15m --out orders.jsonl --verify
  noun-export https://api.example.com /v2/channels --paging slack --items channels --dry-run
  noun-export https://api.example.com /orders --token-env TOKEN --share redis://quota.internal/0
  noun-export https://couch.example.com /orders/_changes --stream --stream-format json_lines \
      --query feed=continuous --query heartbeat=true --follow --resume-with since=/seq \
      --out changes.jsonl --resume
  noun-export https://api.example.com /orders --select /name --quiet | sort -u
)";

}  // namespace

std::string help_footer() {
  constexpr std::size_t columns = 100;
  return fmt::format("Examples:\n{}\nDialects:\n{}\n\nPagings:\n{}\n\nExit status:\n{}\nEnvironment:\n{}", examples,
                     name_list(dialect_names(), "  ", columns), name_list(paging_names(), "  ", columns),
                     endings_text(), environment_text());
}

}  // namespace noun_export
