#include "report/plot.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace knead::report {

namespace {

constexpr double width = 480, height = 250, left = 52, right = 12, top = 12, bottom = 34, ribbon_height = 8;
constexpr std::size_t colors = 8;

std::string print(const char* format, double a) {
  char text[64];
  std::snprintf(text, sizeof text, format, a);
  return text;
}

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void add(double value) {
    if (std::isfinite(value)) low = std::min(low, value), high = std::max(high, value);
  }
  bool empty() const { return !(low <= high); }
};

// Large and small values in thousands: "kJ", "µs", or "×10⁶" where the unit takes no prefix.
struct Scale {
  double factor = 1;
  std::string unit;
};

Scale scale_for(double largest, const std::string& unit) {
  static constexpr const char* prefixes[] = {"p", "n", "µ", "m", "", "k", "M", "G", "T"};
  static constexpr const char* powers[] = {"×10⁻¹²", "×10⁻⁹", "×10⁻⁶", "×10⁻³", "", "×10³", "×10⁶", "×10⁹", "×10¹²"};
  Scale scale{1, unit};
  if (!(largest > 0) || (largest >= 0.01 && largest < 1e4)) return scale;
  const int thousands = std::clamp(static_cast<int>(std::floor(std::log10(largest) / 3 + 1e-9)), -4, 4);
  scale.factor = std::pow(10.0, -3 * thousands);
  const bool takes_prefix = unit == "J" || unit == "N" || unit == "Pa" || unit == "s" || unit == "m" || unit == "m/s";
  const auto place = static_cast<std::size_t>(thousands + 4);
  scale.unit = takes_prefix ? prefixes[place] + unit : powers[place] + (unit.empty() ? "" : " " + unit);
  return scale;
}

class Canvas {
 public:
  Canvas(Range x, Range y, bool logarithmic, double plot_bottom) : x_(x), y_(y), logarithmic_(logarithmic), bottom_(plot_bottom) {}
  double px(double x) const { return left + (width - left - right) * (x - x_.low) / (x_.high - x_.low); }
  double py(double y) const {
    const double share = logarithmic_ ? std::log(y / y_.low) / std::log(y_.high / y_.low) : (y - y_.low) / (y_.high - y_.low);
    return bottom_ - (bottom_ - top) * share;
  }
  std::string point(double x, double y) const { return print("%.1f", px(x)) + "," + print("%.1f", py(y)); }
  std::string line(const char* kind, double x1, double y1, double x2, double y2) const {
    return std::string("<line class=\"") + kind + "\" x1=\"" + print("%.1f", x1) + "\" y1=\"" + print("%.1f", y1) + "\" x2=\"" +
           print("%.1f", x2) + "\" y2=\"" + print("%.1f", y2) + "\"/>";
  }
  std::string text(const char* anchor, double x, double y, const std::string& words) const {
    return std::string("<text text-anchor=\"") + anchor + "\" x=\"" + print("%.1f", x) + "\" y=\"" + print("%.1f", y) + "\">" +
           escaped(words) + "</text>";
  }

 private:
  Range x_, y_;
  bool logarithmic_;
  double bottom_;
};

std::string tick_text(double value, double step) {
  const int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 9);
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, std::abs(value) < step * 1e-6 ? 0.0 : value);
  return text;
}

// At most two points per pixel column: the least and the greatest value there, so that no peak is lost.
std::vector<std::size_t> thinned(const std::vector<double>& values) {
  constexpr std::size_t parts = 400;
  std::vector<std::size_t> kept;
  const std::size_t count = values.size();
  if (count <= 2 * parts) {
    for (std::size_t i = 0; i < count; ++i) kept.push_back(i);
    return kept;
  }
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t begin = part * count / parts, end = (part + 1) * count / parts;
    std::size_t least = begin, greatest = begin;
    for (std::size_t i = begin; i < end; ++i) {
      if (values[i] < values[least] || std::isnan(values[least])) least = i;
      if (values[i] > values[greatest] || std::isnan(values[greatest])) greatest = i;
    }
    kept.push_back(std::min(least, greatest));
    if (least != greatest) kept.push_back(std::max(least, greatest));
  }
  return kept;
}

std::string curve(const Canvas& canvas, const std::vector<double>& x, const std::vector<double>& y, std::size_t color) {
  std::string path;
  bool down = false;  // the pen: lifted where a value is missing
  for (const std::size_t i : thinned(y)) {
    const bool there = std::isfinite(x[i]) && std::isfinite(y[i]);
    if (there) path.append(1, down ? 'L' : 'M').append(canvas.point(x[i], y[i]));
    down = there;
  }
  return "<path class=\"curve c" + std::to_string(color % colors) + "\" d=\"" + path + "\"/>";
}

