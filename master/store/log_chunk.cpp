#include "master/store/log_chunk.h"

#include <zstd.h>

#include <cstring>

#include "base/verify.h"

namespace dt::master {

namespace {

constexpr int compression_level = 3;
constexpr std::size_t bytes_max = std::size_t{1} << 30;  // of one chunk, unpacked

void put_number(std::string& out, std::int64_t number) {  // little endian
  for (int shift = 0; shift < 64; shift += 8) {
    out += static_cast<char>(static_cast<std::uint64_t>(number) >> shift & 0xff);
  }
}

void put_text(std::string& out, std::string_view text) {
  put_number(out, static_cast<std::int64_t>(text.size()));
  out += text;
}

// Reads what put_… wrote; `ok` turns false at the first thing that does not fit.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  bool ok = true;
  bool at_end() const { return bytes_.empty(); }

  std::int64_t number() {
    if (bytes_.size() < 8) return fail(), 0;
    std::uint64_t number = 0;
    for (int i = 7; i >= 0; i--) {
      number = number << 8 | static_cast<unsigned char>(bytes_[static_cast<std::size_t>(i)]);
    }
    bytes_.remove_prefix(8);
    return static_cast<std::int64_t>(number);
  }

  std::string text() {
    const auto size = static_cast<std::uint64_t>(number());
    if (size > bytes_.size()) return fail(), "";
    std::string text(bytes_.substr(0, size));
    bytes_.remove_prefix(size);
    return text;
  }

 private:
  void fail() {
    ok = false;
    bytes_ = {};
  }

  std::string_view bytes_;
};

}  // namespace

std::string pack_lines(const std::vector<StoredLogLine>& lines) {
  std::string plain;
  for (const StoredLogLine& line : lines) {
    put_number(plain, line.position);
    put_number(plain, line.line.seq);
    put_number(plain, line.line.time_ms);
    put_text(plain, line.line.output);
    put_text(plain, line.line.text);
  }
  std::string packed(ZSTD_compressBound(plain.size()), '\0');
  const std::size_t size =
      ZSTD_compress(packed.data(), packed.size(), plain.data(), plain.size(), compression_level);
  VERIFY(!ZSTD_isError(size), "zstd: ", ZSTD_getErrorName(size));
  packed.resize(size);
  return packed;
}

Result<std::vector<StoredLogLine>> unpack_lines(std::string_view bytes, int attempt, int stream) {
  const auto size = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  if (size > bytes_max) return data_loss("a chunk of log lines is damaged: no zstd frame");
  std::string plain(size, '\0');
  const std::size_t got = ZSTD_decompress(plain.data(), plain.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(got) || got != plain.size()) {
    return data_loss("a chunk of log lines is damaged: zstd cannot unpack it");
  }
  std::vector<StoredLogLine> lines;
  Reader reader(plain);
  while (!reader.at_end()) {
    StoredLogLine line{.attempt = attempt};
    line.position = reader.number();
    line.line.stream = stream;
    line.line.seq = reader.number();
    line.line.time_ms = reader.number();
    line.line.output = reader.text();
    line.line.text = reader.text();
    if (!reader.ok) return data_loss("a chunk of log lines is damaged: it ends within a line");
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace dt::master
