#pragma once
/// @file
/// Dialects of well-known services, ready to be used or to be changed in a copy.

#include <noun/dialect.hpp>
#include <noun/version.hpp>

namespace noun::inline v0::dialects {

/// The plain convention: X-RateLimit-Limit, -Remaining and -Reset, Retry-After, Link, 201, 204.
NOUN_API Dialect plain();
/// The REST API of GitHub: as plain, with reset in epoch seconds and 403 beside 429 for an exhausted quota.
/// @source https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
NOUN_API Dialect github();

}  // namespace noun::inline v0::dialects
