// SPDX-License-Identifier: MIT
#include "tasks/lattice/graph_bonds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "core/text_file.hpp"
#include "tasks/input/shared_readers.hpp"
#include "tasks/input/table_reader.hpp"
#include "tasks/input/text.hpp"

namespace cisolve::detail {
namespace {

constexpr std::string_view bonds_path = "lattice.bonds";
constexpr std::string_view bonds_file_path = "lattice.bonds_file";

/// Takes bonds one by one.
class BondList {
public:
  explicit BondList(int sites) : sites_(sites) {}

  /// @param where  begins messages: "lattice.bonds[3]"
  void add(const LatticeBond& bond, const std::string& where) {
    const auto [i, j, phase] = bond.pair;
    for (const int site : {i, j}) {
      if (site >= 0 && site < sites_) continue;
      throw InputError(
          fmt::format("{} names site {}; there are sites 1 to {} (lattice.sites)", where, site + 1, sites_));
    }
    if (i == j) throw InputError(fmt::format("{} joins site {} with itself", where, i + 1));
    const auto [at, is_new] = first_.try_emplace(std::minmax(i, j), where);
    if (!is_new) {
      throw InputError(fmt::format("{} joins sites {} and {}, which {} joins already; give their bond once",
                                   where, i + 1, j + 1, at->second));
    }
    bonds_.push_back(bond);
  }

  std::vector<LatticeBond> take() { return std::move(bonds_); }

private:
  int sites_;
  std::map<std::pair<int, int>, std::string> first_;
  std::vector<LatticeBond> bonds_;
};

LatticeBond bond_of(const TableReader& table, const BondDefaults& defaults) {
  const auto& sites = table.get<std::vector<std::int64_t>>("sites");
  if (sites.size() != 2) {
    table.refuse("sites", fmt::format("has {} number{}; a bond joins two sites, as in [1, 2]", sites.size(),
                                      sites.size() == 1 ? "" : "s"));
  }
  const auto number = [&](std::string_view field, double otherwise) {
    return table.has(field) ? table.get<double>(field) : otherwise;
  };
  if (table.has("J") && !defaults.is_t_j)
    table.refuse("J", "is an exchange, which the t-J model has; of Hubbard's there are t and V");
  return {{static_cast<int>(sites[0]) - 1, static_cast<int>(sites[1]) - 1},
          number("t", defaults.t),
          number("J", defaults.j),
          number("V", defaults.v)};
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  constexpr std::string_view blanks = " \t\r";
  line = line.substr(0, line.find('#'));
  while (true) {
    line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
    if (line.empty()) return words;
    words.push_back(line.substr(0, line.find_first_of(blanks)));
    line.remove_prefix(words.back().size());
  }
}

template <class Number>
bool read_number(std::string_view word, Number& number) {
  if (!word.empty() && word.front() == '+') word.remove_prefix(1);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && end == word.data() + word.size() &&
         std::isfinite(static_cast<double>(number));
}

LatticeBond bond_of(std::span<const std::string_view> words, const BondDefaults& defaults,
                    const std::string& where) {
  const std::size_t most = 5;
  const auto refuse = [&](std::string_view found) {
    throw InputError(fmt::format("{}: a bond is i j [t [J [V]]], two sites and up to three numbers; found {}",
                                 where, found));
  };
  if (words.size() < 2 || words.size() > most) refuse(fmt::format("{} words", words.size()));
  LatticeBond bond{{}, defaults.t, defaults.j, defaults.v};
  for (std::size_t k = 0; k < words.size(); ++k) {
    int site = 0;
    double number = 0.0;
    const bool is_good = k < 2 ? read_number(words[k], site) : read_number(words[k], number);
    if (!is_good) refuse(in_quotes(words[k]));
    if (k == 0) bond.pair.i = site - 1;
    if (k == 1) bond.pair.j = site - 1;
    if (k == 2) bond.t = number;
    if (k == 3) bond.j = number;
    if (k == 4) bond.v = number;
  }
  if (words.size() > 3 && !defaults.is_t_j && bond.j != 0.0)
    throw InputError(
        fmt::format("{}: J = {} is an exchange, which the t-J model has; give 0", where, bond.j));
  return bond;
}

std::vector<LatticeBond> read_file(const std::filesystem::path& file, int sites,
                                   const BondDefaults& defaults) {
  constexpr std::size_t most_bytes = std::size_t{64} << 20;
  const std::string text = read_text_file(file, "a list of bonds", most_bytes);
  BondList bonds(sites);
  std::string_view rest = text;
  for (int number = 1; !rest.empty(); ++number) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const std::vector<std::string_view> words = words_of(line);
    if (words.empty()) continue;
    const std::string where = fmt::format("{}:{}", file.string(), number);
    bonds.add(bond_of(words, defaults, where), where);
  }
  return bonds.take();
}

}  // namespace

std::vector<LatticeBond> read_graph_bonds(const EntryReader& reader, int sites,
                                          const BondDefaults& defaults) {
  const bool has_list = reader.has(bonds_path), has_file = reader.has(bonds_file_path);
  if (has_list == has_file) {
    throw InputError(fmt::format("{}: lattice.kind = \"bonds\" needs lattice.bonds or lattice.bonds_file{}",
                                 reader.where("lattice.kind"), has_list ? ", not both" : ""));
  }
  if (has_file) {
    const std::filesystem::path file = needed_text(reader, bonds_file_path);
    check_readable(reader, bonds_file_path, file, "a list of bonds");
    std::vector<LatticeBond> found =
        reader.locating(bonds_file_path, [&] { return read_file(file, sites, defaults); });
    if (found.empty()) reader.refuse(bonds_file_path, fmt::format("has no bond: {}", file.string()));
    return found;
  }
  BondList bonds(sites);
  for (const TableReader& table : tables_of(reader, bonds_path)) {
    const std::string path = table.path("sites");
    bonds.add(bond_of(table, defaults), fmt::format("{}: {}", reader.where(path), path));
  }
  return bonds.take();
}

}  // namespace cisolve::detail
