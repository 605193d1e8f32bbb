// Completions on Qt's event loop.
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>

#include <QtCore/QCoreApplication>
#include <fmt/format.h>
#include <noun/noun.hpp>

struct Country {
  std::string alpha_2;
  std::string name;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Country, alpha_2, name)

// Runs functions on the thread of `context`. When it is destroyed, those that wait are dropped.
noun::Executor executor_of(QObject* context) {
  return [context](std::function<void()> run) {
    QMetaObject::invokeMethod(context, std::move(run), Qt::QueuedConnection);
  };
}

int main(int argc, char** argv) {
  QCoreApplication application(argc, argv);
  noun::Client api{std::getenv("NOUN_EXAMPLE_URL")};

  const auto iceland = noun::op::get(api.collection<Country>("countries")["IS"]);
  noun::start(iceland, executor_of(&application), [](const noun::Result<Country>& country) {
    if (country) fmt::print("{} is {}\n", country->alpha_2, country->name);
    else fmt::print(stderr, "{}\n", country.error().message());
    QCoreApplication::exit(country ? 0 : 1);
  });
  return QCoreApplication::exec();
}
