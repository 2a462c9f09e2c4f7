// SPDX-License-Identifier: MIT
#include "tasks/ci/replacement.hpp"

#include <algorithm>

#include "cisolve/core/error.hpp"

namespace cisolve {
namespace {

bool has_alpha(char occupation) { return occupation == '2' || occupation == 'u'; }
bool has_beta(char occupation) { return occupation == '2' || occupation == 'd'; }
int electrons(char occupation) { return occupation == '2' ? 2 : occupation == '0' ? 0 : 1; }

void append(std::string& list, const std::string& orbital) { list += (list.empty() ? "" : " ") + orbital; }

/// The electrons that `from` has and `to` has not.
std::string removed(std::string_view from, std::string_view to, std::span<const std::string> names,
                    bool is_csf) {
  std::string list;
  for (std::size_t p = 0; p < from.size(); ++p) {
    if (is_csf) {
      const int count = electrons(from[p]) - electrons(to[p]);
      if (count > 0) append(list, names[p] + (count == 2 ? "^2" : ""));
      continue;
    }
    const bool alpha = has_alpha(from[p]) && !has_alpha(to[p]);
    const bool beta = has_beta(from[p]) && !has_beta(to[p]);
    if (alpha || beta) append(list, names[p] + (alpha && beta ? "^2" : alpha ? "(a)" : "(b)"));
  }
  return list;
}

/// ", coupled udud", where open shells have several couplings.
std::string coupling_text(std::string_view configuration) {
  std::string steps;
  std::ranges::copy_if(configuration, std::back_inserter(steps), [](char c) { return c == 'u' || c == 'd'; });
  // One coupling alone: all up, or two shells.
  const bool is_only_one = steps.size() < 3 || steps.find('d') == std::string::npos;
  return is_only_one ? "" : ", coupled " + steps;
}

}  // namespace

std::vector<std::string> active_orbital_names(const CiJob& job) {
  std::vector<std::string> names;
  for (const int p : job.active->active_orbitals) {
    names.push_back(job.orbital_labels.empty() ? std::to_string(p + 1)
                                               : job.orbital_labels[static_cast<std::size_t>(p)]);
  }
  return names;
}

std::string replacement_text(std::string_view reference, std::string_view configuration,
                             std::span<const std::string> names, bool is_csf) {
  if (reference.size() != configuration.size() || names.size() != reference.size())
    throw DimensionError("replacement_text: one name and one occupation per orbital");
  const std::string holes = removed(reference, configuration, names, is_csf);
  std::string text = "reference";
  if (!holes.empty()) text = holes + " -> " + removed(configuration, reference, names, is_csf);
  return text + (is_csf ? coupling_text(configuration) : "");
}

}  // namespace cisolve
