// Loads shared objects that have global clients, and uses each on a thread. The second argument says whether they are
// unloaded before the end.
#include <cstdio>
#include <string_view>
#include <thread>
#include <vector>

#include <dlfcn.h>

int main(int count, char** words) {
  if (count < 3) return 2;
  const bool let_go = std::string_view(words[1]) == "close";
  std::vector<void*> objects;
  for (int i = 2; i < count; ++i) {
    objects.push_back(dlopen(words[i], RTLD_NOW | RTLD_LOCAL));
    if (objects.back() == nullptr) {
      std::printf("%s\n", dlerror());
      return 1;
    }
  }
  std::vector<int> good(objects.size(), 0);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < objects.size(); ++i)
    threads.emplace_back([&, i] { good[i] = reinterpret_cast<bool (*)()>(dlsym(objects[i], "ask"))() ? 1 : 0; });
  for (auto& thread : threads) thread.join();
  for (const int one : good)
    if (one == 0) return 1;
  if (let_go)
    for (auto* const object : objects) dlclose(object);
  return 0;
}
