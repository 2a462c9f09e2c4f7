// SPDX-License-Identifier: MIT
#include "problem/storage_choice.hpp"

namespace cisolve {

const StorageFormat& best_on_cuda(std::int64_t hybrid_bytes, std::int64_t coded_bytes,
                                  std::int64_t num_values, std::int64_t room, const StorageRates& rates) {
  const double hybrid_seconds = static_cast<double>(hybrid_bytes) / rates.plain;
  const double coded_seconds = static_cast<double>(coded_bytes) / rates.coded;
  const bool faster = num_values <= rates.most_values && coded_seconds < hybrid_seconds;
  const bool fits = (faster ? coded_bytes : hybrid_bytes) <= room;
  const bool coded = fits ? faster : coded_bytes < hybrid_bytes;
  return *find_storage_format(coded ? "coded" : "hybrid");
}

}  // namespace cisolve
