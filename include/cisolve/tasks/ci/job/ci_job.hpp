// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/integrals/freeze.hpp"
#include "cisolve/integrals/point_group.hpp"
#include "cisolve/lattice/band_orbitals.hpp"
#include "cisolve/molecule/scf.hpp"
#include "cisolve/problem/does_not_fit.hpp"
#include "cisolve/space/configuration_space.hpp"
#include "cisolve/space/space.hpp"
#include "cisolve/tasks/ci/ci_result.hpp"
#include "cisolve/tasks/ci/config/ci_config.hpp"
#include "cisolve/tasks/run/run_control.hpp"

namespace cisolve {

/// What the SCF of a molecule found.
struct MoleculeSolution {
  ScfResult scf;
  CiResult::Molecule description;  ///< geometry and SCF, for result and report
  std::vector<int> core;           ///< zero-based frozen core orbitals

  bool is_unrestricted() const { return !scf.beta_orbitals.irreps.empty(); }

  /// [functions x orbitals]; of restricted orbitals the same for both spins.
  const Matrix& coefficients(Spin spin) const {
    const bool own = spin == Spin::beta && is_unrestricted();
    return own ? scf.beta_orbitals.coefficients : scf.orbitals.coefficients;
  }
};

/// What was made of a lattice.
struct LatticeSolution {
  LatticeOrbitals orbitals;
};

/// Orbitals before they are optimised, and what optimising them takes.
struct StartOrbitals {
  std::shared_ptr<const Repulsion> repulsion;
  FunctionIntegrals functions;  ///< with that
  Matrix coefficients;          ///< [functions x orbitals]
  std::vector<int> irreps;      ///< zero-based
};

/// Tells how a job comes on, and whether to stop it.
struct JobMonitor {
  RunControl control = {};  ///< stop and progress
  std::ostream* report =
      nullptr;  ///< the molecule, its SCF iterations and orbitals, as they come; may be null
};

/// The states of one irrep and one multiplicity: what a calculation is done for at a time.
struct SectorChoice {
  std::optional<std::string> irrep;  ///< as CiConfig::irreps; none: that of the first reference
  std::optional<int> multiplicity;   ///< none: every S >= |Ms|
};

/// Every pair of irrep and multiplicity that the input asks for: by irrep, then multiplicity, as given. At
/// least one.
std::vector<SectorChoice> sectors_of(const CiConfig& config);

/// A sector of a CI calculation after its integrals were read: electrons, symmetry and references are
/// settled and everything that the input can have got wrong has been checked.
struct CiJob {
  std::shared_ptr<const ActiveIntegrals> active;  ///< shared by all sectors
  std::optional<int> multiplicity;                ///< of the states wanted
  std::uint64_t integrals_hash = 0;               ///< of the active integrals
  PointGroup point_group;
  std::vector<std::string> orbital_labels;  ///< of all orbitals, frozen ones too; empty: the group is unknown
  int num_electrons = 0;                    ///< active
  int ms2 = 0;
  int num_frozen_core = 0;
  std::vector<int> core_orbitals;  ///< zero-based before freezing, ascending
  int num_frozen_virtual = 0;      ///< with those left out
  std::vector<int> left_out;       ///< likewise, of orbitals that no determinant of level 0 occupies
  std::vector<int>
      cas_orbitals;  ///< zero-based among the active ones, ascending; empty: the references are no CAS
  SpaceSelection<most_string_words> selection;
  std::optional<ConfigurationSelection<most_string_words>> csf;  ///< where the basis is CSFs
  std::string reference_origin;   ///< what the references are, in words; empty: their occupations say it
  std::string why_empty;          ///< that there is no function of the sector; empty: there may be
  double reference_energy = 0.0;  ///< diagonal element of the first reference, hartree
  bool spin_complete = true;      ///< every configuration with all its spin arrangements
  std::vector<std::string> warnings;
  std::shared_ptr<const MoleculeSolution> molecule;  ///< null where there is none
  std::shared_ptr<const LatticeSolution> lattice;    ///< likewise
  std::shared_ptr<const StartOrbitals> start;        ///< where orbitals are to be optimised; else null

  int num_orbitals() const { return active->integrals.num_orbitals; }
};

/// Reads the integrals, or makes them by an SCF, once, and settles the calculation: one job per sector.
/// @throws InputError   file absent or refused; electrons, spin, irrep, frozen orbitals or references
///                      that contradict each other or the file
/// @throws SystemError  the file cannot be read
/// @throws Interrupted  a stop was requested in the SCF
std::vector<CiJob> prepare_jobs(const CiConfig& config, const JobMonitor& monitor = {});

/// Refuses what can only be done for one sector.
/// @throws InputError if the input asks for several
void require_one_sector(const CiConfig& config);

/// Settles a calculation of one sector and gives its job.
/// @throws InputError, SystemError, Interrupted  as prepare_jobs and require_one_sector
CiJob prepare_job(const CiConfig& config, const JobMonitor& monitor = {});

/// Checks that an earlier result has the active orbitals of this job, or the first of them where it left out others.
/// @param name  of its file, begins the message
/// @throws InputError if not, with both
void require_same_orbitals(const CiResult& earlier, const ActiveIntegrals& active, const std::string& name);

/// The SCF of a molecule did not converge, so that there are no orbitals.
class ScfNotConverged : public InputError {
public:
  using InputError::InputError;
};

/// Bytes that a run may use: the input's, or 80% of what is free.
std::int64_t memory_limit(const CiConfig& config);

}  // namespace cisolve
