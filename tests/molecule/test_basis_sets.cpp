// SPDX-License-Identifier: MIT
#include "cisolve/molecule/basis_set.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "cisolve/core/error.hpp"
#include "io/temporary_folder.hpp"
#include "molecule/molecules.hpp"

namespace cisolve {
namespace test_basis_sets {

using testing::AllOf;
using testing::HasSubstr;

template <class Work>
std::string refusal(Work&& work) {
  try {
    work();
  } catch (const InputError& error) {
    return error.what();
  }
  return "not refused";
}

/// A row of the table in docs/basis_sets.md.
struct Row {
  std::string name, family, functions, elements, refused;
};

std::vector<Row> documented_sets() {
  std::ifstream file(CISOLVE_BASIS_SETS "/../../docs/basis_sets.md");
  std::vector<Row> rows;
  bool is_inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("<!--")) is_inside = line == "<!-- sets -->";
    if (!is_inside || !line.starts_with("| ") || line.starts_with("| name")) continue;
    std::vector<std::string> cells;
    std::istringstream text(line.substr(2));
    for (std::string cell; std::getline(text, cell, '|');) {
      const auto first = cell.find_first_not_of(' '), last = cell.find_last_not_of(' ');
      cells.push_back(first == std::string::npos ? "" : cell.substr(first, last - first + 1));
    }
    if (cells.size() == 5) rows.push_back({cells[0], cells[1], cells[2], cells[3], cells[4]});
  }
  return rows;
}

/// Nuclear charges in "H-Ar, Kr".
std::set<int> charges_in(const std::string& text) {
  std::set<int> charges;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const std::string plain = part.substr(part.find_first_not_of(' '));
    const auto dash = plain.find('-');
    const int first = element_charge(plain.substr(0, dash));
    const int last = dash == std::string::npos ? first : element_charge(plain.substr(dash + 1));
    for (int charge = first; charge <= last; ++charge) charges.insert(charge);
  }
  return charges;
}

/// Each set that comes with the program stands in the table, and each element there can be used.
TEST(BasisSets, AreThoseOfTheTable) {
  const std::vector<Row> rows = documented_sets();
  EXPECT_EQ(rows.size(), 50U);
  std::vector<std::string> documented;
  for (const Row& row : rows) {
    documented.push_back(row.name);
    const BasisSet set = read_basis_set(row.name, CISOLVE_BASIS_SETS);
    EXPECT_EQ(set.name, row.name);
    ASSERT_TRUE(set.functions.has_value()) << row.name;
    EXPECT_EQ(function_type_name(*set.functions), row.functions) << row.name;
    const std::set<int> usable = charges_in(row.elements);
    for (const auto& [charge, shells] : set.elements) {
      const Geometry atom{{Atom{charge, "X", {}}}};
      const std::string answer = refusal([&] { make_basis(atom, set, *set.functions, "basis"); });
      EXPECT_EQ(answer == "not refused", usable.contains(charge)) << row.name << ": " << answer;
    }
    for (const int charge : usable) EXPECT_TRUE(set.elements.contains(charge)) << row.name << ' ' << charge;
  }
  std::ranges::sort(documented);
  EXPECT_EQ(documented, basis_set_names(CISOLVE_BASIS_SETS));
}

/// As people type them: stars, hyphens, capitals.
TEST(BasisSets, AreFoundByOtherSpellings) {
  for (const auto& [spelling, name] : {std::pair{"6-31g*", "6-31G(d)"},
                                       {"6-31G**", "6-31G(d,p)"},
                                       {"6-31++g**", "6-31++G(d,p)"},
                                       {"ccpvdz", "cc-pVDZ"},
                                       {"augccpvtz", "aug-cc-pVTZ"},
                                       {"def2svp", "def2-SVP"},
                                       {"DEF2-SV(P)", "def2-SV(P)"},
                                       {"sto3g", "STO-3G"},
                                       {"ano-rcc-vdzp", "ANO-RCC-VDZP"},
                                       {"PC1", "pc-1"},
                                       {"pcseg1", "pcseg-1"}})
    EXPECT_EQ(read_basis_set(spelling, CISOLVE_BASIS_SETS).name, name);
}

/// To find a set, no more than the comments of the others are read: what follows them may be anything.
TEST(BasisSets, OthersAreReadUpToTheirHeads) {
  const auto folder = test::process_folder() / "basis_heads";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "a.gbs") << "! name: first\nno basis set\n! name: wanted\n";
  std::ofstream(folder / "b.gbs") << "! name: wanted\n! functions: spherical\nH 0\nS 1 1.00\n0.5 1.0\n****\n";
  EXPECT_EQ(read_basis_set("Wanted", folder).elements.size(), 1U);
}

