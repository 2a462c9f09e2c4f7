// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "cisolve/tasks/ci/ci_result.hpp"

namespace cisolve {

/// Gives the roots of a result that was read from a file their certificates anew. Integrals are those of the file, or
/// are taken from where its input took them.
/// @param result    with vectors and functions; its certificates are replaced
/// @param file      for messages
/// @param thorough  all rows, whatever that takes
/// @return what fails, a sentence each
/// @throws InputError  there are no vectors or no integrals, or the file is damaged
std::vector<std::string> certify_again(CiResult& result, const std::filesystem::path& file, bool thorough);

/// What of a result is not finished, a sentence each: roots that are not converged.
std::vector<std::string> unfinished_roots(const CiResult& result);

/// Prints the certificates of a result, a line per root.
/// @param claimed  as the file has them
void print_verification(std::ostream& out, const CiResult& result, const CiResult& claimed);

/// Prints what is not finished, and what came of all of it.
/// @return whether all certificates hold and nothing is unfinished
bool print_verdict(std::ostream& out, const std::vector<std::string>& failures,
                   const std::vector<std::string>& unfinished);

/// Does the certificates of the file of a single calculation again and prints them, what fails first.
/// @return as print_verdict
/// @throws InputError as certify_again
bool verify_ci(const std::filesystem::path& file, std::ostream& report, bool thorough);

}  // namespace cisolve
