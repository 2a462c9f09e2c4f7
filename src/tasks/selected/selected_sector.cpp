// SPDX-License-Identifier: MIT
#include "tasks/selected/selected_sector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <string_view>
#include <utility>

#include "cisolve/tasks/report/report.hpp"
#include "core/stopwatch.hpp"
#include "tasks/selected/rounds.hpp"

namespace cisolve {
namespace {

std::string_view criterion_name(SelectionCriterion criterion) {
  switch (criterion) {
    case SelectionCriterion::heat_bath:
      return "heat-bath";
    case SelectionCriterion::amplitude:
      return "amplitude";
    case SelectionCriterion::perturbation:
      break;
  }
  return "perturbation";
}

/// What was reached before; of another criterion, or other numbers of roots, the list alone counts.
CiResult::Selection begin_record(const CiConfig& config, const GrowthStart& start) {
  CiResult::Selection record;
  record.criterion = criterion_name(config.selection->criterion);
  record.num_roots = config.count;
  if (!start.reached) return record;
  const CiResult::Selection& before = start.reached->reached;
  if (before.criterion != record.criterion || before.num_roots != record.num_roots) return record;
  record = before;
  record.end.clear();
  const auto stages = std::ssize(config.selection->epsilon);
  if (stages > 0) record.stage = static_cast<int>(std::min<std::ptrdiff_t>(record.stage, stages - 1));
  return record;
}

/// A list grows by what H connects to it, and never sees a state of another symmetry than those it began with.
void warn_of_blind_spots(const RunContext& context, const CiJob& job, const SelectedCi& list) {
  constexpr std::int64_t few = 16;  // determinants of one configuration, or of a small CAS
  if (list.size() > few || (context.config.count == 1 && job.selection.irrep != any_irrep)) return;
  context.warn(
      fmt::format("selection: the list begins with {} determinant{}, and grows by what H connects to {}: "
                  "states that have another "
                  "symmetry, which {} may not use, are missed; space.excitation_level = 1 begins with single "
                  "replacements, too",
                  list.size(), list.size() == 1 ? "" : "s", list.size() == 1 ? "it" : "them",
                  job.selection.irrep == any_irrep ? "irrep = \"all\"" : "the point group"));
}

void warn_of_processes(const RunContext& context) {
  if (context.control.served == nullptr || context.control.served->others() == 0) return;
  context.warn(
      "selection: several processes share the matrix of the list, which they make anew after every pass; one "
      "process is faster as long as it has room");
}

std::shared_ptr<const CheckpointSelection> state_of(const SelectedCi& list,
                                                    const CiResult::Selection& reached) {
  auto state = std::make_shared<CheckpointSelection>();
  state->list = list.list();
  state->words = list.num_words();
  state->reached = reached;
  return state;
}

}  // namespace

GrownSector grow_sector(const RunContext& context, const CiJob& job, const GrowthStart& start,
                        const GrowthSaver& save, CiResult::Sector& sector) {
  GrownSector grown;
  const Stopwatch spanning;
  const double solved_before = context.result.timing.solve;
  SelectedStart given;
  if (start.reached) {
    given = {.alpha = start.reached->list.alpha,
             .beta = start.reached->list.beta,
             .words = start.reached->words,
             .vectors = start.vectors};
  }
  grown.list = make_sector_list(context, job, given, shared_out(context, resources_of(context.config)));
  CiResult::Selection record = begin_record(context.config, start);
  if (start.reached && !start.source.empty())
    context.report << fmt::format("\nThe list begins with the {} determinants of the {}.\n",
                                  format_count(grown.list->size()), start.source);
  warn_of_blind_spots(context, job, *grown.list);
  warn_of_processes(context);
  grown.status = grow_list(context, *grown.list, record,
                           [&](const SelectedCi& list, const CiResult::Selection& reached) {
                             save(state_of(list, reached), list.vectors(), list.energies());
                           });
  if (grown.status == SolverStatus::interrupted) return grown;
  grown.reached = state_of(*grown.list, record);
  sector.selection = std::move(record);
  // finish() hands the vectors over at its end, so that they are there where it fails.
  const auto keep = [&] { save(grown.reached, grown.list->vectors(), grown.list->energies()); };
  context.result.timing.space += spanning.seconds() - (context.result.timing.solve - solved_before);
  try {
    std::pair<SectorProblem, std::vector<double>> planned = plan_sector_list(context, job, *grown.list);
    grown.planned.emplace(std::move(planned.first));
    grown.start = std::move(planned.second);
  } catch (const Interrupted&) {  // all that grew is kept
    keep();
    grown.status = SolverStatus::interrupted;
    return grown;
  } catch (const DoesNotFit&) {
    keep();
    throw;
  }
  const BasisSummary summary = grown.planned->problem.basis->summary();
  sector.space = {summary, {}, job.reference_origin};
  sector.space.excitation_level =
      static_cast<int>(std::ssize(summary.level_counts)) - 1;  // no level is complete
  print_space(context.report, sector.space, context.result.system);
  context.report.flush();
  return grown;
}

}  // namespace cisolve
