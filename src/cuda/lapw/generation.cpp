// SPDX-License-Identifier: MIT
#include "cuda/lapw/generation.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <optional>
#include <span>

#include "cisolve/core/error.hpp"
#include "cuda/core/uploads.hpp"
#include "cuda/lapw/engine.hpp"
#include "cuda/lapw/generation_run.hpp"
#include "cuda/lapw/kernels.hpp"
#include "lapw/plane_wave_pass.hpp"

namespace cisolve::cuda::lapw {

std::int64_t usual_block_rows(std::int64_t waves, std::int64_t free_bytes) {
  // [A; B] and T [A; B]: a large inner dimension is what products are fast with.
  constexpr auto element = static_cast<std::int64_t>(sizeof(std::complex<double>));
  constexpr std::int64_t bytes = std::int64_t{16} << 30, tables = std::int64_t{512} << 20;
  const std::int64_t beside_matrices = free_bytes - 2 * waves * waves * element - tables;
  return std::max(least_block_rows,
                  std::min({bytes, free_bytes / 8, beside_matrices}) / (2 * waves * element));
}

namespace {

using host::Complex;

// --- the pass over pairs of plane waves

/// The panel of a matrix that was given, by columns from the diagonal down.
void upload_lower(GenerationRun& run, std::span<const Complex> from, cuDoubleComplex* to) {
  HostTransfer transfer;
  const std::int64_t ld = run.problem.waves(), first = run.panel.first;
  for (std::int64_t column = 0; column < run.columns(); ++column)
    transfer.upload(run.stream, from.data() + (first + column) * (ld + 1), to + column * (run.to.ld + 1),
                    static_cast<std::size_t>(run.waves() - column) * sizeof(Complex));
}

double given_pass(GenerationRun& run) {
  const host::PlaneWavePart& outside = run.problem.outside;
  if (!outside.h.empty()) {
    upload_lower(run, outside.h, run.to.h);
    upload_lower(run, outside.s, run.to.s);
    return 0.0;
  }
  const auto h = run.uploads(outside.h_diagonal), s = run.uploads(outside.s_diagonal);
  const auto part_of = [&](const DeviceArray<double>& all) {
    return all.size() > 0 ? all.data() + run.panel.first : nullptr;
  };
  set_diagonals(run.stream, run.waves(), run.columns(), part_of(h), part_of(s), run.to.h, run.to.s,
                run.to.ld);
  run.stream.synchronize();
  return 0.0;
}

double lattice_pass(GenerationRun& run, bool spherical) {
  const host::Crystal& crystal = *run.problem.crystal;
  const host::MatchingTables& waves = *run.problem.matching;
  const host::Interstitial* tables = run.problem.outside.tables;
  Uploads& uploads = run.uploads;
  std::vector<DeviceArray<double>> reals;
  std::vector<DeviceArray<Complex>> complex;
  const auto hold = [&](const std::vector<double>& values) {
    reals.push_back(uploads(std::span<const double>(values)));
    return static_cast<const double*>(reals.back().data());
  };
  const auto hold_table = [&](const host::DifferenceTable& table) {
    complex.push_back(
        uploads(std::span<const Complex>(table.data(), static_cast<std::size_t>(table.size()))));
    return to_cuda(complex.back().data()) + table.middle_offset();
  };
  std::vector<std::int64_t> offsets;
  for (const host::Index3& g : waves.g) offsets.push_back(tables != nullptr ? tables->theta.offset(g) : 0);
  std::vector<double> squares, directions;
  for (const double norm : waves.norm) squares.push_back(norm * norm);
  for (std::size_t i = 0; i < 3; ++i) {
    for (const host::Vector3& direction : waves.direction) directions.push_back(direction[i]);
  }
  const auto device_offsets = uploads(std::span<const std::int64_t>(offsets));
  PassView view{.waves = run.problem.waves(),
                .first = run.panel.first,
                .columns = run.columns(),
                .offsets = device_offsets.data(),
                .squares = hold(squares),
                .directions = hold(directions),
                .factor = 4.0 * std::numbers::pi / crystal.lattice.volume()};
  if (tables != nullptr && run.problem.outside.between_spheres) {
    view.theta = hold_table(tables->theta);
    if (tables->has_potential()) view.v_theta = hold_table(tables->v_theta);
  }
  std::vector<SphericalView> types;
  for (std::size_t t = 0; spherical && t < crystal.types.size(); ++t) {
    types.push_back({.lmax = crystal.types[t].lmax,
                     .f = hold(waves.types[t].f),
                     .g = hold(waves.types[t].g),
                     .norm = hold(crystal.types[t].radial.udot_norm),
                     .energy = hold(crystal.types[t].energy),
                     .structure = hold_table(tables->structure[t])});
  }
  const auto device_types = uploads(std::span<const SphericalView>(types));
  view.types = device_types.data();
  view.num_types = static_cast<std::int32_t>(types.size());
  plane_wave_pass(run.stream, view, run.to.h, run.to.s, run.to.ld);
  run.stream.synchronize();
  const auto order = static_cast<double>(run.problem.waves());
  return host::plane_wave_flops(run.problem, spherical) * run.herk_flops(1.0) /
         host::blas::herk_flops(order, 1.0);
}

}  // namespace

std::vector<host::LineRecord> generate(Uploads& uploads, const Products& products,
                                       const host::MatrixProblem& problem,
                                       const host::GenerationOptions& options, const Panel& panel,
                                       const MatrixParts& to, const Progress& progress) {
  const bool is_split = options.algorithm == host::Algorithm::split;
  if (is_split && (problem.crystal == nullptr || problem.outside.tables == nullptr))
    throw DimensionError("split needs the radial functions and tables of the structure factors");
  GenerationRun run{uploads, uploads.stream(), products,          problem, options, panel,
                    to,      progress,         options.block_rows};
  run.time(is_split ? "interstitial and spherical" : "interstitial",
           [&] { return problem.crystal != nullptr ? lattice_pass(run, is_split) : given_pass(run); });
  if (options.algorithm == host::Algorithm::hsdla)
    run_hsdla(run);
  else
    run_merged(run);
  return run.lines.take();
}

}  // namespace cisolve::cuda::lapw
