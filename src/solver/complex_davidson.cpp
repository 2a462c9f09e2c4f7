// SPDX-License-Identifier: MIT
#include "cisolve/vectors/host_backend.hpp"
#include "solver/davidson_impl.hpp"

namespace cisolve {

using ComplexModelSpace = BasicModelSpace<std::complex<double>>;

template ComplexModelSpace make_model_space(const Operator<ComplexHostBackend>&, std::vector<std::int64_t>,
                                            double);
template EigenResult<ComplexHostBackend> davidson(
    const ComplexHostBackend&, const Operator<ComplexHostBackend>&, const StartBlock<ComplexHostBackend>&,
    const ComplexModelSpace&, const DavidsonConfig&, const SolverObserver<ComplexHostBackend>&,
    std::vector<IterationRecord>, const SubspaceFilter<ComplexHostBackend>*);

}  // namespace cisolve
