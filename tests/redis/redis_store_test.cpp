#include "redis/redis_store.hpp"

#include <noun/redis_ledger.hpp>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "curl/raw_server.hpp"
#include "joining_thread.hpp"
#include "os/in_child.hpp"
#include "os/temporary_folder.hpp"
#include "redis/redis_server.hpp"
#include "stores/quota_store_contract.hpp"

namespace noun_test { namespace redis_store_test {

using namespace std::chrono_literals;
using noun::Errc;
using noun::RedisStore;
using noun::Sent;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

/// Longer than any operation takes on a machine under load.
constexpr auto patient = 10s;
constexpr auto slow_after = 50ms;

std::unique_ptr<RedisStore> user_of(const std::string& url, noun::Duration slow = patient) {
  return std::make_unique<RedisStore>(noun::parse_redis_url(url).value(), slow);
}
std::string tcp_url(std::uint16_t port, const std::string& user = "") {
  return "redis://" + user + "127.0.0.1:" + std::to_string(port);
}

/// One server for many tests.
RedisServer& shared_server() {
  static RedisServer server;
  return server;
}

struct UnixSocket {
  UnixSocket() { lose(); }
  std::unique_ptr<noun::QuotaStore> user() { return user_of(shared_server().url()); }
  void lose() { shared_server()({"FLUSHALL"}); }
};
struct Tcp : UnixSocket {
  std::unique_ptr<noun::QuotaStore> user() { return user_of(tcp_url(shared_server().port())); }
};
INSTANTIATE_TYPED_TEST_SUITE_P(RedisUnixSocket, QuotaStoreContract, UnixSocket);
INSTANTIATE_TYPED_TEST_SUITE_P(RedisTcp, QuotaStoreContract, Tcp);

std::uint64_t put(noun::QuotaStore& store, const std::string& key, const std::string& bytes) {
  return store.compare_and_swap(key, store.read(key).value().version, bytes).value().stored.version;
}

/// Returns when a user waits for changes of all these channels.
void until_subscribed(const RedisServer& server, const std::vector<std::string>& channels) {
  std::vector<std::string> words{"PUBSUB", "NUMSUB"};
  std::string all;
  for (const auto& channel : channels) {
    words.push_back(channel);
    all += (all.empty() ? "" : "\n") + channel + "\n1";
  }
  while (server(words) != all) std::this_thread::yield();
}

struct RedisStoreTest : ::testing::Test {
  RedisStoreTest() { server({"FLUSHALL"}); }

