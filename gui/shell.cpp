#include "gui/shell.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QFile>
#include <QTextStream>
#include <memory>

#include "base/version.h"
#include "client/credentials.h"
#include "gui/data/settings.h"
#include "gui/widgets/connect_dialog.h"
#include "gui/widgets/theme.h"
#include "gui/window.h"

namespace dt::gui {
namespace {

using client::Credentials;

struct Options {
  QString master;
  QString token_file;
  QString theme;
};

Options parse(QApplication& application) {
  QCommandLineParser parser;
  parser.setApplicationDescription(QStringLiteral(
      "Dovetail's desktop client: launches, watches and compares experiments.\n"
      "Without options it uses the master that dtctl local up or dtctl login left."));
  parser.addHelpOption();
  parser.addVersionOption();
  const QCommandLineOption master(QStringLiteral("master"),
                                  QStringLiteral("Address of the master."),
                                  QStringLiteral("HOST:PORT"));
  const QCommandLineOption token_file(QStringLiteral("token-file"),
                                      QStringLiteral("File with the token to use."),
                                      QStringLiteral("FILE"));
  const QCommandLineOption theme(QStringLiteral("theme"),
                                 QStringLiteral("light, dark or system (kept for next time)."),
                                 QStringLiteral("NAME"));
  parser.addOptions({master, token_file, theme});
  parser.process(application);
  return {parser.value(master), parser.value(token_file), parser.value(theme)};
}

// As dtctl finds them; a master that is named has the saved token only if it is the saved one.
Result<Credentials> find_credentials(const Options& options) {
  Result<Credentials> saved = client::load_credentials();
  Credentials credentials = saved.ok() ? *saved : Credentials();
  const std::string address = options.master.toStdString();
  if (!address.empty() && address != credentials.address) credentials = {.address = address};
  if (!options.token_file.isEmpty()) {
    QFile file(options.token_file);
    if (!file.open(QIODevice::ReadOnly)) {
      return not_found("token file ", options.token_file.toStdString(), " cannot be read");
    }
    credentials.token = file.readAll().trimmed().toStdString();
  }
  if (!credentials.address.empty() && !credentials.token.empty()) return credentials;
  if (!saved.ok() && address.empty()) return saved.status();
  return unauthenticated("no token is known for ", credentials.address);
}

// The window, or the question which master to use; either leads to the other.
class Shell : public QObject {
 public:
  void open(const Credentials& credentials) {
    auto next = std::make_unique<Window>(credentials);
    connect(next.get(), &Window::connection_wanted, this,
            [this, credentials] { ask(credentials, {}, window_.get()); });
    next->show();
    std::swap(window_, next);
    if (next) next.release()->deleteLater();  // a click in it led here
  }

  void ask(const Credentials& known, const QString& reason, QWidget* parent) {
    auto* dialog = new ConnectDialog(known, reason, parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &ConnectDialog::connected, this, &Shell::open);
    if (parent) return dialog->open();
    dialog->show();
  }

 private:
  std::unique_ptr<Window> window_;
};

int show_until_closed(const Options& options) {
  Shell shell;
  const Result<Credentials> credentials = find_credentials(options);
  if (credentials.ok()) {
    shell.open(*credentials);
  } else {
    QString reason = QString::fromStdString(credentials.status().message());
    if (!reason.isEmpty()) reason[0] = reason[0].toUpper();
    shell.ask({.address = options.master.toStdString()}, reason + QStringLiteral(". "), nullptr);
  }
  return QApplication::exec();
}

}  // namespace

int run(QApplication& application) {
  QApplication::setApplicationName(QStringLiteral("dt-gui"));
  QApplication::setApplicationDisplayName(QStringLiteral("Dovetail"));
  QApplication::setApplicationVersion(QString::fromLatin1(version));
  const Options options = parse(application);
  Settings& settings = Settings::get();
  if (!options.theme.isEmpty()) settings.set(QStringLiteral("theme"), options.theme);
  set_theme(theme_choice_from(settings.value(QStringLiteral("theme")).toString()));
  const int code = show_until_closed(options);
  settings.write_now();  // drafts of pages that were open, too
  return code;
}

}  // namespace dt::gui
