// SPDX-License-Identifier: MIT
#include "cuda/sampling/block_sums.hpp"

#include <cstddef>
#include <vector>

namespace cisolve::cuda::sampling {
namespace {

std::size_t product(int a, int b) { return static_cast<std::size_t>(a) * static_cast<std::size_t>(b); }

void clear(const Stream& stream, DeviceArray<double>& array, std::size_t size) {
  grow(array, size);
  if (size > 0) check(cudaMemsetAsync(array.data(), 0, size * sizeof(double), stream.get()));
}

void download(const Stream& stream, const double* from, std::vector<double>& to, std::size_t size) {
  to.resize(size);
  if (size > 0)
    check(cudaMemcpyAsync(to.data(), from, size * sizeof(double), cudaMemcpyDeviceToHost, stream.get()));
}

}  // namespace

SumsShape::SumsShape(const BlockPlan& plan, int num_chains, int num_parameters, int displacements)
    : chains(num_chains), energies(plan.measurements(plan.energy_interval)),
      correlations(plan.measurements(plan.correlation_interval)),
      parameters(plan.with_derivatives ? num_parameters : 0), places(correlations > 0 ? displacements : 0) {}

SumsView DeviceSums::prepare(const Stream& stream, const SumsShape& shape) {
  clear(stream, energy_, product(shape.chains, shape.energies));
  clear(stream, parts_, product(shape.chains, 2 * num_parts));
  clear(stream, derivatives_now_, product(shape.chains, shape.parameters));
  clear(stream, derivative_, product(shape.chains, shape.parameters));
  clear(stream, derivative_energy_, product(shape.chains, shape.parameters));
  clear(stream, derivative_product_, product(shape.chains, shape.parameters * shape.parameters));
  clear(stream, correlations_, 5 * product(shape.chains, shape.places));
  clear(stream, drift_, product(shape.chains, 1));
  return {.energy = energy_.data(),
          .energies_per_chain = shape.energies,
          .parts = parts_.data(),
          .derivatives_now = derivatives_now_.data(),
          .derivative = derivative_.data(),
          .derivative_energy = derivative_energy_.data(),
          .derivative_product = derivative_product_.data(),
          .correlations = correlations_.data(),
          .drift = drift_.data()};
}

void DeviceSums::download(const Stream& stream, const SumsShape& shape, BlockSums& sums) const {
  using cisolve::cuda::sampling::download;
  const std::size_t chains = product(shape.chains, 1);
  sums.chains = shape.chains;
  sums.energies_per_chain = shape.energies;
  sums.correlations_per_chain = shape.correlations;
  sums.parameters = shape.parameters;
  sums.displacements = shape.places;
  std::vector<double> parts;
  download(stream, energy_.data(), sums.energy, product(shape.chains, shape.energies));
  download(stream, parts_.data(), parts, product(shape.chains, 2 * num_parts));
  download(stream, derivative_.data(), sums.derivative, product(shape.chains, shape.parameters));
  download(stream, derivative_energy_.data(), sums.derivative_energy,
           product(shape.chains, shape.parameters));
  download(stream, derivative_product_.data(), sums.derivative_product,
           product(shape.chains, shape.parameters * shape.parameters));
  download(stream, drift_.data(), sums.drift, chains);
  const std::size_t places = product(shape.chains, shape.places);
  const double* from = correlations_.data();
  for (auto* to : {&sums.n_n, &sums.sz_sz, &sums.s_s, &sums.hop_up, &sums.hop_down}) {
    download(stream, from, *to, places);
    if (places > 0) from += places;
  }
  stream.synchronize();
  std::vector<double>* const of_parts[] = {
      &sums.kinetic,         &sums.exchange,         &sums.double_occupancy,         &sums.density,
      &sums.kinetic_squared, &sums.exchange_squared, &sums.double_occupancy_squared, &sums.density_squared};
  for (std::size_t part = 0; part < 2 * num_parts; ++part) {
    of_parts[part]->resize(chains);
    for (std::size_t c = 0; c < chains; ++c) (*of_parts[part])[c] = parts[c * 2 * num_parts + part];
  }
}

void append(BlockSums& all, const BlockSums& more) {
  const auto add = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  all.chains += more.chains;
  add(all.energy, more.energy);
  add(all.kinetic, more.kinetic);
  add(all.exchange, more.exchange);
  add(all.double_occupancy, more.double_occupancy);
  add(all.density, more.density);
  add(all.kinetic_squared, more.kinetic_squared);
  add(all.exchange_squared, more.exchange_squared);
  add(all.double_occupancy_squared, more.double_occupancy_squared);
  add(all.density_squared, more.density_squared);
  add(all.derivative, more.derivative);
  add(all.derivative_energy, more.derivative_energy);
  add(all.derivative_product, more.derivative_product);
  add(all.n_n, more.n_n);
  add(all.sz_sz, more.sz_sz);
  add(all.s_s, more.s_s);
  add(all.hop_up, more.hop_up);
  add(all.hop_down, more.hop_down);
  add(all.drift, more.drift);
  add(all.accepted, more.accepted);
}

}  // namespace cisolve::cuda::sampling
