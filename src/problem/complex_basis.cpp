// SPDX-License-Identifier: MIT
#include "problem/complex_basis.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/hamiltonian/spinor_rows.hpp"
#include "cisolve/space/string_table.hpp"

namespace cisolve {
namespace {

/// Determinants as strings of spinors, ascending, and where each stands in the order of the basis.
struct SpinorStrings {
  std::unique_ptr<const Strings> strings;
  std::vector<std::int32_t> number_of_row;  ///< of the string, by row of the basis
  std::vector<std::int32_t> row_of_number;
};

/// @param list     determinants one by one
/// @param words    of a string of one spin there
/// @param shift    spinors of alpha electrons before those of beta ones
/// @param spinors  in all
template <int Words>
SpinorStrings spinor_strings(const FunctionList& list, int words, int shift, int spinors) {
  const std::size_t per_string = words, size = list.alpha.size() / per_string;
  std::vector<BitString<Words>> of_row(size);
  for (std::size_t row = 0; row < size; ++row) {
    for (int p = 0; p < 64 * words; ++p) {
      const std::size_t word = row * per_string + static_cast<std::size_t>(p / 64);
      if ((list.alpha[word] >> (p % 64) & 1U) != 0) of_row[row].set(p);
      if ((list.beta[word] >> (p % 64) & 1U) != 0) of_row[row].set(p + shift);
    }
  }
  SpinorStrings result;
  result.row_of_number.resize(size);
  std::iota(result.row_of_number.begin(), result.row_of_number.end(), 0);
  std::ranges::sort(result.row_of_number, {}, [&](std::int32_t row) { return of_row[row]; });
  result.number_of_row.resize(size);
  std::vector<BitString<Words>> ascending;
  for (std::size_t number = 0; number < size; ++number) {
    result.number_of_row[result.row_of_number[number]] = static_cast<std::int32_t>(number);
    ascending.push_back(of_row[result.row_of_number[number]]);
  }
  const std::vector<int> no_irreps(spinors, 0);
  result.strings = std::make_unique<StringTable<Words>>(std::move(ascending),
                                                        std::vector<std::int8_t>(size, 0), no_irreps, true);
  return result;
}

/// The real form of a complex row of H, in the order of the basis.
class RealFormRows final : public RowSource {
public:
  /// @param strings  must outlive this object
  RealFormRows(const SpinorStrings& strings, std::unique_ptr<const ComplexRowSource> rows)
      : strings_(strings), rows_(std::move(rows)) {}

  std::int64_t num_rows() const override { return 2 * rows_->num_rows(); }

  void count(RowRange range, std::span<std::int64_t> lengths) const override {
    for_each_row(range, [&](std::int64_t row, const auto& elements) {
      std::int64_t length = 0;
      for (const Element& element : elements)
        length += (element.value.real() != 0.0 ? 1 : 0) + (element.value.imag() != 0.0 ? 1 : 0);
      lengths[row - range.first] = length;
    });
  }

  void fill(RowRange range, RowSink& sink) const override {
    std::vector<ColumnIndex> columns;
    std::vector<double> values;
    std::vector<std::int32_t> general;
    for_each_row(range, [&](std::int64_t row, const auto& elements) {
      columns.clear();
      values.clear();
      const auto add = [&](ColumnIndex column, double value) {
        if (value == 0.0) return;
        columns.push_back(column);
        values.push_back(value);
      };
      const bool is_imaginary = row % 2 == 1;
      for (const Element& element : elements) {
        add(2 * element.column, is_imaginary ? element.value.imag() : element.value.real());
        add(2 * element.column + 1, is_imaginary ? element.value.real() : -element.value.imag());
      }
      general.resize(columns.size());
      std::iota(general.begin(), general.end(), 0);
      sink.row({row, columns, values, general});
    });
  }

  bool rows_are_independent() const override { return true; }

private:
  struct Element {
    ColumnIndex column;  ///< of the complex matrix, in the order of the basis
    Complex value;
  };
  class Sink final : public ComplexRowSink {
  public:
    explicit Sink(const SpinorStrings& strings) : strings_(strings) {}
    void row(const BasicMatrixRow<Complex>& row) override {
      elements.clear();
      for (std::size_t k = 0; k < row.columns.size(); ++k)
        elements.push_back({strings_.row_of_number[row.columns[k]], row.values[k]});
      std::ranges::sort(elements, {}, &Element::column);
    }
    std::vector<Element> elements;

