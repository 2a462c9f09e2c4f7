// SPDX-License-Identifier: MIT
#include "python/externals.hpp"

#include <fmt/format.h>

#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/core/thread_scope.hpp"
#include "cisolve/problem/external_determinants.hpp"
#include "python/arguments.hpp"
#include "python/arrays.hpp"
#include "python/call.hpp"
#include "python/operator.hpp"

namespace cisolve::python {
namespace {

ExternalMeasure measure_of(const std::string& name) {
  if (name == "contribution") return ExternalMeasure::contribution;
  if (name == "amplitude") return ExternalMeasure::amplitude;
  throw InputError(fmt::format("measure: found '{}'; it must be \"contribution\" or \"amplitude\"", name));
}

/// (alpha, beta) as Space.determinants takes them.
StringPair strings_of(ExternalDeterminants& found) {
  return {strings_array(std::move(found.alpha), found.size),
          strings_array(std::move(found.beta), found.size)};
}

}  // namespace

StringPair connected(const Space& self, const Hamiltonian& hamiltonian, const ArrayLike& vectors,
                     double epsilon, int threads) {
  require_not_negative(epsilon, "epsilon");
  const auto integrals = integrals_over(hamiltonian, self);
  const GivenVectors given(vectors, "vectors", self.size());
  require_finite(given.values(), "vectors");
  ExternalDeterminants found;
  Call call;
  call.run_aside([&] {
    const ThreadScope scope(checked_threads(threads));
    const IntegralTables tables(*integrals, 0.0);
    found = connected_determinants(*self.basis, tables, given.values(), epsilon,
                                   {.progress = {}, .stop = call.stop_token()});
  });
  return strings_of(found);
}

nb::dict second_order_outside(const Space& self, const Hamiltonian& hamiltonian, const ArrayLike& vectors,
                              const ArrayLike& energies, const WantedExternals& wanted,
                              std::optional<double> error, std::uint64_t seed, int threads) {
  ExternalChoice choice{.measure = measure_of(wanted.measure), .threshold = wanted.threshold};
  require_not_negative(wanted.threshold, "threshold");
  require_not_negative(wanted.most, "most");
  if (error) require_positive(*error, "error");
  if (wanted.most > 0) choice.most = wanted.most;
  const bool any_wanted = wanted.most > 0 || wanted.threshold > 0.0;
  if (any_wanted && error)
    throw InputError("error: determinants are chosen from all of them, not from a sample");
  const auto integrals = integrals_over(hamiltonian, self);
  const GivenVectors given(vectors, "vectors", self.size());
  require_finite(given.values(), "vectors");
  const GivenArray<double> given_energies(energies, "energies");
  require_finite(given_energies.values(), "energies");
  if (static_cast<int>(given_energies.size()) != given.count())
    throw InputError(fmt::format("energies: found {} for {} vectors", given_energies.size(), given.count()));
  const Wavefunctions wavefunctions{given.values(), given_energies.values()};
  SecondOrder sum;
  ExternalDeterminants chosen;
  Call call;
  call.run_aside([&] {
    const ThreadScope scope(checked_threads(threads));
    const IntegralTables tables(*integrals, 0.0);
    const ExternalOptions options{.progress = {}, .stop = call.stop_token()};
    if (error) {
      SamplingConfig config;
      config.error = *error;
      config.seed = seed;
      sum = estimate_over_externals(*self.basis, tables, wavefunctions, config, options);
    } else {
      if (!any_wanted) choice.most = 0;
      sum = sum_over_externals(*self.basis, tables, wavefunctions, choice, chosen, options);
    }
  });
  nb::dict found = dict_of(std::move(sum));
  if (!any_wanted) return found;
  found["measures"] = to_numpy(std::move(chosen.measures));
  StringPair strings = strings_of(chosen);
  found["alpha"] = std::move(strings.first);
  found["beta"] = std::move(strings.second);
  return found;
}

nb::dict dict_of(SecondOrder sum) {
  nb::dict found;
  found["energy"] = to_numpy(std::move(sum.energy));
  found["error"] = to_numpy(std::move(sum.energy_error));
  found["variance"] = to_numpy(std::move(sum.variance));
  found["externals"] = sum.externals;
  return found;
}

}  // namespace cisolve::python
