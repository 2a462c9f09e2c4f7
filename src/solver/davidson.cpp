// SPDX-License-Identifier: MIT
#include "cisolve/solver/davidson.hpp"

#include "cisolve/vectors/host_backend.hpp"
#include "solver/davidson_impl.hpp"

namespace cisolve {

template ModelSpace make_model_space<HostBackend>(const Operator<HostBackend>&, std::vector<std::int64_t>);
template EigenResult<HostBackend> davidson<HostBackend>(const HostBackend&, const Operator<HostBackend>&,
                                                        const StartBlock<HostBackend>&, const ModelSpace&,
                                                        const DavidsonConfig&,
                                                        const SolverObserver<HostBackend>&,
                                                        std::vector<IterationRecord>,
                                                        const SubspaceFilter<HostBackend>*);
template EigenResult<HostBackend> davidson<HostBackend>(const HostBackend&, const Operator<HostBackend>&,
                                                        HostBackend::ConstView, const ModelSpace&,
                                                        const DavidsonConfig&,
                                                        const SolverObserver<HostBackend>&,
                                                        std::vector<IterationRecord>,
                                                        const SubspaceFilter<HostBackend>*);

}  // namespace cisolve
