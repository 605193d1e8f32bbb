#include <noun/transport.hpp>

namespace noun { inline namespace v0 {

BodyReader::~BodyReader() = default;

BodySource::~BodySource() = default;

BodySink::~BodySink() = default;

Transport::~Transport() = default;

std::unique_ptr<Multiplexer> Transport::multiplexer() { return nullptr; }

Multiplexer::~Multiplexer() = default;

}}  // namespace noun
