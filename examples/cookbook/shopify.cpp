// The variants of all products that are nearly sold out. @source https://shopify.dev/docs/api/admin-rest/latest/resources/product
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <noun/noun.hpp>

struct Variant {
  std::string title;
  std::int64_t inventory_quantity = 0;
};
NOUN_DESCRIBE(Variant, title, inventory_quantity)
struct Product {
  std::int64_t id = 0;
  std::string title;
  std::vector<Variant> variants;
};
NOUN_DESCRIBE(Product, id, title, variants)

int main() try {
  const char* url = std::getenv("SHOPIFY_ADMIN_URL");
  auto dialect = noun::dialects::shopify();  // reads how full the leaky bucket is, and never lets it overflow
  dialect.paging = {.style = noun::paging::LinkHeader{}, .items = "/products", .size_parameter = "limit"};
  const noun::Client api{
      url ? url : "https://example.myshopify.com/admin/api/2025-10",
      {.credentials = noun::header("X-Shopify-Access-Token", std::getenv("SHOPIFY_ACCESS_TOKEN")), .dialect = dialect}};
  const auto products = api.collection<Product>("products.json");
  for (const auto& product : products.list({.query = {{"fields", "id,title,variants"}}, .page_size = 250}))
    for (const auto& variant : product.value().variants)
      if (variant.inventory_quantity < 5)
        fmt::print("{}, {}: {} left\n", product->title, variant.title, variant.inventory_quantity);
} catch (const std::exception& exception) {
  return fmt::print(stderr, "{}\n", exception.what()), 1;
}
