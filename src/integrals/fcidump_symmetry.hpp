// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "cisolve/integrals/integrals.hpp"
#include "cisolve/integrals/point_group.hpp"
#include "integrals/fcidump_header.hpp"

namespace cisolve {

/// Zero-based labels in Molpro order for the orbitals, from ORBSYM of either base; all 0 if absent.
/// Labels from 0 on are PySCF's, modulo 10 (its Dooh and Coov labels give those of D2h and C2v).
/// @throws InputError if a label is out of range or the point group does not have it
std::vector<int> molpro_labels(const TextReader& reader, const FcidumpHeader& header,
                               const PointGroup& group);

/// Sets integrals to zero whose product of labels is not totally symmetric.
void zero_forbidden(Integrals& integrals);

/// The layouts in which unrestricted files put both spins into one list of orbitals.
enum class SpinLayout { none, interleaved, alpha_then_beta };

/// How the integrals are laid out, if they are over spin orbitals: no integral couples orbitals of
/// different spin in a pair, hence no exchange between them, though they repel like electrons in one
/// place. Integrals over spatial orbitals have (pq|pq) > 0 wherever p and q overlap.
///
/// @param negligible  hartree; smaller integrals are taken as zero
/// @param repulsion   least (pp|qq) / sqrt((pp|pp)(qq|qq)) of one orbital p, q of two spins
SpinLayout find_spin_layout(const Integrals& integrals, double negligible, double repulsion);

}  // namespace cisolve
