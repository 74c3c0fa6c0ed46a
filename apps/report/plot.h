// Plots as inline SVG with HTML legends. Colours come from the page (classes c0 to c7), so that they follow its light or dark mode.
#pragma once
#include <string>
#include <vector>

namespace knead::report {

struct Series {
  std::string label;
  std::vector<double> values;
};

struct Plot {
  std::string title;
  std::string unit;       // of the values: "J", or empty
  std::vector<double> x;  // [s]
  std::vector<Series> series;
  bool stacked = false;                                   // areas on top of each other, each point the mean over its part of the time
  bool logarithmic = false;                               // the y axis; values that are not positive are left out
  std::vector<int> ribbon;                                // per x the colour of a band below the curve; empty: none
  std::vector<std::string> legend_labels, legend_values;  // instead of the labels of the series; the values may be empty
  std::string note;                                       // a line below
};

std::string escaped(const std::string& text);  // for HTML and SVG, in text and in attributes

// An HTML <figure>; where no value is finite, one that says so.
std::string figure(const Plot& given);

// Entries with their colour; `values` may be empty.
std::string legend(const std::vector<std::string>& labels, const std::vector<std::string>& values = {});

// Round numbers from `low` to `high`, both inside or just outside: 1, 2 or 5 times a power of ten apart.
std::vector<double> nice_ticks(double low, double high, int about);

// A number in few digits: 12.3, 0.00123, 4.56e+08.
std::string short_text(double value);

}  // namespace knead::report
