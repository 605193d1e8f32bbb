#include <noun/detail/page_operation.hpp>

#include <memory>

#include "resource/background_call.hpp"

namespace noun { inline namespace v0 { namespace detail {

Result<void> PageOperation::perform(ClientCore& /*core*/, const Address& /*address*/, const Reader& reader) {
  if (!claim()) return PageSource::busy();
  const std::unique_ptr<PageOperation, decltype([](PageOperation* claimed) { claimed->release(); })> claimed(this);
  begin();
  while (!is_ready()) accept(source().next());
  return take(reader.target);
}

void PageOperation::start(const std::shared_ptr<Work>& self, BackgroundCall& call, const Address& /*address*/) {
  call.start(std::static_pointer_cast<PageOperation>(self));
}

}}}  // namespace noun::detail