// Means over equal parts of the rows, so that stacked areas stay readable.
Plot averaged(const Plot& plot) {
  const std::size_t count = plot.x.size(), parts = std::min<std::size_t>(count, 120);
  Plot result = plot;
  result.x.assign(parts, 0);
  for (Series& series : result.series) series.values.assign(parts, 0);
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t begin = part * count / parts, end = (part + 1) * count / parts;
    const auto mean = [&](const std::vector<double>& values) {
      double sum = 0;
      for (std::size_t i = begin; i < end; ++i) sum += std::isfinite(values[i]) ? values[i] : 0;
      return sum / static_cast<double>(end - begin);
    };
    result.x[part] = mean(plot.x);
    for (std::size_t s = 0; s < plot.series.size(); ++s) result.series[s].values[part] = mean(plot.series[s].values);
  }
  return result;
}

std::string area(const Canvas& canvas, const std::vector<double>& x, const std::vector<double>& low, const std::vector<double>& high,
                 std::size_t color) {
  std::string path;
  for (std::size_t i = 0; i < x.size(); ++i) path.append(1, i == 0 ? 'M' : 'L').append(canvas.point(x[i], high[i]));
  for (std::size_t i = x.size(); i-- > 0;) path.append(1, 'L').append(canvas.point(x[i], low[i]));
  return "<path class=\"area c" + std::to_string(color % colors) + "\" d=\"" + path + "Z\"/>";
}

std::string ribbon(const Canvas& canvas, const Plot& plot) {
  std::string band;
  const std::size_t count = plot.ribbon.size();
  for (std::size_t begin = 0; begin < count;) {
    std::size_t end = begin;
    while (end < count && plot.ribbon[end] == plot.ribbon[begin]) ++end;
    const double x1 = canvas.px(begin == 0 ? plot.x[0] : plot.x[begin - 1]), x2 = canvas.px(plot.x[end - 1]);
    band += "<rect class=\"c" + std::to_string(static_cast<std::size_t>(plot.ribbon[begin]) % colors) + "\" x=\"" + print("%.2f", x1) +
            "\" y=\"" + print("%.1f", height - bottom - ribbon_height) + "\" width=\"" + print("%.2f", std::max(x2 - x1, 0.2)) +
            "\" height=\"" + print("%.0f", ribbon_height) + "\"/>";
    begin = end;
  }
  return "<g class=\"ribbon\">" + band + "</g>";
}

std::string axes(const Canvas& canvas, Range x, const std::vector<double>& y_ticks, bool logarithmic, double plot_bottom) {
  std::string text;
  const std::vector<double> x_ticks = nice_ticks(x.low, x.high, 6);
  for (const double tick : y_ticks) {
    text += canvas.line("grid", left, canvas.py(tick), width - right, canvas.py(tick));
    text += canvas.text("end", left - 6, canvas.py(tick) + 4, logarithmic ? short_text(tick) : tick_text(tick, y_ticks[1] - y_ticks[0]));
  }
  for (const double tick : x_ticks) {
    if (tick < x.low || tick > x.high) continue;
    text += canvas.line("tick", canvas.px(tick), height - bottom, canvas.px(tick), height - bottom + 4);
    text += canvas.text("middle", canvas.px(tick), height - bottom + 17, tick_text(tick, x_ticks[1] - x_ticks[0]));
  }
  text += canvas.line("axis", left, height - bottom, width - right, height - bottom);
  if (plot_bottom < height - bottom) text += canvas.line("grid", left, plot_bottom, width - right, plot_bottom);
  return text + canvas.text("end", width - right, height - 2, "time [s]");
}

std::vector<double> decades(const Range& range) {
  std::vector<double> ticks;
  const int first = static_cast<int>(std::floor(std::log10(range.low))), last = static_cast<int>(std::ceil(std::log10(range.high)));
  const int step = std::max(1, (last - first) / 5);
  for (int power = first; power <= last; power += step) ticks.push_back(std::pow(10.0, power));
  if (ticks.size() < 2) ticks.push_back(ticks.back() * 10);
  return ticks;
}

std::string empty_figure(const Plot& plot) {
  return "<figure><figcaption>" + escaped(plot.title) + "</figcaption><p class=\"quiet\">No values yet.</p></figure>\n";
}

}  // namespace

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '&') result += "&amp;";
    else if (c == '<') result += "&lt;";
    else if (c == '>') result += "&gt;";
    else if (c == '"') result += "&quot;";
    else if (c == '\'') result += "&#39;";
    else if (static_cast<unsigned char>(c) < 32 && c != '\n' && c != '\t') result += ' ';
    else result += c;
  }
  return result;
}

