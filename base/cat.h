// cat("trial ", 7, " failed"): joins its arguments into one string. It is the only text builder of
// the rooms that may not use fmt (LibTorch ships its own), and it is used for messages, never for
// formats that are parsed again.
#pragma once

#include <charconv>
#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>

namespace dt {

inline void append_piece(std::string& out, std::string_view piece) { out.append(piece); }
inline void append_piece(std::string& out, char piece) { out.push_back(piece); }

template <std::same_as<bool> T>  // a template, or string literals would convert to bool
void append_piece(std::string& out, T piece) {
  out.append(piece ? "true" : "false");
}

template <std::integral T>
  requires(!std::same_as<T, bool> && !std::same_as<T, char>)
void append_piece(std::string& out, T piece) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, piece).ptr;
  out.append(digits, end);
}

// Shortest form that reads back as the same double.
template <std::floating_point T>
void append_piece(std::string& out, T piece) {
  char digits[40];
  const auto end = std::to_chars(digits, digits + sizeof digits, piece).ptr;
  out.append(digits, end);
}

template <class T>
  requires requires(const T& t) {
    { to_text(t) } -> std::convertible_to<std::string>;
  }
void append_piece(std::string& out, const T& piece) {
  out.append(to_text(piece));
}

template <class... Pieces>
std::string cat(const Pieces&... pieces) {
  std::string out;
  (append_piece(out, pieces), ...);
  return out;
}

}  // namespace dt
