// SPDX-License-Identifier: MIT
#include "hamiltonian/single_occupancy_walk.hpp"

namespace cisolve {

void SingleOccupancyRows::Walk::look_around() {
  const int n = rows_.space_.orbitals();
  free_ = ~alpha_ & (n < 64 ? lowest_bits(n) : ~std::uint64_t{0});
  list_energies();
  list_alpha_moves();
  list_beta_moves();
}

void SingleOccupancyRows::Walk::list_energies() {
  const IntegralTables& tables = rows_.tables_;
  double energy = 0.0;
  if (rows_.has_string_energy_) {
    for_each_site(alpha_, [&](int p) {
      energy += tables.h(p, p);
      for_each_site(rows_.parallel_below_[p] & alpha_, [&](int q) { energy += parallel(p, q); });
    });
  }
  alpha_energy_ = tables.core_energy() + energy;
  int place = 0;
  for_each_site(free_, [&](int p) {
    const double* row = tables.coulomb_row(tables.pair(p, p));
    double sum = 0.0;
    for_each_site(rows_.unlike_[p] & alpha_, [&](int q) { sum += row[q]; });
    coulomb_[place] = sum;
    std::uint64_t below = 0;
    for_each_site(rows_.parallel_below_[p] & free_,
                  [&](int q) { below |= site_bit(place_of_site(site_bit(q))); });
    parallel_below_[place] = below;
    site_[place++] = p;
  });
}

/// Of an electron of A to the other site of a bond, which is free.
/// @param is_falling  whether from the higher site
void SingleOccupancyRows::Walk::make_alpha_move(const Bond& bond, bool is_falling, AlphaMove& move) const {
  const int below_low = place_of_site(bond.low), below_high = place_of_site(bond.high);
  const std::uint64_t up_to_high = lowest_bits(below_high);
  move.from = is_falling ? below_low : below_high;
  move.to = is_falling ? below_high - 1 : below_low;
  move.up = is_falling ? 0 : up_to_high & ~lowest_bits(below_low);
  move.down = is_falling ? up_to_high & ~(lowest_bits(below_low) | site_bit(below_low)) : 0;
  move.staying = ~(move.up | move.down | site_bit(move.from));
  const Code sign = parity_of(alpha_ & bond.between);
  move.codes[0] = bond.hop ^ sign;
  move.codes[1] = bond.exchange ^ sign;
  if (has_columns_) {
    const SingleOccupancyOrder& space = rows_.space_;
    move.first_column = space.alpha().number(alpha_ ^ (bond.high | bond.low)) * space.rows_per_alpha();
  }
}

/// A loses more the higher the site that is left and the lower the one that is gone to; and gains more likewise. Which
/// ways are free is found without a branch, as that cannot be foreseen.
void SingleOccupancyRows::Walk::list_alpha_moves() {
  const std::vector<Bond>& bonds = rows_.bonds_;
  num_falling_ = num_rising_ = 0;
  for (std::size_t k = 0; k < bonds.size(); ++k) {
    const bool high = (alpha_ & bonds[k].high) != 0, low = (alpha_ & bonds[k].low) != 0;
    falling_[num_falling_] = rising_[num_rising_] = static_cast<std::uint32_t>(k);
    num_falling_ += static_cast<std::size_t>(high && !low);
    num_rising_ += static_cast<std::size_t>(low && !high);
  }
  falling_alpha_ = num_falling_;
  rising_alpha_ = num_rising_;
  AlphaMove* move = alpha_moves_.data();
  for (std::size_t k = 0; k < num_falling_; ++k) make_alpha_move(bonds[falling_[k]], true, *move++);
  for (std::size_t k = num_rising_; k-- > 0;) make_alpha_move(bonds[rising_[k]], false, *move++);
}

void SingleOccupancyRows::Walk::list_beta_moves() {
  num_beta_moves_ = 0;
  for (const Bond& bond : rows_.bonds_) {
    if (bond.hop == 0 || (free_ & bond.high) == 0 || (free_ & bond.low) == 0) continue;
    const int high = place_of_site(bond.high), low = place_of_site(bond.low);
    const std::uint64_t between = lowest_bits(high) & ~(lowest_bits(low) | site_bit(low));
    beta_moves_[num_beta_moves_++] = {.high = high, .low = low, .between = between, .code = bond.hop};
  }
}

}  // namespace cisolve
