#include "agent/spool_reader.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "agent/files.h"
#include "formats/spool.h"

namespace dt::agent {

namespace {

constexpr std::size_t piece_bytes = 256 * 1024;
constexpr std::size_t line_bytes_max = 16 * 1024 * 1024;

std::int64_t mark_of(const core::Marks& marks, int stream) {
  const auto found = marks.find(stream);
  return found == marks.end() ? 0 : found->second;
}

Result<std::string> read_at(int fd, const std::string& path, std::size_t offset,
                            std::size_t bytes) {
  std::string text(bytes, '\0');
  const ssize_t got = ::pread(fd, text.data(), bytes, static_cast<off_t>(offset));
  if (got < 0) return file_error("cannot read " + path, errno);
  text.resize(static_cast<std::size_t>(got));
  return text;
}

}  // namespace

// Nothing before the offset is asked for again.
bool SpoolReader::can_go_on(const core::Marks& from) const {
  return std::all_of(position_.begin(), position_.end(),
                     [&](const auto& entry) { return entry.second <= mark_of(from, entry.first); });
}

// `batch.at_end` becomes true when no whole line is left.
Status SpoolReader::read_piece(int fd, const core::Marks& from, Batch& batch, std::size_t& bytes) {
  SpoolScan scan;
  std::size_t wanted = piece_bytes;
  while (true) {
    const std::string text = TRY(read_at(fd, path_, offset_, wanted));
    scan = scan_spool(text);
    const bool is_whole = !scan.lines.empty() || scan.damaged || text.size() < wanted;
    if (is_whole || wanted >= line_bytes_max) break;
    wanted *= 4;  // a line longer than the piece
  }
  batch.at_end = scan.lines.empty();
  const std::size_t begin = offset_;
  for (const SpoolScan::Line& line : scan.lines) {
    const std::size_t line_bytes = begin + line.end - offset_;
    core::Record record;
    if (!core::record_from(line.record, record)) {
      return data_loss(path_, " has a line that is no record at byte ", offset_);
    }
    const bool is_new = record.seq > mark_of(from, record.stream);
    const bool is_full = batch.records.size() >= limits_.records_max ||
                         (!batch.records.empty() && bytes + line_bytes > limits_.bytes_max);
    if (is_new && is_full) return {};
    offset_ += line_bytes;
    position_[record.stream] = record.seq;
    if (!is_new) continue;
    bytes += line_bytes;
    batch.records.push_back(std::move(record));
  }
  return {};
}

Result<SpoolReader::Batch> SpoolReader::read(const core::Marks& from) {
  const Fd file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open() && errno == ENOENT) return Batch();  // it ended before its shim began
  if (!file.is_open()) return file_error("cannot open " + path_, errno);
  if (!can_go_on(from)) {
    offset_ = 0;
    position_.clear();
  }
  Batch batch{.records = {}, .at_end = false};
  std::size_t bytes = 0;
  std::size_t before = 0;
  do {
    before = offset_;
    TRY(read_piece(file.get(), from, batch, bytes));
  } while (!batch.at_end && offset_ != before && bytes < limits_.bytes_max);
  return batch;
}

}  // namespace dt::agent
