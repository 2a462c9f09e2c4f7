// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cisolve/integrals/complex_integrals.hpp"
#include "cisolve/integrals/integrals.hpp"
#include "cisolve/integrals/point_group.hpp"

namespace cisolve {

/// How the records of an FCIDUMP file name orbitals and spins.
enum class FcidumpLayout {
  restricted,  ///< orbitals that both spins share
  blocks,  ///< unrestricted: (aa|aa), (bb|bb), (aa|bb), h_a, h_b, each ended by a record of zeros (Molpro, block2, ElemCo)
  interleaved,  ///< unrestricted: spin orbitals, alpha and beta in turn (Psi4)
  stacked,      ///< unrestricted: alpha orbitals 1 to n, beta orbitals n + 1 to 2n
  spinors       ///< orbitals that have no spin and hold one electron each (DIRAC, Dice)
};

/// What a message calls a layout: "alpha and beta spin orbitals in turn".
std::string_view layout_text(FcidumpLayout layout);

/// What the user says of a file's spins.
enum class FcidumpSpins { automatic, restricted, unrestricted, spinors };

/// Tolerances and limits by which read_fcidump judges a file.
struct FcidumpOptions {
  FcidumpSpins spins = FcidumpSpins::automatic;  ///< automatic: told by header and records

  /// The group, if the user gave one: labels that count from 0 are in PySCF's order, which differs
  /// from group to group; labels that the group does not have are refused.
  PointGroup point_group;

  /// An irrep was asked for: refuse a file whose labels its integrals contradict, rather than go on
  /// without symmetry.
  bool irrep_required = false;

  double duplicate_tolerance = 1e-10;   ///< hartree, >= 0; integrals given twice must agree this well:
                                        ///< files carry ten digits or more, so more is a contradiction
  double negligible_forbidden = 1e-9;   ///< hartree, >= 0; an integral that the labels forbid is zeroed
                                        ///< up to here: rounding in the orbitals and the file
  double tolerable_forbidden = 1e-6;    ///< hartree, >= negligible_forbidden; up to here the orbitals are
                                        ///< loosely converged and C1 is right; above, the labels are wrong
  double spin_orbital_repulsion = 0.5;  ///< of sqrt((pp|pp)(qq|qq)), > 0; without any exchange, a (pp|qq)
                                        ///< as large as this means p and q are one orbital of two spins
  double kramers =
      1e-7;  ///< hartree, >= 0; complex orbitals whose integrals are those of Kramers pairs to this
             ///< are spinors: files have ten digits or more
  double largest_magnitude = 1e10;  ///< hartree, > 0; beyond it a sum of two integrals has lost what is below
                                    ///< 1e-6 hartree: the file is damaged, or in no units of energy
  std::int64_t max_bytes = std::int64_t{64} << 30;  ///< largest packed integrals, bytes
};

/// What an FCIDUMP file holds.
struct FcidumpFile {
  FcidumpLayout layout = FcidumpLayout::restricted;
  Integrals
      integrals;  ///< irreps all 0 where the file has none or they were dropped; of no orbitals if complex
  std::optional<ComplexIntegrals> complex;  ///< where values have imaginary parts, and of spinors
  int num_electrons = 0;                    ///< NELEC
  int ms2 = 0;                              ///< MS2 = n_alpha - n_beta, 0 if absent
  bool ms2_given = false;                   ///< false: an odd NELEC may come with ms2 = 0
  int isym = 1;                             ///< ISYM as given, for the report: never used
  bool has_symmetry = false;                ///< some orbital is not totally symmetric
  bool symmetry_dropped = false;  ///< the integrals contradict the labels a little: now C1, with a warning
  std::int64_t num_records = 0;
  std::vector<std::string> warnings;  ///< one sentence each, beginning with file and line
};

/// Reads integrals from an FCIDUMP file, plain or gzip-compressed (told by content).
///
/// Takes the layouts of Molpro, Psi4, PySCF, Quantum Package, NECI, HANDE, Dalton and others: restricted, unrestricted in
/// three layouts, complex values `re im i j k l` or `(re,im) i j k l` over orbitals of both spins or spinors. MACIS files
/// and similarity-transformed integrals (ST = 1) are refused by name. Memory is taken for the orbitals that the records
/// name, not for what the header says.
///
/// @throws InputError     if the file is absent or its content is refused: one sentence that begins with
///                        file and line and says what was found and what was expected
/// @throws ResourceError  if the integrals exceed `max_bytes`
/// @throws SystemError    if the file cannot be read
/// @see P. J. Knowles and N. C. Handy, Comput. Phys. Commun. 54 (1989) 75,
///      doi:10.1016/0010-4655(89)90033-7
FcidumpFile read_fcidump(const std::filesystem::path& file, const FcidumpOptions& options = {});

/// Writes integrals as Molpro does, unrestricted ones in blocks, with 17 significant digits: reading them back gives the
/// same bits. Exact zeros are left out. Compressed if the name ends in ".gz". Written to a temporary file beside
/// `file`, flushed and renamed, so that `file` is complete or as it was.
///
/// @throws DimensionError as check_shapes, or if a value is not finite
/// @throws SystemError    if the file cannot be written
void write_fcidump(const std::filesystem::path& file, const Integrals& integrals, int num_electrons,
                   int ms2 = 0, int isym = 1);

}  // namespace cisolve
