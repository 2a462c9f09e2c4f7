// SPDX-License-Identifier: MIT
// Compiled instead of libint_engine.cpp where cisolve is built without Libint2.
#include "cisolve/core/error.hpp"
#include "cisolve/molecule/gaussian_integrals.hpp"
#include "cisolve/molecule/one_electron.hpp"
#include "molecule/gaussian_engine.hpp"

namespace cisolve {

bool gaussian_integrals_available() { return false; }

namespace detail {
namespace {

[[noreturn]] void refuse() { throw Error("a Gaussian integral was asked for in a build without Libint2"); }

}  // namespace

OneElectronMatrices one_electron_matrices(const GaussianBasis&, const Geometry&) { refuse(); }

struct RepulsionEngine::Implementation {};
RepulsionEngine::RepulsionEngine(const GaussianBasis&, double, int) { refuse(); }
RepulsionEngine::~RepulsionEngine() = default;
const double* RepulsionEngine::compute(int, int, int, int, int) { refuse(); }

}  // namespace detail

std::array<Matrix, 3> position_integrals(const GaussianBasis&, const Position&) { detail::refuse(); }

std::array<Matrix, 6> second_moment_integrals(const GaussianBasis&, const Position&) { detail::refuse(); }

}  // namespace cisolve
