// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cisolve/integrals/complex_integrals.hpp"
#include "cisolve/integrals/integrals.hpp"
#include "cisolve/integrals/point_group.hpp"
#include "integrals/text_reader.hpp"

// What read_fcidump is made of: namelist, header, records, symmetry; one source each.

namespace cisolve {

struct NamelistValue {
  std::string text;
  bool is_string = false;  ///< was quoted
  std::int64_t line = 0;
};

/// key = value, value, ...
struct NamelistEntry {
  std::string key;  ///< upper case
  std::int64_t line = 0;
  std::vector<NamelistValue> values;
};

struct Namelist {
  std::int64_t first_line = 0;  ///< the one with &FCI
  std::vector<NamelistEntry> entries;
};

/// Reads `&FCI ... &END`, also with `$` or ended by `/`, in any case, on one line or many, values
/// separated by commas or blanks.
/// @throws InputError if the file begins with anything else, or the namelist has no end
Namelist read_fci_namelist(TextReader& reader);

/// More orbitals are not meant: their packed integrals would take hundreds of terabytes.
inline constexpr int max_fcidump_orbitals = 4096;

/// The namelist at the top of an FCIDUMP file, checked as far as it goes without the records.
struct FcidumpHeader {
  int norb = 0;
  int nelec = 0;
  int ms2 = 0;
  bool ms2_given = false;
  int isym = 1;
  bool iuhf = false, uhf = false;  ///< IUHF=1, UHF=.TRUE.
  std::vector<int> orbsym;         ///< as in the file; empty: absent
  std::int64_t norb_line = 0, nelec_line = 0, ms2_line = 0;
  std::int64_t orbsym_line = 0;
  std::vector<std::string> warnings;
};

/// Reads the namelist, up to and with the line of its terminator.
/// @throws InputError if it is no FCIDUMP header, of a dialect that is not read, or not consistent
FcidumpHeader read_fcidump_header(TextReader& reader);

/// Checks electrons and MS2 against the number of orbitals.
/// @param num_orbitals  of either spin; spinors
/// @throws InputError if they do not fit
void check_electrons(const TextReader& reader, const FcidumpHeader& header, int num_orbitals,
                     bool are_spinors);

/// A line `value i j k l`.
struct FcidumpRecord {
  double value = 0.0;  ///< hartree
  std::array<std::int64_t, 4> index{};

  bool is_core() const { return index == std::array<std::int64_t, 4>{}; }
  bool is_one_electron() const { return index[0] > 0 && index[1] > 0 && index[2] == 0 && index[3] == 0; }
  bool is_orbital_energy() const { return index[0] > 0 && index[1] == 0 && index[2] == 0 && index[3] == 0; }
  bool is_two_electron() const { return index[0] > 0 && index[1] > 0 && index[2] > 0 && index[3] > 0; }
};

/// A record's orbitals as messages name them: "(1 2|3 4)", "h(1, 2)", "the core energy".
std::string name_of(const FcidumpRecord& record);

/// Reads a record; fields are separated by blanks or a comma. Nothing if the line is anything else, or
/// the value is not finite.
std::optional<FcidumpRecord> parse_fcidump_record(std::string_view line);

/// How a file writes values.
enum class ValueNotation { real, columns, parentheses };

/// A line `re im i j k l` or `(re,im) i j k l`.
struct ComplexRecord {
  Complex value;            ///< hartree
  FcidumpRecord real = {};  ///< the same orbitals, the real part
};

/// Reads a record of complex values, real ones among them; nothing if the line is anything else, or a value is not
/// finite.
std::optional<ComplexRecord> parse_complex_record(std::string_view line, ValueNotation notation);

/// The notation of a line's value, by what it looks like.
ValueNotation notation_of(std::string_view line);

/// True if the line has blanks only.
bool is_blank(std::string_view line);

/// What was found and expected where parse_fcidump_record gave nothing.
/// @param line_was_ended  false if the file ended within the line
std::string describe_bad_record(std::string_view line, bool line_was_ended);

/// True for five fields, a real number (with a point) and four integers.
bool looks_like_record(std::string_view line);

/// True for five fields, four integers and a real number.
bool looks_like_macis_record(std::string_view line);

/// Zero-based labels in Molpro order for the orbitals, from ORBSYM of either base; all 0 if absent.
/// Labels from 0 on are PySCF's, modulo 10 (its Dooh and Coov labels give those of D2h and C2v).
/// @throws InputError if a label is out of range or the point group does not have it
std::vector<int> molpro_labels(const TextReader& reader, const FcidumpHeader& header,
                               const PointGroup& group);

/// Sets integrals to zero whose product of labels is not totally symmetric, of both spins.
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
