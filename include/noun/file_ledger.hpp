#pragma once
/// @file
/// One quota for all processes of one user on one machine, through files in a directory.
///
///     noun::Client api{url, {.identity = "ci-bot",
///                            .quota_ledger = noun::file_ledger("/run/user/1000/noun", {}).value()}};

#include <memory>
#include <string>

#include <noun/shared_quota.hpp>

namespace noun { inline namespace v0 {

/// Returns a ledger that keeps quotas in files of the directory, which is created in a folder that exists. It must
/// belong to this user, and no other user may write to it. The files contain no secret: their names are hashes of origin
/// and identity. After a restart of the machine, what they contain counts as unknown.
/// @returns  `invalid_argument` if the options or the directory's name are invalid, or if what exists under that name is
///           a symbolic link or no directory, belongs to another user, may be written by others, or cannot be opened.
///           A directory that becomes unusable later is an unavailable store (SharingOptions::when_unavailable).
///           `resource` if no thread can be started.
/// @threadsafety  safe.
NOUN_API Result<std::shared_ptr<QuotaLedger>> file_ledger(const std::string& directory,
                                                          const SharingOptions& options = {});

/// Returns the store of file_ledger(), for read_shared_quotas().
NOUN_API Result<std::unique_ptr<QuotaStore>> file_store(const std::string& directory,
                                                        const SharingOptions& options = {});

}}  // namespace noun
