#pragma once
/// @file
/// Bodies of requests other than JSON: forms, files and bytes. For the verbs, and for Request::body.
///
///     auto stored = issues.create(noun::body::file("photo.jpg", "image/jpeg"));
///     auto queued = api.send({.method = noun::Method::post, .path = "jobs", .body = noun::body::form({{"size", 7}})});

#include <concepts>
#include <string>
#include <utility>
#include <vector>

#include <noun/http.hpp>
#include <noun/text.hpp>
#include <noun/version.hpp>

namespace noun { inline namespace v0 { namespace body {

/// A form of names and values, as `application/x-www-form-urlencoded`. A space is sent as `%20`.
/// @source WHATWG URL, section 5; HTML, section 4.10.21.8.
/// @threadsafety  safe, as are all functions of this file that are not members.
NOUN_API Body form(const Query& fields);

/// Bytes in memory, sent as they are.
/// @param content  the bytes.
/// @param content_type  sent as Content-Type, in place of any other; empty to send none.
NOUN_API Body bytes(std::string content, Text content_type = "application/octet-stream");

/// A file, read while it is sent and never held in memory. Each attempt opens it again; the retry rules are those of
/// every call. It must be a regular file and keep the size that it has when the call starts. Otherwise the call ends
/// with `invalid_argument`, whose sent() says whether the server may have received a part. Of the time limits only
/// Timeouts::stall, the deadline and an explicit `attempt_timeout` of the call apply. The observer receives `progress`.
/// @param path  of the file.
/// @param content_type  as in bytes().
NOUN_API Body file(Text path, Text content_type = "application/octet-stream");

class Part;

/// Parts, as `multipart/form-data` with a random boundary. Parts that are files are streamed, as by file(). Names and
/// file names are sent as UTF-8; a quotation mark and control characters in them are percent-encoded.
///
///     auto report = noun::body::multipart({{"title", "Report"}, {"data", noun::body::file("report.pdf")}});
/// @param parts  at least one.
/// @source RFC 7578.
NOUN_API Body multipart(std::vector<Part> parts);

/// One part of a multipart body: a name and its value, or a name and a body with an optional file name.
/// @threadsafety  a plain value: reading it from many threads is safe, changing it is not.
class NOUN_API Part {
 public:
  /// A field of a form: text, a number or a bool. It has no content type, which means UTF-8 text.
  Part(Text name, FieldValue value);
  /// A body of noun::body. Without a file name, that of a file() is the last segment of its path; bytes() have none.
  template <std::same_as<Body> B>
  Part(Text name, const B& content, Text file_name = {}) : Part(Content{&content}, name, file_name) {}

 private:
  friend Body multipart(std::vector<Part> parts);
  struct Content {
    const Body* body;
  };
  Part(Content content, Text name, Text file_name);

  std::string name_;
  std::string file_name_;
  Body content_;
};

}}}  // namespace noun::body
