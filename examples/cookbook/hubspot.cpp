// Sets a property of all contacts that lack it, in batches. @source https://developers.hubspot.com/docs/api-reference/crm-contacts-v3
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <fmt/format.h>
#include <noun/noun.hpp>

struct Contact {
  std::string id;
  noun::Json properties;
};
NOUN_DESCRIBE(Contact, id, properties)

int main() try {
  const char* url = std::getenv("HUBSPOT_BASE_URL");
  const noun::Client api{
      url ? url : "https://api.hubapi.com",
      {.credentials = noun::bearer(std::getenv("HUBSPOT_ACCESS_TOKEN")), .dialect = noun::dialects::hubspot()}};
  noun::Json inputs = noun::Json::array();
  const auto contacts = api.collection<Contact>("crm/v3/objects/contacts");
  for (const auto& contact : contacts.list({.query = {{"properties", "hs_lead_status"}}, .page_size = 100}))
    if (contact.value().properties.at("hs_lead_status").is_null())
      inputs.push_back({{"id", contact->id}, {"properties", {{"hs_lead_status", "NEW"}}}});

  for (auto first = inputs.begin(); first != inputs.end();) {
    const auto last = first + std::min<std::ptrdiff_t>(100, inputs.end() - first);  // a batch has 100 at most
    const auto done =
        api.collection("crm/v3/objects/contacts/batch/update").create({{"inputs", noun::Json(first, last)}});
    fmt::print("{} contacts updated\n", done.value().at("results").size());
    for (const auto& error : done->value("errors", noun::Json::array()))  // a 207: some were not
      fmt::print("{} ({})\n", error.at("message").get<std::string>(),
                 error.value("context", noun::Json::object()).dump());
    first = last;
  }
} catch (const std::exception& exception) {
  return fmt::print(stderr, "{}\n", exception.what()), 1;
}
