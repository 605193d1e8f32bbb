#include "export/offset_server.hpp"

#include <algorithm>
#include <utility>

#include "export/export_bench.hpp"

namespace export_test {
namespace {

std::size_t parameter(const std::string& request, const std::string& name, std::size_t otherwise) {
  const auto at = request.find(name + "=");
  return at == std::string::npos ? otherwise : std::stoul(request.substr(at + name.size() + 1));
}

}  // namespace

OffsetServer::OffsetServer(std::vector<std::string> items)
    : items_(std::move(items)), server_([this](noun_test::RawServer::Peer& peer) {
        while (const auto request = peer.request()) peer.send(response_to(*request));
      }) {}

std::vector<std::string> OffsetServer::words(const std::vector<std::string>& more) const {
  auto all = words_of("http://127.0.0.1:" + std::to_string(server_.port()) +
                      " /items --paging offset --page-size 2 --out l.jsonl");
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

void OffsetServer::insert_in_front(const std::vector<std::string>& items) {
  const std::lock_guard lock(mutex_);
  items_.insert(items_.begin(), items.begin(), items.end());
}

void OffsetServer::refuse_from(std::size_t offset, const std::string& status) {
  const std::lock_guard lock(mutex_);
  refused_ = offset;
  status_ = status;
}

void OffsetServer::refuse_nothing() {
  const std::lock_guard lock(mutex_);
  refused_.reset();
}

void OffsetServer::count_items() {
  const std::lock_guard lock(mutex_);
  counts_ = true;
}

void OffsetServer::hold_from(std::size_t offset) {
  const std::lock_guard lock(mutex_);
  held_from_ = offset;
}

std::string OffsetServer::response_to(const std::string& request) {
  const auto offset = parameter(request, "offset", 0);
  std::unique_lock lock(mutex_);
  if (held_from_ && offset >= *held_from_) {
    lock.unlock();
    held_.open();
    gate_.wait();
    lock.lock();
  }
  if (refused_ && offset >= *refused_) return noun_test::http_response("{}", "", status_);
  std::string page = "[";
  const auto end = std::min(items_.size(), offset + parameter(request, "limit", 2));
  for (auto at = offset; at < end; ++at) page += (at == offset ? "" : ",") + items_[at];
  const auto count = counts_ ? "X-Total-Count: " + std::to_string(items_.size()) + "\r\n" : "";
  return noun_test::http_response(page + "]", "Content-Type: application/json\r\n" + count);
}

}  // namespace export_test
