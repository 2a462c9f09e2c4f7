// SPDX-License-Identifier: MIT
#include "matrix_text.hpp"

#include <fmt/format.h>

#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/sparse/row_lengths.hpp"

namespace cisolve::bench {
namespace {

class TextSink final : public RowSink {
public:
  explicit TextSink(std::ostream& out) : out_(out) {}

  void row(const MatrixRow& row) override {
    text_.clear();
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      text_ += fmt::format("{} {} {:.17g}\n", row.index + 1, row.columns[k] + 1, row.values[k]);
    }
    out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
  }

private:
  std::ostream& out_;
  std::string text_;
};

}  // namespace

void write_market(const RowSource& rows, const std::filesystem::path& file) {
  const std::vector<std::int64_t> lengths = count_rows(rows);
  std::ofstream out(file, std::ios::binary);
  out << fmt::format("%%MatrixMarket matrix coordinate real general\n{} {} {}\n", lengths.size(),
                     lengths.size(), std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0}));
  TextSink sink(out);
  rows.fill({0, rows.num_rows()}, sink);
  if (!out.flush()) throw SystemError("cannot write " + file.string());
}

}  // namespace cisolve::bench
