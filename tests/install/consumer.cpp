// SPDX-License-Identifier: MIT
// Uses the installed library as a stranger would: an operator of one's own and its lowest eigenvalue; full CI of an
// FCIDUMP file, on the host and on a device where there is one; and an error of the kind the headers promise. Exit
// status 0 if all come out right.
#include <cisolve/core/error.hpp>
#include <cisolve/core/matrix.hpp>
#include <cisolve/integrals/fcidump.hpp>
#include <cisolve/problem/root_finder.hpp>
#include <cisolve/solver/davidson.hpp>
#include <cisolve/solver/operator.hpp>
#include <cisolve/tasks/ci/ci.hpp>
#include <cisolve/vectors/host_backend.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numbers>
#include <numeric>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

using cisolve::HostBackend;

/// The particle in a box on n points: 2 on the diagonal, -1 beside it. Its eigenvalues are
/// 2 - 2 cos(k pi / (n + 1)), k = 1 .. n.
class Box : public cisolve::Operator<HostBackend> {
public:
  explicit Box(std::int64_t n) : n_(n), diagonal_(n, 1) { HostBackend().fill(diagonal_.view(), 2.0); }

  std::int64_t size() const override { return n_; }

  void apply(HostBackend::ConstView x, HostBackend::View y) const override {
    for (int k = 0; k < x.columns; ++k) {
      const double* in = x.column(k);
      double* out = y.column(k);
      for (std::int64_t i = 0; i < n_; ++i) {
        out[i] = 2.0 * in[i];
        if (i > 0) out[i] -= in[i - 1];
        if (i + 1 < n_) out[i] -= in[i + 1];
      }
    }
  }

  HostBackend::ConstView diagonal() const override { return diagonal_.view(); }

  cisolve::Matrix dense_block(std::span<const std::int64_t> indices) const override {
    const int m = static_cast<int>(indices.size());
    cisolve::Matrix block(m, m);
    for (int j = 0; j < m; ++j) {
      for (int i = 0; i < m; ++i) {
        const std::int64_t distance = std::abs(indices[i] - indices[j]);
        block(i, j) = distance == 0 ? 2.0 : distance == 1 ? -1.0 : 0.0;
      }
    }
    return block;
  }

private:
  std::int64_t n_;
  HostBackend::Block diagonal_;
};

bool solves() {
  constexpr std::int64_t n = 40;
  const HostBackend backend;
  const Box box(n);
  std::vector<std::int64_t> rows(8);
  std::iota(rows.begin(), rows.end(), n / 2 - 4);
  auto start = backend.allocate(n, 1);
  backend.fill(start.view(), 1.0);

  cisolve::DavidsonConfig config;
  config.tolerance = 1e-8;
  const auto model_space = cisolve::make_model_space<HostBackend>(box, rows);
  const auto result = cisolve::davidson<HostBackend>(backend, box, start.view(), model_space, config);

  const double exact = 2.0 - 2.0 * std::cos(std::numbers::pi / (n + 1));
  if (result.status != cisolve::SolverStatus::converged || std::abs(result.energies.at(0) - exact) > 1e-10) {
    std::fprintf(stderr, "consumer: lowest eigenvalue %.12f, expected %.12f\n", result.energies.at(0), exact);
    return false;
  }
  return true;
}

/// Two lowest singlets of water in STO-3G, all irreps; tests/data/README.md says where the energies are from.
constexpr double singlets[] = {-75.01258567107624, -74.55490955162401};

bool solves_full_ci(cisolve::DeviceChoice where, const std::string& storage) {
  using namespace cisolve;
  const FcidumpFile file = read_fcidump(CONSUMER_FCIDUMP, {});
  DeterminantSelection selection;
  selection.num_orbitals = file.integrals.num_orbitals;
  selection.irreps = file.integrals.irreps;
  selection.references.push_back({WideString::lowest((file.num_electrons + file.ms2) / 2),
                                  WideString::lowest((file.num_electrons - file.ms2) / 2)});
  selection.excitation_level = max_excitation_level(selection);

  BasisDefinition definition;
  definition.integrals = std::make_shared<const Integrals>(file.integrals);
  definition.functions = selection;
  definition.multiplicity = 1;
  const Resources resources = available_resources(where);
  const Problem problem(make_basis(definition, resources.memory));
  PlanOptions options;
  options.storage = storage;
  options.solver.num_roots = 2;
  options.solver.tolerance = 1e-8;
  Plan plan = make_plan(problem, options, resources);
  const std::string device = placement_of(plan).device;
  const auto finder = make_root_finder(problem, std::move(plan));
  const Roots roots = finder->solve({});
  // Errors of energies are the square of the residual over the gap; the reference has ten digits.
  bool right = roots.status == SolverStatus::converged && roots.energies.size() >= 2;
  for (std::size_t k = 0; right && k < 2; ++k) right = std::abs(roots.energies[k] - singlets[k]) < 1e-9;
  std::vector<double> ground(problem.basis->size());
  roots.vectors->read(0, 0, ground);
  right = right && finder->residual_norms(ground, std::span(roots.energies).first(1))[0] < 1e-8;
  std::printf("consumer: full CI, %s, on %s: %.10f %.10f\n", storage.c_str(), device.c_str(),
              roots.energies.at(0), roots.energies.at(1));
  return right;
}

bool solves_full_ci() {
  using cisolve::DeviceChoice;
  const auto everywhere = [](DeviceChoice where) {
    return solves_full_ci(where, "direct") && solves_full_ci(where, "csr");
  };
  return everywhere(DeviceChoice::cpu) && (cisolve::find_devices().empty() || everywhere(DeviceChoice::cuda));
}

bool refuses() {
  std::ostringstream report;
  try {
    cisolve::show_result("there-is-no-such-file.h5", report);
  } catch (const cisolve::InputError&) {
    return true;
  }
  std::fprintf(stderr, "consumer: an absent result file was not refused\n");
  return false;
}

}  // namespace

int main() {
  if (!solves() || !solves_full_ci() || !refuses()) return 1;
  std::puts("consumer: the installed library works");
  return 0;
}
