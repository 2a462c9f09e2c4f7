// SPDX-License-Identifier: MIT
#include "externals_benchmark.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

#include "cisolve/core/error.hpp"
#include "cisolve/problem/selected_ci.hpp"
#include "core/stopwatch.hpp"
#include "tasks/ci/sector_problem.hpp"
#include "timing.hpp"
#ifdef CISOLVE_HAVE_CUDA
#include "cisolve/selection/list_hamiltonian.hpp"
#include "cuda/core/host_transfer.hpp"
#include "cuda/selection/external_sums.hpp"
#include "cuda/selection/list_product.hpp"
#endif

namespace cisolve::bench {
namespace {

template <int Words>
std::vector<Determinant<Words>> determinants_of(const SelectedCi& list) {
  const FunctionList functions = list.list();
  std::vector<Determinant<Words>> determinants(static_cast<std::size_t>(list.size()));
  for (std::size_t i = 0; i < determinants.size(); ++i) {
    for (std::size_t w = 0; w < static_cast<std::size_t>(Words); ++w) {
      determinants[i].alpha.words[w] = functions.alpha[i * Words + w];
      determinants[i].beta.words[w] = functions.beta[i * Words + w];
    }
  }
  return determinants;
}

std::unique_ptr<SelectedCi> grow(const BenchJob& job, double epsilon, nlohmann::json& report) {
  PlanOptions options;
  options.solver.num_roots = job.config.count;
  auto list = make_selected_ci(definition_of(job.job), job.config.threshold, options,
                               {.memory = memory_limit(job.config), .devices = {}}, epsilon);
  constexpr double first = 1e-2, factor = 0.5;  // hartree
  double solving = 0.0, growing = 0.0;
  for (double at = std::max(first, epsilon);; at = std::max(factor * at, epsilon)) {
    const Stopwatch solve;
    list->solve();
    solving += solve.seconds();
    if (at == epsilon && list->size() > 1 && report.contains("last")) break;
    const Stopwatch grow;
    list->grow({.criterion = SelectionCriterion::heat_bath, .epsilon = at});
    growing += grow.seconds();
    if (at == epsilon) report["last"] = at;
  }
  report["solve_seconds"] = solving;
  report["growth_seconds"] = growing;
  return list;
}

struct Sum {
  std::string name;
  std::function<SecondOrder()> run;
  Timing timing;
  SecondOrder found;
};

#ifdef CISOLVE_HAVE_CUDA
/// H over the list on the device, whose answer the energy of the root checks.
template <int Words>
nlohmann::json time_product(const ListHamiltonian<Words>& matrix, const Wavefunctions& roots, int repeats) {
  const cuda::Stream stream;
  const Stopwatch setup;
  const auto product = cuda::list_product(matrix, stream);
  nlohmann::json report = {{"setup_seconds", setup.seconds()}};
  const std::int64_t n = matrix.num_rows();
  std::vector<double> y(static_cast<std::size_t>(n));
  cuda::DeviceArray<double> c(y.size()), found(y.size());
  cuda::HostTransfer transfer;
  cuda::SpmvWorkspace workspace;
  transfer.upload(stream, roots.vectors.data(), c.data(), c.size_bytes());
  const auto multiply = [&] {
    product->multiply(stream, {c.data(), n, 1, n}, {found.data(), n, 1, n}, workspace);
    stream.synchronize();
  };
  multiply();
  Timing timing{"device, product", {}};
  for (int k = 0; k < repeats; ++k) timing.time(multiply);
  report["timing"] = timing.report();
  transfer.download(stream, found.data(), y.data(), found.size_bytes());
  double energy = 0.0;
  for (std::size_t i = 0; i < y.size(); ++i) energy += roots.vectors[i] * y[i];
  constexpr double tolerance = 1e-8;  // hartree
  if (!(std::abs(energy - roots.energies[0]) < tolerance))
    throw Error(fmt::format("the product gives {} hartree, but the root has {}", energy, roots.energies[0]));
  report["bytes"] = product->bytes();
  fmt::print("product: {} bytes, made in {:.3f} s\n", product->bytes(),
             report["setup_seconds"].get<double>());
  return report;
}
#endif

template <int Words>
nlohmann::json run_with(const BenchJob& job, const ExternalsOptions& options) {
  nlohmann::json report = {{"threads", omp_get_max_threads()}, {"epsilon", options.epsilon}};
  const auto list = grow(job, options.epsilon, report);
  const auto determinants = determinants_of<Words>(*list);
  const Wavefunctions roots{list->vectors(), list->energies()};
  fmt::print("{}, {} determinants, {} nonzeros; solved in {:.2f} s, grown in {:.2f} s, {} threads\n",
             job.name, list->size(), list->nonzeros(), report["solve_seconds"].get<double>(),
             report["growth_seconds"].get<double>(), omp_get_max_threads());

  const IntegralTables tables(job.job.active->integrals, job.config.threshold);
  const SameSpinMoves alpha_moves(tables), own_beta_moves(tables.beta());
  const ExternalChoice choice{.most = list->size()};
  std::vector<External<Words>> chosen;
  const Stopwatch host_setup;
  const ExternalSpace<Words> host(tables, alpha_moves, own_beta_moves, determinants);
  report["host_setup_seconds"] = host_setup.seconds();
  std::vector<Sum> sums;
  if (options.on_host) {
    sums.push_back({"host", [&] { return host.sum(roots); }, {}, {}});
    sums.push_back({"host, chosen", [&] { return host.sum(roots, choice, chosen); }, {}, {}});
  }
#ifdef CISOLVE_HAVE_CUDA
  std::unique_ptr<cuda::ExternalSums<Words>> device;
  if (options.on_device) {
    const Stopwatch setup;
    device = std::make_unique<cuda::ExternalSums<Words>>(tables, alpha_moves, own_beta_moves, determinants);
    report["device_setup_seconds"] = setup.seconds();
    sums.push_back({"device", [&] { return device->sum(roots); }, {}, {}});
    sums.push_back({"device, chosen", [&] { return device->sum(roots, choice, chosen); }, {}, {}});
  }
#endif
  for (int k = 0; k < options.repeats; ++k) {
    for (Sum& sum : sums) sum.timing.time([&] { sum.found = sum.run(); });
  }
  constexpr double tolerance = 1e-9;  // hartree
  for (Sum& sum : sums) {
    sum.timing.name = sum.name.c_str();
    nlohmann::json timing = sum.timing.report();
    timing["energy"] = sum.found.energy;
    report["timings"].push_back(timing);
    for (std::size_t k = 0; k < roots.energies.size(); ++k) {
      if (!(std::abs(sum.found.energy[k] - sums[0].found.energy[k]) < tolerance))
        throw Error(fmt::format("E2 is {} hartree by {}, but {} by {}", sum.found.energy[k], sum.name,
                                sums[0].found.energy[k], sums[0].name));
    }
  }
#ifdef CISOLVE_HAVE_CUDA
  if (options.on_device) {
    const ListHamiltonian<Words> matrix(tables, alpha_moves, own_beta_moves, determinants, {});
    report["product"] = time_product(matrix, roots, options.repeats);
  }
#endif
  const SecondOrder& found = sums.at(0).found;
  report["determinants"] = list->size();
  report["nonzeros"] = list->nonzeros();
  report["energy"] = std::vector<double>(roots.energies.begin(), roots.energies.end());
  report["externals"] = found.externals;
  report["contributions"] = found.contributions;
  fmt::print("E {:.10f}, E2 {:.10f} hartree; {} externals, {} contributions; host tables {:.2f} s",
             roots.energies[0], found.energy[0], found.externals, found.contributions,
             report["host_setup_seconds"].get<double>());
  if (report.contains("device_setup_seconds"))
    fmt::print(", device tables {:.2f} s", report["device_setup_seconds"].get<double>());
  fmt::print("\n");
  return report;
}

}  // namespace

nlohmann::json run_externals(const BenchJob& job, const ExternalsOptions& options) {
  return with_string_words(job.job.active->integrals.num_orbitals,
                           [&]<int Words>() { return run_with<Words>(job, options); });
}

}  // namespace cisolve::bench
