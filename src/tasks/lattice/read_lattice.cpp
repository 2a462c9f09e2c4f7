// SPDX-License-Identifier: MIT
#include "tasks/lattice/read_lattice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "tasks/input/text.hpp"
#include "tasks/lattice/graph_bonds.hpp"

namespace cisolve::detail {
namespace {

constexpr int most_exact_sites = 64;  // of one word
constexpr int most_sites = 4096;      // of sampling: tables grow with the square

class LatticeReader {
public:
  LatticeReader(const EntryMap& entries, const std::string& source_name, bool exact)
      : reader_(entries), source_name_(source_name), exact_(exact) {}

  LatticeConfig operator()() {
    config_.kind = reader_.get<std::string>("lattice.kind");
    const bool is_t_j = reader_.get<std::string>("lattice.model") == "t-J";
    config_.model.hamiltonian = is_t_j ? LatticeHamiltonian::t_j : LatticeHamiltonian::hubbard;
    read_parameters();
    refuse_of_other_kinds();
    if (config_.kind == "bonds") {
      read_graph();
    } else {
      read_cluster();
    }
    check_sites();
    read_electrons();
    if (exact_) {
      read_orbitals();
      config_.correlations = reader_.get<bool>("lattice.correlations");
    }
    warn();
    return std::move(config_);
  }

private:
  bool is_t_j() const { return config_.model.is_t_j(); }
  int sites() const { return config_.model.sites(); }

  [[noreturn]] void refuse_missing(std::string_view key, std::string_view what) const {
    throw InputError(fmt::format("{}: [lattice] has no {}; {}", source_name_, key, what));
  }

  void read_parameters() {
    LatticeParameters& p = config_.model.parameters;
    p.t = reader_.get<double>("lattice.t");
    p.t2 = reader_.get<double>("lattice.t2");
    p.t3 = reader_.get<double>("lattice.t3");
    p.v = reader_.get<double>("lattice.V");
    if (is_t_j() && reader_.has("lattice.U"))
      reader_.refuse("lattice.U", "belongs to the Hubbard model; t-J leaves no site doubly occupied");
    if (!is_t_j() && reader_.has("lattice.J"))
      reader_.refuse("lattice.J", "belongs to the t-J model; of Hubbard's there are t, U and V");
    if (is_t_j() && !reader_.has("lattice.J") && config_.kind != "bonds")
      refuse_missing("J", "the t-J model needs its exchange, J = 0.3, say");
    if (reader_.has("lattice.U")) p.u = reader_.get<double>("lattice.U");
    if (reader_.has("lattice.J")) p.j = reader_.get<double>("lattice.J");
  }

  /// Keys that say where other kinds of clusters have their sites.
  void refuse_of_other_kinds() const {
    const std::string& kind = config_.kind;
    const auto belongs = [&](std::string_view key) {
      if (key == "lattice.size") return kind == "chain" || kind == "square" || kind == "tilted";
      if (key == "lattice.vectors") return kind == "vectors";
      return kind == "bonds";
    };
    for (const std::string_view key :
         {"lattice.size", "lattice.vectors", "lattice.sites", "lattice.bonds", "lattice.bonds_file"}) {
      if (reader_.has(key) && !belongs(key))
        reader_.refuse(key, fmt::format("does not go with lattice.kind = \"{}\"; take it out", kind));
      const bool is_needed = belongs(key) && kind != "bonds";
      if (is_needed && !reader_.has(key))
        refuse_missing(key.substr(key.find('.') + 1), fmt::format("kind = \"{}\" needs it", kind));
    }
    if (kind != "bonds") return;
    if (!reader_.has("lattice.sites")) refuse_missing("sites", "kind = \"bonds\" needs their number");
    const auto refuse = [&](std::string_view key) {
      reader_.refuse(key, "does not go with lattice.kind = \"bonds\", whose bonds are all listed");
    };
    if (config_.model.parameters.t2 != 0.0) refuse("lattice.t2");
    if (config_.model.parameters.t3 != 0.0) refuse("lattice.t3");
    const auto* boundary = std::get_if<std::string>(&reader_.value("lattice.boundary"));
    if (boundary == nullptr || lower_case(*boundary) != "periodic") refuse("lattice.boundary");
  }

  void read_graph() {
    const int sites = reader_.integer("lattice.sites");
    const LatticeParameters& p = config_.model.parameters;
    config_.model.cluster = Cluster::graph(sites);
    config_.model.bonds = read_graph_bonds(reader_, sites, {p.t, p.j, p.v, is_t_j()});
  }

