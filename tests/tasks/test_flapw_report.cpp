// SPDX-License-Identifier: MIT
// The report of a FLAPW run, again from its file, as a page; and its states looked at again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "cisolve/core/error.hpp"
#include "cisolve/tasks/run/task.hpp"
#include "tasks/flapw/file.hpp"
#include "tasks/flapw_job.hpp"
#include "tasks/well_formed.hpp"

namespace cisolve {
namespace test_flapw_report {

using test::FlapwJob;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::string band_path =
    "[k_points]\npath = { points = [[0, 0, 0], [0.5, 0, 0], [0.5, 0.5, 0]], labels = [\"Γ\", \"X<\", \"M\"], "
    "segments = 2 }\n";
const std::string synthetic = "[flapw]\nroots = 50\n[synthetic]\natoms = 30\nlmax = 1\nwaves = 60\n";

std::string shown(const std::filesystem::path& file, bool verbose = false) {
  std::ostringstream report;
  show_result(file, report, verbose);
  return report.str();
}

/// With one space where there are several: where columns stand is not tested.
std::string squeezed(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c != ' ' || !result.ends_with(' ')) result += c;
  }
  return result;
}

/// Times included: they are those of the file.
void expect_shown_as_printed(FlapwJob& job, const RunControl& control = {}) {
  job.run({}, control);
  EXPECT_EQ(shown(job.file(), control.verbose) + "\nResults are in " + job.file().string() + ".\n",
            job.report());
}

TEST(FlapwReport, IsShownAgainAsItWasPrinted) {
  for (const std::string& input :
       {test::cosine_crystal(), test::cosine_crystal(band_path), test::inversion_crystal(), synthetic,
        test::flapw_of_file("singular_overlap.h5"), test::flapw_of_file("lmax_differ.h5"),
        test::flapw_of_file("two_spheres_radial.h5")}) {
    FlapwJob job(input);
    expect_shown_as_printed(job);
  }
  FlapwJob verbose(test::cosine_crystal(band_path)), matrices(synthetic, {"flapw.roots=0"});
  RunControl control;
  control.verbose = true;
  expect_shown_as_printed(verbose, control);
  EXPECT_THAT(verbose.report(), HasSubstr("k-point 5 of 5: 0.5000 0.5000 0.0000, weight 0.2000"));
  expect_shown_as_printed(matrices);
}

TEST(FlapwReport, SaysWhichRootsHaveNotConverged) {
  FlapwJob job(test::cosine_crystal(), {"flapw.solver=davidson", "flapw.max_iterations=1"});
  expect_shown_as_printed(job);
  EXPECT_THAT(job.report(), AllOf(HasSubstr("    4     0.4587445"), HasSubstr("  not converged\n")));
  // One of them is known as converged: so it is in the file.
  FlapwResult result = job.result();
  result.points[0].states.converged[1] = true;
  const std::filesystem::path file = job.folder() / "other.h5";
  for (int k = 1; k <= 2; ++k) write_flapw(file, result, k, false, nullptr, k == 1);
  EXPECT_EQ(read_flapw(file).points[0].states.converged, result.points[0].states.converged);
  const std::string report = shown(file);
  const std::size_t second = report.find("    2     0.216");
  ASSERT_NE(second, std::string::npos);
  EXPECT_THAT(report.substr(second, report.find('\n', second) - second), Not(HasSubstr("not converged")));
}

TEST(FlapwReport, HasWhatAChemistLooksFor) {
  FlapwJob job(test::cosine_crystal(), {"flapw.algorithm=merged"});
  test::run_to_end(job);
  const std::string report = squeezed(job.report());
  for (const char* part :
       {"a = 6.0000, b = 6.0000, c = 6.0000 bohr", "216.0000", " X 1.4000 8 6 0.2000 1 indefinite",
        "no density, no", "self-consistency", "k-point 1 of 2: 0.1000 0.2300 0.3700, weight 0.5000",
        "plane waves 119, rows 162, k_max R_min 3.84 (small), algorithm merged", "T times [A; B]",
        "ZGEMM of this run", "checked elements 16, largest difference H ", "none dropped",
        " root energy/hartree residual", " 1 -0.0290557877",
        " band lowest/hartree highest/hartree\n 1 -0.1037345393 -0.0290557877", "Total "})
    EXPECT_THAT(report, HasSubstr(part));
}

TEST(FlapwReport, ManyPointsHaveALineEach) {
  FlapwJob job(test::cosine_crystal(band_path), {"flapw.roots=2"});
  test::run_to_end(job);
  const std::string report = squeezed(job.report());
  EXPECT_THAT(report, HasSubstr(" k fractional waves lowest/hartree highest/hartree"));
  EXPECT_THAT(report, HasSubstr("\n 1 0.0000 0.0000 0.0000 123 -0.10373454 "));
  EXPECT_THAT(report, Not(HasSubstr("ZGEMM of this run")));
}

TEST(FlapwReport, ManyRootsAreCutShort) {
  FlapwJob job(synthetic);
  const FlapwResult result = test::run_to_end(job);
  EXPECT_THAT(job.report(), HasSubstr(fmt::format("  and 10 more, up to {:.10f}, in the result file",
                                                  result.points[0].states.energies.at(49))));
  EXPECT_THAT(job.report(), HasSubstr("  and 10 more\n"));  // of 30 types
}