  private:
    const SpinorStrings& strings_;
  };

  /// visit(row, elements of the complex row that it is a part of)
  template <class Visit>
  void for_each_row(RowRange range, const Visit& visit) const {
    Sink sink(strings_);
    std::int64_t held = -1;
    for (std::int64_t row = range.first; row < range.last; ++row) {
      if (row / 2 != held) {
        held = row / 2;
        const std::int64_t number = strings_.number_of_row[held];
        rows_->fill({number, number + 1}, sink);
      }
      visit(row, sink.elements);
    }
  }

  const SpinorStrings& strings_;
  std::unique_ptr<const ComplexRowSource> rows_;
};

class ComplexBasis final : public Basis {
public:
  ComplexBasis(const BasisDefinition& definition, std::unique_ptr<Basis> real)
      : Basis(definition), real_(std::move(real)), integrals_(spinors_of(definition.complex)) {
    const FunctionList list = real_->list(false);
    const int orbitals = definition.complex->num_orbitals, words = real_->summary().words;
    with_string_words(integrals_->num_orbitals, [&]<int Words>() {
      strings_ = spinor_strings<Words>(list, words, orbitals, integrals_->num_orbitals);
    });
    exact_ = std::make_unique<SpinorRows>(*strings_.strings, *integrals_);
  }

  std::unique_ptr<Basis> over(std::shared_ptr<const Integrals>, std::optional<int>) const override {
    refuse("other integrals");
  }

  int components() const override { return 2; }
  std::int64_t size() const override { return 2 * real_->size(); }
  BasisSummary summary() const override {
    BasisSummary summary = real_->summary();
    if (definition().complex->are_spinors) std::ranges::replace(summary.reference, 'u', '1');
    return summary;
  }
  FunctionList list(bool as_blocks) const override { return real_->list(as_blocks); }

  std::unique_ptr<RowSource> make_rows(const IntegralTables& tables) const override {
    return std::make_unique<RealFormRows>(
        strings_, std::make_unique<SpinorRows>(*strings_.strings, *integrals_, tables.threshold()));
  }

  std::int64_t rows_bytes(const IntegralTables& tables) const override {
    return real_->rows_bytes(tables) + static_cast<std::int64_t>(sizeof(Complex) * integrals_->two.size());
  }

  std::int64_t bytes_outside_solver(int, bool) const override { return 0; }

  std::vector<double> diagonal() const override {
    std::vector<double> both;
    for (const double element : real_->diagonal()) both.insert(both.end(), 2, element);
    return both;
  }

  using Basis::dense_block;
  Matrix dense_block(std::span<const std::int64_t> rows) const override {
    std::vector<std::int64_t> numbers;  // of strings, distinct
    for (const std::int64_t row : rows) numbers.push_back(strings_.number_of_row[row / 2]);
    std::vector<std::int64_t> distinct = numbers;
    std::ranges::sort(distinct);
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    const BasicMatrix<Complex> block = cisolve::dense_block(*exact_, distinct);
    const auto place = [&](std::size_t k) {
      return static_cast<int>(std::ranges::lower_bound(distinct, numbers[k]) - distinct.begin());
    };
    const auto n = static_cast<int>(rows.size());
    Matrix real_form(n, n);
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) {
        const Complex value = block(place(i), place(j));
        const bool same = rows[i] % 2 == rows[j] % 2;
        real_form(i, j) = same ? value.real() : rows[i] % 2 == 1 ? value.imag() : -value.imag();
      }
    }
    return real_form;
  }

  using Basis::model_rows;
  std::vector<std::int64_t> model_rows(std::span<const double> diagonal,
                                       const ModelRowsConfig& config) const override {
    std::vector<double> of_functions;
    for (std::size_t k = 0; k < diagonal.size(); k += 2) of_functions.push_back(diagonal[k]);
    ModelRowsConfig of_half = config;
    of_half.minimum = (config.minimum + 1) / 2;
    of_half.maximum = std::max(config.maximum / 2, of_half.minimum);
    std::vector<std::int64_t> rows;
    for (const std::int64_t row : real_->model_rows(of_functions, of_half)) {
      rows.push_back(2 * row);
      rows.push_back(2 * row + 1);
    }
    return rows;
  }

  Matrix s_squared_block(std::span<const std::int64_t>) const override { refuse("S^2"); }

