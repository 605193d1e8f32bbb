#pragma once
/// @file
/// One quota for processes on many machines, through Redis 7 or Valkey. Link noun::redis.
///
///     noun::Client api{url, {.identity = "ci-bot",
///                            .quota_ledger = noun::redis_ledger("redis://quota.internal:6379/0", {}).value()}};

#include <memory>
#include <string>

#include <noun/shared_quota.hpp>

namespace noun { inline namespace v0 {

/// Returns a ledger that keeps quotas in a Redis database. It has two connections: one for commands, one for changes.
/// Keys start with SharingOptions::prefix and contain hashes of origin and identity. No token and no URL reaches the
/// server; of the responses, only counts, times, and names of quota policies and their partitions do. A key expires a
/// day after its last change.
///
/// A user of an access control list needs the keys `~noun:*`, the channels `&noun:*`, and the commands `+eval +evalsha
/// +hmget +hset +pexpire +time +publish +subscribe +unsubscribe +select`.
/// @param url  `redis://[[user]:password@]host[:port][/database]`, port 6379 and database 0 by default, or
///             `redis+unix://[[user]:password@]/path/of/socket[?db=0]`. User, password and path are percent-encoded.
/// @param options  see SharingOptions.
/// @returns    `invalid_argument` if the options or the URL are invalid; for `rediss://`, because noun has no TLS to
///             Redis; and for a password to a host other than loopback without SharingOptions::password_over_tcp. An
///             unreachable server is an unavailable store, not an error. `resource` if no thread can be started.
/// @threadsafety  safe.
NOUN_API Result<std::shared_ptr<QuotaLedger>> redis_ledger(const std::string& url, const SharingOptions& options = {});

/// Returns the store of redis_ledger(), for read_shared_quotas(), which needs the command `+scan` as well.
NOUN_API Result<std::unique_ptr<QuotaStore>> redis_store(const std::string& url, const SharingOptions& options = {});

}}  // namespace noun
