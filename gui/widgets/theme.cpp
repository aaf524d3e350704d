#include "gui/widgets/theme.h"

#include <QApplication>
#include <QFontDatabase>
#include <QPalette>
#include <QToolTip>

#include "gui/widgets/style_sheet.h"
#include "gui/widgets/system_theme.h"
#include "gui/widgets/window_style.h"

namespace dt::gui {
namespace {

QColor rgb(unsigned value) { return QColor(QRgb(0xff000000u | value)); }

Theme light() {
  return {.is_dark = false,
          .window = rgb(0xf5f6f8),
          .surface = rgb(0xffffff),
          .raised = rgb(0xffffff),
          .line = rgb(0xdfe3e8),
          .text = rgb(0x1a212b),
          .faint = rgb(0x5a6472),
          .accent = rgb(0x1f5fbf),
          .on_accent = rgb(0xffffff),
          .selection = rgb(0xdbe8fb),
          .hover = rgb(0xeef2f7),
          .good = rgb(0x1a7f37),
          .busy = rgb(0x1f6feb),
          .warning = rgb(0x9a6700),
          .bad = rgb(0xb42318)};
}

Theme dark() {
  return {.is_dark = true,
          .window = rgb(0x14171c),
          .surface = rgb(0x1b1f26),
          .raised = rgb(0x232831),
          .line = rgb(0x333a46),
          .text = rgb(0xe6e9ef),
          .faint = rgb(0x9fa9b8),
          .accent = rgb(0x6ea8fe),
          .on_accent = rgb(0x0b1a30),
          .selection = rgb(0x24395a),
          .hover = rgb(0x242a33),
          .good = rgb(0x4cc38a),
          .busy = rgb(0x6ea8fe),
          .warning = rgb(0xe2b340),
          .bad = rgb(0xff8078)};
}

struct Look {
  ThemeChoice choice = ThemeChoice::system;
  Theme theme = light();
};

Look& look() {
  static Look the_look;
  return the_look;
}

QPalette palette_of(const Theme& t) {
  QPalette palette;
  palette.setColor(QPalette::Window, t.window);
  palette.setColor(QPalette::WindowText, t.text);
  palette.setColor(QPalette::Base, t.surface);
  palette.setColor(QPalette::AlternateBase, t.window);
  palette.setColor(QPalette::Text, t.text);
  palette.setColor(QPalette::PlaceholderText, t.faint);
  palette.setColor(QPalette::Button, t.surface);
  palette.setColor(QPalette::ButtonText, t.text);
  palette.setColor(QPalette::BrightText, t.on_accent);
  palette.setColor(QPalette::Highlight, t.accent);
  palette.setColor(QPalette::HighlightedText, t.on_accent);
  palette.setColor(QPalette::Link, t.accent);
  palette.setColor(QPalette::LinkVisited, t.accent);
  palette.setColor(QPalette::ToolTipBase, t.raised);
  palette.setColor(QPalette::ToolTipText, t.text);
  palette.setColor(QPalette::Light, t.raised);
  palette.setColor(QPalette::Midlight, t.hover);
  palette.setColor(QPalette::Mid, t.line);
  palette.setColor(QPalette::Dark, t.line);
  palette.setColor(QPalette::Shadow, t.window.darker(150));
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
    palette.setColor(QPalette::Disabled, role, t.faint);
  }
  return palette;
}

void apply() {
  Look& the_look = look();
  const bool is_dark = the_look.choice == ThemeChoice::dark ||
                       (the_look.choice == ThemeChoice::system && SystemTheme::get().is_dark());
  the_look.theme = is_dark ? dark() : light();
  QFont font = QFontDatabase::systemFont(QFontDatabase::GeneralFont);
  font.setPixelSize(13);
  QApplication::setFont(font);
  QApplication::setPalette(palette_of(the_look.theme));
  QToolTip::setPalette(palette_of(the_look.theme));
  qApp->setStyleSheet(style_sheet(the_look.theme));
}

}  // namespace

const Theme& theme() { return look().theme; }

QColor tone_color(Tone tone) {
  switch (tone) {
    case Tone::neutral: return theme().faint;
    case Tone::waiting: return theme().faint;
    case Tone::busy: return theme().busy;
    case Tone::good: return theme().good;
    case Tone::warning: return theme().warning;
    case Tone::bad: return theme().bad;
  }
  return theme().faint;
}

ThemeChoice theme_choice_from(const QString& text) {
  if (text == QLatin1String("light")) return ThemeChoice::light;
  if (text == QLatin1String("dark")) return ThemeChoice::dark;
  return ThemeChoice::system;
}

QString to_text(ThemeChoice choice) {
  switch (choice) {
    case ThemeChoice::system: return QStringLiteral("system");
    case ThemeChoice::light: return QStringLiteral("light");
    case ThemeChoice::dark: return QStringLiteral("dark");
  }
  return {};
}

void set_theme(ThemeChoice choice) {
  static const bool is_first = [] {  // before our palette hides what the desktop wants
    SystemTheme::get();
    QApplication::setStyle(new WindowStyle);
    QObject::connect(&SystemTheme::get(), &SystemTheme::changed, qApp, [] { apply(); });
    return true;
  }();
  static_cast<void>(is_first);
  look().choice = choice;
  apply();
}

ThemeChoice theme_choice() { return look().choice; }

QFont mono_font() {
  QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
  font.setPixelSize(12);
  return font;
}

QFont bold_font() {
  QFont font = QApplication::font();
  font.setWeight(QFont::DemiBold);
  return font;
}

QFont title_font() {
  QFont font = bold_font();
  font.setPixelSize(18);
  return font;
}

}  // namespace dt::gui
