// Completions on GLib's main loop: a listing, page by page.
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <glib.h>
#include <noun/noun.hpp>

struct Subdivision {
  std::string code;
  std::string name;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Subdivision, code, name)

using Function = std::function<void()>;

// Runs a function in the default main context. g_main_context_invoke() would not do: it may run the function at once.
void post_to_main_loop(Function run) {
  g_idle_add_full(
      G_PRIORITY_DEFAULT, [](void* posted) -> gboolean { return (*static_cast<Function*>(posted))(), G_SOURCE_REMOVE; },
      new Function(std::move(run)), [](void* posted) { delete static_cast<Function*>(posted); });
}

class Reader {
 public:
  Reader(noun::Listing<Subdivision> listing, GMainLoop* loop) : listing_(std::move(listing)), loop_(loop) {}

  void read_page() {
    noun::start(noun::op::next_page(listing_), post_to_main_loop,
                [this](const noun::Result<std::optional<noun::Page<Subdivision>>>& page) {
                  if (!page) fmt::print(stderr, "{}\n", page.error().message());
                  if (!page || !*page) return done = page.has_value(), g_main_loop_quit(loop_);  // an error, or the end
                  fmt::print("page {}: {} subdivisions\n", (*page)->number, (*page)->items.size());
                  read_page();
                });
  }

  bool done = false;

 private:
  noun::Listing<Subdivision> listing_;
  GMainLoop* loop_;
};

int main() {
  noun::Client api{std::getenv("NOUN_EXAMPLE_URL")};
  const std::unique_ptr<GMainLoop, decltype(&g_main_loop_unref)> loop(g_main_loop_new(nullptr, FALSE),
                                                                      &g_main_loop_unref);
  const auto italy = api.collection("countries")["IT"];
  Reader reader(italy.collection<Subdivision>("subdivisions").list({.page_size = 50}), loop.get());
  reader.read_page();
  g_main_loop_run(loop.get());
  return reader.done ? 0 : 1;
}
