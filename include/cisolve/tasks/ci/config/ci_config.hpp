// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cisolve/integrals/fcidump.hpp"
#include "cisolve/molecule/basis_set.hpp"
#include "cisolve/molecule/gaussian94.hpp"
#include "cisolve/molecule/scf.hpp"
#include "cisolve/molecule/symmetry.hpp"
#include "cisolve/problem/functions.hpp"
#include "cisolve/problem/resources.hpp"
#include "cisolve/selection/criterion.hpp"
#include "cisolve/sparse/coded_matrix.hpp"
#include "cisolve/tasks/lattice/lattice_config.hpp"

namespace cisolve {

struct Input;

/// The first orbitals where they have the irrep and the spin of a sector, else their lowest replacement that has.
struct AufbauReference {};
/// The first n_alpha and n_beta orbitals, for all sectors.
struct FirstOrbitalsReference {};
/// What is reached from aufbau by replacements that lower the energy most (docs/input.md).
struct LowestReference {};
/// References given as occupations, such as "2220" or "22ud".
struct ListedReferences {
  std::vector<std::string> occupations;
};
/// A complete active space: all determinants of `electrons` in `orbitals` (1-based, after freezing).
struct CasReference {
  int electrons = 0;
  int num_orbitals = 0;
  std::vector<int> orbitals = {};  ///< empty, as the next two: the ones that follow the doubly occupied
  enum class Irreps { all, sector } irreps = Irreps::all;  ///< of its determinants: all, or a sector's own
  std::vector<std::string> labels = {};                    ///< of the orbitals, "5b1"; frozen orbitals count
  std::map<int, int> per_irrep = {};                       ///< orbitals of an irrep (1-based)
  std::optional<std::vector<int>> inactive = {};  ///< with that: doubly occupied below them, of each irrep
};
/// The configurations of an earlier result whose weight in one of its roots is at least `weight`.
struct FileReference {
  std::filesystem::path file;
  double weight = 0.01;
  std::vector<int> roots = {};  ///< 1-based numbers of those that count; empty: all
};
using ReferenceChoice = std::variant<AufbauReference, FirstOrbitalsReference, LowestReference,
                                     ListedReferences, CasReference, FileReference>;

/// A bound of a restricted active space: at most `count` holes or electrons in some orbitals (1-based, after
/// freezing).
struct OccupationLimit {
  std::vector<int> orbitals;
  int count = 0;
};

/// The noble-gas cores of a molecule's atoms.
struct NobleGasCores {};
/// Orbitals to freeze: so many at the end in question, or 1-based numbers.
using FrozenOrbitals = std::variant<int, std::vector<int>, NobleGasCores>;

/// The form in which a result file holds determinants.
enum class DeterminantOutput { automatic, list, blocks };

/// Density matrices in a result file: one-particle ones of each root and between all, and two-particle ones of each.
enum class DensityOutput { none, one, two };

/// Natural orbitals in a result file.
struct NaturalOrbitalOutput {
  enum class Of { none, every_root, one_root, average } of = Of::none;
  int root = 0;  ///< of one root: its number, from 1
};

/// The functions that wavefunctions are expanded in.
enum class BasisChoice { determinant, csf };

/// What [molecule] asks for: geometry and basis read, symmetry found, electrons checked.
struct MoleculeConfig {
  SymmetryFrame frame;
  GaussianBasis basis;
  std::string basis_name;            ///< with several sets: "cc-pVDZ (O), STO-3G (H2)"
  std::vector<Gaussian94Head> sets;  ///< by Atom::set; each with its kind of functions
  int charge = 0;
  int multiplicity = 1;
  int num_electrons = 0;
  ScfConfig scf;
  std::vector<std::string> warnings = {};  ///< of a single geometry: distances that look like a mistake
};

/// Orbitals of a molecule at another geometry, and which of them were chosen there: zero-based, ascending.
struct ChosenOrbitals {
  std::string origin;  ///< for messages: "point 3"
  const MoleculeConfig* molecule = nullptr;
  std::shared_ptr<const ScfOrbitals> orbitals;
  std::vector<int> core, virtuals;  ///< frozen
  std::vector<int> cas;             ///< of the references; may be empty, as the next two
  std::vector<int> max_holes, max_particles;
};

/// What is done to orbitals that were optimised, for the last CI.
enum class FinalOrbitals { canonical, natural, unchanged };

/// What [orbitals] asks for: orbitals that minimise the energy of a CI averaged over roots, or that are natural for it.
struct OrbitalsConfig {
  enum class For { casscf, natural };
  For optimise = For::casscf;
  std::vector<double> weights;       ///< of the roots, sector after sector; their sum is 1
  double gradient_tolerance = 1e-5;  ///< hartree
  double energy_tolerance = 1e-8;    ///< hartree
  int max_iterations = 50;
  double max_rotation = 0.4;  ///< first trust radius
  std::vector<int> fixed;     ///< 1-based orbitals that do not turn
  std::string fixed_key = "orbitals.fixed", reference_key = "space.reference";  ///< where given, for messages
  FinalOrbitals final = FinalOrbitals::canonical;
  bool follow = false;                 ///< roots keep their weights where they change places
  int cycles = 1;                      ///< natural: CIs whose natural orbitals are taken
  double natural_threshold = 0.0;      ///< natural: occupation of empty orbitals that stay in the CI
  std::int64_t determinants = 20'000;  ///< natural, of a selected CI: lists whose natural orbitals are taken
};

/// What [selection] asks for: a list of determinants that grows out of the space.
struct SelectionConfig {
  enum class Perturbation { exact, semistochastic, none };
  SelectionCriterion criterion = SelectionCriterion::perturbation;
  std::vector<double> epsilon;            ///< hartree, descending; empty: the list grows by numbers
  std::int64_t determinants = 1'000'000;  ///< after which it grows no more
  double growth = 2.0;                    ///< per round, at most
  std::int64_t core = 0;                  ///< amplitude; 0: all
  double correction = 0.0;                ///< hartree, of E2 at the end; 0: any
  double correction_change = 0.0;         ///< hartree, of E + E2 from round to round at the end; 0: any
  double stage_end = 0.01;                ///< share of new determinants that ends a stage before the last
  Perturbation perturbation = Perturbation::exact;
  double perturbation_error = 1e-5;  ///< hartree
  std::uint64_t seed = 1;

