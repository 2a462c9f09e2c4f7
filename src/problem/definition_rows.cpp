// SPDX-License-Identifier: MIT
#include "cisolve/problem/definition_rows.hpp"

#include <fmt/format.h>

#include "cisolve/core/error.hpp"
#include "problem/definition_parts.hpp"

namespace cisolve {

std::unique_ptr<DefinitionRows> make_definition_rows(const Integrals& integrals, const BasisSummary& summary,
                                                     const FunctionList& functions, double threshold) {
  check_shapes(integrals);
  if (summary.dimension < 1) throw InputError("the space is empty");
  const bool is_csf = summary.basis == "csf";
  if (!is_csf && summary.basis != "determinant")
    throw InputError(
        fmt::format("its functions are of basis \"{}\"; expected \"determinant\" or \"csf\"", summary.basis));
  return with_string_words(integrals.num_orbitals, [&]<int Words>() {
    return is_csf ? definition::csf_rows<Words>(integrals, summary, functions, threshold)
                  : definition::determinant_rows<Words>(integrals, summary, functions, threshold);
  });
}

}  // namespace cisolve
