// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cisolve/problem/plan.hpp"
#include "problem/ranked/definition_packet.hpp"

namespace cisolve {

template <class Packet>
void pass(Packet& packet, SpinStructure& spin) {
  packet(spin.dimension, spin.wanted, spin.others);
}

template <class Packet>
void pass(Packet& packet, IterationRecord& record) {
  packet(record.iteration, record.phase, record.subspace_size, record.num_applications, record.seconds,
         record.energies, record.residual_norms);
}

template <class Packet>
void pass(Packet& packet, FormatOptions& options) {
  packet(options.ell_width, options.reference_columns, options.slice_size, options.block_size,
         options.row_order);
}

/// How H is stored.
struct PlannedMatrix {
  std::string format;
  FormatOptions options;                            ///< but for what is known of its size
  std::vector<std::int64_t> first_rows;             ///< see RowShares
  std::int64_t device_bytes = 0, matrix_bytes = 0;  ///< as Placement has them
};

template <class Packet>
void pass(Packet& packet, PlannedMatrix& matrix) {
  packet(matrix.format, matrix.options, matrix.first_rows, matrix.device_bytes, matrix.matrix_bytes);
}

/// What other processes make of a problem and its plan the same again from.
struct PlannedProblem {
  BasisRecipe basis;
  double threshold = 0.0;  ///< hartree
  std::optional<SpinStructure> spin = {};
  std::optional<PlannedMatrix> matrix = {};  ///< none: H is applied string by string
  SpinParity parity = SpinParity::none;
  bool keeps_spin = false, with_packs = true, on_device = false;
  std::int64_t most_strip_bytes = 0;
  int ranks = 1;
  int threads = 1;  ///< of each process
  DavidsonConfig solver = {};
};

template <class Packet>
void pass(Packet& packet, PlannedProblem& planned) {
  packet(planned.basis, planned.threshold, planned.spin, planned.matrix, planned.parity, planned.keeps_spin,
         planned.with_packs, planned.most_strip_bytes, planned.on_device, planned.ranks, planned.threads,
         planned.solver);
}

}  // namespace cisolve
