// SPDX-License-Identifier: MIT
#include "cisolve/analysis/csf_states.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "analysis/irrep_labels.hpp"
#include "cisolve/core/error.hpp"

namespace cisolve {
namespace {

using Eigen::MatrixXd;

/// Zero-based irrep of each CSF of a space that may hold several.
template <int Words>
std::vector<std::int8_t> row_irreps(const ConfigurationSpace<Words>& space, std::span<const int> irreps) {
  std::vector<std::int8_t> result;
  result.reserve(space.size());
  for (std::int32_t i = 0; i < space.num_configurations(); ++i) {
    const auto irrep = static_cast<std::int8_t>(irrep_of(space.configuration(i).singly, irreps));
    result.insert(result.end(), space.offset(i + 1) - space.offset(i), irrep);
  }
  return result;
}

/// Spin functions by number of open shells, made when first needed.
class SpinFunctionTable {
public:
  /// @throws DimensionError if the spin has no component of that Ms
  SpinFunctionTable(const SpinCouplings& couplings, int two_m) : couplings_(couplings), two_m_(two_m) {
    if (std::abs(two_m) > couplings.two_s())
      throw DimensionError("the determinants' Ms is none of the CSFs' spin");
  }

  const SpinFunctions& operator()(int open) {
    const auto [at, is_new] = functions_.try_emplace(open);
    if (is_new) at->second = make_spin_functions(couplings_, open, two_m_);
    return at->second;
  }

private:
  const SpinCouplings& couplings_;
  int two_m_;
  std::map<int, SpinFunctions> functions_;
};

/// Which of a configuration's open shells are alpha in a determinant, as SpinFunctions::alpha has it.
template <int Words>
std::uint64_t alpha_shells(const Configuration<Words>& configuration, const Determinant<Words>& determinant) {
  std::uint64_t alpha = 0;
  std::uint64_t bit = 1;
  configuration.singly.for_each([&](int p) {
    if (determinant.alpha.test(p)) alpha |= bit;
    bit <<= 1;
  });
  return alpha;
}

/// Appends the determinants of a configuration.
/// @param csfs  coefficients, one per coupling
template <int Words>
void append_expanded(const Configuration<Words>& configuration, std::span<const double> csfs,
                     SpinFunctionTable& table, DeterminantVector<Words>& result) {
  const SpinFunctions& functions = table(configuration.num_open());
  for (int a = 0; a < functions.coefficients.rows(); ++a) {
    const Determinant<Words> d = determinant_of(configuration, functions.alpha[a]);
    double sum = 0.0;
    for (int k = 0; k < functions.coefficients.columns(); ++k) sum += functions.coefficients(a, k) * csfs[k];
    result.determinants.push_back(d);
    result.coefficients.push_back(is_interleaving_negative(d) ? -sum : sum);
  }
}

template <int Words>
int two_m_of(const Determinant<Words>& d) {
  return d.alpha.count() - d.beta.count();
}

}  // namespace

template <int Words>
std::vector<StateLabel> label_csf_states(const ConfigurationSpace<Words>& space, std::span<const int> irreps,
                                         std::span<const double> energies, std::span<double> vectors,
                                         const ClusterConfig& config, std::vector<bool>* rotated) {
  const std::size_t roots = energies.size();
  const std::size_t n = space.size();
  if (vectors.size() != n * roots) throw DimensionError("label_csf_states: vectors do not fit the space");
  std::vector<std::int8_t> labels;
  const int irrep = space.selection().irrep;
  if (irrep == any_irrep) labels = row_irreps(space, irreps);

  const double width = labels.empty() ? 0.0 : config.width;  // of one irrep: nothing to be sorted
  rotate_clusters(energies, vectors, width, rotated,
                  [&](Eigen::Ref<MatrixXd> cluster) { sort_by_irrep(labels, cluster); });

  const double spin = 0.5 * space.selection().two_s;
  std::vector<StateLabel> result(roots);
  for (std::size_t k = 0; k < roots; ++k) {
    const auto vector = vectors.subspan(k * n, n);
    fix_sign(vector);
    result[k].s_squared = spin * (spin + 1.0);
    result[k].irrep = labels.empty() ? irrep : dominant_irrep(labels, vector, config.pure_weight);
  }
  return result;
}

template <int Words>
std::string csf_text(const ConfigurationSpace<Words>& space, std::int64_t row) {
  std::string text;
  for (const std::uint8_t step : space.steps(row, 1)) text += "0ud2"[step];
  return text;
}

template <int Words>
DeterminantVector<Words> expand_in_determinants(const ConfigurationSpace<Words>& space,
                                                std::span<const double> vector) {
  if (std::ssize(vector) != space.size())
    throw DimensionError("expand_in_determinants: the vector does not fit the space");
  SpinFunctionTable table(space.couplings(), space.couplings().two_s());
  DeterminantVector<Words> result;
  for (std::int32_t i = 0; i < space.num_configurations(); ++i) {
    const auto csfs = vector.subspan(static_cast<std::size_t>(space.offset(i)),
                                     static_cast<std::size_t>(space.offset(i + 1) - space.offset(i)));
    append_expanded(space.configuration(i), csfs, table, result);
  }
  return result;
}

template <int Words>
DeterminantVector<Words> expand_heaviest(const ConfigurationSpace<Words>& space,
                                         std::span<const double> vector, int most, double minimum_weight) {
  std::map<Configuration<Words>, std::vector<double>> heaviest;  // CSFs of each configuration
  for (const auto& [row, coefficient] : leading_determinants(vector, most, minimum_weight)) {
    const std::int32_t number = space.configuration_of_row(row);
    std::vector<double>& csfs = heaviest[space.configuration(number)];
    csfs.resize(static_cast<std::size_t>(space.offset(number + 1) - space.offset(number)));
    csfs[static_cast<std::size_t>(row - space.offset(number))] = coefficient;
  }
  SpinFunctionTable table(space.couplings(), space.couplings().two_s());
  DeterminantVector<Words> result;
  for (const auto& [configuration, csfs] : heaviest)
    append_expanded<Words>(configuration, csfs, table, result);
  return result;
}

template <int Words>
std::vector<double> project_on_determinants(const Space<Words>& space, const CsfList<Words>& csfs,
                                            std::span<const std::span<const double>> vectors) {
  const std::size_t count = csfs.configurations.size();
  const auto fits = [&](std::span<const double> vector) { return vector.size() == count; };
  if (csfs.couplings.size() != count || !std::ranges::all_of(vectors, fits))
    throw DimensionError("project_on_determinants: one element per CSF is needed");
  const std::size_t n = space.size();
  std::vector<double> result(n * vectors.size(), 0.0);
  if (n == 0 || count == 0) return result;
  int max_open = 0;
  for (const auto& configuration : csfs.configurations)
    max_open = std::max(max_open, configuration.num_open());
  const SpinCouplings couplings(csfs.two_s, max_open);
  SpinFunctionTable table(couplings, two_m_of(space.determinant(0)));

  for (std::size_t first = 0, last; first < count; first = last) {
    const Configuration<Words>& configuration = csfs.configurations[first];
    for (last = first + 1; last < count && csfs.configurations[last] == configuration;) ++last;
    const SpinFunctions& functions = table(configuration.num_open());
    for (int a = 0; a < functions.coefficients.rows(); ++a) {
      const Determinant<Words> d = determinant_of(configuration, functions.alpha[a]);
      const std::int64_t row = space.find(d);
      if (row < 0) continue;
      const double sign = is_interleaving_negative(d) ? -1.0 : 1.0;
      for (std::size_t k = 0; k < vectors.size(); ++k) {
        double sum = 0.0;
        for (std::size_t i = first; i < last; ++i)
          sum += functions.coefficients(a, static_cast<int>(csfs.couplings[i])) * vectors[k][i];
        result[k * n + static_cast<std::size_t>(row)] += sign * sum;
      }
    }
  }
  return result;
}

template <int Words>
std::vector<double> project_on_csfs(const ConfigurationSpace<Words>& space,
                                    std::span<const Determinant<Words>> determinants,
                                    std::span<const double> coefficients) {
  if (determinants.size() != coefficients.size()) {
    throw DimensionError("project_on_csfs: one coefficient per determinant is needed");
  }
  std::vector<double> result(space.size(), 0.0);
  if (determinants.empty()) return result;
  const int two_m = two_m_of(determinants.front());
  SpinFunctionTable table(space.couplings(), two_m);
  for (std::size_t i = 0; i < determinants.size(); ++i) {
    const Determinant<Words>& d = determinants[i];
    if (two_m_of(d) != two_m) throw DimensionError("project_on_csfs: the determinants differ in Ms");
    const Configuration<Words> configuration = configuration_of(d);
    const std::int32_t number = space.find(configuration);
    if (number < 0) continue;
    const SpinFunctions& functions = table(configuration.num_open());
    const auto found = std::ranges::lower_bound(functions.alpha, alpha_shells(configuration, d));
    const auto row = static_cast<int>(found - functions.alpha.begin());
    const double coefficient = is_interleaving_negative(d) ? -coefficients[i] : coefficients[i];
    for (int k = 0; k < functions.coefficients.columns(); ++k) {
      result[space.offset(number) + k] += coefficient * functions.coefficients(row, k);
    }
  }
  return result;
}

#define INSTANTIATE(W)                                                                                      \
  template std::vector<StateLabel> label_csf_states(const ConfigurationSpace<W>&, std::span<const int>,     \
                                                    std::span<const double>, std::span<double>,             \
                                                    const ClusterConfig&, std::vector<bool>*);              \
  template std::string csf_text(const ConfigurationSpace<W>&, std::int64_t);                                \
  template DeterminantVector<W> expand_in_determinants(const ConfigurationSpace<W>&,                        \
                                                       std::span<const double>);                            \
  template DeterminantVector<W> expand_heaviest(const ConfigurationSpace<W>&, std::span<const double>, int, \
                                                double);                                                    \
  template std::vector<double> project_on_determinants(const Space<W>&, const CsfList<W>&,                  \
                                                       std::span<const std::span<const double>>);           \
  template std::vector<double> project_on_csfs(const ConfigurationSpace<W>&,                                \
                                               std::span<const Determinant<W>>, std::span<const double>);
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve
