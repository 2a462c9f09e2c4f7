// SPDX-License-Identifier: MIT
#include "tasks/files/resolved_input.hpp"

#include <algorithm>
#include <numeric>

#include "cisolve/tasks/ci/config/ci_config.hpp"

namespace cisolve {

ResolvedInput::ResolvedInput(const std::string& text, const std::filesystem::path& file)
    : items_(detail::parse_toml(text, file.string())) {}

/// None if it is not given, or not of that type.
template <class T>
std::optional<T> ResolvedInput::value(std::string_view path) const {
  const auto found = std::ranges::find(items_, path, &detail::TomlItem::path);
  if (found == items_.end() || !found->value) return std::nullopt;
  if (const T* value = std::get_if<T>(&*found->value)) return *value;
  if constexpr (std::is_same_v<T, std::int64_t>) {
    const auto* list = std::get_if<std::vector<std::int64_t>>(&*found->value);
    if (list != nullptr && list->size() == 1) return list->front();
  }
  return std::nullopt;
}

double ResolvedInput::tolerance() const {
  return value<double>("solver.tolerance").value_or(DavidsonConfig().tolerance);
}

double ResolvedInput::threshold() const { return value<double>("hamiltonian.threshold").value_or(0.0); }

bool ResolvedInput::follow() const { return value<bool>("solver.follow").value_or(false); }

std::vector<std::int64_t> ResolvedInput::fixed_orbitals() const {
  return value<std::vector<std::int64_t>>("orbitals.fixed").value_or(std::vector<std::int64_t>());
}

std::string ResolvedInput::final_orbitals() const {
  return value<std::string>("orbitals.final").value_or("canonical");
}

std::string ResolvedInput::spins() const { return value<std::string>("integrals.spins").value_or("auto"); }

std::vector<double> ResolvedInput::weights() const {
  std::vector<double> found = value<std::vector<double>>("orbitals.weights").value_or(std::vector<double>());
  const double sum = std::accumulate(found.begin(), found.end(), 0.0);
  if (!(sum > 0.0)) return {};
  for (double& weight : found) weight /= sum;
  return found;
}

std::int64_t ResolvedInput::natural_cycles() const {
  return value<std::int64_t>("orbitals.cycles").value_or(1);
}

double ResolvedInput::natural_threshold() const {
  return value<double>("orbitals.natural_threshold").value_or(0.0);
}

std::int64_t ResolvedInput::natural_determinants() const {
  return value<std::int64_t>("orbitals.determinants").value_or(OrbitalsConfig{}.determinants);
}

void ResolvedInput::settle_multiplicity(CiResult& result) const {
  if (result.sectors.size() != 1) return;
  CiResult::Sector& only = result.sectors.front();
  only.multiplicity = only.space.basis == "csf"
                          ? only.ms2 + 1
                          : static_cast<int>(value<std::int64_t>("states.multiplicity").value_or(0));
}

}  // namespace cisolve
