// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "cisolve/core/error.hpp"

// What is fuzzed: each function reads bytes as one of the program's readers does, and returns if they were read or
// refused with one of the project's errors. Anything else, such as another exception, a crash or a report of a
// sanitizer, is a finding. None of them calculates anything.

namespace cisolve::fuzz {

void basis(std::string_view data);         ///< a basis set, and its functions on each element it has
void checkpoint(std::string_view data);    ///< a checkpoint
void command_line(std::string_view data);  ///< arguments, a line each, and what they change of an input
void fcidump(std::string_view data);       ///< an FCIDUMP file, plain or compressed
void input(std::string_view data);         ///< an input, and the calculation that it asks for
void molden(std::string_view data);        ///< a Molden file, and the one that is written of it
void result(std::string_view data);        ///< a result file
void scan(std::string_view data);          ///< the [scan] of an input
void trexio(std::string_view data);        ///< orbitals, integrals and determinants of a TREXIO file
void xyz(std::string_view data);           ///< geometries, their symmetry and symmetry orbitals

/// Reads; errors that say what is wrong with what was read are no findings.
template <class Reader>
void expect_read_or_refused(Reader&& reader) {
  try {
    reader();
  } catch (const InputError&) {
  } catch (const ResourceError&) {
  } catch (const SystemError&) {
  }
}

/// Path of an input in the folder of the files that inputs of the corpora name.
inline std::string input_path() { return CISOLVE_FUZZ_DATA "/fuzz.inp"; }

}  // namespace cisolve::fuzz
