#include <noun/detail/event_operation.hpp>

#include <memory>

#include "resource/background_call.hpp"

namespace noun { inline namespace v0 { namespace detail {

Result<void> EventOperation::perform(ClientCore& /*core*/, const Address& /*address*/, const Reader& reader) {
  if (!source().claim()) return StreamSource::busy();
  const std::unique_ptr<StreamSource, decltype([](StreamSource* claimed) { claimed->release(); })> claimed(&source());
  return take(reader.target, source().next());
}

void EventOperation::start(const std::shared_ptr<Work>& self, BackgroundCall& call, const Address& /*address*/) {
  call.start(std::static_pointer_cast<EventOperation>(self));
}

}}}  // namespace noun::detail
