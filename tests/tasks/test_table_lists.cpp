// SPDX-License-Identifier: MIT
// Lists of tables as values of keys.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cisolve/core/error.hpp"
#include "cisolve/tasks/input/input.hpp"
#include "cisolve/tasks/input/keys.hpp"
#include "tasks/input/entries.hpp"
#include "tasks/input/list_path.hpp"
#include "tasks/input/toml_guard.hpp"

namespace cisolve {
namespace test_table_lists {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

const std::string head =
    "[flapw]\n[crystal]\nlattice = [[6, 0, 0], [0, 6, 0], [0, 0, 6]]\nk_max = 3\n";  // 4 lines
const std::string types = "types = [\n  { name = \"X\", radius = 1 },\n  { radius = 1.5, name = \"Y\" } ]\n";
const std::string atoms = "atoms = [{ type = \"X\", position = [0, 0.5, 0] }]\n";

Input read(const std::string& text, const std::vector<std::string>& assignments = {}) {
  std::vector<InputOverride> overrides;
  for (const std::string& assignment : assignments) overrides.push_back(parse_override(assignment));
  return parse_input(text, "a.inp", overrides);
}

std::string refusal(const std::string& text, const std::vector<std::string>& assignments = {}) {
  try {
    read(text, assignments);
  } catch (const InputError& error) {
    return error.what();
  }
  return "not refused";
}

template <class T>
T value_of(const Input& input, const std::string& path) {
  return std::get<T>(input.entries.at(path).value);
}

std::size_t size_of(const Input& input, const std::string& path) {
  return value_of<InputTable>(input, path).size;
}

TEST(TableLists, HaveAKeyForEachFieldOfEachTable) {
  const Input input = read(head + types + atoms);
  EXPECT_EQ(size_of(input, "crystal.types"), 2U);
  EXPECT_EQ(value_of<double>(input, "crystal.types[1].radius"), 1.0);  // an integer where a number is taken
  EXPECT_EQ(value_of<double>(input, "crystal.types[2].radius"), 1.5);
  EXPECT_EQ(value_of<std::string>(input, "crystal.types[2].name"), "Y");
  EXPECT_EQ(input.entries.at("crystal.types").where, "a.inp:5");
  EXPECT_EQ(input.entries.at("crystal.types[2].name").where, "a.inp:7");
  EXPECT_FALSE(input.entries.contains("crystal.types[1].lmax"));
  EXPECT_FALSE(input.entries.contains("crystal.types[3].radius"));
}

TEST(TableLists, MayBeWrittenAsSections) {
  const Input input = read(head + atoms +
                           "[[crystal.types]]\nname = \"X\"\nradius = 1\n\n[[crystal.types]]\nname = \"Y\"\n"
                           "radius = 2\nenergy = [0.1, 0.2]\n");
  EXPECT_EQ(size_of(input, "crystal.types"), 2U);
  EXPECT_EQ(value_of<std::string>(input, "crystal.types[2].name"), "Y");
  EXPECT_EQ(value_of<std::vector<double>>(input, "crystal.types[2].energy"), (std::vector{0.1, 0.2}));
  EXPECT_EQ(input.entries.at("crystal.types[2].energy").where, "a.inp:13");
}

TEST(TableLists, FieldsOfAllTablesAreOneKey) {
  const InputKey* key = find_input_key("crystal.types[].radius");
  ASSERT_NE(key, nullptr);
  EXPECT_EQ(find_input_key("crystal.types[1].radius"), key);
  EXPECT_EQ(find_input_key("crystal.types[123].radius"), key);
  for (const char* other : {"crystal.types[0].radius", "crystal.types[01].radius", "crystal.types[-1].radius",
                            "crystal.types[1]", "crystal.types[1]radius", "crystal.types[x].radius",
                            "crystal.types.radius", "crystal.types[99999999999999999999].radius"})
    EXPECT_EQ(find_input_key(other), nullptr) << other;
  const auto path = detail::as_list_path("crystal.types[12].radius");
  ASSERT_TRUE(path);
  EXPECT_EQ(path->list, "crystal.types");
  EXPECT_EQ(path->number, 12U);
  EXPECT_EQ(path->field, "radius");
  EXPECT_EQ(detail::list_path(path->list, path->number, path->field), "crystal.types[12].radius");
}

TEST(TableLists, UnknownFieldsAreRefusedWithTheNearest) {
  EXPECT_THAT(
      refusal(head + atoms + "types = [\n{ name = \"X\", radius = 1 },\n{ name = \"Y\", raduis = 1 }]\n"),
      AllOf(StartsWith("a.inp:8: unknown key \"crystal.types[2].raduis\"; did you mean \"radius\"?"),
            HasSubstr("(fields of crystal.types: name, radius, lmax, lmax_nonspherical, energy)")));
  EXPECT_THAT(refusal(head + atoms + "types = [{ colour = 1 }]\n"), testing::Not(HasSubstr("did you mean")));
  EXPECT_THAT(refusal(head + types + "atoms = [{ type = { x = 1 }, position = [0, 0, 0] }]\n"),
              HasSubstr("crystal.atoms[1].type must be a string; found a table"));
}

TEST(TableLists, WrongValuesNameTheTable) {
  EXPECT_THAT(
      refusal(head + atoms + "types = [{ name = \"X\", radius = 1 }, { name = \"Y\", radius = -1 }]\n"),
      StartsWith("a.inp:6: crystal.types[2].radius must be a number > 0; found -1"));
  EXPECT_THAT(
      refusal(head + types + "atoms = [{ type = \"X\", position = [0, \"a\"] }]\n"),
      HasSubstr("crystal.atoms[1].position must be three numbers; found a list of integers and strings"));
}

TEST(TableLists, OtherValuesAreNoLists) {
  const auto refused = [](const std::string& value) {
    return refusal(head + atoms + "types = " + value + "\n");
  };
  const std::string expected = "crystal.types must be a list of tables";
  EXPECT_THAT(refused("[{ name = \"X\", radius = 1 }, 2]"),
              AllOf(HasSubstr(expected), HasSubstr("found a list of tables and other things")));
  EXPECT_THAT(refused("{ name = \"X\", radius = 1 }"),
              AllOf(HasSubstr(expected), HasSubstr("found a table")));
  EXPECT_THAT(refused("[1, 2]"), AllOf(HasSubstr(expected), HasSubstr("found a list of integers")));
  EXPECT_EQ(size_of(read(head + atoms + "types = []\n"), "crystal.types"), 0U);
}

TEST(TableLists, KeysThatTakeNoneRefuseThem) {
  EXPECT_THAT(refusal(head + types + atoms + "unit = [{ a = 1 }]\n"),
              HasSubstr("crystal.unit must be \"bohr\" or \"angstrom\"; found a list of tables"));
  EXPECT_THAT(refusal("[integrals]\nfile = \"a\"\n[space]\nfrozen_core = [{ a = 1 }]\n"),
              AllOf(StartsWith("a.inp:4: space.frozen_core must be"), HasSubstr("found a list of tables")));
  EXPECT_THAT(refusal(head + types + atoms + "[[flapw.x]]\na = 1\n"), HasSubstr("unknown key \"flapw.x\""));
  EXPECT_THAT(refusal("[[flapw]]\nroots = 1\n"), HasSubstr("must be a section [flapw]"));
}

TEST(TableLists, NamesInQuotesAreNoTables) {
  EXPECT_THAT(refusal(head + types + atoms + "\"types[1]\" = { lmax = 3 }\n"), HasSubstr("unknown key"));
  EXPECT_THAT(refusal(head + types + atoms + "\"types[1].lmax\" = 3\n"), HasSubstr("unknown key"));
}

TEST(TableLists, OverridesSetAFieldOrAll) {
  const Input input =
      read(head + types + atoms, {"crystal.types[2].radius=1.25", "crystal.types[1].lmax = 4"});
  EXPECT_EQ(value_of<double>(input, "crystal.types[2].radius"), 1.25);
  EXPECT_EQ(value_of<double>(input, "crystal.types[1].radius"), 1.0);
  EXPECT_EQ(value_of<std::int64_t>(input, "crystal.types[1].lmax"), 4);
  EXPECT_EQ(input.entries.at("crystal.types[2].radius").where, "--set crystal.types[2].radius=1.25");
  const Input all = read(head + types + atoms, {"crystal.types=[{ name = \"Z\", radius = 2 }]"});
  EXPECT_EQ(size_of(all, "crystal.types"), 1U);
  EXPECT_EQ(value_of<std::string>(all, "crystal.types[1].name"), "Z");
  EXPECT_FALSE(all.entries.contains("crystal.types[2].name"));
}

TEST(TableLists, OverridesNeedTheTable) {
  const auto refused = [](const std::string& assignment) {
    return refusal(head + types + atoms, {assignment});
  };
  EXPECT_THAT(refused("crystal.types[3].radius=1"), AllOf(StartsWith("--set crystal.types[3].radius=1: "),
                                                          HasSubstr("crystal.types has tables 1 to 2")));
  EXPECT_THAT(refused("crystal.types[].radius=1"), HasSubstr("crystal.types has tables 1 to 2"));
  EXPECT_THAT(refused("potential.fourier[1].v=1"), HasSubstr("potential.fourier has no tables"));
  EXPECT_THAT(refused("crystal.types[2].radus=1"), HasSubstr("did you mean \"radius\"?"));
  EXPECT_THAT(refused("crystal.types[2]={ lmax = 1 }"), HasSubstr("unknown key \"crystal.types[2]\""));
}

TEST(TableLists, MessagesAboutFieldsSayWhereTheyWereGiven) {
  const Input input = read(head + types + atoms);
  EXPECT_EQ(with_place("crystal.types[2].radius: why", input), "a.inp:7: crystal.types[2].radius: why");
  EXPECT_EQ(with_place("crystal.types: why", input), "a.inp:5: crystal.types: why");
  EXPECT_EQ(with_place("crystal.types[2].lmax: why", input), "a.inp: crystal.types[2].lmax: why");
  EXPECT_EQ(with_place("[crystal] is odd", input), "[crystal] is odd");
}

std::string resolved(const Input& input) {
  return detail::resolved_toml(detail::with_defaults(input), task_of(input));
}

TEST(TableLists, ComeBackFromAResolvedInput) {
  std::string many = "types = [";
  for (int k = 0; k < 12; ++k) many += fmt::format("{{ name = \"T{}\", radius = {} }}, ", k, k + 0.5);
  const Input input = read(head + atoms + many + "]\n");
  const std::string text = resolved(input);
  EXPECT_THAT(
      text, HasSubstr("types = [\n  { name = \"T0\", radius = 0.5 },\n  { name = \"T1\", radius = 1.5 },\n"));
  EXPECT_THAT(text, HasSubstr("  { name = \"T11\", radius = 11.5 },\n]\n"));
  EXPECT_THAT(text, HasSubstr("atoms = [\n  { type = \"X\", position = [0.0, 0.5, 0.0] },\n]\n"));
  EXPECT_THAT(text, testing::Not(HasSubstr("[]")));  // fields have no defaults there
  EXPECT_EQ(resolved(read(text)), text);
}

TEST(TableLists, AreExplained) {
  EXPECT_THAT(explain_input("crystal"), HasSubstr("crystal.types[].radius "));
  EXPECT_THAT(explain_input("crystal.types[2].radius"), StartsWith("crystal.types[].radius\n"));
  EXPECT_THAT(explain_input("potential.fourier"), HasSubstr("  type     list of tables\n"));
  EXPECT_THAT(input_keys_markdown(), HasSubstr("| `types[].radius` | required |"));
  EXPECT_THAT(input_template(), HasSubstr("#     lmax: an integer from 0 to 24; default: 8. "));
}

TEST(TableLists, MayBeLongButNotEndless) {
  const auto list = [](int count) {
    std::string text = "x = [";
    for (int k = 0; k < count; ++k) text += "{a=1,b=2},\n";
    return text + "]\n";
  };
  EXPECT_EQ(detail::guarded_toml(list(50000)), list(50000));
  EXPECT_THROW(detail::guarded_toml(list(50001)), detail::TomlFault);
  std::string dotted = "x = [{";
  for (int k = 0; k < 1000; ++k) dotted += fmt::format("a{}.b = 1,", k);
  EXPECT_THROW(detail::guarded_toml(dotted + "c = 1}]\n" + "d = 1\n"), detail::TomlFault);
}

}  // namespace test_table_lists
}  // namespace cisolve
