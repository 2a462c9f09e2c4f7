// SPDX-License-Identifier: MIT
#include "cisolve/solver/davidson.hpp"

#include "cuda/vectors/cuda_backend.hpp"
#include "solver/davidson_impl.hpp"

namespace cisolve {

using cuda::CudaBackend;

template ModelSpace make_model_space<CudaBackend>(const Operator<CudaBackend>&, std::vector<std::int64_t>);
template EigenResult<CudaBackend> davidson<CudaBackend>(const CudaBackend&, const Operator<CudaBackend>&,
                                                        const StartBlock<CudaBackend>&, const ModelSpace&,
                                                        const DavidsonConfig&,
                                                        const SolverObserver<CudaBackend>&,
                                                        std::vector<IterationRecord>,
                                                        const SubspaceFilter<CudaBackend>*);
template EigenResult<CudaBackend> davidson<CudaBackend>(const CudaBackend&, const Operator<CudaBackend>&,
                                                        CudaBackend::ConstView, const ModelSpace&,
                                                        const DavidsonConfig&,
                                                        const SolverObserver<CudaBackend>&,
                                                        std::vector<IterationRecord>,
                                                        const SubspaceFilter<CudaBackend>*);

}  // namespace cisolve
