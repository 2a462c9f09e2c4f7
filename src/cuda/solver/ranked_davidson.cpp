// SPDX-License-Identifier: MIT
#include "cisolve/vectors/ranked_backend.hpp"
#include "cuda/vectors/cuda_backend.hpp"
#include "solver/davidson_impl.hpp"

namespace cisolve {

using Ranked = RankedBackend<cuda::CudaBackend>;

template ModelSpace make_model_space(const Operator<Ranked>&, std::vector<std::int64_t>, double);
template EigenResult<Ranked> davidson(const Ranked&, const Operator<Ranked>&, const StartBlock<Ranked>&,
                                      const ModelSpace&, const DavidsonConfig&, const SolverObserver<Ranked>&,
                                      std::vector<IterationRecord>, const SubspaceFilter<Ranked>*);

}  // namespace cisolve
