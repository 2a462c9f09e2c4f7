// SPDX-License-Identifier: MIT
#include "cisolve/vectors/host_backend.hpp"
#include "problem/complex_root_finder.hpp"
#include "problem/devices.hpp"
#include "problem/ranked/ranked_root_finder.hpp"
#include "problem/root_finder_on.hpp"

namespace cisolve {
namespace {

struct HostPlatform {
  using Backend = HostBackend;
  using Matrix = StoredMatrix;
  using MatrixWorkspace = SpmvWorkspace;
  using Direct = DirectProduct;
  using DirectWorkspace = cisolve::DirectWorkspace;

  static Backend make_backend(int) { return {}; }
  static void await_others() {}
  static std::unique_ptr<Matrix> hold(const Backend&, std::unique_ptr<StoredMatrix> matrix, std::int64_t) {
    return matrix;
  }
  static void multiply(const Backend&, const Matrix& matrix, Backend::ConstView x, Backend::View y,
                       MatrixWorkspace& workspace) {
    matrix.multiply(x, y, workspace);
  }
  static std::unique_ptr<Direct> hold_direct(const Backend&, DirectPlan& plan) {
    return std::move(plan.product);
  }
  static std::optional<SpinDensities> spin_densities(const Backend&, const StringProduct&,
                                                     const VectorSource&, bool) {
    return std::nullopt;  // the basis makes them as soon
  }
};

}  // namespace

std::unique_ptr<RootFinder> make_root_finder(const Problem& problem, Plan plan, const BuildOptions& options) {
  const Placement& placement = placement_of(plan);
  const bool on_device = placement.on_device;
  if (placement.ranks > 1 && placement.ordinal == Device::not_here && on_device)
    throw InputError("the plan is for devices that are not there");
  auto finder = placement.ranks > 1
                    ? make_ranked_root_finder(problem, std::move(plan),
                                              on_device ? device_shares() : host_shares(), options)
                : on_device ? make_device_root_finder(problem, std::move(plan), options)
                            : make_root_finder_on<HostPlatform>(problem, std::move(plan), options);
  return problem.basis->components() > 1 ? make_complex_root_finder(std::move(finder)) : std::move(finder);
}

}  // namespace cisolve
