// SPDX-License-Identifier: MIT
#include "cuda/vectors/cuda_backend.hpp"
#include "solver/davidson_impl.hpp"

namespace cisolve {

using cuda::CudaBackend;

template ModelSpace make_model_space(const Operator<CudaBackend>&, std::vector<std::int64_t>, double);
template EigenResult<CudaBackend> davidson(const CudaBackend&, const Operator<CudaBackend>&,
                                           const StartBlock<CudaBackend>&, const ModelSpace&,
                                           const DavidsonConfig&, const SolverObserver<CudaBackend>&,
                                           std::vector<IterationRecord>, const SubspaceFilter<CudaBackend>*);

}  // namespace cisolve
