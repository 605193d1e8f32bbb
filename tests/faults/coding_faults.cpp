// Faults of content codings, and what noun tolerates.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "curl/decompressor.hpp"
#include "curl/raw_responses.hpp"
#include "encoders.hpp"
#include "faults/fault.hpp"

namespace noun_test {
namespace {

using noun::Errc;

std::string zeros() { return std::string(64 << 20, '\0'); }

/// Damage may have happened on the way: that is tried once more.
Fault damaged(std::string name, std::string bytes) {
  return {std::move(name), Errc::protocol, says(std::move(bytes)), noun::Sent::answered, 2};
}
/// The server would do it again.
Fault refused(std::string name, std::string bytes) {
  return {std::move(name), Errc::protocol, says(std::move(bytes)), noun::Sent::answered, 1};
}

}  // namespace

std::vector<Fault> faults_of_codings() {
  const auto zip = compressed(repeated("hello world ", 1500));
  std::vector<Fault> all{
      {"gzip_cut", Errc::truncated, says(zipped(zip.substr(0, zip.size() / 2)))},
      {"gzip_cut_in_its_checksum", Errc::truncated, says(zipped(zip.substr(0, zip.size() - 1)))},
      {"gzip_of_one_byte", Errc::truncated, says(zipped(zip.substr(0, 1)))},
      damaged("gzip_with_a_wrong_checksum", zipped(zip.substr(0, zip.size() - 8) + "12345678")),
      damaged("gzip_that_is_none", zipped("this is not compressed")),
      damaged("gzip_and_junk", zipped(zip + "junk")),
      damaged("gzip_and_a_second_member", zipped(zip + zip)),
      {"deflate_cut", Errc::truncated, says(zipped(compressed("hello hello", 15).substr(0, 9), "deflate"))},
      {"gzip_bomb", Errc::too_large, says(zipped(compressed(zeros())))},
      {"more_gzip_than_the_limit", Errc::too_large, says(zipped(compressed(numbers(300'000))))},
      refused("coding_twice", zipped(zip, "gzip, gzip")),
      refused("codings_5000", zipped(zip, repeated("gzip,", 5000))),
      refused("coding_of_two_kinds", zipped(zip, "br, gzip")),
      refused("unknown_coding", zipped(zip, "compress")),
  };
  if (noun::has_brotli()) {
    const auto br = brotli(numbers(5000));
    const auto of_br = [](std::string_view bytes) { return zipped(bytes, "br"); };
    all.push_back({"br_cut", Errc::truncated, says(of_br(br.substr(0, br.size() / 2)))});
    all.push_back({"br_cut_in_its_last_byte", Errc::truncated, says(of_br(br.substr(0, br.size() - 1)))});
    all.push_back(damaged("br_that_is_none", of_br("this is not compressed")));
    all.push_back(damaged("br_and_junk", of_br(br + "junk")));
    all.push_back({"br_bomb", Errc::too_large, says(of_br(brotli(zeros())))});
    all.push_back({"more_br_than_the_limit", Errc::too_large, says(of_br(brotli(numbers(300'000))))});
  }
  if (noun::has_zstd()) {
    const auto frame = zstd(numbers(5000));
    const auto of_zstd = [](std::string_view bytes) { return zipped(bytes, "zstd"); };
    all.push_back({"zstd_cut", Errc::truncated, says(of_zstd(frame.substr(0, frame.size() / 2)))});
    all.push_back({"zstd_cut_in_its_checksum", Errc::truncated, says(of_zstd(frame.substr(0, frame.size() - 1)))});
    all.push_back({"zstd_cut_in_its_second_frame", Errc::truncated, says(of_zstd(frame + frame.substr(0, 9)))});
    all.push_back(damaged("zstd_with_a_wrong_checksum", of_zstd(frame.substr(0, frame.size() - 4) + "1234")));
    all.push_back(damaged("zstd_that_is_none", of_zstd("this is not compressed")));
    all.push_back(damaged("zstd_and_junk", of_zstd(frame + "junk")));
    all.push_back(refused("zstd_with_a_large_window", of_zstd(zstd("[1,2]", 24))));
    all.push_back({"zstd_bomb", Errc::too_large, says(of_zstd(zstd(zeros())))});
    all.push_back({"more_zstd_than_the_limit", Errc::too_large, says(of_zstd(zstd(numbers(300'000))))});
  }
  for (auto& one : all) {
    one.sent = noun::Sent::answered;
    one.coded = true;
  }
  return all;
}

std::vector<Fault> tolerated_faults() {
  const auto zip = compressed("[1,2]");
  const auto length = [](std::string_view fields) {
    return with_fields(std::string(fields) + "Content-Length: 5\r\n");
  };
  const auto coded = [](std::string name, std::string bytes) {
    return Fault{.name = std::move(name),
                 .code = {},
                 .script = says(std::move(bytes)),
                 .sent = noun::Sent::answered,
                 .coded = true};
  };
  std::vector<Fault> all{
      {"no_reason_phrase", {}, says("HTTP/1.1 200\r\nContent-Length: 5\r\n\r\n[1,2]")},
      {"http_1_0", {}, says("HTTP/1.0 200 OK\r\n\r\n[1,2]")},
      {"until_the_end", {}, says("HTTP/1.1 200 OK\r\n\r\n[1,2]")},
      {"bare_lf", {}, says("HTTP/1.1 200 OK\nContent-Length: 5\n\n[1,2]")},
      {"fold", {}, says(length("A: b\r\n c\r\n"))},
      {"equal_lengths", {}, says(length("Content-Length: 5\r\n"))},
      {"interim_1000", {}, says(repeated("HTTP/1.1 100 Continue\r\n\r\n", 1000) + http_response("[1,2]"))},
      {"early_hints", {}, says("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + http_response("[1,2]"))},
      {"chunked_and_length",
       {},
       says("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n[1,2]\r\n0\r\n\r\n")},
      {"chunked_extension", {}, says(chunked("5;a=\"b\"\r\n[1,2]\r\n0;c\r\n\r\n"))},
      {"chunked_trailer", {}, says(chunked("5\r\n[1,2]\r\n0\r\nContent-Length: 3\r\nA: b\r\n\r\n"))},
      {"chunked_folded_name",
       {},
       says("HTTP/1.1 200 OK\r\nTransfer-Encoding:\r\n chunked\r\n\r\n5\r\n[1,2]\r\n0\r\n\r\n")},
      {"chunked_in_capitals", {}, says("HTTP/1.1 200 OK\r\ntransfer-encoding: CHUNKED\r\n\r\n5\r\n[1,2]\r\n0\r\n\r\n")},
      {"identity", {}, says(zipped("[1,2]", "identity"))},
      {"empty_coding", {}, says(zipped("[1,2]", ""))},
      coded("gzip", zipped(zip)),
      coded("x_gzip", zipped(zip, "x-gzip")),
      coded("gzip_and_identity", zipped(zip, "identity, gzip")),
      coded("deflate", zipped(compressed("[1,2]", MAX_WBITS), "deflate")),
      coded("raw_deflate", zipped(compressed("[1,2]", -MAX_WBITS), "deflate")),
  };
  if (noun::has_brotli()) {
    all.push_back(coded("br", zipped(brotli("[1,2]"), "br")));
    all.push_back(coded("br_in_capitals", zipped(brotli("[1,2]"), "BR")));
  }
  if (noun::has_zstd()) {
    all.push_back(coded("zstd", zipped(zstd("[1,2]"), "zstd")));
    all.push_back(coded("zstd_in_two_frames", zipped(zstd("[1,") + zstd("2]"), "identity, zstd")));
  }
  return all;
}

}  // namespace noun_test