/// Contracted functions of oxygen, from the publications of the sets.
TEST(BasisSets, HaveTheFunctionsOfTheirPublications) {
  const Geometry oxygen = parse_geometry("O 0 0 0", LengthUnit::bohr, "a");
  const auto functions = [&](const char* name) {
    const BasisSet set = read_basis_set(name, CISOLVE_BASIS_SETS);
    return make_basis(oxygen, set, set.functions.value(), "a").num_functions;
  };
  EXPECT_EQ(functions("sto-3g"), 5);
  EXPECT_EQ(functions("3-21g"), 9);
  EXPECT_EQ(functions("6-31G*"), 15);
  EXPECT_EQ(functions("6-31+g(d)"), 19);
  EXPECT_EQ(functions("6-311G**"), 18);
  EXPECT_EQ(functions("def2-svp"), 14);
  EXPECT_EQ(functions("def2-tzvp"), 31);
  EXPECT_EQ(functions("cc-pvdz"), 14);
  EXPECT_EQ(functions("CC-PVTZ"), 30);
  EXPECT_EQ(functions("aug-cc-pvdz"), 23);
  EXPECT_EQ(functions("cc-pv5z"), 91);
  EXPECT_EQ(functions("aug-cc-pvqz"), 80);
  EXPECT_EQ(functions("cc-pcvtz"), 43);
  EXPECT_EQ(functions("pcseg-2"), 30);
}

/// Gaussian's 6D 7F: Cartesian d, spherical f functions.
TEST(BasisSets, TransitionMetalsIn631GHaveCartesianDAndSphericalF) {
  const BasisSet set = read_basis_set("6-31G(d)", CISOLVE_BASIS_SETS);
  const GaussianBasis basis =
      make_basis(parse_geometry("Ti 0 0 0", LengthUnit::bohr, "a"), set, set.functions.value(), "a");
  std::map<int, std::set<int>> functions;  // of the shells by angular momentum
  for (const GaussianShell& shell : basis.shells)
    functions[shell.angular_momentum].insert(shell.num_functions());
  EXPECT_EQ(functions, (std::map<int, std::set<int>>{{0, {1}}, {1, {3}}, {2, {6}}, {3, {7}}}));
  EXPECT_EQ(basis.num_functions, 5 + 4 * 3 + 2 * 6 + 7) << "5s 4p 2d 1f";
}

TEST(BasisSets, CoresMustNotBeLeftOut) {
  const std::filesystem::path file = test::process_folder() / "with_potential.gbs";
  std::ofstream(file) << R"(H     0
S   1   1.00
      0.8       1.0
****
Rb     0
S   1   1.00
      0.5       1.0
****

RB     0
RB-ECP     1     28
p potential
  1
2      3.8431140              0.0000000
s-p potential
  2
2      5.0365510             89.5001980
2      1.9708490              0.4937610
)";
  const BasisSet set = read_basis_set(file.string(), CISOLVE_BASIS_SETS);
  EXPECT_EQ(set.elements.size(), 2U);
  const auto made = [&](const char* atom) {
    return refusal(
        [&] { make_basis(parse_geometry(atom, LengthUnit::bohr, "a"), set, {}, "molecule.basis"); });
  };
  EXPECT_EQ(made("H 0 0 0"), "not refused");
  EXPECT_THAT(made("Rb 0 0 0"),
              AllOf(HasSubstr("molecule.basis: the basis with_potential leaves the core of Rb to"),
                    HasSubstr("FCIDUMP")));
}

TEST(BasisSets, ElementsThatASetHasAreNamed) {
  const BasisSet set = read_basis_set("cc-pVDZ", CISOLVE_BASIS_SETS);
  EXPECT_EQ(refusal([&] { make_basis(parse_geometry("U 0 0 0", LengthUnit::bohr, "a"), set, {}, "basis"); }),
            "basis: the basis cc-pVDZ has no U; it has H-Ar, Ca-Kr");
}

TEST(BasisSets, NearestNameIsNamed) {
  EXPECT_THAT(refusal([] { read_basis_set("6-31g(p)", CISOLVE_BASIS_SETS); }),
              HasSubstr("the nearest is 6-31G(d)"));
  EXPECT_THAT(refusal([] { read_basis_set("absent.gbs", CISOLVE_BASIS_SETS); }), HasSubstr("no such file"));
}

}  // namespace test_basis_sets
}  // namespace cisolve
