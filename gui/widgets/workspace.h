// All pages that are open: tabs in one area or two side by side, and windows of their own. It
// finds, makes, moves and closes them, and knows the whole as words that bring it back. GUI thread
// only.
#pragma once

#include <QJsonObject>
#include <QSplitter>
#include <functional>
#include <optional>
#include <vector>

#include "gui/data/page_id.h"

namespace dt::gui {

class PageTabs;
class PageWindow;

class Workspace : public QSplitter {
  Q_OBJECT

 public:
  using Maker = std::function<QWidget*(const PageId& id, QWidget* parent)>;
  explicit Workspace(Maker make, QWidget* parent = nullptr);
  ~Workspace() override;

  // Brings its page to the front; makes one if there is none. False: the thing has no page.
  bool open(const PageId& id);
  std::optional<PageId> current() const;
  QWidget* current_page() const;
  void close_current();
  void tear_off_current();
  void move_current_to_other_side();
  void step(int by);  // to the next or the previous tab

  QJsonObject layout() const;
  void restore(const QJsonObject& layout);

 Q_SIGNALS:
  void current_changed();
  void layout_changed();

 private:
  PageTabs* add_area();
  PageTabs* area_of(QWidget* page) const;
  QWidget* find(const PageId& id) const;
  void show(QWidget* page);
  void tear_off(QWidget* page, const QByteArray& geometry = {});
  void put_back(QWidget* page);
  void to_other_side(QWidget* page);
  void close(QWidget* page);
  void close_others(QWidget* page);
  void tidy_areas();
  void note_focus(QWidget* now);

  Maker make_;
  std::vector<PageTabs*> areas_;  // one or two
  std::vector<PageWindow*> windows_;
  std::size_t front_ = 0;  // the area that new pages go to
  bool is_restoring_ = false;
};

}  // namespace dt::gui
