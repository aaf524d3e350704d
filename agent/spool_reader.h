// Reads an allocation's spool for the relay, while the shim appends to it and after the shim is
// gone. It remembers where the last read ended, so a relay that goes on costs what is new, and one
// that goes back costs a read from the start. One thread at a time.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/status.h"
#include "core/agent/record.h"

namespace dt::agent {

class SpoolReader {
 public:
  struct Limits {
    // A batch costs a transaction and a sync whatever its size, so a backlog goes in large ones.
    std::size_t records_max = 20'000;
    std::size_t bytes_max = 4 * 1024 * 1024;  // one record may be larger
  };
  struct Batch {
    std::vector<core::Record> records;  // behind the marks, in file order
    bool at_end = true;
  };

  explicit SpoolReader(std::string path, Limits limits = default_limits())
      : path_(std::move(path)), limits_(limits) {}

  Result<Batch> read(const core::Marks& from);

 private:
  static Limits default_limits() { return {}; }
  bool can_go_on(const core::Marks& from) const;
  Status read_piece(int fd, const core::Marks& from, Batch& batch, std::size_t& bytes);

  std::string path_;
  Limits limits_;
  std::size_t offset_ = 0;
  core::Marks position_;  // of the records before offset_
};

}  // namespace dt::agent