  RedisServer& server = shared_server();
  std::unique_ptr<RedisStore> store = user_of(server.url());
  std::unique_ptr<RedisStore> other = user_of(server.url());
};

TEST_F(RedisStoreTest, has_names_that_start_with_the_key_and_expire) {
  const auto version = put(*store, "noun:key", "one");
  JoiningThread partner([&] { put(*other, "noun:key", "two"); });
  ASSERT_THAT(store->wait_for_change({{"noun:key", version}}, in_a_minute()).value(), ElementsAre("noun:key"));
  EXPECT_EQ(server({"KEYS", "*"}), "noun:key");
  EXPECT_EQ(server({"PUBSUB", "CHANNELS"}), "noun:key:0");
  const auto left = std::chrono::milliseconds(std::stoll(server({"PTTL", "noun:key"})));
  EXPECT_GT(left, 23h);
  EXPECT_LE(left, 24h);
}

TEST_F(RedisStoreTest, has_nothing_when_a_key_has_expired) {
  const auto version = put(*store, "key", "one");
  server({"PEXPIREAT", "key", "1"});
  EXPECT_EQ(store->read("key").value().version, 0U);
  EXPECT_FALSE(store->compare_and_swap("key", version, "two").value().swapped);
  EXPECT_TRUE(store->compare_and_swap("key", 0, "two").value().swapped);
}

TEST_F(RedisStoreTest, sends_the_script_only_if_the_server_does_not_know_it) {
  server({"SCRIPT", "FLUSH"});
  server({"CONFIG", "RESETSTAT"});
  for (int i = 0; i < 5; ++i) put(*store, "key", "one");
  EXPECT_THAT(server({"INFO", "commandstats"}), HasSubstr("cmdstat_eval:calls=1,"));
  server({"SCRIPT", "FLUSH"});
  put(*store, "key", "two");
  EXPECT_THAT(server({"INFO", "commandstats"}), HasSubstr("cmdstat_eval:calls=2,"));
  EXPECT_EQ(other->read("key").value().bytes, "two");
}

TEST_F(RedisStoreTest, keeps_databases_apart) {
  auto third = user_of(server.url() + "?db=3");
  auto fourth = user_of(tcp_url(server.port()) + "/3");
  const auto version = put(*third, "key", "three");
  EXPECT_EQ(store->read("key").value().version, 0U);
  EXPECT_EQ(fourth->read("key").value().bytes, "three");
  JoiningThread partner([&] {
    put(*other, "key", "in 0");
    put(*fourth, "end", "");
  });
  EXPECT_THAT(third->wait_for_change({{"key", version}, {"end", 0}}, in_a_minute()).value(), ElementsAre("end"));
  const auto result = user_of(server.url() + "?db=99")->read("key");
  ASSERT_THAT(result, FailsWith(Errc::resource, Sent::no));
  EXPECT_THAT(result.error().message(), AllOf(HasSubstr(server.socket()), HasSubstr("refused SELECT")));
}

TEST_F(RedisStoreTest, finds_a_server_by_the_name_of_this_machine) {
  put(*store, "key", "one");
  EXPECT_EQ(user_of("redis://localhost:" + std::to_string(server.port()))->read("key").value().bytes, "one");
  const auto result = user_of("redis://nowhere.invalid")->read("key");
  ASSERT_THAT(result, FailsWith(Errc::resource, Sent::no));
  EXPECT_THAT(result.error().message(),
              HasSubstr("cannot resolve the host of the Redis server at nowhere.invalid:6379"));
}

TEST_F(RedisStoreTest, reports_what_is_no_quota) {
  server({"SET", "text", "x"});
  server({"HSET", "hash", "version", "x"});
  server({"HSET", "zero", "version", "0123"});
  server({"HSET", "large", "version", "9007199254740993"});
  for (const auto* key : {"text", "hash", "zero", "large"}) {
    EXPECT_THAT(store->read(key), FailsWith(Errc::resource, Sent::no)) << key;
    EXPECT_FALSE(store->compare_and_swap(key, 0, "")) << key;
    EXPECT_FALSE(store->wait_for_change({{key, 0}}, in_a_minute())) << key;
  }
  EXPECT_THAT(store->read("text").error().message(), AllOf(HasSubstr("WRONGTYPE"), Not(HasSubstr("script"))));
  EXPECT_THAT(store->read("hash").error().message(), AllOf(HasSubstr("\"hash\""), HasSubstr("delete the key")));
  EXPECT_TRUE(store->compare_and_swap("key", 0, "").value().swapped);
}

TEST_F(RedisStoreTest, says_what_to_do_about_a_full_server) {
  server({"CONFIG", "SET", "maxmemory", "1"});
  const auto result = store->compare_and_swap("key", 0, "one");
  server({"CONFIG", "SET", "maxmemory", "0"});
  ASSERT_THAT(result, FailsWith(Errc::resource, Sent::no));
  EXPECT_THAT(result.error().message(), HasSubstr("'maxmemory'; free memory of the server, or raise its maxmemory"));
}

TEST_F(RedisStoreTest, is_unavailable_while_the_server_is_slow) {
  const auto version = put(*store, "key", "one");
  auto quick = user_of(server.url(), slow_after);
  EXPECT_THAT(quick->wait_for_change({{"key", 0}}, in_a_minute()).value(), ElementsAre("key"));
  server({"CLIENT", "PAUSE", "60000", "WRITE"});
  const auto start = std::chrono::steady_clock::now();
  const auto result = quick->compare_and_swap("key", version, "two");
  const auto elapsed = std::chrono::steady_clock::now() - start;
  server({"CLIENT", "UNPAUSE"});
  ASSERT_THAT(result, FailsWith(Errc::resource, Sent::no));
  EXPECT_THAT(result.error().message(), AllOf(HasSubstr(server.socket()), HasSubstr("SharingOptions::slow_after")));
  EXPECT_GE(elapsed, slow_after);
  EXPECT_LT(elapsed, patient);
  // The server may have carried it out nevertheless.
  const auto stored = store->read("key").value();
  EXPECT_TRUE(store->compare_and_swap("key", stored.version, "three").value().swapped);
  EXPECT_EQ(other->read("key").value().bytes, "three");
}

TEST_F(RedisStoreTest, a_slow_server_may_be_given_more_time) {
  auto quick = user_of(server.url(), slow_after);
  server({"CLIENT", "PAUSE", "200", "ALL"});
  ASSERT_FALSE(quick->read("key"));
  quick->limit_operations(patient);
  EXPECT_TRUE(quick->read("key"));
}

TEST(RedisStoreConnect, takes_no_longer_than_slow_after) {
  // One does not accept, one does not respond.
  for (const int queue : {0, 8}) {
    const BlackHole hole(queue);
    auto store = user_of(tcp_url(hole.port()), slow_after);
    const auto start = std::chrono::steady_clock::now();
    EXPECT_THAT(store->read("key"), FailsWith(Errc::resource, Sent::no));
    EXPECT_THAT(store->wait_for_change({{"key", 0}}, in_a_minute()), FailsWith(Errc::resource, Sent::no));
    EXPECT_GE(std::chrono::steady_clock::now() - start, 2 * slow_after);
    EXPECT_LT(std::chrono::steady_clock::now() - start, patient);
  }
}

/// A Unix socket that lets one connection wait.
class FullSocket {
 public:
  FullSocket() : listener_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path().copy(address.sun_path, sizeof address.sun_path - 1);
    ::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    ::listen(listener_, 0);
  }
  FullSocket(const FullSocket&) = delete;
  FullSocket& operator=(const FullSocket&) = delete;
  ~FullSocket() { ::close(listener_); }

