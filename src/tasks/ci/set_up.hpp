// SPDX-License-Identifier: MIT
#pragma once

#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cisolve/hamiltonian/direct_product.hpp"
#include "cisolve/hamiltonian/integral_tables.hpp"
#include "cisolve/solver/davidson.hpp"
#include "cisolve/sparse/row_source.hpp"
#include "cisolve/tasks/ci/ci.hpp"
#include "cisolve/tasks/ci/ci_result.hpp"
#include "cisolve/tasks/ci/job/ci_job.hpp"
#include "cisolve/tasks/files/checkpoint.hpp"
#include "tasks/ci/basis.hpp"
#include "tasks/ci/plan.hpp"

namespace cisolve {

namespace cuda {
class PlannedDirectProduct;
}

/// Everything of a sector up to its matrix: shared by a run, by --check and by the benchmarks.
struct CiProblem {
  const CiJob* job = nullptr;
  std::unique_ptr<Basis> basis;
  std::unique_ptr<IntegralTables> tables;
  std::unique_ptr<RowSource> rows;  ///< null with the string-driven product
  std::vector<double> diagonal;
  std::unique_ptr<DirectProduct> direct;  ///< null where H is stored
  /// For the device that the plan says; taken by whoever puts it there.
  std::shared_ptr<cuda::PlannedDirectProduct> planned;
  std::unique_ptr<SpinStructure> spin;         ///< for the projection on the wanted spin; may be null
  std::unique_ptr<RowSource> spin_rows;        ///< of S^2, beside a stored H
  std::vector<std::int64_t> spin_row_lengths;  ///< of those
  std::vector<double> spin_diagonal;           ///< of H, averaged over each configuration, beside a stored H
  CiPlan plan;
  double count_seconds = 0.0;
};

/// What an earlier run left of a sector: to be checked against its space as soon as that is known.
struct EarlierSpace {
  std::uint64_t hash = 0;
  std::int64_t dimension = 0;
};

/// Said before the work and not after it: are the files there that it needs, can those be written that it makes?
/// @throws InputError, SystemError
void require_files(const CiConfig& config);

/// @throws EmptySpaceError if the space is known to have no state of the wanted spin; warns of too few
void require_states_of_spin(const CiConfig& config, const CiProblem& problem, CiResult& result);

/// What is held besides matrix and vectors; counts the rows of S^2 where that will be stored.
AuxiliaryBytes auxiliary_bytes(const CiConfig& config, CiProblem& problem);

/// Adds a warning unless it has been said.
void warn(CiResult& result, std::string warning);

/// Integrals, electrons and references of all sectors; prints molecule, SCF and system, and describes them
/// in `result` with the time taken. Warnings stay with the jobs.
std::vector<CiJob> set_up_jobs(const CiConfig& config, const RunControl& control, std::ostream& report,
                               CiResult& result);

/// Builds space and row source of a sector, counts; prints the sections of the report as it goes and
/// fills `sector`, and warnings and times of `result`. Of the plan there is row_lengths alone, and no
/// diagonal: enough to pass over the rows.
/// @param job      must outlive the problem
/// @param earlier  if given, checked against the space as soon as it is known
CiProblem set_up_rows(const CiConfig& config, const CiJob& job, const RunControl& control,
                      std::ostream& report, CiResult& result, CiResult::Sector& sector,
                      const std::optional<EarlierSpace>& earlier = {});

/// How the nonzeros of a matrix that is to be stored are found.
enum class Counting {
  exact,  ///< of every row: builders need them
  quick   ///< from a sample of the rows, unless they are few or quickly counted: for a plan alone
};

/// All of that, and the plan.
CiProblem set_up(const CiConfig& config, const CiJob& job, const RunControl& control, std::ostream& report,
                 CiResult& result, CiResult::Sector& sector, const std::optional<EarlierSpace>& earlier = {},
                 Counting counting = Counting::exact);

/// "irrep A1, multiplicity 3": irrep and multiplicity of a sector, or "all irreps".
std::string sector_name(const CiJob& job);

/// " of irrep A1 and multiplicity 3", " of multiplicity 3" or "": what a sector's roots are restricted to.
std::string states_name(const CiJob& job);

}  // namespace cisolve
