// noun-quota: shows shared quotas and the processes that share them. See `noun-quota --help`.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <exception>

#include <fmt/format.h>

#include "argument_values.hpp"
#include "export_end.hpp"
#include "export_environment.hpp"
#include "export_output.hpp"
#include "printable_text.hpp"
#include "quota_arguments.hpp"
#include "quota_view.hpp"
#include "shared_place.hpp"
#include "standard_streams.hpp"

namespace {

using noun_export::Ending;

void complain(const std::string& sentence) {
  progress::print_error(fmt::format("noun-quota: {}\n", progress::printable(sentence)));
}

Ending fail(const noun::Error& error) {
  return complain(noun_export::message_of(error)), noun_export::ending_of(error);
}

Ending run(const noun_quota::Arguments& arguments) {
  const auto place = arguments.place_env.empty() ? arguments.place
                                                 : noun_export::secret_in_environment(
                                                       "--place-env", arguments.place_env, "place of shared quotas");
  const auto store = noun_export::store_at(place, {.slow_after = std::chrono::seconds(10)});
  if (!store) return fail(store.error());
  const auto quotas = noun::read_shared_quotas(**store, arguments.prefix);
  if (!quotas) return fail(quotas.error());
  noun_export::print_out(arguments.json ? noun_quota::json_of(*quotas) : noun_quota::table_of(*quotas));
  const bool all_read =
      std::all_of(quotas->begin(), quotas->end(), [](const auto& one) { return one.quota.has_value(); });
  return all_read ? Ending::done : Ending::data;
}

}  // namespace

int main(int argc, char** argv) try {
  progress::open_closed_streams();
  std::signal(SIGPIPE, SIG_IGN);
  const auto parsed = noun_quota::parse_arguments({argv + 1, argv + argc});
  if (!parsed.status) return static_cast<int>(run(parsed.arguments));
  if (*parsed.status != 0) return progress::print_error(parsed.text), *parsed.status;
  noun_export::print_out(parsed.text);
  return 0;
} catch (const noun_export::Misuse& misuse) {
  complain(misuse.what());
  return static_cast<int>(Ending::usage);
} catch (const std::exception& failure) {
  complain(failure.what());
  return static_cast<int>(Ending::file);
}
