// Creates a customer once, and lists the charges of another. @source https://docs.stripe.com/api/idempotent_requests
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <fmt/format.h>
#include <noun/noun.hpp>

struct Customer {
  std::string id, email;
};
NOUN_DESCRIBE(Customer, id, email)
struct Charge {
  std::string id, currency, status;
  std::int64_t amount = 0;  // in the currency's smallest unit
};
NOUN_DESCRIBE(Charge, id, currency, status, amount)

int main(int argc, char** argv) try {
  if (argc != 4) return fmt::print(stderr, "usage: stripe EMAIL ORDER CUSTOMER\n"), 2;
  const char* url = std::getenv("STRIPE_API_BASE");
  const noun::Client api{url ? url : "https://api.stripe.com",
                         {.credentials = noun::bearer(std::getenv("STRIPE_API_KEY")),
                          .dialect = noun::dialects::stripe(),
                          .headers = {{"Stripe-Version", "2025-09-30.clover"}}}};
  // The same key for the same order: whatever breaks, and however often the program runs, there is one customer.
  const auto customer = api.collection<Customer>("v1/customers")
                            .create(noun::body::form({{"email", argv[1]}, {"metadata[order]", argv[2]}}),
                                    {.idempotency_key = fmt::format("customer-of-order-{}", argv[2])});
  fmt::print("{} is {}\n", customer.value().email, customer.value().id);

  const auto charges = api.collection<Charge>("v1/charges");
  for (const auto& each : charges.list({.query = {{"customer", argv[3]}}, .page_size = 100})) {
    const auto& charge = each.value();
    fmt::print("{} {} {} {}\n", charge.id, charge.amount, charge.currency, charge.status);
  }
} catch (const std::exception& exception) {
  return fmt::print(stderr, "{}\n", exception.what()), 1;
}
