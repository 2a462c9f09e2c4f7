// SPDX-License-Identifier: MIT
#include "solve_benchmark.hpp"

#include <fmt/format.h>

#include <sstream>

#include "cisolve/core/error.hpp"
#include "cisolve/core/memory.hpp"
#include "cisolve/tasks/ci/ci.hpp"
#include "cisolve/tasks/files/result_file.hpp"

namespace cisolve::bench {

nlohmann::json run_solve(const CiConfig& config, int repeats) {
  nlohmann::json report;
  fmt::print("{:>10}{:>10}{:>12}{:>10}{:>10}{:>10}{:>10}{:>8}{:>18}\n", "integrals", "space", "hamiltonian",
             "transfer", "solve", "analysis", "total", "applic.", "lowest/hartree");
  for (int k = 0; k < repeats; ++k) {
    std::ostringstream text;
    if (run_ci(config, {}, {}, text) != RunOutcome::converged) throw Error("the job did not converge");
    const CiResult result = read_result(config.output_file, false);
    const auto& t = result.timing;
    const std::int64_t products = result.overall_solver().num_applications;
    const CiResult::Hamiltonian& h = result.sectors.front().hamiltonian;
    fmt::print("{:>10.3f}{:>10.3f}{:>12.3f}{:>10.3f}{:>10.3f}{:>10.3f}{:>10.3f}{:>8}{:>18.10f}\n",
               t.integrals, t.space, t.hamiltonian, t.transfer, t.solve, t.analysis, t.total, products,
               result.root(0).energy);
    report["runs"].push_back({{"integrals", t.integrals},
                              {"space", t.space},
                              {"hamiltonian", t.hamiltonian},
                              {"transfer", t.transfer},
                              {"solve", t.solve},
                              {"analysis", t.analysis},
                              {"total", t.total},
                              {"num_applications", products},
                              {"energies", result.column(&Root::energy)},
                              {"residual_norms", result.column(&Root::residual_norm)},
                              {"storage", h.storage},
                              {"device", h.device}});
  }
  report["peak_bytes"] = peak_memory();
  return report;
}

}  // namespace cisolve::bench
