// Posts a message to the channel of a name. @source https://docs.slack.dev/reference/methods/conversations.list
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <noun/noun.hpp>

struct Channel {
  std::string id, name;
};
NOUN_DESCRIBE(Channel, id, name)

int main(int argc, char** argv) try {
  if (argc != 3) return fmt::print(stderr, "usage: slack CHANNEL TEXT\n"), 2;
  const char* url = std::getenv("SLACK_API_URL");
  auto dialect = noun::dialects::slack();
  dialect.paging = noun::paging::slack("channels");
  const noun::Client api{url ? url : "https://slack.com/api",
                         {.credentials = noun::bearer(std::getenv("SLACK_BOT_TOKEN")), .dialect = dialect}};

  const auto channels = api.collection<Channel>("conversations.list");
  for (const auto& channel : channels.list({.query = {{"exclude_archived", true}}, .page_size = 200})) {
    if (channel.value().name != std::string_view(argv[1])) continue;
    const auto posted =
        api.collection("chat.postMessage").create({{"channel", channel->id}, {"text", argv[2]}}).value();
    // Slack reports most failures of a method in the body of a 200.
    if (!posted.value("ok", false)) return fmt::print(stderr, "Slack says {}\n", posted.value("error", "nothing")), 1;
    return fmt::print("posted to {} as {}\n", channel->id, posted.at("ts").get<std::string>()), 0;
  }
  return fmt::print(stderr, "there is no channel {}\n", argv[1]), 1;
} catch (const std::exception& exception) {
  return fmt::print(stderr, "{}\n", exception.what()), 1;
}
