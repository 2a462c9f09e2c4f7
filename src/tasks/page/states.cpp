// SPDX-License-Identifier: MIT
#include "tasks/page/states.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "cisolve/analysis/spin.hpp"
#include "tasks/report/text.hpp"

namespace cisolve::page {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string raised(std::string_view text) {
  constexpr const char* digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string found;
  for (const char c : text)
    found += is_digit(c) ? std::string(digits[c - '0']) : c == '.' ? "·" : std::string(1, c);
  return found;
}

std::string lowered(std::string_view text) {
  constexpr const char* digits[] = {"₀", "₁", "₂", "₃", "₄", "₅", "₆", "₇", "₈", "₉"};
  std::string found;
  for (const char c : text) found += is_digit(c) ? std::string(digits[c - '0']) : std::string(1, c);
  return found;
}

}  // namespace

std::string multiplicity_text(const Root& root) {
  if (std::isnan(root.s_squared)) return "";
  const double multiplicity = multiplicity_of(root.s_squared);
  constexpr double pure = 0.02;  // selected lists mix spins a little
  const double whole = std::round(multiplicity);
  return std::abs(multiplicity - whole) < pure ? report::fixed(whole, 0) : report::fixed(multiplicity, 2);
}

std::string pretty_term(const std::string& term) {
  constexpr std::pair<std::string_view, std::string_view> letters[] = {
      {"Sigma", "Σ"}, {"Pi", "Π"}, {"Delta", "Δ"}, {"Phi", "Φ"}, {"Gamma", "Γ"}};
  const auto begin = std::ranges::find_if_not(term, is_digit) - term.begin();
  std::string rest = term.substr(static_cast<std::size_t>(begin));
  for (const auto& [name, letter] : letters) {
    if (rest.starts_with(name)) rest.replace(0, name.size(), letter);
  }
  std::erase(rest, '_');
  const std::size_t sign = rest.find_first_of("+-");
  if (sign != std::string::npos) rest.replace(sign, 1, rest[sign] == '+' ? "⁺" : "⁻");
  return raised(term.substr(0, static_cast<std::size_t>(begin))) + rest;
}

std::string pretty_state(const std::string& multiplicity, const std::string& irrep) {
  const bool is_number = !irrep.empty() && std::ranges::all_of(irrep, is_digit);
  return raised(multiplicity) + (is_number ? " irrep " + irrep : lowered(irrep));
}

std::string state_name(const Root& root) {
  return root.term.empty() ? pretty_state(multiplicity_text(root), root.irrep_name) : pretty_term(root.term);
}

std::string root_name(const CiResult& result, std::size_t k) {
  const std::string state = state_name(result.root(k));
  return fmt::format("Root {}{}{}", k + 1, state.empty() ? "" : ", ", state);
}

std::string orbital_name(const CiResult::System& system, std::size_t p) {
  if (p < system.orbital_labels.size()) return system.orbital_labels[p];
  return std::to_string(p < system.active_orbitals.size() ? system.active_orbitals[p]
                                                          : static_cast<std::int32_t>(p) + 1);
}

}  // namespace cisolve::page
