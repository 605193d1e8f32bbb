#pragma once
/// @file
/// An SQLite database as another program would open it.

#include <stdexcept>
#include <string>

#include <sqlite3.h>

namespace noun_test {

class RawDatabase {
 public:
  explicit RawDatabase(const std::string& path) {
    if (sqlite3_open(path.c_str(), &database_) != SQLITE_OK) throw std::runtime_error("cannot open " + path);
  }
  RawDatabase(const RawDatabase&) = delete;
  RawDatabase& operator=(const RawDatabase&) = delete;
  ~RawDatabase() { sqlite3_close(database_); }

  /// The first column of the last row.
  std::string run(const std::string& sql) {
    std::string last;
    const auto keep = [](void* to, int, char** values, char**) {
      *static_cast<std::string*>(to) = values[0] == nullptr ? "" : values[0];
      return 0;
    };
    if (sqlite3_exec(database_, sql.c_str(), keep, &last, nullptr) != SQLITE_OK)
      throw std::runtime_error(sqlite3_errmsg(database_));
    return last;
  }

 private:
  sqlite3* database_ = nullptr;
};

}  // namespace noun_test