  /// The largest coefficient is made real and positive. S^2 is real: that of the real and of the imaginary part add up.
  std::vector<StateLabel> label(std::span<const double> energies, std::span<double> vectors,
                                const ClusterConfig&, std::vector<bool>* rotated) const override {
    const std::size_t n = real_->size(), states = energies.size();
    if (rotated != nullptr) rotated->assign(states, false);
    std::vector<StateLabel> labels(states);
    std::vector<double> part(n);
    for (std::size_t k = 0; k < states; ++k) {
      const std::span<Complex> vector(reinterpret_cast<Complex*>(vectors.data() + 2 * n * k), n);
      fix_phase(vector);
      labels[k].irrep = 0;
      if (definition().complex->are_spinors) {
        labels[k].s_squared = std::numeric_limits<double>::quiet_NaN();
        continue;
      }
      for (const bool imaginary : {false, true}) {
        std::ranges::transform(vector, part.begin(),
                               [&](Complex c) { return imaginary ? c.imag() : c.real(); });
        const double energy[] = {energies[k]};
        labels[k].s_squared += real_->label(energy, part, ClusterConfig{}, nullptr).front().s_squared;
      }
    }
    return labels;
  }

  std::string text_of(std::int64_t function) const override {
    std::string text = real_->text_of(function);
    if (definition().complex->are_spinors) std::ranges::replace(text, 'u', '1');
    return text;
  }

  std::vector<LeadingConfiguration> leading(std::span<const double> vector, int most,
                                            double minimum_weight) const override {
    std::vector<double> magnitudes(vector.size() / 2);
    for (std::size_t k = 0; k < magnitudes.size(); ++k)
      magnitudes[k] = std::hypot(vector[2 * k], vector[2 * k + 1]);
    std::vector<LeadingConfiguration> found;
    for (const auto& [row, c] : leading_determinants(magnitudes, most, minimum_weight))
      found.push_back({text_of(row), c, c * c});
    return found;
  }

  DeterminantVector<most_string_words> heaviest(std::span<const double>, int, double) const override {
    refuse("the heaviest determinants");
  }
  DensityMatrices density_matrices(std::span<const double>, int) const override {
    refuse("density matrices");
  }
  TwoParticleDensity two_particle_density(std::span<const double>, std::int64_t) const override {
    refuse("density matrices");
  }
  SpinDensities spin_densities(std::span<const double>, int, const VectorsOfBasis&) const override {
    refuse("density matrices");
  }
  SpinFlipDensities spin_flip_densities(std::span<const double>, int, const VectorsOfBasis&) const override {
    refuse("density matrices");
  }
  int ms2() const override { return real_->ms2(); }
  std::vector<double> project(const FunctionView&, std::span<const std::span<const double>>) const override {
    refuse("projections");
  }

private:
  [[noreturn]] static void refuse(const std::string& what) {
    throw DimensionError("Basis: determinants with complex coefficients have no " + what);
  }

  static std::shared_ptr<const ComplexIntegrals> spinors_of(
      const std::shared_ptr<const ComplexIntegrals>& integrals) {
    return integrals->are_spinors ? integrals
                                  : std::make_shared<const ComplexIntegrals>(as_spinors(*integrals));
  }

  /// Of equally large coefficients the first decides.
  static void fix_phase(std::span<Complex> vector) {
    constexpr double equal = 1e-6;
    double largest = 0.0;
    for (const Complex& c : vector) largest = std::max(largest, std::abs(c));
    const auto first =
        std::ranges::find_if(vector, [&](Complex c) { return std::abs(c) >= largest * (1.0 - equal); });
    if (first == vector.end() || largest == 0.0) return;
    const Complex phase = std::conj(*first) / std::abs(*first);
    for (Complex& c : vector) c *= phase;
  }

  std::unique_ptr<Basis> real_;
  std::shared_ptr<const ComplexIntegrals> integrals_;  ///< over spinors
  SpinorStrings strings_;
  std::unique_ptr<SpinorRows> exact_;  ///< without threshold, for dense blocks
};

}  // namespace

std::unique_ptr<Basis> make_complex_basis(const BasisDefinition& definition, std::unique_ptr<Basis> real) {
  if (definition.complex == nullptr)
    throw DimensionError("make_complex_basis: there are no complex integrals");
  return std::make_unique<ComplexBasis>(definition, std::move(real));
}

}  // namespace cisolve
