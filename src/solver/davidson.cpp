// SPDX-License-Identifier: MIT
#include "cisolve/vectors/host_backend.hpp"
#include "solver/davidson_impl.hpp"

namespace cisolve {

template ModelSpace make_model_space(const Operator<HostBackend>&, std::vector<std::int64_t>, double);
template EigenResult<HostBackend> davidson(const HostBackend&, const Operator<HostBackend>&,
                                           const StartBlock<HostBackend>&, const ModelSpace&,
                                           const DavidsonConfig&, const SolverObserver<HostBackend>&,
                                           std::vector<IterationRecord>, const SubspaceFilter<HostBackend>*);

}  // namespace cisolve
