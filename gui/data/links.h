// Things that have a page or a menu, named the same everywhere in the window: a link is what a
// cell, a chart line or a palette entry carries, what a click opens, and what “copy as dtctl” is
// made from.
#pragma once

#include <QMetaType>
#include <QString>
#include <cstdint>

namespace dt::gui {

struct Link {
  enum class Kind { none, experiment, trial, checkpoint, agent };
  Kind kind = Kind::none;
  std::int64_t id = 0;  // of an experiment or trial
  QString name;         // id of a checkpoint or agent
  bool operator==(const Link&) const = default;
};

// The command that shows the thing: "dtctl experiment describe 7"; empty: there is none.
QString dtctl_command(const Link& link);
// As tabs and menus call it: "Experiment 7".
QString title_of(const Link& link);

}  // namespace dt::gui

Q_DECLARE_METATYPE(dt::gui::Link)
