// Which master: its address and a token, tried before they are kept (0600, client/credentials.h).
// GUI thread only.
#pragma once

#include <QDialog>
#include <memory>

#include "gui/data/master.h"

class QLabel;
class QLineEdit;
class QPushButton;

namespace dt::gui {

class ConnectDialog : public QDialog {
  Q_OBJECT

 public:
  // What is known already, and why it is asked for; both may be empty.
  ConnectDialog(const client::Credentials& known, const QString& reason, QWidget* parent = nullptr);

 Q_SIGNALS:
  void connected(const dt::client::Credentials& credentials);

 private:
  void try_them();
  void take(Result<client::Credentials> got);
  void show_state(const QString& text, bool is_bad);
  client::Credentials typed() const;

  QLineEdit* address_;
  QLineEdit* token_;
  QLineEdit* tls_ca_;
  QLabel* state_;
  QPushButton* connect_;
  std::unique_ptr<Master> master_;
  Call trying_;
};

}  // namespace dt::gui
