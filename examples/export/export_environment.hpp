#pragma once
// The environment variables of noun-export.

#include <string>

#include "export_arguments.hpp"

namespace noun_export {

/// Removes all variables except those of the help, so that no library reads them: libcurl creates the file that
/// SSLKEYLOGFILE names, and OPENSSL_CONF makes OpenSSL load modules. Call it before a thread is started.
void forget_environment(const Arguments& arguments);

/// The variables for the help.
std::string environment_text();

/// The value of a variable that an option names.
/// @param what  what the value is, as `token`.
/// @throws Misuse  if it is not set, or empty.
std::string secret_in_environment(const char* option, const std::string& name, const char* what);
/// Returns the key of bookmarks and of the journal; empty without --bookmark-key-env.
std::string bookmark_key_of(const Arguments& arguments);

}  // namespace noun_export
