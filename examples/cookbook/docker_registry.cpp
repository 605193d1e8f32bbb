// The digest of each tag of an image. @source https://distribution.github.io/distribution/spec/auth/token/
#include <cstdio>
#include <cstdlib>
#include <string>

#include <fmt/format.h>
#include <noun/noun.hpp>

std::string part_of(const std::string& challenge, const std::string& name) {  // Bearer name="part",name="part"
  const auto found = challenge.find(name + "=\""), start = found + name.size() + 2;
  return found == std::string::npos ? "" : challenge.substr(start, challenge.find('"', start) - start);
}

int main(int argc, char** argv) try {
  if (argc != 3) return fmt::print(stderr, "usage: docker_registry https://registry-1.docker.io library/alpine\n"), 2;
  const std::string registry = argv[1], image = argv[2], path = "v2/" + image;
  const auto hello = noun::Client{registry}.send({.path = "v2/"});  // a 401 says where tokens are to be had
  if (!hello && hello.error().code() != noun::Errc::unauthorized) hello.value();
  std::string token;
  const auto with_token = [&](const noun::CredentialsRequest& request) -> noun::Result<noun::Headers> {
    if (token.empty() || request.reason == noun::CredentialsReason::unauthorized) {  // it lives some minutes
      const std::string challenge(hello.response()->headers.get("WWW-Authenticate").value());
      const noun::Query pull = {{"service", part_of(challenge, "service")}, {"scope", "repository:" + image + ":pull"}};
      token = noun::Client{part_of(challenge, "realm")}.root().get({.query = pull}).value().at("token");
    }
    return noun::Headers{{"Authorization", "Bearer " + token}};
  };
  auto dialect = noun::dialects::docker_hub();
  dialect.paging = {.style = noun::paging::LinkHeader{}, .items = "/tags", .size_parameter = "n"};
  dialect.accept =
      "application/vnd.oci.image.index.v1+json, application/vnd.docker.distribution.manifest.list.v2+json, "
      "application/vnd.oci.image.manifest.v1+json, application/vnd.docker.distribution.manifest.v2+json";
  const noun::Client api{registry, {.credentials = hello ? noun::Credentials() : with_token, .dialect = dialect}};
  for (const auto& tag : api.collection<std::string>(noun::runtime(path + "/tags/list")).list({.page_size = 100})) {
    const auto head = api.send({.method = noun::Method::head, .path = path + "/manifests/" + tag.value()});  // no pull
    fmt::print("{} {}\n", *tag, head.value().headers.get("Docker-Content-Digest").value_or("?"));
  }
} catch (const std::exception& exception) {
  return fmt::print(stderr, "{}\n", exception.what()), 1;
}
