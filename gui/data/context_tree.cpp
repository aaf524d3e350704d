#include "gui/data/context_tree.h"

#include <QStringList>
#include <algorithm>
#include <map>

#include "gui/data/format.h"

namespace dt::gui {
namespace {

using namespace Qt::StringLiterals;

class TreeMaker {
 public:
  explicit TreeMaker(ContextTree& tree) : tree_(tree) {}

  // The node of a path; folders on the way are made.
  int place(const std::string& path, bool is_folder) {
    const auto found = places_.find(path);
    if (found != places_.end()) return found->second;
    const std::size_t slash = path.rfind('/');
    const int parent = slash == std::string::npos ? 0 : place(path.substr(0, slash), true);
    const int at = static_cast<int>(tree_.nodes.size());
    tree_.nodes.push_back({.name = QString::fromStdString(path.substr(slash + 1)),
                           .is_folder = is_folder,
                           .parent = parent});
    node(parent).children.push_back(at);
    places_[path] = at;
    return at;
  }

  void add(const client::ContextFile& file) {
    for (int at = place(file.path, false); at >= 0; at = node(at).parent) {
      node(at).bytes += file.bytes;
      ++node(at).files;
    }
  }

  void add(const client::IgnoredPath& ignored) {
    const int at = place(ignored.path, ignored.is_folder);
    node(at).ignored_by = QString::fromStdString(cat(ignored.pattern, " (", ignored.source, ")"));
  }

  void sort() {
    for (ContextNode& parent : tree_.nodes) {
      std::sort(parent.children.begin(), parent.children.end(),
                [this](int a, int b) { return comes_first(node(a), node(b)); });
    }
  }

 private:
  ContextNode& node(int at) { return tree_.nodes[static_cast<std::size_t>(at)]; }

  static bool comes_first(const ContextNode& a, const ContextNode& b) {
    if (a.ignored_by.isEmpty() != b.ignored_by.isEmpty()) return a.ignored_by.isEmpty();
    if (a.bytes != b.bytes) return a.bytes > b.bytes;
    return a.name < b.name;
  }

  ContextTree& tree_;
  std::map<std::string, int> places_;
};

}  // namespace

ContextTree make_context_tree(const std::string& folder, const client::ContextListing& listing) {
  ContextTree tree{.folder = QString::fromStdString(folder),
                   .bytes = listing.bytes,
                   .files = static_cast<std::int64_t>(listing.files.size()),
                   .ignored = static_cast<std::int64_t>(listing.ignored.size()),
                   .problems = listing.problems};
  tree.nodes.push_back({.name = tree.folder, .is_folder = true});
  TreeMaker maker(tree);
  for (const client::ContextFile& file : listing.files) maker.add(file);
  for (const client::IgnoredPath& ignored : listing.ignored) maker.add(ignored);
  maker.sort();
  const bool is_too_large = std::any_of(
      tree.problems.begin(), tree.problems.end(),
      [](const Status& problem) { return problem.code() == Code::resource_exhausted; });
  if (is_too_large) tree.biggest = biggest_words(listing, 3);
  return tree;
}

QString context_words(const ContextTree& tree) {
  QString words = plural(tree.files, u"file"_s) + u", "_s + bytes(tree.bytes);
  if (tree.ignored > 0) words += u" · "_s + integer(tree.ignored) + u" left out"_s;
  return words;
}

QString biggest_words(const client::ContextListing& listing, int count) {
  std::vector<client::ContextFile> files = listing.files;
  const auto shown = std::min(files.size(), static_cast<std::size_t>(count));
  std::partial_sort(files.begin(), files.begin() + static_cast<std::ptrdiff_t>(shown), files.end(),
                    [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  QStringList words;
  for (std::size_t i = 0; i < shown; ++i) {
    words += QString::fromStdString(files[i].path) + u' ' + bytes(files[i].bytes);
  }
  return words.join(u", "_s);
}

}  // namespace dt::gui
