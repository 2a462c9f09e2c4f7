// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/problem/basis.hpp"
#include "problem/ranked/packet.hpp"

namespace cisolve {

/// A definition on its way to another process, its integrals with it.
void pass(PacketWriter& packet, BasisDefinition& definition);
void pass(PacketReader& packet, BasisDefinition& definition);

}  // namespace cisolve
