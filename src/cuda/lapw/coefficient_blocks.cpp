// SPDX-License-Identifier: MIT
#include "cuda/lapw/coefficient_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cisolve/core/parallel.hpp"
#include "cisolve/lapw/synthetic.hpp"
#include "cuda/lapw/products.hpp"

namespace cisolve::cuda::lapw {
namespace {

namespace host = cisolve::lapw;
using host::Complex;

/// Where the atoms of a run stand, on the device.
class Places {
public:
  const AtomPlace* operator()(const Stream& stream, const TypeRun& run, std::int64_t step) {
    host_.clear();
    for (std::size_t k = 0; k < run.atoms.size(); ++k)
      host_.push_back({static_cast<std::int64_t>(k) * step, run.atoms[k], run.type});
    grow(device_, host_.size());
    check(cudaMemcpyAsync(device_.data(), host_.data(), host_.size() * sizeof(AtomPlace),
                          cudaMemcpyHostToDevice, stream.get()));
    return device_.data();
  }

private:
  std::vector<AtomPlace> host_;
  DeviceArray<AtomPlace> device_;
};

class MatchingMaker : public CoefficientMaker {
public:
  MatchingMaker(Uploads& uploads, const host::MatchingCoefficients& source, std::int64_t first)
      : stream_(uploads.stream()), uploads_(uploads) {
    const host::MatchingTables& tables = source.tables();
    const host::Crystal& crystal = source.crystal();
    view_.waves = tables.waves();
    view_.first = first;
    view_.prefactor = source.prefactor();
    std::vector<double> waves, positions;
    for (std::size_t i = 0; i < 3; ++i) {
      for (const host::Index3& g : tables.g) waves.push_back(tables.k[i] + g[i]);
    }
    std::vector<std::int32_t> rotation, functions;
    for (std::size_t atom = 0; atom < crystal.atoms.size(); ++atom) {
      positions.insert(positions.end(), crystal.atoms[atom].position.begin(),
                       crystal.atoms[atom].position.end());
      rotation.push_back(source.rotation_of(static_cast<int>(atom)));
    }
    view_.waves_k = hold(waves);
    view_.positions = hold(positions);
    view_.rotation = hold_integers(rotation);
    std::vector<const cuDoubleComplex*> harmonics;
    for (const auto& table : source.harmonics()) {
      complex_.push_back(uploads_(std::span<const Complex>(table.values)));
      harmonics.push_back(to_cuda(complex_.back().data()));
      functions.push_back(host::num_functions(table.lmax));
    }
    view_.functions = hold_integers(functions);
    harmonics_ = uploads_(std::span<const cuDoubleComplex* const>(harmonics));
    view_.harmonics = harmonics_.data();
    std::vector<const double*> f, g;
    for (const auto& type : tables.types) {
      f.push_back(hold(type.f));
      g.push_back(hold(type.g));
    }
    f_ = uploads_(std::span<const double* const>(f));
    g_ = uploads_(std::span<const double* const>(g));
    view_.f = f_.data();
    view_.g = g_.data();
    stream_.synchronize();
  }

  void fill(const TypeRun& run, int functions, cuDoubleComplex* x, std::int64_t ld, std::int64_t step,
            std::int64_t to_b) override {
    fill_matching(stream_, view_, places_(stream_, run, step), static_cast<int>(run.atoms.size()), functions,
                  x, ld, to_b);
    stream_.synchronize();
  }

private:
  const double* hold(const std::vector<double>& values) {
    reals_.push_back(uploads_(std::span<const double>(values)));
    return reals_.back().data();
  }
  const std::int32_t* hold_integers(const std::vector<std::int32_t>& values) {
    integers_.push_back(uploads_(std::span<const std::int32_t>(values)));
    return integers_.back().data();
  }

  const Stream& stream_;
  Uploads& uploads_;
  Places places_;
  MatchingView view_;
  std::vector<DeviceArray<double>> reals_;
  std::vector<DeviceArray<std::int32_t>> integers_;
  std::vector<DeviceArray<Complex>> complex_;
  DeviceArray<const cuDoubleComplex*> harmonics_;
  DeviceArray<const double*> f_, g_;
};

class SyntheticMaker : public CoefficientMaker {
public:
  SyntheticMaker(const Stream& stream, const host::SyntheticSize& size, std::int64_t first)
      : stream_(stream) {
    const int functions = host::num_functions(size.lmax);
    view_ = {.waves = size.waves,
             .rows = functions * size.atoms,
             .first = first,
             .stream_a = host::synthetic::stream(size.seed, host::synthetic::a_stream),
             .stream_b = host::synthetic::stream(size.seed, host::synthetic::b_stream),
             .functions = functions,
             .scale = 1.0 / std::sqrt(static_cast<double>(functions * size.atoms))};
  }

