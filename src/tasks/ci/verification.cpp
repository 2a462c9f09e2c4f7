// SPDX-License-Identifier: MIT
#include "tasks/ci/verification.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "cisolve/core/error.hpp"
#include "cisolve/tasks/files/result_file.hpp"
#include "cisolve/tasks/report/report.hpp"
#include "tasks/ci/certification.hpp"
#include "tasks/ci/density_certificates.hpp"
#include "tasks/ci/integrals_of_result.hpp"
#include "tasks/files/resolved_input.hpp"
#include "tasks/report/text.hpp"

namespace cisolve {
namespace {

using report::fixed;
using report::print_field;
using report::print_wrapped;

CertificateConfig verification_config(const CiResult::Sector& sector, bool thorough) {
  constexpr double share = 0.05;  // of the products: well below a tenth of the run
  constexpr double spins = 1e8;   // nanoseconds, for <S^2> of small and middling spaces
  constexpr std::uint64_t other_rows_than_the_run = 0x7665726966790000U;
  CertificateConfig config = certificate_config(sector, share, other_rows_than_the_run);
  config.spin_budget = std::max(config.budget, spins);
  config.all_rows = thorough;
  return config;
}

/// What the file says of a root besides its energy, against what was found.
void compare(const CiResult& result, std::vector<std::string>& failures) {
  constexpr double same_spin = 1e-5;
  for (std::size_t k = 0; k < result.roots.size(); ++k) {
    const Root& root = result.root(k);
    const CiResult::Space& space = result.sectors[result.roots[k].sector].space;
    const double found = root.certificate->expectation_of_s_squared;
    if (!std::isnan(found) && !(std::abs(found - root.s_squared) <= same_spin))
      failures.push_back(fmt::format("root {}: <S^2> is {:.6f}, not {:.6f}", k + 1, found, root.s_squared));
    if (space.irrep != 0 && root.irrep != space.irrep)
      failures.push_back(fmt::format("root {}: its irrep has the number {}, its space is of {}", k + 1,
                                     root.irrep, space.irrep));
  }
}

/// How well density matrices fit the energies, and their traces the electrons.
void print_densities(std::ostream& out, const CiResult& result) {
  double energy = Certificate::none, traces = Certificate::none;
  for (std::size_t k = 0; k < result.roots.size(); ++k) {
    const Certificate& found = *result.root(k).certificate;
    energy = std::fmax(energy, std::abs(found.density_energy - result.root(k).energy));
    traces = std::fmax(traces, found.density_error);
  }
  if (std::isnan(traces)) return;
  std::string line = fmt::format("traces of the density matrices: {:.1e} off at most", traces);
  if (!std::isnan(energy)) line += fmt::format("; their energies: {:.1e} {}", energy, result.energy_unit());
  print_wrapped(out, "  ", line);
}

}  // namespace

std::vector<std::string> certify_again(CiResult& result, const std::filesystem::path& file, bool thorough) {
  const ResolvedInput input(result.resolved_text, file);
  input.settle_multiplicity(result);
  for (const CiResult::Sector& sector : result.sectors) {
    if (!sector.roots.empty() && !sector.vectors)
      throw InputError(file.string() + " holds no vectors; it was written with output.vectors = false");
  }
  for (const CiResult::Sector& sector : result.sectors) {
    if (sector.vectors && sector.vectors->rows() != sector.space.dimension)
      throw InputError(file.string() + " has complex vectors, for which there are no certificates");
  }
  const std::shared_ptr<const Integrals> integrals = integrals_of(result, file);
  std::vector<std::string> failures;
  if (hash(*integrals) != result.system.integrals_hash)
    failures.push_back("the integrals in the file are not those of the run: they have another hash");
  for (std::string& failure : result.failed_certificates())
    failures.push_back("the run said so itself: " + std::move(failure));
  const CertifiedInput certified{input.tolerance(), input.threshold(), input.follow()};
  for (CiResult::Sector& sector : result.sectors) {
    if (sector.roots.empty()) continue;
    try {
      certify_sector(*integrals, certified, sector.space, verification_config(sector, thorough), sector);
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", file.string(), error.what()));
    }
  }
  certify_densities(*integrals, certified.threshold, result);
  for (std::string& failure : result.failed_certificates()) failures.push_back(std::move(failure));
  compare(result, failures);
  return failures;
}

std::vector<std::string> unfinished_roots(const CiResult& result) {
  std::vector<std::string> sentences;
  for (std::size_t k = 0; k < result.roots.size(); ++k) {
    const Root& root = result.root(k);
    if (!root.converged)
      sentences.push_back(fmt::format("root {} is not converged: its residual norm is {:.1e} {}", k + 1,
                                      root.residual_norm, result.energy_unit()));
  }
  return sentences;
}

void print_verification(std::ostream& out, const CiResult& result, const CiResult& claimed) {
  out << fmt::format("\n{:>5}{:>18}{:>10}{:>11}{:>12}{:>10}  {}\n", "root", "energy/" + result.energy_unit(),
                     "residual", "recomputed", "rows", "<S^2>", "certificate");
  const auto estimate = [](bool is_exact, const std::string& text) { return is_exact ? text : "~" + text; };
  for (std::size_t k = 0; k < result.roots.size(); ++k) {
    const Certificate& found = *result.root(k).certificate;
    const Root& root = claimed.root(k);
    const bool all = found.has_all_rows(), all_spins = !std::isnan(found.expectation_of_s_squared);
    const std::string verdict = !found.passed ? "FAILED" : root.converged ? "passed" : "not converged";
    out << fmt::format("{:>5}{:>18}{:>10.2e}{:>11}{:>12}{:>10}  {}\n", k + 1, fixed(root.energy, 10),
                       root.residual_norm, estimate(all, fmt::format("{:.2e}", found.residual_norm)),
                       all ? "all" : format_count(found.rows_checked),
                       std::isnan(found.s_squared) ? "-" : estimate(all_spins, fixed(found.s_squared, 6)),
                       verdict);
  }
  out << '\n';
  print_wrapped(out, "  ", missed_roots_clause(result));
  print_densities(out, result);
  const bool has_claims = std::ranges::all_of(claimed.roots, [&](const CiResult::RootNumber& number) {
    return claimed.sectors[number.sector].roots[number.root].certificate.has_value();
  });
  if (result.system.orbitals == "unrestricted") {
    print_wrapped(out, "  ",
                  "<S^2> of orbitals of either spin is not checked: other than the energy, it is no sum over "
                  "rows of H");
  }
  if (!has_claims) out << "\n  The file itself has no certificates: it is of an earlier program.\n";
}

bool print_verdict(std::ostream& out, const std::vector<std::string>& failures,
                   const std::vector<std::string>& unfinished) {
  if (!unfinished.empty()) {
    out << "\nNot finished\n";
    for (const std::string& sentence : unfinished) print_wrapped(out, "  - ", sentence);
  }
  out << (!failures.empty()     ? "\nNot all certificates hold.\n"
          : !unfinished.empty() ? "\nWhat is there holds, but not all is there.\n"
                                : "\nAll certificates hold.\n");
  return failures.empty() && unfinished.empty();
}

bool verify_ci(const std::filesystem::path& file, std::ostream& report, bool thorough) {
  const CiResult claimed = read_result(file, true);
  CiResult result = claimed;
  const std::vector<std::string> failures = certify_again(result, file, thorough);
  print_wrapped(report, "", fmt::format("Certificates of {}", file.string()));
  print_failed_certificates(report, failures);
  report << '\n';
  print_field(report, "written by", fmt::format("cisolve {}, {}", claimed.version, claimed.created));
  print_field(report, "integrals", result.integrals ? "of the file" : claimed.system.integrals_file);
  print_verification(report, result, claimed);
  return print_verdict(report, failures, unfinished_roots(claimed));
}

}  // namespace cisolve
