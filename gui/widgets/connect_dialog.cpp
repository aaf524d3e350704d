#include "gui/widgets/connect_dialog.h"

#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStyle>
#include <QVBoxLayout>
#include <chrono>
#include <utility>

#include "dovetail/v1/admin.grpc.pb.h"
#include "gui/data/format.h"
#include "gui/data/problem_words.h"
#include "gui/widgets/theme.h"

namespace dt::gui {
namespace {

constexpr std::chrono::seconds longest_try{10};

QLabel* text_label(const QString& text, QWidget* parent) {
  auto* label = new QLabel(text, parent);
  label->setTextFormat(Qt::PlainText);
  label->setWordWrap(true);
  return label;
}

// On a worker: asks the master who we are, and keeps what works.
Result<client::Credentials> try_credentials(const client::Client& client,
                                            const std::stop_token& stop) {
  const auto got = TRY(
      client.call<v1::Admin>(&v1::Admin::Stub::GetMaster, v1::GetMasterRequest(),
                             {.timeout = longest_try, .retry_unavailable = false, .stop = stop}));
  client::Credentials credentials = client.credentials();
  credentials.user = got.user();
  credentials.http_address = got.http_address();
  TRY(client::save_credentials(credentials));
  return credentials;
}

}  // namespace

ConnectDialog::ConnectDialog(const client::Credentials& known, const QString& reason,
                             QWidget* parent)
    : QDialog(parent),
      address_(new QLineEdit(this)),
      token_(new QLineEdit(this)),
      tls_ca_(new QLineEdit(this)),
      state_(text_label({}, this)),
      connect_(new QPushButton(QStringLiteral("Connect"), this)) {
  setWindowTitle(QStringLiteral("Connect to a master"));
  setFixedWidth(60 * grid);
  setObjectName(QStringLiteral("connect_dialog"));
  address_->setObjectName(QStringLiteral("address"));
  token_->setObjectName(QStringLiteral("token"));
  state_->setObjectName(QStringLiteral("connect_state"));
  connect_->setObjectName(QStringLiteral("connect_button"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(3 * grid, 3 * grid, 3 * grid, 2 * grid);
  layout->setSpacing(grid);
  QLabel* title = text_label(QStringLiteral("Connect to a master"), this);
  title->setFont(title_font());
  layout->addWidget(title);
  QLabel* why = text_label(
      reason + QStringLiteral("On this machine, dtctl local up starts a cluster and leaves its "
                              "address and token here. Elsewhere, its operator has both."),
      this);
  why->setProperty("faint", true);
  layout->addWidget(why);
  layout->addSpacing(grid);
  auto* form = new QFormLayout();
  form->setLabelAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  form->setHorizontalSpacing(2 * grid);
  form->setVerticalSpacing(grid);
  form->addRow(QStringLiteral("&Address"), address_);
  form->addRow(QStringLiteral("&Token"), token_);
  form->addRow(QStringLiteral("&CA file"), tls_ca_);
  for (QLineEdit* edit : {address_, token_, tls_ca_}) {
    form->labelForField(edit)->setMinimumWidth(8 * grid);
  }
  layout->addLayout(form);
  layout->addWidget(state_);
  layout->addSpacing(grid);
  auto* buttons = new QHBoxLayout();
  buttons->addStretch();
  auto* cancel = new QPushButton(QStringLiteral("Cancel"), this);
  cancel->setAutoDefault(false);
  connect_->setProperty("primary", true);
  connect_->setDefault(true);
  buttons->addWidget(cancel);
  buttons->addWidget(connect_);
  layout->addLayout(buttons);
  address_->setText(
      QString::fromStdString(known.address.empty() ? "127.0.0.1:8081" : known.address));
  token_->setText(QString::fromStdString(known.token));
  token_->setEchoMode(QLineEdit::Password);
  tls_ca_->setText(QString::fromStdString(known.tls_ca));
  tls_ca_->setPlaceholderText(QStringLiteral("PEM file; empty: no TLS"));
  token_->setFocus();
  connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
  connect(connect_, &QPushButton::clicked, this, &ConnectDialog::try_them);
  show_state({}, false);
}

client::Credentials ConnectDialog::typed() const {
  return {.address = address_->text().trimmed().toStdString(),
          .http_address = {},
          .user = {},
          .token = token_->text().trimmed().toStdString(),
          .tls_ca = tls_ca_->text().trimmed().toStdString()};
}

void ConnectDialog::try_them() {
  const client::Credentials credentials = typed();
  if (credentials.address.find(':') == std::string::npos) {
    return show_state(QStringLiteral("The address has a port: HOST:8081, for example."), true);
  }
  if (credentials.token.empty()) return show_state(QStringLiteral("A token is needed."), true);
  connect_->setEnabled(false);
  show_state(QStringLiteral("Trying %1…").arg(one_line(address_->text(), 60)), false);
  master_ = std::make_unique<Master>(credentials);
  trying_ = master_->run<client::Credentials>(
      try_credentials, [this](Result<client::Credentials> got) { take(std::move(got)); });
}

void ConnectDialog::take(Result<client::Credentials> got) {
  connect_->setEnabled(true);
  if (!got.ok()) {
    const QString hint = problem_hint(got.status());
    return show_state(problem_text(got.status()) + QLatin1Char(' ') + hint, true);
  }
  Q_EMIT connected(*got);
  accept();
}

void ConnectDialog::show_state(const QString& text, bool is_bad) {
  state_->setText(text);
  state_->setVisible(!text.isEmpty());
  state_->setProperty("bad", is_bad);
  state_->style()->unpolish(state_);
  state_->style()->polish(state_);
}

}  // namespace dt::gui
