// SPDX-License-Identifier: MIT
#include "molecule_benchmark.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/molecule/transformation.hpp"
#include "core/stopwatch.hpp"

namespace cisolve::bench {
namespace {

/// Processor seconds of this process in user mode.
double user_seconds() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec) + 1e-6 * static_cast<double>(usage.ru_utime.tv_usec);
}

/// Wall and processor seconds since the last lap.
class Laps {
public:
  nlohmann::json lap() {
    const double user = user_seconds();
    nlohmann::json seconds = {{"wall", std::exchange(stopwatch_, {}).seconds()}, {"user", user - user_}};
    user_ = user;
    return seconds;
  }

private:
  Stopwatch stopwatch_;
  double user_ = user_seconds();
};

}  // namespace

nlohmann::json run_molecule(const CiConfig& config, int repeats) {
  if (!config.molecule) throw InputError("the job has no [molecule]");
  const MoleculeConfig& m = *config.molecule;
  ScfConfig scf_config = m.scf;
  scf_config.check_stability = false;
  nlohmann::json report;
  fmt::print("{:>20}{:>20}{:>20}{:>20}{:>6}{:>18}\n", "integrals wall/user", "SCF", "transformation", "sum",
             "iter", "energy/hartree");
  for (int k = 0; k < repeats; ++k) {
    Laps laps, whole;
    const Repulsion repulsion(m.basis, m.frame, {});
    const nlohmann::json integrals = laps.lap();
    const MolecularBasis molecule{m.frame, m.basis, repulsion};
    const ScfResult scf = run_scf(molecule, scf_config);
    const nlohmann::json iterations = laps.lap();
    if (!scf.converged) throw Error("the SCF did not converge");
    const ActiveIntegrals transformed = transform_integrals(molecule, scf.orbitals, {}, {}, {});
    const nlohmann::json transformation = laps.lap();
    const nlohmann::json sum = whole.lap();
    const auto text = [](const nlohmann::json& t) {
      return fmt::format("{:.3f} / {:.3f}", t["wall"].get<double>(), t["user"].get<double>());
    };
    fmt::print("{:>20}{:>20}{:>20}{:>20}{:>6}{:>18.10f}\n", text(integrals), text(iterations),
               text(transformation), text(sum), scf.num_iterations, scf.energy);
    report["runs"].push_back({{"integrals", integrals},
                              {"scf", iterations},
                              {"transformation", transformation},
                              {"sum", sum},
                              {"iterations", scf.num_iterations},
                              {"energy", scf.energy},
                              {"orbitals", transformed.integrals.num_orbitals}});
  }
  return report;
}

}  // namespace cisolve::bench
