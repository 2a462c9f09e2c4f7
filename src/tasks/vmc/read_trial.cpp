// SPDX-License-Identifier: MIT
#include "tasks/vmc/read_trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "cisolve/core/names.hpp"
#include "cisolve/tasks/input/input.hpp"
#include "cisolve/tasks/vmc/vmc_config.hpp"
#include "tasks/input/text.hpp"

namespace cisolve {
namespace {

using detail::EntryReader;

Pairing read_pairing(const EntryReader& reader, const Cluster& cluster) {
  constexpr std::string_view path = "vmc.pairing";
  const bool is_chain = cluster.dimensions() == 1;
  if (!reader.has(path)) return is_chain ? Pairing::extended_s : Pairing::d;
  const std::string& word = reader.get<std::string>(path);
  if (word == "s") return Pairing::s;
  if (word == "extended-s") return Pairing::extended_s;
  if (is_chain)
    reader.refuse(path, "= \"d\" needs the square lattice; on a chain there are \"extended-s\" and \"s\"");
  return Pairing::d;
}

void read_bcs(const EntryReader& reader, const LatticeModel& model, TrialParameters& trial) {
  const auto number = [&](std::string_view path, double otherwise) {
    return reader.has(path) ? reader.get<double>(path) : otherwise;
  };
  const LatticeParameters& p = model.parameters;
  const double t = p.t != 0.0 ? p.t : 1.0;
  trial.pairing = read_pairing(reader, model.cluster);
  trial.delta = number("vmc.delta", 1.0);
  trial.mu = number("vmc.mu", 0.0);
  trial.t2 = number("vmc.t2", p.t2 / t);
  trial.t3 = number("vmc.t3", p.t3 / t);
  if (const auto* cutoff = std::get_if<double>(&reader.value("vmc.pair_cutoff"))) trial.pair_cutoff = *cutoff;
}

/// Numbers of a Jastrow factor by shells of pairs.
std::vector<double> read_jastrow(const EntryReader& reader, std::string_view path,
                                 const LatticeModel& model) {
  if (!reader.has(path)) return {};
  const auto* values = std::get_if<std::vector<double>>(&reader.value(path));
  if (values == nullptr || values->empty()) return {};
  const PairShells shells = pair_shells(model);
  const int most = most_jastrow_shells(shells);
  if (most == 0)
    reader.refuse(path,
                  model.is_t_j()
                      ? "has no effect here, where all sites are equally far from each other; take it out"
                      : "does here what vmc.gutzwiller does, as all sites are equally far from each other; "
                        "take it out");
  if (std::ssize(*values) > most) {
    std::vector<double> distances = shells.distances;
    constexpr std::size_t named = 8;
    distances.resize(std::min(distances.size(), named));
    reader.refuse(
        path,
        fmt::format(
            "has {} numbers, but {} can be given: there are {} shells of pairs of sites, at {:.3f}{}{}",
            values->size(), most, shells.count(), fmt::join(distances, ", "),
            distances.size() < shells.distances.size() ? ", .." : "",
            most < shells.count() ? ", and one is superfluous as the number of electrons does not change"
                                  : ""));
  }
  return *values;
}

/// A name in vmc.optimise, and what it stands for.
struct OptimisedName {
  std::string_view name;
  TrialParameter::Kind kind;
};

/// Refuses to optimise what the state or the model does not have.
void require_optimisable(const EntryReader& reader, const VmcConfig& config, const OptimisedName& one) {
  constexpr std::string_view path = "vmc.optimise";
  const TrialParameter parameter = one.kind;
  if (one.kind == TrialParameter::log_gutzwiller && config.lattice.model.is_t_j())
    reader.refuse(path, "lists \"gutzwiller\", which belongs to the Hubbard model");
  if (parameter.is_of_pairs() && config.trial.wavefunction == Wavefunction::fermi_sea)
    reader.refuse(path,
                  fmt::format("lists {}, which a fermi-sea does not have", detail::in_quotes(one.name)));
  if (!parameter.is_of_jastrow()) return;
  const bool is_given =
      !(one.kind == TrialParameter::jastrow ? config.trial.jastrow : config.trial.spin_jastrow).empty();
  if (!is_given)
    reader.refuse(path,
                  fmt::format("lists {}, but vmc.{} gives no shells to begin with; add vmc.{} = [0.0], say",
                              detail::in_quotes(one.name), one.name, one.name));
}

}  // namespace

TrialParameters read_trial(const EntryReader& reader, const LatticeModel& model) {
  TrialParameters trial;
  const bool is_sea = reader.get<std::string>("vmc.wavefunction") == "fermi-sea";
  trial.wavefunction = is_sea ? Wavefunction::fermi_sea : Wavefunction::bcs;
  if (reader.has("vmc.gutzwiller")) {
    if (model.is_t_j())
      reader.refuse("vmc.gutzwiller", "belongs to the Hubbard model; t-J leaves no site doubly occupied");
    trial.gutzwiller = reader.get<double>("vmc.gutzwiller");
  }
  trial.jastrow = read_jastrow(reader, "vmc.jastrow", model);
  trial.spin_jastrow = read_jastrow(reader, "vmc.spin_jastrow", model);
  if (!is_sea) {
    read_bcs(reader, model, trial);
    return trial;
  }
  for (const std::string_view path : {"vmc.pairing", "vmc.delta", "vmc.mu", "vmc.t2", "vmc.t3"}) {
    if (reader.has(path))
      reader.refuse(path, "belongs to vmc.wavefunction = \"bcs\"; a fermi-sea has no pairs");
  }
  if (reader.is_given("vmc.pair_cutoff"))
    reader.refuse("vmc.pair_cutoff", "belongs to vmc.wavefunction = \"bcs\"; a fermi-sea has no pairs");
  return trial;
}

std::vector<TrialParameter> read_optimise(const EntryReader& reader, const VmcConfig& config) {
  constexpr std::string_view path = "vmc.optimise";
  constexpr std::array<OptimisedName, 7> known = {{{"delta", TrialParameter::delta},
                                                   {"mu", TrialParameter::mu},
                                                   {"t2", TrialParameter::t2},
                                                   {"t3", TrialParameter::t3},
                                                   {"gutzwiller", TrialParameter::log_gutzwiller},
                                                   {"jastrow", TrialParameter::jastrow},
                                                   {"spin_jastrow", TrialParameter::spin_jastrow}}};
  std::vector<TrialParameter> chosen;
  const auto* names = std::get_if<std::vector<std::string>>(&reader.value(path));
  if (names == nullptr) return chosen;  // an empty list
  for (const std::string& name : *names) {
    const std::string lower = lower_case(name);
    const auto found = std::ranges::find(known, std::string_view(lower), &OptimisedName::name);
    if (found == known.end()) {
      std::vector<std::string_view> words;
      for (const OptimisedName& one : known) words.push_back(one.name);
      reader.refuse(path, fmt::format("lists {}; there are {}", detail::in_quotes(name),
                                      detail::quoted_choices(words)));
    }
    if (std::ranges::find(chosen, found->kind, &TrialParameter::kind) != chosen.end())
      reader.refuse(path, fmt::format("lists {} twice", detail::in_quotes(name)));
    require_optimisable(reader, config, *found);
    const TrialParameter parameter = found->kind;
    if (!parameter.is_of_jastrow()) {
      chosen.push_back(parameter);
      continue;
    }
    const auto& values =
        found->kind == TrialParameter::jastrow ? config.trial.jastrow : config.trial.spin_jastrow;
    for (int shell = 1; shell <= std::ssize(values); ++shell) chosen.emplace_back(found->kind, shell);
  }
  return chosen;
}

}  // namespace cisolve
