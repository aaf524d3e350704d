// The folder that goes with an experiment, as a tree with sizes: biggest first, then what is ignored
// and why. Made on a worker thread from the listing; afterwards a plain value.
#pragma once

#include <QString>
#include <cstdint>
#include <vector>

#include "client/context.h"

namespace dt::gui {

struct ContextNode {
  QString name;
  std::int64_t bytes = 0;  // of a folder: all below it
  std::int64_t files = 0;
  bool is_folder = false;
  QString ignored_by;  // "*.bin (.dtignore line 2)"; empty: it is packed
  int parent = -1;     // places in ContextTree::nodes
  std::vector<int> children;
  bool operator==(const ContextNode&) const = default;
};

struct ContextTree {
  QString folder;
  std::vector<ContextNode> nodes;  // the first is the folder itself
  std::int64_t bytes = 0;
  std::int64_t files = 0;
  std::int64_t ignored = 0;
  std::vector<Status> problems;
  QString biggest;  // "train.bin 80 MiB, model.pt 30 MiB"; only when it is too large
};

ContextTree make_context_tree(const std::string& folder, const client::ContextListing& listing);

// "24 files, 1.2 MiB · 3 left out".
QString context_words(const ContextTree& tree);
QString biggest_words(const client::ContextListing& listing, int count);

}  // namespace dt::gui