  std::string path() const { return folder_.path("socket"); }
  void accept_one() const { ::close(::accept(listener_, nullptr, nullptr)); }

 private:
  TemporaryFolder folder_;
  const int listener_;
};

noun::RedisConnection connection_to(const std::string& url) {
  return noun::RedisConnection(noun::parse_redis_url(url).value());
}

TEST(RedisStoreConnect, waits_until_a_unix_socket_has_room) {
  const FullSocket full;
  auto first = connection_to("redis+unix://" + full.path());
  ASSERT_TRUE(first.open(in_a_minute()));
  auto second = connection_to("redis+unix://" + full.path());
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THAT(second.open(start + slow_after), FailsWith(Errc::resource, Sent::no));
  EXPECT_GE(std::chrono::steady_clock::now() - start, slow_after);
  const JoiningThread server([&] { full.accept_one(); });
  EXPECT_TRUE(second.open(in_a_minute()));
}

TEST(RedisStoreReply, may_not_be_endless) {
  RawServer server([](RawServer::Peer& peer) {
    peer.send("$1000000000\r\n");
    for (int i = 0; i < 32 && peer.send(std::string(1'000'000, 'x')); ++i) {
    }
  });
  const auto result = user_of(tcp_url(server.port()))->read("key");
  ASSERT_THAT(result, FailsWith(Errc::resource, Sent::no));
  EXPECT_THAT(result.error().message(), HasSubstr("sends a reply of more than 16 MB"));
}

TEST(RedisStoreReply, is_not_received_after_the_deadline) {
  const std::string text(40'000, 'x');
  Gate sent;
  RawServer server([&](RawServer::Peer& peer) {
    peer.send("$40000\r\n" + text + "\r\n");
    sent.open();
    peer.until_closed();
  });
  auto connection = connection_to(tcp_url(server.port()));
  ASSERT_TRUE(connection.open(in_a_minute()));
  sent.wait();
  EXPECT_FALSE(connection.receive(noun::Instant::min()).value());
  const auto reply = connection.receive(in_a_minute()).value();
  ASSERT_TRUE(reply);
  EXPECT_EQ(std::string(reply->str, reply->len), text) << "what was received before is kept";
}

TEST(RedisStoreConnect, reports_what_is_no_redis) {
  RawServer http(always("HTTP/1.1 400 Bad Request\r\n\r\n"));
  RawServer closes([](RawServer::Peer&) {});
  RawServer odd([](RawServer::Peer& peer) {
    while (!peer.some().empty()) peer.send("*2\r\n:1\r\n:2\r\n");
  });
  for (const auto* server : {&http, &closes, &odd}) {
    auto store = user_of(tcp_url(server->port(), ":secret@"), 1s);
    for (int i = 0; i < 2; ++i) {
      const auto result = store->read("key");
      ASSERT_THAT(result, FailsWith(Errc::resource, Sent::no));
      EXPECT_THAT(result.error().message(), Not(HasSubstr("secret")));
      EXPECT_FALSE(store->wait_for_change({{"key", 0}}, std::chrono::steady_clock::now() + 1ms));
    }
  }
}

TEST(RedisStoreRestart, loses_what_was_stored_and_connects_again) {
  RedisServer server;
  auto store = user_of(server.url());
  const auto version = put(*store, "key", "one");
  EXPECT_THAT(store->wait_for_change({{"key", version}}, noun::Instant::min()).value(), IsEmpty());
  server.kill();
  for (int i = 0; i < 2; ++i) {
    const auto result = store->read("key");
    ASSERT_THAT(result, FailsWith(Errc::resource, Sent::no));
    EXPECT_THAT(result.error().message(), HasSubstr("cannot connect to the Redis server at " + server.socket()));
    EXPECT_FALSE(store->compare_and_swap("key", version, "two"));
    EXPECT_FALSE(store->wait_for_change({{"key", version}}, in_a_minute()));
  }
  server.start();
  EXPECT_THAT(store->wait_for_change({{"key", version}}, in_a_minute()).value(), ElementsAre("key"));
  EXPECT_EQ(store->read("key").value().version, 0U);
  EXPECT_FALSE(store->compare_and_swap("key", version, "two").value().swapped);
  EXPECT_TRUE(store->compare_and_swap("key", 0, "two").value().swapped);
}

TEST_F(RedisStoreTest, replaces_connections_that_the_server_has_closed) {
  auto version = put(*store, "key", "one");
  EXPECT_THAT(store->wait_for_change({{"key", 0}}, in_a_minute()).value(), ElementsAre("key"));
  server({"CLIENT", "KILL", "TYPE", "normal"});
  server({"CLIENT", "KILL", "TYPE", "pubsub"});
  EXPECT_EQ(store->read("key").value().bytes, "one") << "not an error";
  JoiningThread partner([&] { put(*other, "key", "two"); });
  EXPECT_THAT(store->wait_for_change({{"key", version}}, in_a_minute()).value(), ElementsAre("key"));
}

TEST_F(RedisStoreTest, reports_all_keys_when_the_subscription_is_lost_during_a_wait) {
  const auto version = put(*store, "a", "");
  for (int i = 0; i < 3; ++i) {
    JoiningThread partner([&] {
      until_subscribed(server, {"a:0", "b:0"});
      server({"CLIENT", "KILL", "TYPE", "pubsub"});
    });
    EXPECT_THAT(store->wait_for_change({{"a", version}, {"b", 0}}, in_a_minute()).value(),
                UnorderedElementsAre("a", "b"));
  }
}

TEST_F(RedisStoreTest, a_connection_that_ends_between_two_subscriptions_is_an_error) {
  server({"CLIENT", "PAUSE", "60000", "WRITE"});
  {
    // Until the end of the pause the store reads the first key.
    JoiningThread partner([&] {
      until_subscribed(server, {"a:0"});
      server({"CLIENT", "KILL", "TYPE", "pubsub"});
      server({"CLIENT", "UNPAUSE"});
    });
    EXPECT_THAT(store->wait_for_change({{"a", 0}, {"b", 0}}, noun::Instant::min()),
                FailsWith(Errc::resource, Sent::no));
  }
  EXPECT_THAT(store->wait_for_change({{"a", 0}, {"b", 0}}, noun::Instant::min()).value(), IsEmpty());
  EXPECT_EQ(server({"PUBSUB", "NUMSUB", "a:0", "b:0"}), "a:0\n1\nb:0\n1");
}

TEST_F(RedisStoreTest, unsubscribes_from_what_is_not_watched_any_more) {
  EXPECT_THAT(store->wait_for_change({{"a", 0}, {"b", 0}}, noun::Instant::min()).value(), IsEmpty());
  EXPECT_THAT(store->wait_for_change({{"b", 0}, {"c", 0}}, noun::Instant::min()).value(), IsEmpty());
  const auto version = put(*other, "a", "one");
  EXPECT_THAT(store->wait_for_change({{"a", 0}}, in_a_minute()).value(), ElementsAre("a"));
  EXPECT_EQ(server({"PUBSUB", "CHANNELS"}), "a:0");
  JoiningThread partner([&] { put(*other, "a", "two"); });
  EXPECT_THAT(store->wait_for_change({{"a", version}}, in_a_minute()).value(), ElementsAre("a"));
}

TEST(RedisStorePassword, opens_the_server_and_is_in_no_message) {
  RedisServer server({"--requirepass", "s3cret @:/"});
  const std::string right = "s3cret%20%40%3A%2F";
  auto store = user_of(tcp_url(server.port(), ":" + right + "@"));
  put(*store, "key", "one");
  EXPECT_EQ(user_of("redis+unix://default:" + right + "@" + server.socket())->read("key").value().bytes, "one");
  const struct {
    std::string user;
    const char* message;
  } wrong[] = {{":s3cret-wrong@", "refused the user or the password: WRONGPASS"},
               {"somebody:" + right + "@", "refused the user or the password: WRONGPASS"},
               {"", "NOAUTH Authentication required; put the password into the URL"}};
  for (const auto& [user, message] : wrong) {
    auto stranger = user_of(tcp_url(server.port(), user));
    for (const auto& result : {stranger->read("key").transform([](const auto&) {}),
                               stranger->wait_for_change({{"key", 0}}, in_a_minute()).transform([](const auto&) {})}) {
      ASSERT_THAT(result, FailsWith(Errc::resource, Sent::no)) << user;
      EXPECT_THAT(result.error().message(), AllOf(HasSubstr(message), Not(HasSubstr("s3cret")))) << user;
    }
  }
  // The message of a server that does not know the command repeats the arguments.
  const std::vector<std::string> without_passwords[] = {{}, {"--rename-command", "AUTH", ""}};
  for (const auto& arguments : without_passwords) {
    RedisServer without(arguments);
    const auto result = user_of(tcp_url(without.port(), ":s3cret@"))->read("key");
    ASSERT_THAT(result, FailsWith(Errc::resource, Sent::no));
    EXPECT_THAT(result.error().message(),
                AllOf(HasSubstr("ERR, as a server without passwords does"), Not(HasSubstr("s3cret"))));
  }
}

TEST(RedisStoreKeys, leave_out_those_that_are_not_of_noun) {
  RedisServer server;
  auto store = user_of(tcp_url(server.port()));
  put(*store, "noun:key", "one");
  server({"HSET", "noun:\x1b[2J", "version", "1"});
  EXPECT_THAT(store->keys("noun").value(), ElementsAre("noun:key"));
}

TEST(RedisStoreUser, needs_the_permissions_that_are_documented) {
  RedisServer server;
  const std::vector<std::string> rules{"ACL",      "SETUSER", "noun",     "reset",      "on",          ">secret",
                                       "~noun:*",  "&noun:*", "+eval",    "+evalsha",   "+hmget",      "+hset",
                                       "+pexpire", "+time",   "+publish", "+subscribe", "+unsubscribe"};
  ASSERT_EQ(server(rules), "OK");
  auto store = user_of(tcp_url(server.port(), "noun:secret@"));
  auto other = user_of(tcp_url(server.port(), "noun:secret@"));
  const auto version = put(*store, "noun:key", "one");
  JoiningThread partner([&] { put(*other, "noun:key", "two"); });
  EXPECT_THAT(store->wait_for_change({{"noun:key", version}}, in_a_minute()).value(), ElementsAre("noun:key"));
  partner.join();
  EXPECT_THAT(store->wait_for_change({{"noun:a", 0}}, noun::Instant::min()).value(), IsEmpty()) << "+unsubscribe";
  EXPECT_THAT(store->read("another:key"), FailsWith(Errc::resource, Sent::no));
  // Without the channel nothing is stored: a user that waits would not be notified.
  server({"ACL", "SETUSER", "noun", "resetchannels"});
  auto mute = user_of(tcp_url(server.port(), "noun:secret@"));
  EXPECT_THAT(mute->compare_and_swap("noun:mute", 0, "one"), FailsWith(Errc::resource, Sent::no));
  EXPECT_FALSE(mute->wait_for_change({{"noun:mute", 0}}, in_a_minute()));
  EXPECT_EQ(mute->read("noun:mute").value().version, 0U);
}

TEST_F(RedisStoreTest, survives_a_closed_connection_without_a_signal) {
  EXPECT_EQ(in_child([&] {
              ::signal(SIGPIPE, SIG_DFL);
              auto mine = user_of(server.url());
              for (int i = 0; i < 50; ++i) {
                if (!mine->read("key")) continue;
                JoiningThread killer([&] { server({"CLIENT", "KILL", "TYPE", "normal"}); });
                for (int j = 0; j < 10; ++j) (void)mine->read("key");
              }
              return mine->read("key") || mine->read("key") ? 0 : 1;
            }),
            0);
}

TEST_F(RedisStoreTest, opens_its_own_connections_in_a_child) {
  put(*store, "key", "0");
  EXPECT_THAT(store->wait_for_change({{"key", 0}}, in_a_minute()).value(), ElementsAre("key"));
  constexpr int updates = 100;
  const auto update = [&] {
    for (int done = 0; done < updates;) {
      const auto stored = store->read("key").value();
      const auto next = std::to_string(std::stoi(stored.bytes) + 1);
      if (store->compare_and_swap("key", stored.version, next).value().swapped) ++done;
    }
  };
  // Both use the store at the same time.
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    update();
    const bool waits = store->wait_for_change({{"key", 1}}, in_a_minute()).value().size() == 1;
    ::_exit(waits ? 0 : 1);
  }
  update();
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  const auto stored = store->read("key").value();
  EXPECT_EQ(stored.bytes, std::to_string(2 * updates));
  JoiningThread partner([&] { put(*other, "key", "end"); });
  EXPECT_THAT(store->wait_for_change({{"key", stored.version}}, in_a_minute()).value(), ElementsAre("key"));
}

TEST(RedisLedger, fails_on_bad_arguments_only) {
  EXPECT_TRUE(noun::redis_ledger("redis://127.0.0.1:1"));
  EXPECT_TRUE(noun::redis_ledger("redis://:secret@127.0.0.1:1"));
  EXPECT_TRUE(noun::redis_ledger("redis://quota.example"));
  EXPECT_TRUE(noun::redis_ledger("redis://:secret@quota.example", {.password_over_tcp = true}));
  const auto refused = noun::redis_ledger("redis://:secret@quota.example");
  ASSERT_THAT(refused, FailsWith(Errc::invalid_argument, Sent::no));
  EXPECT_THAT(refused.error().message(), AllOf(HasSubstr("quota.example:6379"), Not(HasSubstr("secret")),
                                               HasSubstr("SharingOptions::password_over_tcp")));
  EXPECT_THAT(noun::redis_ledger("redis://host", {.slow_after = 1ns}), FailsWith(Errc::invalid_argument, Sent::no));
  EXPECT_THAT(noun::redis_ledger("rediss://host"), FailsWith(Errc::invalid_argument, Sent::no));
  EXPECT_THAT(noun::redis_ledger("file:///x"), FailsWith(Errc::invalid_argument, Sent::no));
}

TEST_F(RedisStoreTest, lists_many_keys_and_only_those_that_may_be_quotas) {
  constexpr int keys = 3000;
  server({"EVAL", "for i = 1, tonumber(ARGV[1]) do redis.call('HSET', 'noun:' .. i, 'version', i) end", "0",
          std::to_string(keys)});
  server({"SET", "noun:text", "of another program"});
  const auto found = store->keys("noun:").value();
  EXPECT_EQ(found.size(), std::size_t{keys});
  EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
  EXPECT_THAT(store->keys("*"), FailsWith(Errc::invalid_argument, Sent::no)) << "not a pattern";
}

TEST_F(RedisStoreTest, says_that_keys_cannot_be_listed) {
  server({"ACL", "SETUSER", "blind", "on", ">pw", "~*", "&*", "+@all", "-scan"});
  const auto result = user_of(tcp_url(server.port(), "blind:pw@"))->keys("noun:");
  ASSERT_THAT(result, FailsWith(Errc::resource, Sent::no));
  EXPECT_THAT(result.error().message(), HasSubstr("refused SCAN: NOPERM"));
}

}  // namespace redis_store_test
}  // namespace noun_test
