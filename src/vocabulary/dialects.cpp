#include <noun/dialects.hpp>

namespace noun::inline v0::dialects {

Dialect plain() { return {}; }

Dialect github() {
  Dialect dialect;
  dialect.name = "github";
  dialect.rate_limit.reset_form = ResetForm::epoch_seconds;
  dialect.limited_if_exhausted = {403};
  dialect.paging.style = PagingStyle::link_header;
  dialect.request_id_headers = {"X-GitHub-Request-Id"};
  return dialect;
}

}  // namespace noun::inline v0::dialects
