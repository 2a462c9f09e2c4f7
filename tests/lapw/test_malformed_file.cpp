// SPDX-License-Identifier: MIT
// Files of format "cisolve-flapw" in which something is wrong: each is refused in one sentence.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "cisolve/core/error.hpp"
#include "cisolve/lapw/input_file.hpp"
#include "lapw/flapw_file.hpp"

namespace cisolve {
namespace test_malformed_file {

using namespace test::flapw;
using lapw::InputFile;
using test::TemporaryFolder;
using testing::HasSubstr;

/// What is wrong with a file, when all of it is read.
std::string refusal(const std::filesystem::path& path) {
  try {
    const InputFile file(path);
    if (file.kind() == InputFile::Kind::coefficients) {
      for (int k = 0; k < std::ssize(file.k_points()); ++k) static_cast<void>(file.coefficients(k));
    }
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

struct Wrong {
  Change change;
  std::vector<std::string> words;
};

/// Each change of a good file must be refused in a sentence with these words.
void expect_refused(const std::string& good, const std::vector<Wrong>& cases) {
  const TemporaryFolder folder;
  EXPECT_EQ(refusal(given(good)), "accepted");
  for (const Wrong& wrong : cases) {
    const std::string path = changed(folder, good, wrong.change);
    const std::string sentence = refusal(path);
    EXPECT_THAT(sentence, testing::StartsWith("'" + path + "'"));
    for (const std::string& word : wrong.words) EXPECT_THAT(sentence, HasSubstr(word));
  }
}

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(MalformedFlapwFile, WrongHeadersAreRefused) {
  expect_refused("zero_norm.h5",
                 {{[](const H5::H5File& file) { set_attribute(file, "/", "format", "cisolve-result"); },
                   {"'format'", "\"cisolve-result\"", "\"cisolve-flapw\""}},
                  {[](const H5::H5File& file) { set_attribute(file, "/", "format_version", 99); },
                   {"'format_version'", "99", "1"}},
                  {[](const H5::H5File& file) { set_attribute(file, "/", "format_version", "1"); },
                   {"'format_version'", "text"}},
                  {[](const H5::H5File& file) { set_attribute(file, "/", "kind", "matrices"); },
                   {"'kind'", "\"matrices\"", "\"coefficients\", \"radial\" or \"potential\""}},
                  {[](const H5::H5File& file) { file.openGroup("/").removeAttr("kind"); },
                   {"'kind' of '/' is missing"}}});
}

TEST(MalformedFlapwFile, WrongTypesOfAtomsAreRefused) {
  expect_refused(
      "zero_norm.h5",
      {{[](const H5::H5File& file) { file.unlink("/types"); }, {"'/types' is missing"}},
       {[](const H5::H5File& file) { file.unlink("/types/1"); }, {"'/types/1' is missing"}},
       {[](const H5::H5File& file) { set(file, "/atoms/type", 0, 0); },
        {"'/atoms/type'", "atom 1 is of type 0", "1 to 2"}},
       {[](const H5::H5File& file) { set(file, "/atoms/type", 1, 3); },
        {"'/atoms/type'", "atom 2 is of type 3"}},
       {[](const H5::H5File& file) {
          put<std::uint64_t>(file, "/atoms/type", {2}, {1, ~std::uint64_t{0}});
        },
        {"'/atoms/type'", "atom 2 is of type 9223372036854775807"}},
       {[](const H5::H5File& file) { put<int>(file, "/atoms/type", {0}, {}); },
        {"'/atoms/type'", "no atoms"}},
       {[](const H5::H5File& file) {
          put<double>(file, "/atoms/type", {2}, {1, 2});
        },
        {"'/atoms/type'", "integers"}},
       {[](const H5::H5File& file) { set_attribute(file, "/types/1", "lmax", -1); },
        {"'/types/1'", "lmax", "-1", "0 to 24"}},
       {[](const H5::H5File& file) { set_attribute(file, "/types/1", "lmax", 2000000000); },
        {"lmax", "2000000000"}},
       {[](const H5::H5File& file) { set_attribute(file, "/types/1", "lmax", 3); },
        {"'/types/1/udot_norm'", "[3]", "[4] for lmax = 3"}},
       {[](const H5::H5File& file) {
          put<double>(file, "/types/1/udot_norm", {2}, {1, 1});
        },
        {"'/types/1/udot_norm'", "[2]", "[3] for lmax = 2"}},
       {[](const H5::H5File& file) { set(file, "/types/1/udot_norm", 1, -0.5); },
        {"'/types/1/udot_norm' is negative at [1]: -0.5"}},
       {[](const H5::H5File& file) { file.unlink("/types/1/t_ab"); },
        {"'/types/1/t_ab' is missing", "[9, 9]"}},
       {[](const H5::H5File& file) { set(file, "/types/1/t_aa", 1, Complex(7.0)); },
        {"'/types/1/t_aa'", "Hermitian", "[1, 0]"}},
       {[](const H5::H5File& file) { set(file, "/types/1/t_bb", 0, Complex(0.0, 1e-3)); },
        {"'/types/1/t_bb'", "Hermitian", "[0, 0]"}},
       {[](const H5::H5File& file) { set(file, "/types/1/t_bb", 9 * 4 + 2, Complex(0.0, infinity)); },
        {"'/types/1/t_bb' is not finite at [4, 2]"}}});
}

TEST(MalformedFlapwFile, WrongCoefficientsAreRefused) {
  const auto numbers = [](std::size_t count) { return std::vector<Complex>(count, 1.0); };
  expect_refused(
      "zero_norm.h5",
      {{[](const H5::H5File& file) { file.unlink("/k/1/b"); }, {"'/k/1/b' is missing", "[20, 18]"}},
       {[&](const H5::H5File& file) {
          put<Complex>(file, "/k/1/a", {20, 17}, numbers(340));
        },
        {"'/k/1/a' has shape [20, 17]", "[N_G, 18]"}},
       {[&](const H5::H5File& file) {
          put<Complex>(file, "/k/1/a", {19, 18}, numbers(342));
        },
        {"'/k/1/b' has shape [20, 18]", "[19, 18], that of '/k/1/a'"}},
       {[&](const H5::H5File& file) {
          put<Complex>(file, "/k/1/a", {18, 20}, numbers(360));
        },
        {"'/k/1/a' has shape [18, 20]", "[N_G, 18]"}},
       {[&](const H5::H5File& file) {
          put<Complex>(file, "/k/1/a", {0, 18}, {});
        },
        {"'/k/1/a' has 0 plane waves"}},
       {[](const H5::H5File& file) {
          put<double>(file, "/k/1/a", {20, 18}, std::vector<double>(360));
        },
        {"'/k/1/a' holds real numbers", "complex"}},
       {[](const H5::H5File& file) {
          const H5::StrType text(H5::PredType::C_S1, 1);
          file.unlink("/k/1/a");
          file.createDataSet("/k/1/a", text, space_of({3})).write("abc", text);
        },
        {"'/k/1/a' holds text"}},
       {[](const H5::H5File& file) { set(file, "/k/1/a", 18 * 12 + 3, Complex(nan)); },
        {"'/k/1/a' is not finite at [12, 3]"}},
       {[](const H5::H5File& file) { file.unlink("/k/1/h_interstitial"); },
        {"'/k/1/h_interstitial' is missing"}},
       {[](const H5::H5File& file) { file.unlink("/k/1/s_interstitial"); },
        {"'/k/1/s_interstitial' is missing"}},
       {[](const H5::H5File& file) { set(file, "/k/1/h_interstitial", 19, Complex(0.5)); },
        {"'/k/1/h_interstitial' is not Hermitian", "[19, 0]"}},
       {[](const H5::H5File& file) {
          put<int>(file, "/k/1/g", {20, 3}, std::vector<int>(60));
        },
        {"'/k/1/g' holds [0, 0, 0] twice"}},
       {[](const H5::H5File& file) { set_attribute(file, "/k/1", "weight", -1.0); },
        {"'weight' of '/k/1'", "-1"}},
       {[](const H5::H5File& file) { set_attribute(file, "/k/1", "k_point", 0.5); },
        {"'k_point' of '/k/1'", "expected 3"}},
       {[](const H5::H5File& file) { file.move("/k/1", "/k/2"); }, {"'/k/1' is missing"}},
       {[](const H5::H5File& file) { file.unlink("/k"); }, {"'/k' is missing"}}});
}

TEST(MalformedFlapwFile, WhatIsNoHdf5FileIsRefused) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "short.h5";
  std::filesystem::copy_file(given("zero_norm.h5"), path);
  for (const std::uintmax_t size : {std::uintmax_t{20000}, std::uintmax_t{0}}) {
    std::filesystem::resize_file(path, size);
    EXPECT_THAT(refusal(path), HasSubstr("short.h5' is "));
  }
  EXPECT_THAT(refusal(folder / "absent.h5"), HasSubstr("absent.h5"));
}

TEST(MalformedFlapwFile, WrongCrystalsAreRefused) {
  expect_refused(
      "two_spheres_radial.h5",
      {{[](const H5::H5File& file) { set(file, "/lattice", 8, 0.0); }, {"'/lattice'", "volume"}},
       {[](const H5::H5File& file) { set(file, "/lattice", 8, 1e9); }, {"'/lattice'", "1000000000"}},
       {[](const H5::H5File& file) { set(file, "/lattice", 5, nan); },
        {"'/lattice' is not finite at [1, 2]"}},
       {[](const H5::H5File& file) {
          put<double>(file, "/atoms/position", {2, 2}, {0, 0, 0, 0});
        },
        {"'/atoms/position' has shape [2, 2]", "[2, 3]"}},
       {[](const H5::H5File& file) {
          put<double>(file, "/atoms/position", {2, 3}, {0, 0, 0, 0.3, 0, 0});
        },
        {"overlap", "atoms 1 and 2", "1.4", "1.2", "1.8"}},
       {[](const H5::H5File& file) {
          put<double>(file, "/atoms/position", {2, 3}, {0, 0, 0, 0, 4.7, -3});
        },
        {"overlap", "atoms 1 and 2", "1.8"}},
       {[](const H5::H5File& file) { set(file, "/atoms/rotation", 9, 0.5); },
        {"'/atoms/rotation'", "atom 2", "orthogonal"}},
       {[](const H5::H5File& file) { set_attribute(file, "/types/1", "lmax_nonspherical", 4); },
        {"'lmax_nonspherical' of '/types/1' is 4", "-1 to 3"}},
       {[](const H5::H5File& file) { set_attribute(file, "/types/2", "radius", 0.0); },
        {"'radius' of '/types/2' is 0"}},
       {[](const H5::H5File& file) { put<double>(file, "/types/1/energy", {1}, {0.2}); },
        {"'/types/1/energy'", "[1]", "[4]"}}});
}

TEST(MalformedFlapwFile, WrongRadialFunctionsAreRefused) {
  expect_refused("two_spheres_radial.h5",
                 {{[](const H5::H5File& file) {
                     file.move("/types/1/u", "/types/1/x");
                     file.move("/types/1/udot", "/types/1/u");
                     file.move("/types/1/x", "/types/1/udot");
                   },
                   {"'/types/1'", "R^2 (udot u_r - u udot_r)", "swapped"}},
                  {[](const H5::H5File& file) {
                     for (const char* name : {"/types/1/udot", "/types/1/udot_r"}) {
                       std::vector<double> values = get<double>(file, name);
                       for (double& value : values) value /= 2.0;
                       put<double>(file, name, {4}, values);
                     }
                   },
                   {"'/types/1'", "R^2", "is 1 for l = 0", "rydberg"}},
                  {[](const H5::H5File& file) { set(file, "/types/2/udot_norm", 0, -1.0); },
                   {"'/types/2/udot_norm'", "negative"}},
                  {[](const H5::H5File& file) { file.unlink("/types/2/nonspherical_bb"); },
                   {"'/types/2/nonspherical_bb' is missing"}},
                  {[](const H5::H5File& file) { set(file, "/types/2/nonspherical_aa", 1, Complex(1.0)); },
                   {"'/types/2/nonspherical_aa'", "Hermitian"}}});
}

TEST(MalformedFlapwFile, WrongKPointsAndInterstitialsAreRefused) {
  expect_refused(
      "two_spheres_radial.h5",
      {{[](const H5::H5File& file) { file.openGroup("/k_points").removeAttr("k_max"); },
        {"'/k_points'", "'k_max'", "'g'"}},
       {[](const H5::H5File& file) { set_attribute(file, "/k_points", "k_max", 1e-6); },
        {"'k_max'", "no plane wave", "k-point 1"}},
       {[](const H5::H5File& file) { set_attribute(file, "/k_points", "k_max", 51.0); },
        {"'k_max'", "51", "50"}},
       {[](const H5::H5File& file) { put<double>(file, "/k_points/weight", {1}, {-1.0}); },
        {"'/k_points/weight'", "-1"}},
       {[](const H5::H5File& file) {
          put<double>(file, "/k_points/point", {0, 3}, {});
        },
        {"'/k_points/point' is empty"}},
       {[](const H5::H5File& file) {
          put<double>(file, "/k_points/point", {1, 3}, {0, 1e9, 0});
        },
        {"'/k_points/point'", "1000000000"}},
       {[](const H5::H5File& file) {
          file.createGroup("/k_points/g");
          put<int>(file, "/k_points/g/1", {2, 3}, {1, 0, 2, 1, 0, 2});
        },
        {"'/k_points/g/1' holds [1, 0, 2] twice"}},
       {[](const H5::H5File& file) {
          file.createGroup("/k_points/g");
          put<int>(file, "/k_points/g/1", {1, 3}, {0, 2000000000, 0});
        },
        {"'/k_points/g/1' holds 2000000000"}},
       {[](const H5::H5File& file) { set(file, "/interstitial/v", 0, Complex(-0.1, 0.1)); },
        {"'/interstitial/v' is not real"}},
       {[](const H5::H5File& file) { set(file, "/interstitial/g", 0, 2); },
        {"'/interstitial/v' is not real", "missing"}},
       {[](const H5::H5File& file) { set(file, "/interstitial/g", 0, -1); },
        {"'/interstitial/g' holds [-1, 0, 0] twice"}},
       {[](const H5::H5File& file) { put<Complex>(file, "/interstitial/v", {5}, std::vector<Complex>(5)); },
        {"'/interstitial/v' has shape [5]", "[6]"}},
       {[](const H5::H5File& file) {
          put<Complex>(file, "/interstitial/v_step", {6}, std::vector<Complex>(6));
        },
        {"'v' and 'v_step'"}}});
}

TEST(MalformedFlapwFile, WrongPotentialsAreRefused) {
  const auto two_rows = [](const H5::H5File& file, const std::vector<int>& lm, Complex second) {
    std::vector<Complex> v = get<Complex>(file, "/types/1/v");
    v.resize(2 * v.size(), second);
    put<int>(file, "/types/1/lm", {2, 2}, lm);
    put<Complex>(file, "/types/1/v", {2, 601}, v);
  };
  expect_refused("wells.h5", {{[](const H5::H5File& file) { set(file, "/types/1/r", 300, 1.0); },
                               {"'/types/1/r'", "logarithmic", "point 300"}},
                              {[](const H5::H5File& file) { set_attribute(file, "/types/1", "radius", 1.9); },
                               {"'/types/1/r'", "radius", "1.9"}},
                              {[](const H5::H5File& file) {
                                 put<double>(file, "/types/1/r", {50}, std::vector<double>(50, 2.0));
                                 put<Complex>(file, "/types/1/v", {1, 50}, std::vector<Complex>(50));
                               },
                               {"'/types/1/r'", "50", "51"}},
                              {[](const H5::H5File& file) {
                                 put<int>(file, "/types/1/lm", {1, 2}, {1, 0});
                               },
                               {"'/types/1/lm'", "(0, 0)"}},
                              {[&](const H5::H5File& file) {
                                 two_rows(file, {0, 0, 1, 2}, 0.0);
                               },
                               {"'/types/1/lm'", "(1, 2)"}},
                              {[&](const H5::H5File& file) {
                                 two_rows(file, {0, 0, 1, 1}, 1.0);
                               },
                               {"'/types/1/v'", "real", "(1, 1)"}},
                              {[](const H5::H5File& file) { set(file, "/types/1/v", 7, Complex(-7.0, 0.1)); },
                               {"'/types/1/v'", "real", "point 7"}},
                              {[](const H5::H5File& file) {
                                 put<Complex>(file, "/types/1/v", {1, 600}, std::vector<Complex>(600));
                               },
                               {"'/types/1/v' has shape [1, 600]", "[1, 601]"}}});
}

}  // namespace test_malformed_file
}  // namespace cisolve
