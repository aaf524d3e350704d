// Numbers, times and foreign text as people read them. Everything a user, a program or the network
// wrote passes plain() or one_line() before it is shown: control characters and marks that turn the
// direction of text become visible, so a name can neither hide nor imitate anything. Pure
// functions, any thread.
#pragma once

#include <QString>
#include <cstdint>

namespace dt::gui {

// Lines stay lines; what cannot be seen becomes a mark: "␛", "⟨U+202E⟩".
QString plain(const QString& text);
// The same in one line of at most `length` characters, cut with "…".
QString one_line(const QString& text, int length = 200);
// For tooltips, which would take "<b>" for rich text: shown as it is written, line by line.
QString tip_text(const QString& plain_text);

// Four significant digits, thousands separated: "0.871", "1,875", "3.1e-05", "NaN".
QString number(double value);
// Every digit, for tooltips and copies: reads back as the same double.
QString full_number(double value);
QString integer(std::int64_t value);                      // "1,875"
QString percent(double fraction);                         // "43%"; never "100%" before it is whole
QString bytes(std::int64_t count);                        // "1.2 GiB"
QString duration(std::int64_t ms);                        // "4s", "3m 20s", "2h 05m", "3d 4h"
QString age(std::int64_t unix_ms, std::int64_t now_ms);   // "3m ago", "just now"; "" for 0
QString exact_time(std::int64_t unix_ms);                 // "2026-11-30 14:12:05", local; "" for 0
QString plural(std::int64_t count, const QString& noun);  // "1 trial", "2 trials"

// The API's state in a word for people: "STOPPING_CANCELED" is "stopping".
QString state_word(const QString& state);

// What a state means at a glance; widgets/theme.h has its colour.
enum class Tone { neutral, waiting, busy, good, warning, bad };
Tone tone_of(const QString& state_word);

}  // namespace dt::gui
