// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "cisolve/hamiltonian/integral_tables.hpp"
#include "cisolve/selection/determinant_runs.hpp"
#include "cisolve/selection/moves.hpp"
#include "cuda/core/uploads.hpp"
#include "cuda/selection/external_kernels.hpp"

namespace cisolve::cuda {

/// Strings of one spin on the device.
class SpinArrays {
public:
  template <int Words>
  SpinArrays(Uploads& upload, const ListedStrings<Words>& runs, int electrons, const IntegralTables& tables,
             const SameSpinMoves& moves, const double* within)
      : strings_(upload(std::span(runs.strings.data()->words.data(), runs.strings.size() * Words))),
        offsets_(upload(std::span(std::as_const(runs.offsets)))),
        members_(upload(std::span(std::as_const(runs.members)))), one_(upload(tables.one())),
        move_offsets_(upload(moves.offsets())), energies_(runs.strings.size()),
        fields_(runs.strings.size() * static_cast<std::size_t>(tables.num_orbitals())) {
    std::vector<std::uint16_t> particles;
    std::vector<double> values, energies;
    for (const SameSpinMoves::Move& move : moves.all()) {
      particles.push_back(static_cast<std::uint16_t>(move.p1 | move.p2 << 8));
      values.push_back(move.value);
      energies.push_back(move.energy);
    }
    move_particles_ = upload(std::span(std::as_const(particles)));
    move_values_ = upload(std::span(std::as_const(values)));
    move_energies_ = upload(std::span(std::as_const(energies)));
    view_ = {.strings = strings_.data(),
             .offsets = offsets_.data(),
             .members = members_.data(),
             .energies = energies_.data(),
             .fields = fields_.data(),
             .one = one_.data(),
             .within = within,
             .move_offsets = move_offsets_.data(),
             .move_particles = move_particles_.data(),
             .move_values = move_values_.data(),
             .move_energies = move_energies_.data(),
             .size = static_cast<std::int32_t>(runs.strings.size()),
             .electrons = electrons};
    launch_describe_strings<Words>(upload.stream(), view_, tables.num_orbitals(), energies_.data(),
                                   fields_.data());
  }

  const SpinView& view() const { return view_; }

  std::int64_t bytes() const {
    return array_bytes(strings_, offsets_, members_, one_, move_offsets_, move_particles_, move_values_,
                       move_energies_, energies_, fields_);
  }

private:
  DeviceArray<std::uint64_t> strings_;
  DeviceArray<std::int64_t> offsets_;
  DeviceArray<RunMember> members_;
  DeviceArray<double> one_;
  DeviceArray<std::int64_t> move_offsets_;
  DeviceArray<std::uint16_t> move_particles_;
  DeviceArray<double> move_values_, move_energies_, energies_, fields_;
  SpinView view_;
};

}  // namespace cisolve::cuda
