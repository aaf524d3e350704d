// What leaves a chart: pictures, drawings and points.
#include <QBuffer>
#include <QClipboard>
#include <QDateTime>
#include <QFileDialog>
#include <QGuiApplication>
#include <QPointer>
#include <QSaveFile>
#include <QSvgGenerator>
#include <QThreadPool>
#include <functional>

#include "gui/data/format.h"
#include "gui/widgets/chart_private.h"

namespace dt::gui {
namespace {

bool write_file(const QString& path, const QByteArray& bytes) {
  QSaveFile file(path);
  return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.commit();
}

QString csv_field(const QString& text) {
  if (!text.contains(QLatin1Char(',')) && !text.contains(QLatin1Char('"')) &&
      !text.contains(QLatin1Char('\n')) && !text.contains(QLatin1Char('\r'))) {
    return text;
  }
  QString quoted = text;
  quoted.replace(QLatin1Char('"'), QStringLiteral("\"\""));
  return QLatin1Char('"') + quoted + QLatin1Char('"');
}

QString csv_number(double value) { return QString::number(value, 'g', 17); }

QByteArray png_of(const QImage& image) {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  return buffer.open(QIODevice::WriteOnly) && image.save(&buffer, "PNG") ? bytes : QByteArray();
}

QByteArray csv_of(const std::vector<Curve>& curves) {
  QString text = QStringLiteral("curve,x,value,min,max,count,non_finite,time_ms\n");
  for (const Curve& curve : curves) {
    const QString name = csv_field(curve.name);
    for (const CurvePoint& point : curve.points) {
      text += name + QStringLiteral(",%1,%2,%3,%4,%5,%6,%7\n")
                         .arg(csv_number(point.x), csv_number(point.value), csv_number(point.min),
                              csv_number(point.max))
                         .arg(point.count)
                         .arg(point.non_finite)
                         .arg(point.time_ms);
    }
  }
  return text.toUtf8();
}

}  // namespace

QImage Chart::Private::rendered(double scale) {
  QImage image(QSizeF(chart.width() * scale, chart.height() * scale).toSize(),
               QImage::Format_ARGB32_Premultiplied);
  image.setDevicePixelRatio(scale);
  QPainter painter(&image);
  painter.setWindow(0, 0, chart.width(), chart.height());
  painter.setViewport(0, 0, chart.width(), chart.height());
  paint_all(painter, QSizeF(chart.size()), scale, false);
  show_changed();  // what is kept of the layout is now the export's
  return image;
}

void Chart::Private::copy_picture() { QGuiApplication::clipboard()->setImage(rendered(2)); }

bool Chart::save_png(const QString& path, double scale) const {
  const QByteArray bytes = png_of(private_->rendered(scale));
  return !bytes.isEmpty() && write_file(path, bytes);
}

QByteArray Chart::Private::svg() {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  QSvgGenerator generator;
  generator.setOutputDevice(&buffer);
  generator.setSize(chart.size());
  generator.setViewBox(QRect(QPoint(), chart.size()));
  generator.setTitle(one_line(title));
  {
    QPainter painter(&generator);
    paint_all(painter, QSizeF(chart.size()), 1, true);
  }
  show_changed();
  return bytes;
}

bool Chart::save_svg(const QString& path) const { return write_file(path, private_->svg()); }

std::vector<Curve> Chart::Private::visible_curves() const {
  std::vector<Curve> shown;
  for (const std::size_t i : visible()) shown.push_back(curves[i]);
  return shown;
}

QString Chart::csv() const { return QString::fromUtf8(csv_of(private_->visible_curves())); }

// What is seen is painted here. To pack it and to wait for the disk is another thread's work.
void Chart::Private::save_to(const QString& path, const QString& suffix) {
  std::function<QByteArray()> pack;
  if (suffix == QLatin1String("png")) {
    pack = [image = rendered(2)] { return png_of(image); };
  } else if (suffix == QLatin1String("svg")) {
    pack = [bytes = svg()] { return bytes; };
  } else {
    pack = [shown = visible_curves()] { return csv_of(shown); };
  }
  QThreadPool::globalInstance()->start([pack, path, asker = QPointer<Chart>(&chart)] {
    const QByteArray bytes = pack();
    const bool is_well = !bytes.isEmpty() && write_file(path, bytes);
    const auto tell = [path, asker, is_well] {
      if (asker) Q_EMIT asker->saved(path, is_well);
    };
    QMetaObject::invokeMethod(QCoreApplication::instance(), tell, Qt::QueuedConnection);
  });
}

void Chart::Private::choose_file(const QString& suffix, const QString& filter) {
  auto* dialog = new QFileDialog(&chart, QStringLiteral("Save the chart"), QString(), filter);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix(suffix);
  QString name = one_line(title, 60);
  name.replace(QLatin1Char('/'), QLatin1Char('_'));
  dialog->selectFile((name.isEmpty() ? QStringLiteral("chart") : name) + QLatin1Char('.') + suffix);
  connect(dialog, &QFileDialog::fileSelected, &chart,
          [this, suffix](const QString& path) { save_to(path, suffix); });
  dialog->open();
}

}  // namespace dt::gui
