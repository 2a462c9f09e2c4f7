// SPDX-License-Identifier: MIT
#include "tasks/ci/config/source.hpp"

#include <fmt/format.h>

#include "cisolve/core/error.hpp"
#include "cisolve/molecule/gaussian_integrals.hpp"
#include "tasks/input/entries.hpp"

namespace cisolve::detail {

void require_source(const Input& input) {
  const auto line_of = [&](std::string_view section) {
    const auto found = input.sections.find(section);
    return found == input.sections.end() ? 1 : found->second;
  };
  const bool has_keys = has_section(input.entries, "molecule");
  const bool has_molecule = has_keys || input.sections.contains("molecule");
  const bool has_integrals = has_section(input.entries, "integrals") || input.sections.contains("integrals");
  if (has_molecule && has_integrals) {
    throw InputError(
        fmt::format("{}:{}: both [molecule] and [integrals] are given; exactly one of the two "
                    "sections is allowed",
                    input.source_name, line_of("molecule")));
  }
  if (has_molecule && !gaussian_integrals_available()) {
    throw InputError(
        fmt::format("{}:{}: [molecule] needs Libint2, which this build of cisolve does not have; install "
                    "libint2-dev and build again, or give the integrals as an FCIDUMP file in [integrals]",
                    input.source_name, line_of("molecule")));
  }
  if (has_molecule && !has_keys) {
    throw InputError(fmt::format("{}:{}: [molecule] is empty; it needs a geometry and a basis",
                                 input.source_name, line_of("molecule")));
  }
  if (!has_molecule && !has_integrals) {
    throw InputError(
        fmt::format("{}: there is neither [molecule] with a geometry and a basis nor [integrals] with file "
                    "= \"...\", the path of an FCIDUMP file; one of the two is needed",
                    input.source_name));
  }
}

}  // namespace cisolve::detail
