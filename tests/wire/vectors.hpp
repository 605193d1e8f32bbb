#pragma once
/// @file
/// Reads the test vectors in tests/data: arrays of objects, each with an `id` that names its test.

#include <algorithm>
#include <chrono>
#include <fstream>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <noun/time.hpp>

#include "test_paths.hpp"

namespace noun::wire_test {

using nlohmann::json;

struct Vector {
  json data;

  std::string id() const { return data.at("id").get<std::string>(); }
  friend void PrintTo(const Vector& vector, std::ostream* out) { *out << vector.data.dump(); }
};

inline std::vector<Vector> vectors(const std::string& file) {
  std::ifstream in(std::string(noun_test::data_dir) + "/" + file);
  std::vector<Vector> found;
  for (auto& entry : json::parse(in)) found.push_back({std::move(entry)});
  return found;
}

inline std::string id_of(const ::testing::TestParamInfo<Vector>& info) {
  auto name = info.param.id();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

inline WallTime wall_time(std::int64_t epoch_seconds) { return WallTime(std::chrono::seconds(epoch_seconds)); }

/// 2026-01-20 12:00:00, the now of most vectors.
inline const WallTime noon = wall_time(1768910400);

/// A field that is one text, several (one per line), or absent.
inline std::vector<std::string> lines_of(const json& value) {
  if (value.is_null()) return {};
  if (value.is_string()) return {value.get<std::string>()};
  return value.get<std::vector<std::string>>();
}

inline std::vector<std::string_view> views_of(const std::vector<std::string>& lines) {
  return {lines.begin(), lines.end()};
}

}  // namespace noun::wire_test
