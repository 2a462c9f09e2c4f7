// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "cisolve/problem/basis.hpp"
#include "cisolve/ranks/packet.hpp"

namespace cisolve {

/// Determinants that are listed, whatever a definition says.
struct ListedDeterminants {
  std::vector<std::uint64_t> alpha, beta;  ///< [rows * words of a string]
  int irrep = any_irrep;                   ///< zero-based
  std::int64_t num_references = 0;         ///< leading rows that are references
  std::vector<std::int64_t> level_counts;
};

/// What another process makes the same functions from.
struct BasisRecipe {
  BasisDefinition definition;
  std::optional<ListedDeterminants> list = {};  ///< of determinants that blocks of strings do not make
  std::uint64_t hash = 0;                       ///< of the functions that must come out
};

BasisRecipe recipe_of(const Basis& basis);

/// @throws SystemError  other functions come out
/// @throws as make_basis
std::unique_ptr<Basis> make_basis(const BasisRecipe& recipe, std::int64_t memory);

/// A definition on its way to another process, its integrals with it.
void pass(PacketWriter& packet, BasisDefinition& definition);
void pass(PacketReader& packet, BasisDefinition& definition);

template <class Packet>
void pass(Packet& packet, ListedDeterminants& list) {
  packet(list.alpha, list.beta, list.irrep, list.num_references, list.level_counts);
}

template <class Packet>
void pass(Packet& packet, BasisRecipe& recipe) {
  packet(recipe.definition, recipe.list, recipe.hash);
}

}  // namespace cisolve
