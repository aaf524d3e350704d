#include "core/model/paths.h"

#include <algorithm>
#include <vector>

namespace dt::core {
namespace {

std::vector<std::string> elements_of(const std::string& path) {
  std::vector<std::string> elements;
  std::size_t start = 0;
  while (start <= path.size()) {
    const std::size_t end = std::min(path.find('/', start), path.size());
    if (end > start) elements.push_back(path.substr(start, end - start));
    start = end + 1;
  }
  return elements;
}

}  // namespace

bool is_absolute(const std::string& path) { return !path.empty() && path.front() == '/'; }

std::string normalised(const std::string& path) {
  std::vector<std::string> kept;
  for (const std::string& element : elements_of(path)) {
    if (element == ".") continue;
    if (element != ".." || (kept.empty() ? !is_absolute(path) : kept.back() == "..")) {
      kept.push_back(element);
    } else if (!kept.empty()) {
      kept.pop_back();
    }
  }
  std::string text = is_absolute(path) ? "/" : "";
  for (const std::string& element : kept) {
    if (!text.empty() && text.back() != '/') text += '/';
    text += element;
  }
  return text.empty() ? "." : text;
}

bool is_within(const std::string& path, const std::string& folder) {
  const std::string inner = normalised(path);
  const std::string outer = normalised(folder);
  if (inner == outer || outer == "/") return is_absolute(inner);
  return inner.size() > outer.size() && inner.compare(0, outer.size(), outer) == 0 &&
         inner[outer.size()] == '/';
}

}  // namespace dt::core
