// SPDX-License-Identifier: MIT
// Inputs with [flapw]: what they are read as, and what each mistake gets.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "cisolve/core/error.hpp"
#include "cisolve/core/units.hpp"
#include "cisolve/tasks/flapw/flapw_config.hpp"
#include "cisolve/tasks/run/task.hpp"
#include "io/temporary_folder.hpp"

namespace cisolve {
namespace test_flapw_input {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string method = "[flapw]\nroots = 4\n";  // two lines
const std::string lattice = "[crystal]\nlattice = [[6, 0, 0], [0, 6, 0], [0, 0, 6]]\nk_max = 3.0\n";  // three
const std::string types =
    "types = [ { name = \"X\", radius = 1.5, lmax = 6, lmax_nonspherical = -1, energy = 0.2 } ]\n";
const std::string atoms = "atoms = [ { type = \"X\", position = [0.0, 0.0, 0.0] } ]\n";
const std::string crystal = lattice + types + atoms;  // five
const std::string k_points = "[k_points]\nlist = [[0.1, 0.2, 0.3]]\n";
const std::string synthetic = "[synthetic]\natoms = 2\nlmax = 2\nwaves = 10\n";

FlapwConfig config_of(const std::string& text, const std::vector<std::string>& assignments = {},
                      const std::string& source = "dir/a.inp") {
  std::vector<InputOverride> overrides;
  for (const std::string& assignment : assignments) overrides.push_back(parse_override(assignment));
  return read_flapw_config(parse_input(text, source, overrides));
}

std::string refusal(const std::string& text, const std::vector<std::string>& assignments = {},
                    const std::string& source = "dir/a.inp") {
  try {
    config_of(text, assignments, source);
  } catch (const InputError& error) {
    return error.what();
  }
  return "not refused";
}

struct Malformed {
  std::string name, text, words;  ///< words with | between
};

class MalformedFlapw : public testing::TestWithParam<Malformed> {};

TEST_P(MalformedFlapw, GetsASentence) {
  const std::string message = refusal(GetParam().text);
  EXPECT_THAT(message, StartsWith("dir/a.inp:"));
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  std::istringstream words(GetParam().words);
  for (std::string word; std::getline(words, word, '|');) EXPECT_THAT(message, HasSubstr(word));
}

std::string with_types(const std::string& fields) {
  return method + lattice + "types = [ { name = \"X\", " + fields + " } ]\n" + atoms + k_points;
}

std::string with_atoms(const std::string& fields) {
  return method + lattice + types + "atoms = [ { " + fields + " } ]\n" + k_points;
}

std::string with_potential(const std::string& fourier) {
  return method + crystal + "[potential]\nfourier = [ " + fourier + " ]\n" + k_points;
}

std::string with_points(const std::string& keys) { return method + crystal + "[k_points]\n" + keys + "\n"; }

std::string name_of(const testing::TestParamInfo<Malformed>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(
    Sections, MalformedFlapw,
    testing::Values(
        Malformed{"NothingToDo", method, ":1:|flapw.file|[crystal]|[synthetic]"},
        Malformed{"TwoSources", method + crystal + k_points + synthetic, "[crystal] and [synthetic]"},
        Malformed{"FileAndCrystal", method + "file = \"a.h5\"\n" + crystal + k_points,
                  "flapw.file and [crystal]"},
        Malformed{"WithMolecule",
                  method + crystal + k_points + "[molecule]\ngeometry = \"He 0 0 0\"\nbasis = \"sto-3g\"\n",
                  ":10:|[flapw]|[molecule]"},
        Malformed{"WithSpace", method + synthetic + "[space]\n", "[space]|[flapw]"},
        Malformed{"WithScan", method + synthetic + "[scan]\n", "[scan]|[flapw]"},
        Malformed{"WithOutputOfOthers", method + synthetic + "[output]\ndensity = \"one\"\n",
                  ":8: output.density|[flapw]"},
        Malformed{"PotentialAlone", method + synthetic + "[potential]\n",
                  ":7:|[potential]|[crystal]|[synthetic]"},
        Malformed{"PointsAlone", method + synthetic + k_points, "[k_points]|[crystal]"},
        Malformed{"NoLattice", method + "[crystal]\nk_max = 3\n" + types + atoms + k_points,
                  ":3:|no lattice, which must be three lists"},
        Malformed{"NoWaves", method + "[synthetic]\natoms = 2\nlmax = 2\n", ":3: [synthetic] has no waves"},
        Malformed{"RootsNegative", "[flapw]\nroots = -1\n" + crystal + k_points, ":2: flapw.roots|found -1"},
        Malformed{"RootsWord", "[flapw]\nroots = \"al\"\n" + crystal + k_points, "did you mean \"all\"?"},
        Malformed{"FileMissing", method + "file = \"nowhere.h5\"\n", ":3: flapw.file|dir/nowhere.h5"},
        Malformed{"ThresholdOne", method + "overlap_threshold = 1\n" + synthetic, "overlap_threshold is 1"},
        Malformed{"NoGpus", method + synthetic + "[run]\ngpus = 0\n", "run.gpus"},
        Malformed{"Memory", method + synthetic + "[run]\nmemory = \"much\"\n", "run.memory must be"},
        Malformed{"OverwritesInput", method + synthetic + "[output]\nfile = \"dir/a.inp\"\n",
                  "output.file would overwrite the input file"},
        Malformed{"HpdShare", method + synthetic + "hpd_share = 1.5\n", "synthetic.hpd_share"},
        Malformed{"MoreTypesThanAtoms", method + synthetic + "types = 3\n",
                  "synthetic.types is 3|atoms = 2"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Crystal, MalformedFlapw,
    testing::Values(
        Malformed{
            "UnknownKey",
            method + "[crystal]\nlattice = [[6, 0, 0], [0, 6, 0], [0, 0, 6]]\nkmax = 3.0\n" + types + atoms,
            ":5:|crystal.kmax|did you mean \"crystal.k_max\"?"},
        Malformed{
            "CutoffNegative",
            method + "[crystal]\nlattice = [[6, 0, 0], [0, 6, 0], [0, 0, 6]]\nk_max = -3.0\n" + types + atoms,
            ":5: crystal.k_max"},
        Malformed{"FlatLattice",
                  method + "[crystal]\nlattice = [[1, 0, 0], [0, 1, 0], [1, 1, 0]]\nk_max = 3.0\n" + types +
                      atoms + k_points,
                  ":4: crystal.lattice|volume"},
        Malformed{"TwoRows",
                  method + "[crystal]\nlattice = [[1, 0, 0], [0, 1, 0]]\nk_max = 3.0\n" + types + atoms,
                  "crystal.lattice has 2 rows"},
        Malformed{
            "ShortRow",
            method + "[crystal]\nlattice = [[1, 0, 0], [0, 1, 0], [0, 1]]\nk_max = 3.0\n" + types + atoms,
            "crystal.lattice has 2 numbers"},
        Malformed{"NoTypes", method + lattice + "types = []\n" + atoms + k_points, "crystal.types is empty"},
        Malformed{"NoRadius", with_types("lmax = 3"), ":6: crystal.types[1] has no radius"},
        Malformed{"RadiusZero", with_types("radius = 0.0"), ":6: crystal.types[1].radius"},
        Malformed{"TypeTwice", with_types("radius = 1 }, { name = \"X\", radius = 1"),
                  "crystal.types[2].name = \"X\" is given twice"},
        Malformed{"NonsphericalAboveLmax", with_types("radius = 1.5, lmax = 6, lmax_nonspherical = 7"),
                  "crystal.types[1].lmax_nonspherical is 7|lmax = 6"},
        Malformed{"LmaxHuge", with_types("radius = 1.5, lmax = 2000000000"), "crystal.types[1].lmax|24"},
        Malformed{"EnergyLength", with_types("radius = 1.5, lmax = 6, energy = [0.1, 0.2]"),
                  "crystal.types[1].energy has 2|7"},
        Malformed{"UnknownType", with_atoms("type = \"Y\", position = [0, 0, 0]"),
                  "crystal.atoms[1].type = \"Y\"|crystal.types: X"},
        Malformed{"NearType", with_atoms("type = \"x\", position = [0, 0, 0]"), "did you mean \"X\"?"},
        Malformed{"ShortPosition", with_atoms("type = \"X\", position = [0, 0]"),
                  "crystal.atoms[1].position"},
        Malformed{
            "RotationNotOrthogonal",
            with_atoms("type = \"X\", position = [0, 0, 0], rotation = [[1, 0, 0], [0, 1, 0], [0, 0, 2]]"),
            ":7: crystal.atoms[1].rotation|orthogonal"},
        Malformed{"SphereTouchesItsImage", with_types("radius = 3.01"),
                  ":7: crystal.atoms|overlap|3.01|distance 6"},
        Malformed{"ImagesOverlap",
                  with_atoms("type = \"X\", position = [0, 0, 0] }, { type = \"X\", position = [2.6, 0, 0]"),
                  "atoms 1 and 2 overlap"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Potential, MalformedFlapw,
    testing::Values(
        Malformed{"NotReal", with_potential("{ g = [1, 0, 0], v = 0.1 }"), ":9:|[1, 0, 0]|[-1, 0, 0]"},
        Malformed{"NotConjugate",
                  with_potential("{ g = [1, 0, 0], v = [0, 1] }, { g = [-1, 0, 0], v = [0, 1] }"),
                  "potential.fourier[1].v|conjugate|[-1, 0, 0]"},
        Malformed{"MeanNotReal", with_potential("{ g = [0, 0, 0], v = [0.1, 0.2] }"), "must be real"},
        Malformed{"Twice", with_potential("{ g = [0, 0, 0], v = 0.1 }, { g = [0, 0, 0], v = 0.2 }"),
                  "potential.fourier[2].g = [0, 0, 0] is given twice"},
        Malformed{"ShortG", with_potential("{ g = [0, 0], v = 0.1 }"),
                  "potential.fourier[1].g has 2 numbers"},
        Malformed{"ThreeParts", with_potential("{ g = [0, 0, 0], v = [0, 1, 2] }"), "v has 3 numbers"},
        Malformed{"NoValue", with_potential("{ g = [0, 0, 0] }"), "potential.fourier[1] has no v"},
        Malformed{"OneTypeTwoSurroundings",
                  method + lattice + types +
                      "atoms = [ { type = \"X\", position = [0, 0, 0] }, { type = \"X\", position = [0.5, "
                      "0.4, 0.5] } ]\n"
                      "[potential]\nfourier = [ { g = [1, 0, 0], v = -0.1 }, { g = [-1, 0, 0], v = -0.1 }, "
                      "{ g = [0, 1, 0], v = -0.1 }, { g = [0, -1, 0], v = -0.1 } ]\n" +
                      k_points,
                  "atoms 1 and 2|potential"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Points, MalformedFlapw,
    testing::Values(
        Malformed{"None", method + crystal, ":3: [crystal]|k_points.list|k_points.grid|k_points.path"},
        Malformed{"Two", with_points("list = [[0, 0, 0]]\ngrid = [2, 2, 2]"),
                  ":10: k_points.grid|k_points.list"},
        Malformed{"GridAndPath", with_points("grid = [2, 2, 2]\npath = { segments = 3 }"),
                  "k_points.path.segments|k_points.grid"},
        Malformed{"EmptyList", with_points("list = []"), "k_points.list is empty"},
        Malformed{"ShortPoint", with_points("list = [[0, 0]]"), "k_points.list has 2 numbers"},
        Malformed{"GridZero", with_points("grid = [2, 0, 2]"), "k_points.grid|found 0"},
        Malformed{"GridShort", with_points("grid = [2, 2]"), "k_points.grid has 2 numbers"},
        Malformed{"GridHuge", with_points("grid = [2000000000, 2000000000, 2000000000]"),
                  "k_points.grid|1000000"},
        Malformed{"PathWithoutPoints", with_points("path = { segments = 3 }"),
                  "k_points.path.segments|points"},
        Malformed{"EmptyPath", with_points("path = {}"), "k_points.path makes no path|points"},
        Malformed{"PathOfOne", with_points("path = { points = [[0, 0, 0]] }"), "1 corners"},
        Malformed{"Labels", with_points("path = { points = [[0, 0, 0], [1, 0, 0]], labels = [\"G\"] }"),
                  "k_points.path.labels names 1 corners|2"}),
    name_of);

TEST(FlapwInput, TakesDefaults) {
  const FlapwConfig config =
      config_of("[flapw]\n" + lattice + "types = [{ name = \"X\", radius = 1.5 }]\n" + atoms + k_points);
  EXPECT_EQ(config.roots, 10);
  EXPECT_TRUE(config.interstitial);
  EXPECT_EQ(config.algorithm, FlapwConfig::Algorithm::automatic);
  EXPECT_FALSE(config.stored);
  EXPECT_EQ(config.solver, FlapwConfig::Solver::automatic);
  EXPECT_EQ(config.tolerance, 1e-8);
  EXPECT_EQ(config.max_iterations, 100);
  EXPECT_EQ(config.overlap_threshold, 1e-10);
  EXPECT_EQ(config.arithmetic, FlapwConfig::Arithmetic::native);
  EXPECT_EQ(config.radial, lapw::RadialEquation::schroedinger);
  EXPECT_EQ(config.check, 16);
  EXPECT_EQ(config.repeat, 1);
  EXPECT_EQ(config.output_file, "a.h5");
  EXPECT_TRUE(config.write_vectors);
  EXPECT_FALSE(config.write_matrices);
  EXPECT_FALSE(config.potential);
  EXPECT_FALSE(config.path.is_given());
  ASSERT_TRUE(config.crystal);
  const lapw::AtomType& type = config.crystal->types.at(0);
  EXPECT_EQ(type.lmax, 8);
  EXPECT_EQ(type.lmax_nonspherical, -1);
  EXPECT_EQ(type.energy, std::vector(9, 0.15));
  EXPECT_EQ(config.crystal->atoms.at(0).rotation, lapw::identity3);
}

TEST(FlapwInput, ReadsTheMethodAndTheMachine) {
  const FlapwConfig config = config_of(
      "title = \"t\"\n[flapw]\nroots = \"all\"\ninterstitial = false\nalgorithm = \"hsdla\"\n"
      "coefficients = \"stored\"\nsolver = \"davidson\"\ntolerance = 1e-6\nmax_iterations = 7\n"
      "overlap_threshold = 0\narithmetic = \"3m\"\nradial = \"scalar-relativistic\"\ncheck = 0\nrepeat = "
      "3\n" +
      synthetic + "[run]\ndevice = \"cpu\"\nthreads = 2\nmemory = \"1 GiB\"\n[output]\nmatrices = true\n" +
      "vectors = false\nfile = \"b.h5\"\n");
  EXPECT_EQ(config.title, "t");
  EXPECT_FALSE(config.roots);
  EXPECT_FALSE(config.interstitial);
  EXPECT_EQ(config.algorithm, FlapwConfig::Algorithm::hsdla);
  EXPECT_TRUE(config.stored);
  EXPECT_EQ(config.solver, FlapwConfig::Solver::davidson);
  EXPECT_EQ(config.tolerance, 1e-6);
  EXPECT_EQ(config.max_iterations, 7);
  EXPECT_EQ(config.overlap_threshold, 0.0);
  EXPECT_EQ(config.arithmetic, FlapwConfig::Arithmetic::three_multiplications);
  EXPECT_EQ(config.radial, lapw::RadialEquation::scalar_relativistic);
  EXPECT_EQ(config.check, 0);
  EXPECT_EQ(config.repeat, 3);
  EXPECT_EQ(config.device, DeviceChoice::cpu);
  EXPECT_EQ(config.threads, 2);
  EXPECT_EQ(config.memory, std::int64_t{1} << 30);
  EXPECT_TRUE(config.write_matrices);
  EXPECT_FALSE(config.write_vectors);
  EXPECT_EQ(config.output_file, "b.h5");
  ASSERT_TRUE(config.synthetic);
  EXPECT_EQ(config.synthetic->atoms, 2);
  EXPECT_EQ(config.synthetic->types, 2);
  EXPECT_EQ(config.synthetic->waves, 10);
  EXPECT_EQ(config.synthetic->hpd_share, 0.5);
  EXPECT_EQ(config.synthetic->seed, 1U);
  EXPECT_EQ(config.synthetic->k_max, 4.0);
}

TEST(FlapwInput, ReadsTypesAtomsAndPotential) {
  const FlapwConfig config = config_of(
      "[flapw]\n" + lattice +
      "types = [ { name = \"X\", radius = 1.4 }, { name = \"Y\", radius = 1, lmax = 1, energy = [0.1, 0.3] } "
      "]\n"
      "atoms = [ { type = \"Y\", position = [0.6, 0.55, -0.62], rotation = [[0, 1, 0], [1, 0, 0], [0, 0, 1]] "
      "},\n"
      "          { type = \"X\", position = [0, 0, 0] } ]\n"
      "[potential]\nfourier = [ { g = [1, 0, 2], v = [0.1, 0.2] }, { g = [-1, 0, -2], v = [0.1, -0.2] },\n"
      "  { g = [0, 0, 0], v = 1 } ]\n" +
      k_points);
  const lapw::Crystal& given = *config.crystal;
  EXPECT_EQ(given.types.at(0).lmax_nonspherical, 8);  // as lmax: there is a potential
  EXPECT_EQ(given.types.at(1).lmax_nonspherical, 1);
  EXPECT_THAT(given.types.at(1).energy, ElementsAre(0.1, 0.3));
  EXPECT_EQ(given.atoms.at(0).type, 1);
  EXPECT_THAT(given.atoms.at(0).position, ElementsAre(0.6, 0.55, -0.62));
  EXPECT_THAT(given.atoms.at(0).rotation[0], ElementsAre(0, 1, 0));
  EXPECT_EQ(given.atoms.at(1).type, 0);
  EXPECT_EQ(config.k_max, 3.0);
  EXPECT_THAT(config.potential->g,
              ElementsAre(lapw::Index3{1, 0, 2}, lapw::Index3{-1, 0, -2}, lapw::Index3{}));
  EXPECT_THAT(config.potential->v,
              ElementsAre(lapw::Complex(0.1, 0.2), lapw::Complex(0.1, -0.2), lapw::Complex(1.0, 0.0)));
  EXPECT_FALSE(config.potential->has_step);
}

TEST(FlapwInput, AngstromAreOfLatticeAndRadii) {
  const FlapwConfig config = config_of(method + crystal + "unit = \"angstrom\"\n" + k_points);
  EXPECT_DOUBLE_EQ(config.crystal->lattice.a[1][1], 6.0 / units::bohr_in_angstrom);
  EXPECT_DOUBLE_EQ(config.crystal->types[0].radius, 1.5 / units::bohr_in_angstrom);
  EXPECT_EQ(config.k_max, 3.0);  // always 1/bohr
}

TEST(FlapwInput, GridsHoldGammaAndAreFolded) {
  const FlapwConfig config = config_of(with_points("grid = [2, 1, 3]"));
  ASSERT_EQ(config.k_points.size(), 6U);
  const double third = 1.0 / 3.0;
  const std::vector<lapw::Vector3> expected = {{0, 0, 0},   {0, 0, third},   {0, 0, -third},
                                               {0.5, 0, 0}, {0.5, 0, third}, {0.5, 0, -third}};
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_EQ(config.k_points[k].k, expected[k]) << k;
    EXPECT_DOUBLE_EQ(config.k_points[k].weight, 1.0 / 6.0);
  }
}

TEST(FlapwInput, PathsTurnAtTheirCorners) {
  const FlapwConfig config = config_of(with_points(
      "path = { points = [[0, 0, 0], [0.5, 0, 0], [0.5, 0.5, 1]], labels = [\"G\", \"X\", \"M\"], "
      "segments = 2 }"));
  EXPECT_THAT(config.path.labels, ElementsAre("G", "X", "M"));
  EXPECT_THAT(config.path.corners, ElementsAre(0, 2, 4));
  std::vector<lapw::Vector3> points;
  for (const lapw::KPoint& point : config.k_points) points.push_back(point.k);
  EXPECT_THAT(points, ElementsAre(lapw::Vector3{0, 0, 0}, lapw::Vector3{0.25, 0, 0}, lapw::Vector3{0.5, 0, 0},
                                  lapw::Vector3{0.5, 0.25, 0.5}, lapw::Vector3{0.5, 0.5, 1}));
  const FlapwConfig usual = config_of(with_points("path = { points = [[0, 0, 0], [0.5, 0, 0]] }"));
  EXPECT_EQ(usual.k_points.size(), 21U);
  EXPECT_THAT(usual.path.labels, ElementsAre("0 0 0", "0.5 0 0"));
}

/// A pair of spheres about an inversion centre, whose frames are each other's image, and one on a centre.
TEST(FlapwInput, RotatedAtomsOfOneTypeSeeTheSamePotential) {
  const auto input = [](const std::string& position, const std::string& row) {
    return "[flapw]\n" + lattice +
           "types = [\n  { name = \"X\", radius = 1.2, lmax_nonspherical = 6 },\n"
           "  { name = \"O\", radius = 1.5, lmax_nonspherical = 6 },\n]\n"
           "atoms = [\n  { type = \"X\", position = [0.17, 0.21, 0.13], rotation = [[-0.75597168554150884, "
           "-0.18344039852287261, -0.62837602663476888], [0.39634897110789685, -0.89224206151104701, "
           "-0.21635987791692918], [-0.52097437917928524, -0.41261813321797502, 0.74721614836570005]] },\n"
           "  { type = \"X\", position = " +
           position + ", rotation = [" + row +
           ", [-0.39634897110789685, 0.89224206151104701, "
           "0.21635987791692918], [0.52097437917928524, 0.41261813321797502, -0.74721614836570005]] },\n"
           "  { type = \"O\", position = [0.5, 0.5, 0.5] },\n]\n[potential]\nfourier = [\n"
           "  { g = [1, 0, 0], v = -0.1 }, { g = [-1, 0, 0], v = -0.1 },\n"
           "  { g = [0, 1, 0], v = -0.1 }, { g = [0, -1, 0], v = -0.1 },\n"
           "  { g = [0, 0, 1], v = -0.1 }, { g = [0, 0, -1], v = -0.1 },\n]\n" +
           k_points;
  };
  const std::string row = "[0.75597168554150884, 0.18344039852287261, 0.62837602663476888]";
  const std::string mirrored = "[-0.75597168554150884, -0.18344039852287261, -0.62837602663476888]";
  EXPECT_EQ(config_of(input("[-0.17, -0.21, -0.13]", row)).crystal->atoms.size(), 3U);
  EXPECT_THAT(refusal(input("[-0.17, -0.21, -0.12]", row)), HasSubstr("atoms 1 and 2"));
  EXPECT_THAT(refusal(input("[-0.17, -0.21, -0.13]", mirrored)), HasSubstr("atoms 1 and 2"));
}

TEST(FlapwInput, TheHeaderAloneAsksForIt) {
  EXPECT_EQ(task_of(parse_input("[flapw]\n" + synthetic, "a.inp")).name, "flapw");
  EXPECT_EQ(config_of("[flapw]\n" + synthetic).roots, 10);
  EXPECT_EQ(config_of(synthetic, {"flapw.roots=3"}).roots, 3);
}

TEST(FlapwInput, OtherCalculationsDoNotTakeItsKeys) {
  const std::string integrals = "[integrals]\nfile = \"a.fcidump\"\n";
  for (const char* section : {"crystal", "potential", "k_points", "synthetic"}) {
    EXPECT_THAT(refusal(integrals + "[" + section + "]\n"),
                AllOf(StartsWith("dir/a.inp:3: "), HasSubstr(fmt::format("[{}] is for [flapw]", section))));
  }
  EXPECT_THAT(refusal(integrals + "[output]\nmatrices = true\n"),
              StartsWith("dir/a.inp:4: output.matrices is for [flapw], and there is no such section"));
  EXPECT_THAT(refusal(integrals, {"synthetic.seed=2"}), HasSubstr("synthetic.seed is for [flapw]"));
}

TEST(FlapwInput, ResolvedTextReadsAgainTheSame) {
  const std::string path = "path = { points = [[0, 0, 0], [0.5, 0, 0]], labels = [\"G\", \"X\"] }";
  for (const std::string& text :
       {with_points("grid = [2, 2, 2]"), with_points(path), method + synthetic,
        with_potential("{ g = [1, 0, 0], v = [0.1, 1e-3] }, { g = [-1, 0, 0], v = [0.1, -1e-3] }")}) {
    const std::string resolved = config_of(text).resolved_text;
    EXPECT_EQ(config_of(resolved).resolved_text, resolved);
    EXPECT_THAT(resolved, AllOf(HasSubstr("\n[flapw]\n"), HasSubstr("\n[run]\n"),
                                HasSubstr("vectors = true\n"), HasSubstr("matrices = false\n")));
    for (const char* other :
         {"[hamiltonian]", "[space]", "[states]", "[solver]", "[integrals]", "checkpoint"})
      EXPECT_THAT(resolved, Not(HasSubstr(other)));
  }
  EXPECT_THAT(config_of(with_points(path)).resolved_text, HasSubstr("segments = 20"));
  EXPECT_THAT(config_of(method + synthetic).resolved_text,
              AllOf(HasSubstr("types = 2\n"), Not(HasSubstr("\n[crystal]"))));
}

class FlapwFiles : public testing::Test {
protected:
  FlapwFiles() { std::ofstream(folder_ / "a.h5") << "x"; }

  const test::TemporaryFolder folder_;
  const std::string source_ = (folder_ / "a.inp").string();
};

TEST_F(FlapwFiles, AreRelativeToTheInput) {
  const std::string output = fmt::format("[output]\nfile = \"{}\"\n", (folder_ / "out.h5").string());
  const FlapwConfig config = read_flapw_config(parse_input("[flapw]\nfile = \"a.h5\"\n" + output, source_));
  EXPECT_EQ(config.file, folder_ / "a.h5");
  EXPECT_FALSE(config.crystal);
  EXPECT_FALSE(config.synthetic);
}

TEST_F(FlapwFiles, MustNotBeFoldersNorBeOverwritten) {
  const auto refused = [&](const std::string& text) { return refusal(text, {}, source_); };
  EXPECT_THAT(refused("[flapw]\nfile = \".\"\n"), HasSubstr("flapw.file names a folder"));
  EXPECT_THAT(refused("[flapw]\nfile = \"\"\n"), HasSubstr("flapw.file is empty"));
  const std::string output = fmt::format("[output]\nfile = \"{}\"\n", (folder_ / "a.h5").string());
  EXPECT_THAT(refused("[flapw]\nfile = \"a.h5\"\n" + output),
              HasSubstr("output.file would overwrite flapw.file"));
}

}  // namespace test_flapw_input
}  // namespace cisolve
