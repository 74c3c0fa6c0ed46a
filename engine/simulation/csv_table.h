// A CSV file of a run as columns. What cannot be read is said, and the rest is used.
#pragma once
#include <string>
#include <vector>

namespace knead {

struct CsvColumn {
  std::string name;
  std::vector<double> numbers;     // NaN where the cell is no number
  std::vector<std::string> words;  // of a column whose first cell is no number; otherwise empty
};

struct CsvTable {
  std::vector<CsvColumn> columns;
  std::size_t rows = 0;
  std::string problem;  // a sentence about what was skipped, or empty
  const CsvColumn* find(const std::string& name) const;
};

// Cells may be quoted. Rows with another number of cells than the header are skipped; a last row without its end of line, too:
// the run may be writing it.
CsvTable read_csv(const std::string& text);

}  // namespace knead
