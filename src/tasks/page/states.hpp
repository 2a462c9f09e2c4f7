// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>

#include "cisolve/tasks/ci/ci_result.hpp"
#include "tasks/page/markup.hpp"

namespace cisolve::page {

/// 2S+1 as a text: "3", "1.37" of a root that is no pure spin state, empty where it is not known.
std::string multiplicity_text(const Root& root);

/// "³Σg⁻" of "3Sigma_g-".
std::string pretty_term(const std::string& term);

/// "³B₁" of "3" and "B1".
std::string pretty_state(const std::string& multiplicity, const std::string& irrep);

/// What a root is called in pictures: its term, else its multiplicity and irrep; "" if nothing is known.
std::string state_name(const Root& root);

/// "Root 2, ³B₁".
std::string root_name(const CiResult& result, std::size_t k);

/// What an active orbital is called: "5b1", else its number in the file.
std::string orbital_name(const CiResult::System& system, std::size_t p);

}  // namespace cisolve::page