  static std::optional<Boundary> as_boundary(const std::string& text) {
    const std::string word = lower_case(text);
    if (word == "periodic") return Boundary{};
    if (word == "antiperiodic") return Boundary{.open = false, .angle = 1.0};
    if (word == "open") return Boundary{.open = true, .angle = 0.0};
    return std::nullopt;
  }

  std::array<Boundary, 2> read_boundary() const {
    constexpr std::string_view path = "lattice.boundary";
    const InputValue& value = reader_.value(path);
    std::vector<Boundary> found;
    const auto add = [&](const std::string& text) {
      const auto boundary = as_boundary(text);
      if (!boundary) {
        reader_.refuse(path,
                       fmt::format("has {}; there are \"periodic\", \"antiperiodic\", \"open\" and angles in "
                                   "units of pi",
                                   in_quotes(text)));
      }
      found.push_back(*boundary);
    };
    if (const auto* text = std::get_if<std::string>(&value)) add(*text);
    if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) std::ranges::for_each(*texts, add);
    if (const auto* angle = std::get_if<double>(&value)) found.push_back({.open = false, .angle = *angle});
    if (const auto* angles = std::get_if<std::vector<double>>(&value)) {
      for (const double angle : *angles) found.push_back({.open = false, .angle = angle});
    }
    const std::size_t directions = config_.kind == "chain" ? 1 : 2;
    const bool is_list =
        !std::holds_alternative<std::string>(value) && !std::holds_alternative<double>(value);
    if (is_list && found.size() != directions) {
      reader_.refuse(
          path, fmt::format("lists {} boundar{}; a {} has {}", found.size(), found.size() == 1 ? "y" : "ies",
                            directions == 1 ? "chain" : "cluster of the square lattice",
                            directions == 1 ? "one" : "two, one along each of its vectors"));
    }
    return {found.front(), found.back()};
  }

  void read_cluster() {
    const std::array<Boundary, 2> boundary = read_boundary();
    const std::string_view shape = config_.kind == "vectors" ? "lattice.vectors" : "lattice.size";
    config_.model.cluster =
        reader_.locating(boundary[0].open || boundary[1].open ? std::string_view("lattice.boundary") : shape,
                         [&] { return make_cluster(boundary); });
    check_sites();
    config_.model = make_model();
  }

  Cluster make_cluster(const std::array<Boundary, 2>& boundary) const {
    if (config_.kind == "vectors") {
      const auto& rows = reader_.get<std::vector<std::vector<double>>>("lattice.vectors");
      const auto is_integer = [](double x) { return x == std::nearbyint(x); };
      const bool is_good = rows.size() == 2 && std::ranges::all_of(rows, [&](const auto& row) {
                             return row.size() == 2 && std::ranges::all_of(row, is_integer);
                           });
      if (!is_good) throw InputError("must be two vectors of two integers each, as in [[2, 2], [-2, 2]]");
      const auto vector = [](const std::vector<double>& row) {
        return LatticeVector{static_cast<int>(row[0]), static_cast<int>(row[1])};
      };
      return Cluster::spanned(vector(rows[0]), vector(rows[1]), boundary);
    }
    constexpr std::string_view path = "lattice.size";
    const bool is_one = std::holds_alternative<std::int64_t>(reader_.value(path));
    if (config_.kind == "square") {
      if (is_one || reader_.integers(path).size() != 2)
        throw InputError("must be a list of two integers, as in [4, 4], where lattice.kind is \"square\"");
      const std::vector<int> size = reader_.integers(path);
      return Cluster::rectangle(size[0], size[1], boundary);
    }
    if (!is_one) {
      throw InputError(fmt::format("must be one integer where lattice.kind is \"{}\"{}", config_.kind,
                                   config_.kind == "chain" ? "" : ": L of L^2 + 1 sites"));
    }
    const int size = reader_.integer(path);
    return config_.kind == "chain" ? Cluster::chain(size, boundary[0]) : Cluster::tilted(size, boundary);
  }

  /// Names the key of a shell that joins a site with itself.
  LatticeModel make_model() const {
    const LatticeModel& given = config_.model;
    const std::array<std::pair<int, std::string_view>, 3> shells = {
        {{1, "lattice.t"}, {2, "lattice.t2"}, {3, "lattice.t3"}}};
    for (const auto& [shell, key] : shells) {
      LatticeParameters alone{.t = 0.0};
      if (shell == 1)
        alone.t = given.parameters.t, alone.j = given.parameters.j, alone.v = given.parameters.v;
      if (shell == 2) alone.t2 = given.parameters.t2;
      if (shell == 3) alone.t3 = given.parameters.t3;
      try {
        make_lattice_model(given.hamiltonian, given.cluster, alone);
      } catch (const InputError& error) {
        reader_.refuse(key, fmt::format("cannot be: {}; make it larger{}", error.what(),
                                        shell == 1 ? ", or open" : fmt::format(" or leave {} out", key)));
      }
    }
    return make_lattice_model(given.hamiltonian, given.cluster, given.parameters);
  }