std::string short_text(double value) { return print("%.3g", value); }

std::vector<double> nice_ticks(double low, double high, int about) {
  if (!(high > low)) high = low + std::max(std::abs(low) * 0.1, 1e-12);
  const double raw = (high - low) / std::max(about, 1), power = std::pow(10.0, std::floor(std::log10(raw)));
  const double step = power * (raw / power <= 1 ? 1 : raw / power <= 2 ? 2 : raw / power <= 5 ? 5 : 10);
  std::vector<double> ticks;
  for (double k = std::floor(low / step + 1e-9); k * step < high + step * 0.999; k += 1) ticks.push_back(k * step);
  if (ticks.size() < 2) ticks.push_back(ticks.back() + step);
  return ticks;
}

std::string legend(const std::vector<std::string>& labels, const std::vector<std::string>& values) {
  std::string text = "<ul class=\"legend\">";
  for (std::size_t i = 0; i < labels.size(); ++i)
    text += "<li><i class=\"c" + std::to_string(i % colors) + "\"></i>" + escaped(labels[i]) +
            (values.empty() ? "" : " <b>" + escaped(values[i]) + "</b>") + "</li>";
  return text + "</ul>";
}

std::string figure(const Plot& given) {
  Plot plot = given.stacked ? averaged(given) : given;
  std::vector<std::vector<double>> sums;  // upper edges of the areas
  Range x, y;
  for (std::size_t s = 0; s < plot.series.size(); ++s) {
    std::vector<double>& values = plot.series[s].values;
    if (plot.logarithmic)
      for (double& value : values)
        if (!(value > 0)) value = std::numeric_limits<double>::quiet_NaN();
    if (plot.stacked) {
      sums.push_back(values);
      for (std::size_t i = 0; s > 0 && i < values.size(); ++i) sums[s][i] += sums[s - 1][i];
    }
    for (const double value : plot.stacked ? sums[s] : values) y.add(value);
  }
  for (const double time : plot.x) x.add(time);
  if (x.empty() || y.empty()) return empty_figure(plot);
  if (x.low == x.high) x.high = x.low + 1;
  if (!plot.logarithmic && (plot.stacked || (y.low > 0 && y.low < 0.5 * y.high))) y.low = 0;

  const Scale scale = plot.logarithmic ? Scale{1, plot.unit} : scale_for(std::max(std::abs(y.low), std::abs(y.high)), plot.unit);
  for (Series& series : plot.series)
    for (double& value : series.values) value *= scale.factor;
  for (auto& sum : sums)
    for (double& value : sum) value *= scale.factor;
  const std::vector<double> ticks = plot.logarithmic ? decades(y) : nice_ticks(y.low * scale.factor, y.high * scale.factor, 5);
  y.low = ticks.front(), y.high = ticks.back();
  const double plot_bottom = height - bottom - (plot.ribbon.empty() ? 0 : ribbon_height + 6);
  const Canvas canvas(x, y, plot.logarithmic, plot_bottom);

  std::string body = axes(canvas, x, ticks, plot.logarithmic, plot_bottom);
  std::vector<std::string> labels;
  for (std::size_t s = 0; s < plot.series.size(); ++s) {
    labels.push_back(plot.series[s].label);
    if (!plot.stacked) body += curve(canvas, plot.x, plot.series[s].values, s);
    else body += area(canvas, plot.x, s == 0 ? std::vector<double>(plot.x.size(), 0.0) : sums[s - 1], sums[s], s);
  }
  if (!plot.ribbon.empty()) body += ribbon(canvas, plot);
  if (!plot.legend_labels.empty()) labels = plot.legend_labels;
  const std::string unit = scale.unit.empty() ? "" : " <span>[" + escaped(scale.unit) + "]</span>";
  return "<figure><figcaption>" + escaped(plot.title) + unit + "</figcaption><svg viewBox=\"0 0 " + print("%.0f", width) + " " +
         print("%.0f", height) + "\" role=\"img\" aria-label=\"" + escaped(plot.title) + "\">" + body + "</svg>" +
         (labels.size() > 1 || !plot.legend_labels.empty() ? legend(labels, plot.legend_values) : "") +
         (plot.note.empty() ? "" : "<p class=\"quiet\">" + escaped(plot.note) + "</p>") + "</figure>\n";
}

}  // namespace knead::report