TEST(FlapwPage, HasBandsPointsAndNoMarkupOfOthers) {
  const std::string evil = "<script>alert('x')</script>&";
  FlapwJob job("title = \"" + evil + "\"\n" +
                   test::cosine_crystal(band_path).substr(test::cosine_crystal(band_path).find("[flapw]")),
               {"flapw.roots=4"});
  const FlapwResult result = test::run_to_end(job);
  const std::string page = flapw_page(job.file());
  EXPECT_EQ(test::xml_mistake(page), "");
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, HasSubstr("<h1>&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;</h1>"));
  for (const char* section : {"bands", "points", "crystal", "times", "input"})
    EXPECT_THAT(page, HasSubstr(fmt::format("<section id=\"{}\"", section)));
  for (const char* part :
       {"<svg", "4 bands at 5 k-points", "Γ", "X&lt;", "length of the path", "positive definite"})
    EXPECT_THAT(page, HasSubstr(part));
  for (const FlapwPoint& point : result.points) {
    for (const double energy : point.states.energies)
      EXPECT_THAT(page, HasSubstr(fmt::format("{:.8f}", energy)));
  }
  for (const char* reference : {"http://", "https://", "src=", "url("})
    EXPECT_THAT(page, Not(HasSubstr(reference)));
}

TEST(FlapwPage, SaysFirstWhatIsNotDone) {
  FlapwJob job(test::cosine_crystal(), {"flapw.solver=davidson", "flapw.max_iterations=1"});
  job.run();
  const std::string page = flapw_page(job.file());
  EXPECT_EQ(test::xml_mistake(page), "");
  const std::size_t at = page.find("k-point 1 has not converged");
  ASSERT_NE(at, std::string::npos);
  EXPECT_LT(at, page.find("-0.02905578"));
}

TEST(FlapwPage, OfMatricesAloneHasNoBands) {
  FlapwJob job(synthetic, {"flapw.roots=0"});
  test::run_to_end(job);
  const std::string page = flapw_page(job.file());
  EXPECT_EQ(test::xml_mistake(page), "");
  EXPECT_THAT(page, Not(HasSubstr("<section id=\"bands\"")));
  EXPECT_THAT(page, HasSubstr("<section id=\"times\""));
}

class FlapwVerify : public testing::Test {
protected:
  FlapwVerify() { test::run_to_end(job_); }

  bool verify() {
    report_.str("");
    return verify_result(job_.file(), report_);
  }

  /// Writes a dataset of the second k-point again, with another content.
  template <class T, class Spoil>
  void change(const std::string& name, Spoil&& spoil) {
    Hdf5File file = Hdf5File::modify(job_.file());
    {
      Hdf5Group group = file.root().open_group("k").open_group("2");
      Hdf5Array<T> array = group.read<T>(name);
      spoil(array.values);
      group.remove(name);
      group.write<T>(name, array.values, array.shape, {.description = "changed"});
    }
    file.close();
  }

  FlapwJob job_{test::cosine_crystal(), {"output.matrices=true"}};
  std::ostringstream report_;
};

TEST_F(FlapwVerify, HoldsOfAFileAsItWasWritten) {
  EXPECT_TRUE(verify());
  EXPECT_THAT(squeezed(report_.str()),
              AllOf(HasSubstr("\n 1 1 -0.0290557877 "), HasSubstr("\n 2 8 1.0499361041 "),
                    HasSubstr(" holds\n"), HasSubstr("All hold."), Not(HasSubstr("FAILS"))));
}

TEST_F(FlapwVerify, FailsWhereAVectorWasChanged) {
  change<std::complex<double>>("vector", [](auto& vectors) { vectors[123 + 5] += 1e-6; });  // the second
  EXPECT_FALSE(verify());
  const std::string report = squeezed(report_.str());
  EXPECT_THAT(report, HasSubstr("Not all hold."));
  const std::size_t failure = report.find("FAILS");
  ASSERT_NE(failure, std::string::npos);
  EXPECT_EQ(failure, report.rfind("FAILS"));  // that one alone
  EXPECT_THAT(report.substr(report.rfind('\n', failure)), testing::StartsWith("\n 2 2 0.4730914977 "));
}

TEST_F(FlapwVerify, FailsWhereALengthAnEnergyOrAMatrixWasChanged) {
  const std::string original = (job_.folder() / "original.h5").string();
  std::filesystem::copy_file(job_.file(), original);
  const auto restore = [&] {
    std::filesystem::copy_file(original, job_.file(), std::filesystem::copy_options::overwrite_existing);
  };
  change<std::complex<double>>("vector", [](auto& vectors) {
    for (auto& element : vectors) element *= 1.0 + 1e-8;
  });
  EXPECT_FALSE(verify());
  restore();
  change<double>("eigenvalue", [](auto& energies) { energies[3] += 1e-7; });
  EXPECT_FALSE(verify());
  restore();
  change<std::complex<double>>("h", [](auto& elements) { elements[2] += 1e-5; });
  EXPECT_FALSE(verify());
  restore();
  change<double>("residual", [](auto& norms) { norms[0] = std::nan(""); });
  EXPECT_FALSE(verify());
  restore();
  EXPECT_TRUE(verify());
}

TEST_F(FlapwVerify, NeedsMatricesVectorsAndStates) {
  const auto refusal = [](const std::vector<std::string>& settings) {
    FlapwJob job(test::cosine_crystal(), settings);
    test::run_to_end(job);
    std::ostringstream report;
    try {
      verify_flapw(job.file(), report, false);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("not refused");
  };
  EXPECT_THAT(refusal({}), HasSubstr("output.matrices = true"));
  EXPECT_THAT(refusal({"output.matrices=true", "output.vectors=false"}), HasSubstr("output.vectors = true"));
  EXPECT_THAT(refusal({"output.matrices=true", "flapw.roots=0"}), HasSubstr("flapw.roots = 0"));
}

}  // namespace test_flapw_report
}  // namespace cisolve
