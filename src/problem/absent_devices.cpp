// SPDX-License-Identifier: MIT
// In place of cuda_devices.cpp and cuda_root_finder.cpp in builds without CUDA.
#include "cisolve/core/error.hpp"
#include "problem/devices.hpp"

namespace cisolve {
namespace {

[[noreturn]] void refuse() {
  throw InputError("this build has no CUDA: it cannot use a device, nor plan for one");
}

}  // namespace

bool is_built_for_devices() { return false; }
std::vector<Device> find_devices() { return {}; }
std::vector<Device> devices_here() { return {}; }
std::int64_t free_memory(const Device&) { refuse(); }
std::jthread start_devices(int) { return {}; }

DevicePlan plan_on_device(const DirectProduct&, const Device&, const DeviceCut&, const StringShares&) {
  refuse();
}

std::unique_ptr<RootFinder> make_device_root_finder(const Problem&, Plan, const BuildOptions&) { refuse(); }
MakeShare device_shares() { refuse(); }
std::unique_ptr<lapw::Engine> make_device_lapw_engine(std::span<const Device>) { refuse(); }
std::unique_ptr<ChainEngine> make_device_chain_engine(const LatticeModel&, const TrialState&,
                                                      const WalkConfig&, const ChainStates&,
                                                      std::span<const Device>) {
  refuse();
}

template <int Words>
SecondOrder sum_externals_on_device(const Device&, const ListedHamiltonian<Words>&, const Wavefunctions&,
                                    const ExternalChoice&, std::vector<External<Words>>*,
                                    const ExternalOptions&) {
  refuse();
}

template <int Words>
SecondOrder estimate_externals_on_device(const Device&, const ListedHamiltonian<Words>&, const Wavefunctions&,
                                         const SamplingConfig&, const ExternalOptions&) {
  refuse();
}

#define INSTANTIATE(W)                                                                             \
  template SecondOrder sum_externals_on_device(const Device&, const ListedHamiltonian<W>&,         \
                                               const Wavefunctions&, const ExternalChoice&,        \
                                               std::vector<External<W>>*, const ExternalOptions&); \
  template SecondOrder estimate_externals_on_device(const Device&, const ListedHamiltonian<W>&,    \
                                                    const Wavefunctions&, const SamplingConfig&,   \
                                                    const ExternalOptions&);
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve
