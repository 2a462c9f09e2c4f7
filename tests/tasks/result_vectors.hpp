// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "cisolve/tasks/ci/ci_result.hpp"

namespace cisolve::test {

/// Those of a sector, one after another; none where it has none.
inline std::vector<double> vectors_of(const CiResult::Sector& sector) {
  if (!sector.vectors) return {};
  Array<double> buffer;
  const auto all = sector.vectors->view(0, sector.vectors->columns(), buffer);
  return {all.begin(), all.end()};
}

}  // namespace cisolve::test