  void fill(const TypeRun& run, int functions, cuDoubleComplex* x, std::int64_t ld, std::int64_t step,
            std::int64_t to_b) override {
    fill_synthetic(stream_, view_, places_(stream_, run, step), static_cast<int>(run.atoms.size()), functions,
                   x, ld, to_b);
    stream_.synchronize();
  }

private:
  const Stream& stream_;
  Places places_;
  SyntheticView view_;
};

/// What the host fills goes over in pieces of some atoms.
class HostMaker : public CoefficientMaker {
public:
  HostMaker(const Stream& stream, const host::CoefficientSource& source, std::int64_t first)
      : stream_(stream), source_(source), first_(first) {}

  void fill(const TypeRun& run, int functions, cuDoubleComplex* x, std::int64_t ld, std::int64_t step,
            std::int64_t to_b) override {
    const int lmax = static_cast<int>(std::lround(std::sqrt(functions))) - 1;
    const std::int64_t waves = source_.waves() - first_;
    const auto size = static_cast<std::size_t>(2 * functions * waves);
    for (std::size_t k = 0; k < run.atoms.size(); ++k) {
      if (piece_.size() < size) piece_ = Array<Complex>(size);
      constexpr std::int64_t chunk = 64;
      parallel_for((waves + chunk - 1) / chunk, 1, [&](std::int64_t part) {
        const std::int64_t first = part * chunk, last = std::min(waves, first + chunk);
        Complex* a = piece_.data() + first * 2 * functions;
        source_.fill(run.atoms[k], lmax, first_ + first, first_ + last, a, a + functions, 2 * functions);
      });
      grow(on_device_, size);
      transfer_.upload(stream_, piece_.data(), on_device_.data(), size * sizeof(Complex));
      const auto copy = [&](std::int64_t from, cuDoubleComplex* to) {
        check(cudaMemcpy2DAsync(to, static_cast<std::size_t>(ld) * sizeof(Complex), on_device_.data() + from,
                                static_cast<std::size_t>(2 * functions) * sizeof(Complex),
                                static_cast<std::size_t>(functions) * sizeof(Complex),
                                static_cast<std::size_t>(waves), cudaMemcpyDeviceToDevice, stream_.get()));
      };
      cuDoubleComplex* a = x + static_cast<std::int64_t>(k) * step;
      copy(0, a);
      copy(functions, a + to_b);
    }
    stream_.synchronize();
  }

private:
  const Stream& stream_;
  const host::CoefficientSource& source_;
  std::int64_t first_;
  HostTransfer transfer_;
  Array<Complex> piece_;
  DeviceArray<Complex> on_device_;
};

}  // namespace

std::vector<TypeBlock> type_blocks(std::span<const int> atom_types, std::span<const int> functions,
                                   std::int64_t rows, bool one_block, const std::vector<bool>& first) {
  std::vector<int> order(atom_types.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](int atom) {
    const int type = atom_types[atom];
    return std::pair(!first.empty() && !first[type], type);
  };
  std::ranges::stable_sort(order, {}, key);
  std::vector<TypeBlock> blocks;
  for (const int atom : order) {
    if (functions[atom] == 0) continue;
    const bool fits = !blocks.empty() && (one_block || 2 * (blocks.back().rows + functions[atom]) <= rows);
    if (!fits) blocks.emplace_back();
    TypeBlock& block = blocks.back();
    if (block.runs.empty() || block.runs.back().type != atom_types[atom])
      block.runs.push_back({.type = atom_types[atom], .atoms = {}, .row = block.rows});
    block.runs.back().atoms.push_back(atom);
    block.rows += functions[atom];
  }
  return blocks;
}

std::unique_ptr<CoefficientMaker> make_coefficients(Uploads& uploads, const host::MatrixProblem& problem,
                                                    std::int64_t first) {
  const Stream& stream = uploads.stream();
  if (const auto* matching = dynamic_cast<const host::MatchingCoefficients*>(problem.coefficients))
    return std::make_unique<MatchingMaker>(uploads, *matching, first);
  if (const auto* synthetic = dynamic_cast<const host::SyntheticCoefficients*>(problem.coefficients))
    return std::make_unique<SyntheticMaker>(stream, synthetic->size(), first);
  return std::make_unique<HostMaker>(stream, *problem.coefficients, first);
}

}  // namespace cisolve::cuda::lapw