  /// Not by numbers.
  bool grows_by_threshold() const { return !epsilon.empty() || criterion == SelectionCriterion::heat_bath; }
};

struct CiConfig;

/// Whether the CI is that of a complete active space and nothing else, perhaps with limits of a RAS.
bool is_active_space(const CiConfig& config);

/// A CI calculation, as the input asks for it: every value validated as far as that is possible
/// without reading the integrals, every default filled in. One field per input key.
struct CiConfig {
  std::string title;

  std::optional<MoleculeConfig> molecule;             ///< [molecule], instead of [integrals]
  std::shared_ptr<const LatticeConfig> lattice = {};  ///< [lattice], likewise; null: none

  // [orbitals]
  std::filesystem::path orbitals_file;  ///< of a molecule, in place of an SCF; empty: an SCF's

  // [integrals]
  std::filesystem::path
      integrals_file;  ///< absolute, or relative to the working directory; empty: a molecule or a lattice
  FcidumpSpins spins = FcidumpSpins::automatic;  ///< what the user says of the file's orbitals
  std::filesystem::path overlap_file;            ///< of alpha and beta orbitals, text; empty: none
  std::optional<int> electrons;
  std::optional<std::string> point_group;  ///< canonical spelling, e.g. "C2v"; of a molecule: what it has

  // [space]
  BasisChoice basis = BasisChoice::determinant;
  ReferenceChoice reference = AufbauReference{};
  int excitation_level = 2;  ///< full_excitation: full CI
  FrozenOrbitals frozen_core = 0;
  FrozenOrbitals frozen_virtual = 0;
  bool spin_complete = true;         ///< all determinants of every configuration reached
  bool spin_complete_given = false;  ///< the input says so itself
  std::optional<OccupationLimit> max_holes;
  std::optional<OccupationLimit> max_particles;
  std::shared_ptr<const ChosenOrbitals>
      chosen_before;  ///< followed by overlap instead of choosing anew; null: none
  std::optional<CasReference>
      cas_as_given;  ///< where the orbitals of `reference` are followed: what the input asks
  bool keep_orbitals =
      false;  ///< also those that no determinant occupies, for who wants the integrals; no key

  // [states]
  int count = 1;                    ///< per pair of irrep and multiplicity
  std::vector<std::string> irreps;  ///< names or 1-based Molpro numbers; empty: that of the first
                                    ///< reference; "all" alone: no restriction
  std::vector<int> multiplicities;  ///< 2S + 1; empty: every S >= |Ms|
  std::optional<int> ms2;

  // [orbitals]
  std::optional<OrbitalsConfig> orbitals;  ///< none: those of the SCF, or of the file
  std::vector<double> average_weights;     ///< without it, of the roots in an average; empty: all equal

  // [selection]
  std::optional<SelectionConfig> selection;  ///< none: the space is what [space] says

  // [hamiltonian]
  std::string storage = "auto";              ///< a name in the table of sparse/formats.hpp, or "auto"
  std::int32_t ell_width = 0;                ///< 0: automatic
  RowOrder row_order = RowOrder::automatic;  ///< coded
  bool ell_by_reference = false;             ///< the ELL part is the reference columns, not a width
  double threshold = 0.0;                    ///< hartree

  // [solver]
  double tolerance = 1e-6;  ///< hartree
  int max_iterations = 100;
  int max_subspace = 0;                        ///< 0: automatic
  std::optional<std::filesystem::path> guess;  ///< a result file; none: model space
  bool follow = false;                         ///< roots of largest overlap with the guess, not the lowest

  // [run]
  DeviceChoice device = DeviceChoice::automatic;
  int gpus = 0;             ///< that share the work; 0: automatic
  int threads = 0;          ///< 0: all
  std::int64_t memory = 0;  ///< bytes; 0: automatic

  // [output]
  std::filesystem::path output_file;
  bool write_vectors = true;
  DeterminantOutput determinants = DeterminantOutput::automatic;
  bool properties = true;
  DensityOutput density = DensityOutput::none;
  NaturalOrbitalOutput natural_orbitals;
  std::vector<std::filesystem::path> also;  ///< written of the result for other programs
  std::filesystem::path checkpoint_file;
  double checkpoint_interval = 300.0;  ///< seconds; 0: every iteration

  std::string input_text;     ///< as given
  std::string resolved_text;  ///< TOML with every default filled in, deterministic
};

/// The calculation that the input asks for, with every default filled in. Integral files are relative
/// to the input file; everything else is relative to the working directory.
///
/// `resolved_text` gives the same configuration when parsed as a file in the working directory.
/// @throws InputError if a value is refused, values contradict each other, or the integrals are absent
CiConfig read_ci_config(const Input& input);

}  // namespace cisolve
