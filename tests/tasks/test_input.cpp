// SPDX-License-Identifier: MIT
#include "cisolve/tasks/input/input.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cisolve/core/error.hpp"
#include "cisolve/molecule/gaussian_integrals.hpp"
#include "tasks/input/text.hpp"

namespace cisolve {
namespace test_input {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

/// The message of the InputError that `action` throws, or a sentence that it threw none.
template <class Action>
std::string refusal(Action action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "not refused";
}

const std::string integrals = "[integrals]\nfile = \"h2o.fcidump\"\n";  // two lines

std::string refused_text(const std::string& rest) {
  return refusal([&] { parse_input(integrals + rest, "h2o.inp"); });
}

std::string refused_set(const std::string& assignment) {
  return refusal([&] { parse_input(integrals, "h2o.inp", {parse_override(assignment)}); });
}

template <class T>
T value_of(const Input& input, const std::string& key) {
  return std::get<T>(input.entries.at(key).value);
}

TEST(InputParser, MessagesAboutKeysSayWhereTheyWereGiven) {
  const Input input = parse_input(integrals + "[space]\nreference = { electrons = 2, orbitals = 2 }\n",
                                  "h2o.inp", {parse_override("space.frozen_core=9")});
  EXPECT_EQ(with_place("space.reference: why", input), "h2o.inp:4: space.reference: why");
  EXPECT_EQ(with_place("space.frozen_core: why", input), "--set space.frozen_core=9: space.frozen_core: why");
  EXPECT_EQ(with_place("space.excitation_level: why", input),
            "h2o.inp: space.excitation_level: why");  // a default
  for (const char* other : {"", "h2o.inp:4: space.reference: why", "space.no_such: why", "the space: why"})
    EXPECT_EQ(with_place(other, input), other);
}

TEST(InputParser, HoldsWhatWasGiven) {
  const Input input = parse_input("title = \"water\"\n" + integrals +
                                      "[space]\nfrozen_core = [1, 2]\nreference = [\"22\", \"2ud\"]\n"
                                      "[solver]\ntolerance = 1\n[output]\nvectors = false\n",
                                  "dir/h2o.inp");
  EXPECT_EQ(input.source_name, "dir/h2o.inp");
  EXPECT_EQ(value_of<std::string>(input, "title"), "water");
  EXPECT_EQ(value_of<std::vector<std::int64_t>>(input, "space.frozen_core"),
            (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(value_of<std::vector<std::string>>(input, "space.reference"),
            (std::vector<std::string>{"22", "2ud"}));
  EXPECT_EQ(value_of<double>(input, "solver.tolerance"), 1.0);  // an integer where a number is taken
  EXPECT_FALSE(value_of<bool>(input, "output.vectors"));
  EXPECT_EQ(input.entries.at("output.vectors").where, "dir/h2o.inp:10");
  EXPECT_EQ(input.entries.size(), 6U);
}

TEST(InputParser, DottedKeysAndInlineTablesAreTheSame) {
  const std::string space = integrals + "[space]\n";
  const Input dotted = parse_input(space + "reference.electrons = 4\nreference.orbitals = 3\n", "a");
  const Input table = parse_input(space + "reference = { electrons = 4, orbitals = 3 }\n", "a");
  for (const Input& input : {dotted, table}) {
    EXPECT_EQ(value_of<std::int64_t>(input, "space.reference.electrons"), 4);
    EXPECT_EQ(value_of<std::int64_t>(input, "space.reference.orbitals"), 3);
    EXPECT_FALSE(input.entries.contains("space.reference"));
  }
}

TEST(InputParser, WordsTakeAnyCaseAndComeOutAsInTheTable) {
  const Input input = parse_input(integrals + "point_group = \"c2V\"\n[run]\ndevice = \"CUDA\"\n", "a");
  EXPECT_EQ(value_of<std::string>(input, "integrals.point_group"), "C2v");
  EXPECT_EQ(value_of<std::string>(input, "run.device"), "cuda");
}

TEST(InputParser, UnknownNamesAreRefusedWithTheNearest) {
  EXPECT_THAT(refused_text("[solver]\ntolerence = 1e-8\n"),
              AllOf(StartsWith("h2o.inp:4: "), HasSubstr("\"solver.tolerence\""),
                    HasSubstr("did you mean \"solver.tolerance\"?"), HasSubstr("max_iterations")));
  EXPECT_THAT(refused_text("[solver]\ncount = 3\n"), HasSubstr("did you mean \"states.count\"?"));
  EXPECT_THAT(refused_text("[sates]\ncount = 3\n"),
              AllOf(StartsWith("h2o.inp:3: "), HasSubstr("did you mean [states]?")));
  EXPECT_THAT(refused_text("[space.reference]\nelectron = 3\n"),
              HasSubstr("did you mean \"space.reference.electrons\"?"));
  EXPECT_THAT(refusal([] { parse_input("count = 2\n" + integrals, "h2o.inp"); }),
              AllOf(StartsWith("h2o.inp:1: "), HasSubstr("did you mean \"states.count\"?")));
  EXPECT_THAT(refused_text("[solver]\nqqqqqqqqqq = 3\n"), testing::Not(HasSubstr("did you mean")));
}

TEST(InputParser, FirstMistakeOfTheFileIsReported) {
  EXPECT_THAT(refused_text("[states]\ncount = 0\n[run]\nthreads = -1\n"), StartsWith("h2o.inp:4: "));
  EXPECT_THAT(refused_text("[run]\nthreads = -1\n[states]\ncount = 0\n"), StartsWith("h2o.inp:4: "));
}

struct BadValue {
  std::string section, assignment, expected;
};

const std::vector<BadValue> bad_values = {
    {"states", "count = 0", "an integer >= 1; found 0"},
    {"states", "count = 1.0", "an integer >= 1; found 1 with a decimal point"},
    {"states", "count = \"1\"", "found the string \"1\""},
    {"states", "count = 4294967297", "found 4294967297"},
    {"states", "ms2 = -9223372036854775808", "an integer"},
    {"states", "count = 1979-05-27", "found a date"},
    {"solver", "tolerance = 0", "a number > 0; found 0"},
    {"solver", "tolerance = -1e-6", "a number > 0"},
    {"solver", "tolerance = nan", "found nan"},
    {"solver", "tolerance = inf", "found inf"},
    {"solver", "tolerance = true", "found true"},
    {"hamiltonian", "threshold = -0.1", "a number >= 0"},
    {"hamiltonian", "storage = \"hybird\"", "did you mean \"hybrid\"?"},
    {"hamiltonian", "ell_width = 0", "\"auto\", \"reference\" or an integer >= 1; found 0"},
    {"space", "excitation_level = -1", "\"full\" or an integer >= 0"},
    {"space", "excitation_level = \"ful\"", "did you mean \"full\"?"},
    {"space", "frozen_core = [0]", "found 0 in the list"},
    {"space", "frozen_core = [2, 1, 2]", "found 2 twice"},
    {"space", "frozen_core = [1.5]", "found a list"},
    {"space", "frozen_core = [1, \"a\"]", "found a list"},
    {"space", "frozen_virtual = -1", "found -1"},
    {"space", "reference = 3", "\"aufbau\", \"lowest\""},
    {"space", "reference = \"afbau\"", "did you mean \"aufbau\"?"},
    {"space", "reference = { electrons = -2, orbitals = 2 }", "found -2"},
    {"states", "irrep = 9", "found 9"},
    {"states", "irrep = 0", "found 0"},
    {"output", "vectors = 1", "true or false; found 1"},
    {"output", "file = [\"a\"]", "found a list of strings"}};

TEST(InputParser, WrongValuesAreRefused) {
  for (const auto& [section, assignment, expected] : bad_values) {
    const std::string message = refused_text("[" + section + "]\n" + assignment + "\n");
    EXPECT_THAT(message, AllOf(StartsWith("h2o.inp:4: " + section + "."), HasSubstr(expected)));
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

TEST(InputParser, DefaultsMayBeWritten) {
  EXPECT_NO_THROW(parse_input(integrals + "[space]\nbasis = \"determinant\"\nspin_complete = false\n"
                                          "max_holes = {}\nmax_particles = {}\n",
                              "a"));
}

TEST(InputParser, ExactlyOneSourceOfIntegrals) {
  const auto refused = [](const std::string& text) { return refusal([&] { parse_input(text, "h2o.inp"); }); };
  EXPECT_THAT(refused("[molecule]\nbasis = \"6-31g\"\n" + integrals),
              AllOf(StartsWith("h2o.inp:1: "), HasSubstr("both [molecule] and [integrals]")));
  EXPECT_THAT(refused("title = \"\"\n[molecule]\n"),
              AllOf(StartsWith("h2o.inp:2: "),
                    HasSubstr(gaussian_integrals_available() ? "is empty" : "needs Libint2")));
  EXPECT_THAT(refused("[molecule]\ncharg = 1\n"), HasSubstr("did you mean \"molecule.charge\"?"));
  EXPECT_THAT(refused(""), AllOf(HasSubstr("neither [molecule]"), HasSubstr("nor [integrals]")));
  EXPECT_THAT(refused("integrals = 3"), HasSubstr("must be a section"));
  EXPECT_THAT(refused(integrals + "[[states]]\ncount = 1\n"), HasSubstr("must be a section"));
}

TEST(InputParser, SyntaxErrorsHaveALine) {
  EXPECT_THAT(refused_text("[states\n"), AllOf(StartsWith("h2o.inp:3: "), HasSubstr("not valid TOML")));
  EXPECT_THAT(refused_text("[states]\ncount = 1\ncount = 2\n"), StartsWith("h2o.inp:5: "));
  EXPECT_THAT(refused_text("[run]\n[run]\n"), StartsWith("h2o.inp:4: "));
  EXPECT_THAT(refused_text("[states]\ncount =\n"), StartsWith("h2o.inp:4: "));
}

TEST(InputParser, TextsWithoutQuotesGetASentence) {
  const auto refused = [](const char* line) { return refused_text(std::string("[states]\n") + line + "\n"); };
  EXPECT_THAT(refused("irrep = A1  # the lowest"),
              AllOf(StartsWith("h2o.inp:4: "), HasSubstr("texts stand in quotes: \"A1\" instead of A1")));
  EXPECT_THAT(refused("irrep = [\"A1\", B1]"), testing::Not(HasSubstr("\"A1\" instead")));
  EXPECT_THAT(refused("irrep = [A1, B1]"), HasSubstr("\"A1\" instead of A1"));
  EXPECT_THAT(refused("basis = 6-31G(d)"), HasSubstr("\"6-31G(d)\" instead of 6-31G(d)"));
  EXPECT_THAT(refused("count = 1 2"), HasSubstr("not valid TOML"));
}

TEST(InputParser, MisnomersAreKnown) {
  EXPECT_THAT(refused_text("[run]\ndevice = \"GPU\"\n"), HasSubstr("did you mean \"cuda\"?"));
}

TEST(InputOverrides, ReplaceAndAdd) {
  const std::string text = integrals + "[states]\ncount = 2\nirrep = 1\n";
  std::vector<InputOverride> overrides;
  for (const char* assignment :
       {"states.count=3", "states.irrep = A''", "title=2023", "states.count=4", "space.frozen_core=[1, 2]"}) {
    overrides.push_back(parse_override(assignment));
  }
  const Input input = parse_input(text, "a", overrides);
  EXPECT_EQ(value_of<std::int64_t>(input, "states.count"), 4);
  EXPECT_EQ(value_of<std::string>(input, "states.irrep"), "A''");
  EXPECT_EQ(value_of<std::string>(input, "title"), "2023");
  EXPECT_EQ(value_of<std::vector<std::int64_t>>(input, "space.frozen_core").size(), 2U);
  EXPECT_EQ(input.text, text);
}

TEST(InputOverrides, ReplaceAWholeReference) {
  const std::string cas = integrals + "[space]\nreference = { electrons = 4, orbitals = 3 }\n";
  const Input aufbau = parse_input(cas, "a", {parse_override("space.reference=lowest")});
  EXPECT_EQ(value_of<std::string>(aufbau, "space.reference"), "lowest");
  EXPECT_FALSE(aufbau.entries.contains("space.reference.electrons"));
  const Input other = parse_input(cas, "a", {parse_override("space.reference.orbitals=[1, 2]")});
  EXPECT_EQ(value_of<std::int64_t>(other, "space.reference.electrons"), 4);
  const Input table = parse_input(integrals + "[space]\nreference = \"lowest\"\n", "a",
                                  {parse_override("space.reference={electrons=2, orbitals=2}")});
  EXPECT_FALSE(table.entries.contains("space.reference"));
  EXPECT_EQ(value_of<std::int64_t>(table, "space.reference.orbitals"), 2);
}

TEST(InputOverrides, LiteralTextIsNotToml) {
  const InputOverride option{
      .key = "output.file", .value = "[1].h5", .where = "-o [1].h5", .is_literal_text = true};
  const Input input = parse_input(integrals, "a", {option});
  EXPECT_EQ(value_of<std::string>(input, "output.file"), "[1].h5");
}

TEST(InputOverrides, MistakesNameTheOption) {
  EXPECT_THAT(refused_set("solver.tolerence=1"),
              AllOf(StartsWith("--set solver.tolerence=1: "), HasSubstr("\"solver.tolerance\"")));
  EXPECT_THAT(refused_set("solvr.tolerance=1"), HasSubstr("\"solver.tolerance\""));
  EXPECT_THAT(refused_set("states.count=many"), HasSubstr("found the string \"many\""));
  EXPECT_THAT(refused_set("states.count=1\nspace.basis=2"), StartsWith("--set "));
  EXPECT_THAT(refused_set("title=\"open"), HasSubstr("TOML"));
  EXPECT_THAT(refused_set("title="), HasSubstr("missing"));
  EXPECT_THAT(refused_set("title"), HasSubstr("section.key=value"));
  EXPECT_THAT(refused_set("=3"), HasSubstr("section.key=value"));
  EXPECT_THAT(refused_set("solver={tolerance=1e-8}"), HasSubstr("section"));
  EXPECT_THAT(refused_set("molecule.charge=1"), HasSubstr("both [molecule] and [integrals]"));
}

TEST(InputFile, AbsentOrFolderIsTheUsersMistake) {
  EXPECT_THAT(refusal([] { read_input("no/such/file.inp"); }), HasSubstr("no/such/file.inp"));
  EXPECT_THAT(refusal([] { read_input(testing::TempDir()); }), HasSubstr("folder"));
}

TEST(InputText, EditDistanceCountsSwapsOnce) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("abc", ""), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("cuont", "count"), 1U);
}

TEST(InputText, MessagesStayOnOneShortLine) {
  EXPECT_EQ(detail::in_quotes("a\nb\x01"), "\"a\\nb\\x01\"");
  EXPECT_LE(detail::in_quotes(std::string(500, 'x')).size(), 70U);
  EXPECT_EQ(detail::one_line("a\nb\n"), "a b");
}

}  // namespace test_input
}  // namespace cisolve
