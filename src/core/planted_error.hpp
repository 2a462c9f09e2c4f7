// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>
#include <string_view>

// Mistakes put in on purpose, so that tests see whether certificates find them. Only builds with
// CISOLVE_PLANTED_ERRORS have them; elsewhere the compiler drops every trace.
namespace cisolve {

enum class PlantedError {
  row_class,  ///< rows of H: double excitations of the alpha electrons have the wrong sign; of CSFs, elements
              ///< between configurations
  row_element,     ///< rows of H over blocks of strings: one element of the first row, and its mirror image
  direct_product,  ///< products without a matrix, on the host: double excitations within a spin
  device_direct,   ///< the same on a device: excitations of both spins are left out
  missed_root      ///< the first search of a sector does not give the lowest root that it found
};

#ifdef CISOLVE_PLANTED_ERRORS
/// Whether the environment variable CISOLVE_PLANTED_ERROR names it.
inline bool is_planted(PlantedError error) {
  static const std::string_view planted = [] {
    const char* name = std::getenv("CISOLVE_PLANTED_ERROR");
    return std::string_view(name != nullptr ? name : "");
  }();
  switch (error) {
    case PlantedError::row_class:
      return planted == "row_class";
    case PlantedError::row_element:
      return planted == "row_element";
    case PlantedError::direct_product:
      return planted == "direct_product";
    case PlantedError::device_direct:
      return planted == "device_direct";
    case PlantedError::missed_root:
      return planted == "missed_root";
  }
  return false;
}
#else
constexpr bool is_planted(PlantedError) { return false; }
#endif

}  // namespace cisolve
