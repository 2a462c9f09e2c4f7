// SPDX-License-Identifier: MIT
#pragma once

namespace cisolve {

/// By what determinants are selected. With H_ac = sum over listed i of H_ai c_i:
enum class SelectionCriterion {
  heat_bath,     ///< |H_ai c_i| > epsilon for any i and root
  perturbation,  ///< |H_ac|^2 / |E - H_aa| > epsilon for any root: CIPSI
  amplitude  ///< the core of largest |c_i| stays; of the other |c_i| and the |H_ac / (E - H_aa)| of what the core leads
             ///< to, the largest: ASCI
};

}  // namespace cisolve
