// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "cisolve/lapw/matrices.hpp"
#include "core/stopwatch.hpp"

namespace cisolve::lapw {

/// Times of the steps of an algorithm, added up over blocks.
class Lines {
public:
  /// Does a step, which returns its useful flops, or 0.
  template <class Step>
  void time(std::string_view name, const Step& step) {
    const Stopwatch watch;
    const double flops = step();
    LineRecord& line = find(name);
    line.seconds += watch.seconds();
    line.flops += flops;
  }
  std::vector<LineRecord> take() { return std::move(lines_); }

private:
  LineRecord& find(std::string_view name) {
    for (LineRecord& line : lines_) {
      if (line.name == name) return line;
    }
    return lines_.emplace_back(LineRecord{.name = std::string(name)});
  }

  std::vector<LineRecord> lines_;
};

/// A leading dimension that does not send neighbouring columns to the same sets of a cache.
constexpr std::int64_t padded_rows(std::int64_t rows) { return rows % 512 == 0 ? rows + 8 : rows; }

/// body(first, last) over ranges of columns, one a thread. A single thread has no parallel region, within which OpenBLAS would
/// begin a team of its own.
void for_columns(std::int64_t columns,
                 const std::function<void(std::int64_t first, std::int64_t last)>& body);

/// Makes an algorithm, which is a step of its own, and runs it.
template <class Algorithm>
void run_algorithm(const MatrixProblem& problem, const GenerationOptions& options, HermitianPair& out,
                   Lines& lines, const Progress& progress) {
  std::optional<Algorithm> algorithm;
  lines.time("tables", [&] {
    algorithm.emplace(problem, options, out, lines);
    return 0.0;
  });
  (*algorithm)(progress);
}

// The algorithms, which add the muffin-tin parts to what is in `out`.
void generate_hsdla(const MatrixProblem& problem, const GenerationOptions& options, HermitianPair& out,
                    Lines& lines, const Progress& progress);
void generate_merged(const MatrixProblem& problem, const GenerationOptions& options, HermitianPair& out,
                     Lines& lines, const Progress& progress);

}  // namespace cisolve::lapw
