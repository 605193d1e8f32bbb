#pragma once
// The text of --help after the options.

#include <string>

namespace noun_export {

/// Examples, dialects, exit statuses, the environment: at most 100 columns wide.
std::string help_footer();

}  // namespace noun_export
