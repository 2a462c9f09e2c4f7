// SPDX-License-Identifier: MIT
#include "cisolve/ranks/communicator.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cisolve {

void SoloCommunicator::all_gather(std::span<const std::byte> mine, std::span<std::byte> all) const {
  std::ranges::copy(mine, all.begin());
}

void SoloCommunicator::exchange(std::span<const Outgoing> send, std::span<const Incoming> receive) const {
  for (std::size_t k = 0; k < receive.size(); ++k) std::ranges::copy(send[k].bytes, receive[k].bytes.begin());
}

void sum(const Communicator& ranks, std::span<double> values) {
  if (ranks.size() == 1) return;
  std::vector<double> all(values.size() * static_cast<std::size_t>(ranks.size()));
  ranks.all_gather(std::as_bytes(values), std::as_writable_bytes(std::span(all)));
  std::copy_n(all.begin(), values.size(), values.begin());
  for (std::size_t k = values.size(); k < all.size(); ++k) values[k % values.size()] += all[k];
}

void require_same(const Communicator& ranks, std::uint64_t hash, std::string_view what) {
  const std::vector<std::uint64_t> all = all_values(ranks, hash);
  const auto other = std::ranges::find_if(all, [&](std::uint64_t one) { return one != all.front(); });
  if (other == all.end()) return;
  throw SystemError(
      fmt::format("ranks 0 and {} disagree on {}; all must run the same program, on processors of one kind",
                  other - all.begin(), what));
}

}  // namespace cisolve