  void check_sites() const {
    const std::string_view key = config_.kind == "bonds"     ? "lattice.sites"
                                 : config_.kind == "vectors" ? "lattice.vectors"
                                                             : "lattice.size";
    if (exact_ && sites() > most_exact_sites) {
      reader_.refuse(
          key,
          fmt::format(
              "makes {} sites; exact diagonalisation holds up to {}; add [vmc] for variational Monte Carlo",
              sites(), most_exact_sites));
    }
    if (sites() > most_sites)
      reader_.refuse(key, fmt::format("makes {} sites; at most {} are possible", sites(), most_sites));
  }

  void read_electrons() {
    const bool has_number = reader_.has("lattice.electrons"), has_doping = reader_.has("lattice.doping");
    if (!has_number && !has_doping) refuse_missing("electrons", "give their number, or doping = 0.1, say");
    if (has_number && has_doping)
      reader_.refuse("lattice.doping", "is given beside lattice.electrons; take one of them out");
    const int most = is_t_j() ? sites() : 2 * sites();
    if (has_doping) {
      const double x = reader_.get<double>("lattice.doping");
      config_.electrons = 2 * static_cast<int>(std::lround(sites() * (1.0 - x) / 2.0));
      if (config_.electrons == 0)
        reader_.refuse("lattice.doping", fmt::format("= {} leaves no electron on {} sites", x, sites()));
      config_.electrons = std::min(config_.electrons, most / 2 * 2);
      return;
    }
    config_.electrons = reader_.integer("lattice.electrons");
    if (config_.electrons > most) {
      reader_.refuse("lattice.electrons",
                     fmt::format("= {} is more than the {} that {} sites hold{}", config_.electrons, most,
                                 sites(), is_t_j() ? ", one each" : ""));
    }
  }

  void read_orbitals() {
    constexpr std::string_view path = "lattice.orbitals";
    const std::string& word = reader_.get<std::string>(path);
    const LatticeModel& model = config_.model;
    const bool are_possible = !is_t_j() && !model.is_complex();
    if (word == "band" && !are_possible) {
      reader_.refuse(path, is_t_j() ? "= \"band\" goes with Hubbard alone: the t-J model leaves out doubly "
                                      "occupied sites"
                                    : "= \"band\" needs a real Hamiltonian; take \"site\"");
    }
    const bool suits = are_possible && !model.cluster.is_graph() &&
                       std::abs(model.parameters.u) <= 8.0 * std::abs(model.parameters.t);
    if (word == "band" || (word == "auto" && suits)) config_.orbitals = LatticeOrbitalChoice::band;
  }

  void warn() {
    const LatticeModel& model = config_.model;
    const int several = model.cluster.is_graph() ? 0 : model.multiply_joined_pairs();
    if (several > 0) {
      config_.warnings.push_back(fmt::format(
          "{} pair{} of sites {} joined more than once: the cluster is so small that bonds of the "
          "infinite lattice coincide, and their parameters add up",
          several, several == 1 ? "" : "s", several == 1 ? "is" : "are"));
    }
    std::vector<SitePair> pairs;
    for (const LatticeBond& bond : model.bonds) pairs.push_back(bond.pair);
    const std::vector<int> parts = connected_parts(sites(), pairs);
    const int count = 1 + *std::ranges::max_element(parts);
    if (count > 1)
      config_.warnings.push_back(fmt::format("the sites are in {} parts that no bond connects", count));
  }

  EntryReader reader_;
  const std::string& source_name_;
  bool exact_;
  LatticeConfig config_;
};

}  // namespace

LatticeConfig read_lattice(const EntryMap& entries, const std::string& source_name, bool exact) {
  for (const std::string_view key : {"lattice.kind", "lattice.model"}) {
    if (!entries.contains(key)) {
      throw InputError(fmt::format("{}: [lattice] has no {}; it must be {}", source_name,
                                   key.substr(key.find('.') + 1), allowed_values(*find_input_key(key))));
    }
  }
  return LatticeReader(entries, source_name, exact)();
}

}  // namespace cisolve::detail
