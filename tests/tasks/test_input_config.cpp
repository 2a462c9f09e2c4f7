// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "cisolve/core/error.hpp"
#include "cisolve/molecule/gaussian_integrals.hpp"
#include "cisolve/tasks/ci/config/ci_config.hpp"
#include "cisolve/tasks/ci/job/ci_job.hpp"
#include "cisolve/tasks/input/input.hpp"

namespace cisolve {
namespace test_input_config {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

const std::string integrals = "[integrals]\nfile = \"h2_sto3g.fcidump\"\n";  // two lines
/// An input beside the reference files, so that the integrals exist.
const std::string source = CISOLVE_TEST_DATA "/job.inp";

CiConfig config_of(const std::string& rest, const std::vector<InputOverride>& overrides = {}) {
  return read_ci_config(parse_input(integrals + rest, source, overrides));
}

std::string refused(const std::string& rest) {
  try {
    config_of(rest);
  } catch (const InputError& error) {
    return error.what();
  }
  return "not refused";
}

/// Every field but the texts, for comparison.
std::string fields_of(const CiConfig& config) {
  std::ostringstream text;
  text.precision(17);
  const auto optional = [&](const auto& value) {
    if (value) text << *value;
    text << '|';
  };
  text << config.title << '|' << config.integrals_file << '|' << config.orbitals_file << '|'
       << testing::PrintToString(config.also) << '|';
  optional(config.electrons), optional(config.point_group);
  text << config.reference.index() << '|';
  if (const auto* cas = std::get_if<CasReference>(&config.reference)) {
    text << cas->electrons << ' ' << cas->num_orbitals << testing::PrintToString(cas->orbitals) << '|';
  }
  if (const auto* list = std::get_if<ListedReferences>(&config.reference)) {
    text << testing::PrintToString(list->occupations) << '|';
  }
  text << config.excitation_level << '|' << testing::PrintToString(config.frozen_core) << '|'
       << testing::PrintToString(config.frozen_virtual) << '|' << config.count << '|';
  text << testing::PrintToString(config.irreps) << '|' << testing::PrintToString(config.multiplicities)
       << '|';
  optional(config.ms2);
  text << config.spin_complete << config.follow << '|';
  for (const auto& limit : {config.max_holes, config.max_particles}) {
    if (limit) text << testing::PrintToString(limit->orbitals) << limit->count;
    text << '|';
  }
  text << config.storage << '|' << config.ell_width << '|' << config.ell_by_reference
       << static_cast<int>(config.row_order) << '|' << config.threshold << '|' << config.tolerance << '|'
       << config.max_iterations << '|' << config.max_subspace << '|';
  optional(config.guess);
  text << static_cast<int>(config.device) << '|' << config.threads << '|' << config.memory << '|'
       << config.output_file << '|' << config.write_vectors << '|' << static_cast<int>(config.density)
       << static_cast<int>(config.natural_orbitals.of) << config.natural_orbitals.root << '|'
       << config.checkpoint_file << '|' << config.checkpoint_interval;
  return text.str();
}

TEST(InputConfig, ReferencesFromAFileLieBesideTheInput) {
  const std::string text = "[integrals]\nfile = \"" CISOLVE_TEST_DATA
                           "/h2_sto3g.fcidump\"\n[space]\nreference = { file = \"cisd.h5\" }\n";
  const CiConfig config = read_ci_config(parse_input(text, "jobs/h2.inp"));
  EXPECT_EQ(std::get<FileReference>(config.reference).file, "jobs/cisd.h5");
}

TEST(InputConfig, DefaultsAreThoseOfTheConfiguration) {
  CiConfig expected;
  expected.integrals_file = CISOLVE_TEST_DATA "/h2_sto3g.fcidump";
  expected.output_file = "job.h5";
  expected.checkpoint_file = "job.chk.h5";
  const CiConfig config = config_of("");
  EXPECT_EQ(fields_of(config), fields_of(expected));
  EXPECT_EQ(config.input_text, integrals);
}

TEST(InputConfig, ReadsEveryKey) {
  const CiConfig config = config_of(
      "electrons = 2\npoint_group = \"d2H\"\n[space]\nreference = [\"20\", \"ud\"]\n"
      "excitation_level = \"full\"\nfrozen_core = 0\nfrozen_virtual = [2, 1]\n[states]\ncount = 3\n"
      "irrep = \"b1U\"\nmultiplicity = 3\nms2 = -2\n[hamiltonian]\nstorage = \"hybrid\"\nell_width = "
      "64\nthreshold = 1e-12\n[solver]\n"
      "tolerance = 1e-9\nmax_iterations = 7\nmax_subspace = 30\nguess = \"old.h5\"\n[run]\ndevice = \"cpu\"\n"
      "threads = 3\nmemory = \"1.5 GiB\"\n[output]\nfile = \"o.h5\"\nvectors = false\ndensity = \"two\"\n"
      "natural_orbitals = \"average\"\ncheckpoint = \"c.h5\"\n"
      "checkpoint_interval = 0\n");
  EXPECT_EQ(config.electrons, 2);
  EXPECT_EQ(config.point_group, "D2h");
  EXPECT_EQ(std::get<ListedReferences>(config.reference).occupations, (std::vector<std::string>{"20", "ud"}));
  EXPECT_EQ(config.excitation_level, full_excitation);
  EXPECT_EQ(std::get<int>(config.frozen_core), 0);
  EXPECT_EQ(std::get<std::vector<int>>(config.frozen_virtual), (std::vector<int>{2, 1}));
  EXPECT_EQ(config.count, 3);
  EXPECT_THAT(config.irreps, ElementsAre("B1u"));
  EXPECT_THAT(config.multiplicities, ElementsAre(3));
  EXPECT_EQ(config.ms2, -2);
  EXPECT_EQ(config.storage, "hybrid");
  EXPECT_EQ(config.ell_width, 64);
  EXPECT_FALSE(config.ell_by_reference);
  EXPECT_EQ(config.threshold, 1e-12);
  EXPECT_EQ(config.tolerance, 1e-9);
  EXPECT_EQ(config.max_iterations, 7);
  EXPECT_EQ(config.max_subspace, 30);
  EXPECT_EQ(config.guess, "old.h5");
  EXPECT_EQ(config.device, DeviceChoice::cpu);
  EXPECT_EQ(config.threads, 3);
  EXPECT_EQ(config.memory, 1610612736);
  EXPECT_EQ(config.output_file, "o.h5");
  EXPECT_FALSE(config.write_vectors);
  EXPECT_EQ(config.density, DensityOutput::two);
  EXPECT_EQ(config.natural_orbitals.of, NaturalOrbitalOutput::Of::average);
  EXPECT_EQ(config.checkpoint_file, "c.h5");
  EXPECT_EQ(config.checkpoint_interval, 0.0);
}

TEST(InputConfig, FilesForOtherProgramsAreThoseThatTheRunGives) {
  EXPECT_THAT(config_of("[output]\nalso = [\"a.txt\", \"b.fcidump.gz\"]\n").also,
              ElementsAre("a.txt", "b.fcidump.gz"));
  EXPECT_THAT(config_of("[output]\nalso = \"a.txt\"\n").also, ElementsAre("a.txt"));
  EXPECT_THAT(refused("[output]\nalso = \"a.xyz\"\n"),
              HasSubstr("output.also: a.xyz ends neither in .molden"));
  EXPECT_THAT(refused("[output]\nalso = \"a.molden\"\n"), HasSubstr("basis functions of a [molecule]"));
  EXPECT_THAT(refused("[output]\nvectors = false\nalso = \"a.txt\"\n"), HasSubstr("output.vectors = true"));
  EXPECT_THAT(refused("[output]\nalso = \"" CISOLVE_TEST_DATA "/h2_sto3g.fcidump\"\n"),
              HasSubstr("would overwrite the integrals file"));
  EXPECT_THAT(refused("[orbitals]\nfile = \"a.molden\"\n"), HasSubstr("orbitals.file needs [molecule]"));
}

TEST(InputConfig, TheEllWidthMayBeTheReferenceColumns) {
  EXPECT_TRUE(config_of("[hamiltonian]\nell_width = \"reference\"\n").ell_by_reference);
  EXPECT_EQ(config_of("[hamiltonian]\nell_width = \"reference\"\n").ell_width, 0);
  EXPECT_FALSE(config_of("[hamiltonian]\nell_width = \"auto\"\n").ell_by_reference);
}

TEST(InputConfig, ReferencesOfEveryKind) {
  const auto reference = [](const std::string& text) {
    return config_of("[space]\nreference = " + text + "\n").reference;
  };
  EXPECT_TRUE(std::holds_alternative<AufbauReference>(reference("\"aufbau\"")));
  EXPECT_TRUE(std::holds_alternative<LowestReference>(reference("\"lowest\"")));
  EXPECT_EQ(std::get<ListedReferences>(reference("[\"22ud\"]")).occupations.size(), 1U);
  const auto counted = std::get<CasReference>(reference("{ electrons = 4, orbitals = 3 }"));
  EXPECT_EQ(counted.electrons, 4);
  EXPECT_EQ(counted.num_orbitals, 3);
  EXPECT_TRUE(counted.orbitals.empty());
  const auto listed = std::get<CasReference>(reference("{ electrons = 4, orbitals = [4, 5, 7] }"));
  EXPECT_EQ(listed.num_orbitals, 3);
  EXPECT_EQ(listed.orbitals, (std::vector<int>{4, 5, 7}));
}

TEST(InputConfig, ImpossibleReferencesAreRefused) {
  const auto reference = [](const std::string& text) {
    return refused("[space]\nreference = " + text + "\n");
  };
  EXPECT_THAT(reference("{ electrons = 4 }"), AllOf(StartsWith(source + ":4: "), HasSubstr("orbitals")));
  EXPECT_THAT(reference("{ orbitals = 4 }"), HasSubstr("electrons"));
  EXPECT_THAT(reference("{ electrons = 7, orbitals = 3 }"), HasSubstr("at most 6"));
  EXPECT_THAT(reference("{ electrons = 0, orbitals = [] }"), HasSubstr("empty list"));
  EXPECT_THAT(reference("{}"), HasSubstr("empty table"));
  EXPECT_THAT(reference("[]"), HasSubstr("empty list"));
  EXPECT_THAT(reference("[\"22x\"]"), AllOf(HasSubstr("\"22x\""), HasSubstr("2, 0, u, d and 1")));
  EXPECT_THAT(reference("[\"\"]"), HasSubstr("occupation \"\""));
  EXPECT_THAT(reference("[\"22\", \"2u\"]"), AllOf(HasSubstr("4 electrons"), HasSubstr("3 (\"2u\")")));
}

TEST(InputConfig, IrrepsOfTheGroup) {
  EXPECT_THAT(config_of("[states]\nirrep = 3\n").irreps, ElementsAre("3"));
  EXPECT_THAT(config_of("[states]\nirrep = \"3\"\n").irreps, ElementsAre("3"));
  EXPECT_THAT(config_of("[states]\nirrep = \"ALL\"\n").irreps, ElementsAre("all"));
  EXPECT_THAT(config_of("point_group = \"C2v\"\n[states]\nirrep = 2\n").irreps, ElementsAre("B1"));
  EXPECT_THAT(refused("[states]\nirrep = \"A1\"\n"),
              AllOf(StartsWith(source + ":4: "), HasSubstr("integrals.point_group")));
  EXPECT_THAT(refused("point_group = \"C2v\"\n[states]\nirrep = \"A3\"\n"),
              AllOf(StartsWith(source + ":5: "), HasSubstr("A1, B1, B2, A2")));
  EXPECT_THAT(refused("point_group = \"C2v\"\n[states]\nirrep = 5\n"), HasSubstr("states.irrep"));
}

TEST(InputConfig, SpinAndItsProjectionMustFit) {
  EXPECT_EQ(config_of("[states]\nmultiplicity = 3\nms2 = -2\n").ms2, -2);
  EXPECT_THAT(refused("[states]\nmultiplicity = 1\nms2 = 2\n"), HasSubstr("impossible for multiplicity 1"));
  EXPECT_THAT(refused("[states]\nmultiplicity = 3\nms2 = 1\n"), HasSubstr("impossible for multiplicity 3"));
}

TEST(InputConfig, MemorySizes) {
  const auto memory = [](const std::string& text) {
    return config_of("[run]\nmemory = \"" + text + "\"\n").memory;
  };
  EXPECT_EQ(memory("auto"), 0);
  EXPECT_EQ(memory("16 GiB"), std::int64_t{16} << 30);
  EXPECT_EQ(memory("16gib"), std::int64_t{16} << 30);
  EXPECT_EQ(memory("500 MB"), 500'000'000);
  EXPECT_EQ(memory("4096 B"), 4096);
  for (const char* bad : {"16", "GiB", "-1 GiB", "0 GiB", "1e30 GiB", "16 GiBs", "nan GiB", "inf GiB", ""}) {
    EXPECT_THAT(refused(std::string("[run]\nmemory = \"") + bad + "\"\n"),
                AllOf(HasSubstr("run.memory"), HasSubstr("16 GiB")))
        << bad;
  }
}

TEST(InputConfig, PathsAreRelativeToInputOrWorkingDirectory) {
  EXPECT_EQ(config_of("").integrals_file, std::filesystem::path(CISOLVE_TEST_DATA) / "h2_sto3g.fcidump");
  EXPECT_EQ(config_of("[output]\nfile = \"sub/o.h5\"\n").output_file, "sub/o.h5");
  const Input dotted = parse_input("[integrals]\nfile = \"../data/./h2_sto3g.fcidump\"\n", source);
  EXPECT_EQ(read_ci_config(dotted).integrals_file, config_of("").integrals_file);
  const Input absolute =
      parse_input("[integrals]\nfile = \"" CISOLVE_TEST_DATA "/h2_sto3g.fcidump\"\n", "j.inp");
  EXPECT_EQ(read_ci_config(absolute).integrals_file, config_of("").integrals_file);
}

TEST(InputConfig, FilesThatCannotBeAreRefused) {
  EXPECT_THAT(refused("[output]\nfile = \"\"\n"), HasSubstr("output.file is empty"));
  EXPECT_THAT(refused("[output]\nfile = \"a.h5\"\ncheckpoint = \"./a.h5\"\n"), HasSubstr("same file"));
  EXPECT_THAT(refused("[output]\nfile = \"" + std::string(300, 'x') + ".h5\"\n"),
              HasSubstr("output.file is longer than the system allows"));
  EXPECT_THAT(refused("[output]\nfile = \"" + source + "\"\n"), HasSubstr("overwrite the input"));
  EXPECT_THAT(refused("[output]\ncheckpoint = \"" CISOLVE_TEST_DATA "/h2_sto3g.fcidump\"\n"),
              HasSubstr("overwrite the integrals"));
  const auto message = [](const std::string& file) {
    try {
      read_ci_config(parse_input("[integrals]\nfile = \"" + file + "\"\n", source));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("not refused");
  };
  EXPECT_THAT(message("absent.fcidump"), AllOf(StartsWith(source + ":2: "), HasSubstr("does not exist")));
  EXPECT_THAT(message("."), HasSubstr("folder"));
  EXPECT_THAT(message(""), HasSubstr("empty"));
}

const std::vector<std::string> various_inputs = {
    "",
    "[space]\nreference = { electrons = 2, orbitals = [1, 2] }\nfrozen_core = [1]\n",
    "[space]\nreference = [\"20\", \"ud\"]\nexcitation_level = \"full\"\nfrozen_virtual = []\n",
    "[output]\ndensity = \"one\"\nnatural_orbitals = 3\n",
    "[output]\nnatural_orbitals = true\n",
    "[space]\nreference = \"lowest\"\n[states]\nirrep = \"all\"\nms2 = -2\nmultiplicity = 3\n",
    "point_group = \"Cs\"\nelectrons = 1\n[states]\nirrep = \"a''\"\n[run]\nmemory = \"16 GiB\"\n",
    "[solver]\ntolerance = 3\nguess = \"a \\\"b\\\" \\\\ \\u0001.h5\"\n[hamiltonian]\nthreshold = 0.1\n",
    "[output]\nfile = \"x.h5\"\ncheckpoint_interval = 1e-300\n[hamiltonian]\nell_width = 12\n"};

TEST(InputConfig, ResolvedTextGivesTheSameConfigurationAgain) {
  for (const std::string& rest : various_inputs) {
    const CiConfig config = config_of(rest);
    const CiConfig again = read_ci_config(parse_input(config.resolved_text, "job.inp"));
    EXPECT_EQ(fields_of(again), fields_of(config));
    EXPECT_EQ(again.resolved_text, config.resolved_text);
  }
}

TEST(InputConfig, ChecksTheRangeOfIntegersInListsOfNumbers) {
  try {
    parse_input(
        "[molecule]\ngeometry = \"H 0 0 0; H 0 0 1\"\nbasis = \"sto-3g\"\n[orbitals]\nweights = [2, -1]\n",
        "a.inp");
    ADD_FAILURE() << "not refused";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("a.inp:5: orbitals.weights must be a list of numbers >= 0"));
  }
}

TEST(InputConfig, ResolvedTextDoesNotDependOnHowItWasWritten) {
  const CiConfig file = config_of("[states]\ncount = 2\nms2 = 0\n[run]\nthreads = 1\n");
  const CiConfig other =
      read_ci_config(parse_input("run.threads = 1 # one\nstates = { ms2 = 0, count = 1 }\n" + integrals,
                                 source, {parse_override("states.count=2")}));
  EXPECT_EQ(file.resolved_text, other.resolved_text);
  EXPECT_THAT(file.resolved_text, HasSubstr("tolerance = 1e-06"));
}

TEST(InputConfig, ExampleInputIsRead) {
  for (const std::string name : {"h2o", "h2o_fcidump"}) {
    if (name == "h2o" && !gaussian_integrals_available()) continue;
    const CiConfig config = read_ci_config(read_input(CISOLVE_INPUTS "/" + name + ".inp"));
    EXPECT_EQ(config.count * std::ssize(sectors_of(config)), 4);
    EXPECT_EQ(config.excitation_level, 2);
    EXPECT_EQ(config.point_group, "C2v");
    EXPECT_EQ(config.output_file, name + ".h5");
  }
}

}  // namespace test_input_config
}  // namespace cisolve
