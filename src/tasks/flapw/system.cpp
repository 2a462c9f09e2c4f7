// SPDX-License-Identifier: MIT
#include "tasks/flapw/system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <span>
#include <utility>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/core/hash.hpp"
#include "cisolve/lapw/radial.hpp"
#include "tasks/flapw/report.hpp"

namespace cisolve {
namespace {

using Kind = lapw::InputFile::Kind;

/// Coefficients of nothing, of which the number of plane waves is known.
class OutlineSource : public lapw::CoefficientSource {
public:
  explicit OutlineSource(std::int64_t waves) : waves_(waves) {}
  std::int64_t waves() const override { return waves_; }
  void fill(int, int, std::int64_t, std::int64_t, lapw::Complex*, lapw::Complex*,
            std::int64_t) const override {
    throw Error("the outline of a problem has no coefficients");
  }

private:
  std::int64_t waves_;
};

/// Of all its bytes.
std::uint64_t hash_of_file(const std::filesystem::path& name) {
  std::ifstream file(name, std::ios::binary);
  std::vector<char> piece(std::size_t{1} << 20);
  Hasher hasher;
  while (file.read(piece.data(), static_cast<std::streamsize>(piece.size())), file.gcount() > 0)
    hasher.add_bytes(std::as_bytes(std::span(piece).first(static_cast<std::size_t>(file.gcount()))));
  if (!file.eof()) throw SystemError(fmt::format("cannot read '{}'", name.string()));
  return hasher.digest();
}

/// The path whose corners have names.
BandPath path_of(const std::vector<std::string>& labels) {
  BandPath path;
  for (std::size_t k = 0; k < labels.size(); ++k) {
    if (labels[k].empty()) continue;
    path.corners.push_back(static_cast<int>(k));
    path.labels.push_back(labels[k]);
  }
  return path;
}

}  // namespace

FlapwSystem::FlapwSystem(const FlapwConfig& config) : config_(config) {
  if (!config.file.empty())
    take_file();
  else if (config.crystal)
    take_crystal();
  else
    take_synthetic();
  choose_algorithm();
  if (crystal_) make_tables();
  if (algorithm_ != lapw::Algorithm::hsdla)
    factors_ = lapw::signed_factors(lapw::tins_for(outline(0)->problem, algorithm_));
}

void FlapwSystem::take_file() {
  file_.emplace(config_.file);
  k_points_ = file_->k_points();
  if (file_->kind() == Kind::coefficients) {
    kind_ = "coefficients";
    tins_ = file_->muffin_tins();
    atom_types_ = file_->atom_types();
    return;
  }
  kind_ = file_->kind() == Kind::radial ? "radial" : "potential";
  crystal_ = file_->crystal();
  potential_ = file_->interstitial();
  k_max_ = file_->k_max().value_or(0.0);
  waves_ = file_->waves();
  if (file_->kind() == Kind::radial) return;
  for (int type = 0; type < std::ssize(crystal_->types); ++type) {
    try {
      lapw::solve_radial(crystal_->types[type], file_->sphere_potential(type), config_.radial);
    } catch (const InputError& error) {
      throw InputError(fmt::format("'{}': /types/{}: {}", config_.file.string(), type + 1, error.what()));
    }
  }
}

void FlapwSystem::take_crystal() {
  kind_ = "crystal";
  crystal_ = config_.crystal;
  potential_ = config_.potential;
  k_points_ = config_.k_points;
  k_max_ = config_.k_max;
  const lapw::FourierPotential none;
  for (int type = 0; type < std::ssize(crystal_->types); ++type) {
    const auto atom = std::ranges::find(crystal_->atoms, type, &lapw::AtomSite::type);
    if (atom == crystal_->atoms.end())
      throw InputError(fmt::format("crystal.types: no atom is of type \"{}\"", crystal_->types[type].name));
    const auto potential = lapw::potential_at(*crystal_, static_cast<int>(atom - crystal_->atoms.begin()),
                                              potential_ ? *potential_ : none);
    lapw::solve_radial(crystal_->types[type], *potential, config_.radial);
  }
}

void FlapwSystem::take_synthetic() {
  kind_ = "synthetic";
  const SyntheticCrystal& of = *config_.synthetic;
  synthetic_ = lapw::SyntheticSize{.atoms = of.atoms,
                                   .waves = of.waves,
                                   .lmax = of.lmax,
                                   .types = of.types,
                                   .hpd_share = of.hpd_share,
                                   .seed = of.seed,
                                   .k_max = of.k_max};
  tins_ = lapw::synthetic_tins(*synthetic_);
  for (std::int64_t atom = 0; atom < of.atoms; ++atom)
    atom_types_.push_back(static_cast<int>(atom % of.types));
  k_points_ = {lapw::KPoint{}};
}

void FlapwSystem::make_tables() {
  for (const lapw::AtomType& type : crystal_->types) tins_.push_back(lapw::muffin_tin(type));
  for (const lapw::AtomSite& atom : crystal_->atoms) atom_types_.push_back(atom.type);
  if (waves_.empty()) {
    for (const lapw::KPoint& point : k_points_)
      waves_.push_back(lapw::plane_waves(crystal_->lattice, point.k, k_max_));
  }
  const lapw::Matrix3 reciprocal = crystal_->lattice.reciprocal();
  double largest = 0.0;
  for (std::size_t k = 0; k < waves_.size(); ++k) {
    if (waves_[k].empty())
      throw InputError(
          fmt::format("{}k_max: no plane wave has |k + G| up to {} /bohr at k-point {} {}",
                      kind_ == "crystal" ? "crystal." : "'" + config_.file.string() + "': /k_points ", k_max_,
                      k + 1, point_text(k_points_[k].k)));
    for (const lapw::Index3& g : waves_[k])
      largest = std::max(largest, lapw::length(lapw::wave_vector(reciprocal, k_points_[k].k, g)));
  }
  tables_ = lapw::make_interstitial(*crystal_, potential_ && config_.interstitial ? &*potential_ : nullptr,
                                    lapw::largest_differences(waves_), 2.0 * largest);
}

void FlapwSystem::choose_algorithm() {
  using Choice = FlapwConfig::Algorithm;
  if (config_.algorithm == Choice::split && !crystal_)
    throw InputError(
        "flapw.algorithm: \"split\" needs radial functions, and here A, B and T alone are known; "
        "\"merged\" is the fastest without");
  if (config_.algorithm == Choice::hsdla)
    algorithm_ = lapw::Algorithm::hsdla;
  else
    algorithm_ =
        crystal_ && config_.algorithm != Choice::merged ? lapw::Algorithm::split : lapw::Algorithm::merged;
}

std::int64_t FlapwSystem::num_waves(int k) const {
  if (crystal_) return std::ssize(waves_[k]);
  return synthetic_ ? synthetic_->waves : file_->num_waves(k);
}

std::optional<double> FlapwSystem::lowest_potential() const {
  if (kind_ != "crystal") return std::nullopt;
  double bound = 0.0;
  for (std::size_t n = 0; potential_ && n < potential_->g.size(); ++n)
    bound += potential_->g[n] == lapw::Index3{} ? potential_->v[n].real() : -std::abs(potential_->v[n]);
  return bound;
}

std::int64_t FlapwSystem::source_bytes(int k) const {
  if (synthetic_) return 0;
  const auto bytes = static_cast<std::int64_t>(sizeof(lapw::Complex));
  const std::int64_t n = num_waves(k);
  if (!crystal_) {
    std::int64_t rows = 0;
    for (const int type : atom_types_) rows += lapw::num_functions(tins_[type].lmax);
    return bytes * n * (2 * rows + (file_->has_interstitial(k) ? 2 * n : 0));
  }
  // Harmonics of each rotation, and tables over differences of plane waves.
  std::vector<lapw::Matrix3> rotations;
  std::int64_t functions = 0;
  for (const lapw::AtomSite& atom : crystal_->atoms) {
    if (std::ranges::find(rotations, atom.rotation) != rotations.end()) continue;
    rotations.push_back(atom.rotation);
    functions += lapw::num_functions(crystal_->types[atom.type].lmax);
  }
  return bytes * (n * functions + std::ssize(crystal_->types) * tables_.theta.size());
}

int FlapwSystem::largest_point() const {
  int largest = 0;
  for (int k = 1; k < num_points(); ++k) {
    if (num_waves(k) > num_waves(largest)) largest = k;
  }
  return largest;
}

int FlapwSystem::num_definite_atoms() const {
  std::vector<bool> definite;
  for (const lapw::MuffinTin& tin : tins_) definite.push_back(lapw::is_positive_definite(tin));
  return static_cast<int>(std::ranges::count_if(atom_types_, [&](int type) { return definite[type]; }));
}

bool FlapwSystem::has_interstitial(int k) const {
  if (!config_.interstitial) return false;
  return !file_ || file_->kind() != Kind::coefficients || file_->has_interstitial(k);
}

std::unique_ptr<FlapwSystem::Point> FlapwSystem::outline(int k) const {
  auto point = std::make_unique<Point>();
  point->source = std::make_unique<OutlineSource>(num_waves(k));
  point->problem = {.atom_types = atom_types_,
                    .tins = tins_,
                    .factors = factors_,
                    .coefficients = point->source.get(),
                    .outside = {},
                    .crystal = crystal_ ? &*crystal_ : nullptr,
                    .matching = nullptr};
  return point;
}

std::unique_ptr<FlapwSystem::Point> FlapwSystem::point(int k) const {
  std::unique_ptr<Point> point = outline(k);
  lapw::PlaneWavePart& outside = point->problem.outside;
  if (crystal_) {
    point->matching = lapw::match_waves(*crystal_, k_points_[k].k, waves_[k]);
    point->source = std::make_unique<lapw::MatchingCoefficients>(*crystal_, point->matching);
    point->problem.matching = &point->matching;
    outside.tables = &tables_;
    outside.between_spheres = config_.interstitial;
    outside.potential = potential_ ? &*potential_ : nullptr;
  } else if (synthetic_) {
    point->source = std::make_unique<lapw::SyntheticCoefficients>(*synthetic_);
    if (config_.interstitial) {
      constexpr double share = 0.4;
      for (const double kinetic : lapw::synthetic_kinetic(*synthetic_))
        point->h_diagonal.push_back(share * kinetic);
      point->s_diagonal.assign(point->h_diagonal.size(), share);
      outside.h_diagonal = point->h_diagonal;
      outside.s_diagonal = point->s_diagonal;
    }
  } else {
    point->given = file_->coefficients(k);
    point->source = std::make_unique<lapw::FileCoefficients>(point->given, atom_types_, tins_);
    if (has_interstitial(k)) {
      outside.h = {point->given.h_interstitial.data(), point->given.h_interstitial.size()};
      outside.s = {point->given.s_interstitial.data(), point->given.s_interstitial.size()};
    }
  }
  point->problem.coefficients = point->source.get();
  return point;
}

std::int64_t FlapwSystem::num_rows() const {
  std::int64_t rows = 0;
  for (const int type : atom_types_) rows += lapw::num_functions(tins_[type].lmax);
  return rows;
}

FlapwPoint FlapwSystem::outset(int k) const {
  FlapwPoint point;
  point.k = k_points_[k];
  point.waves = num_waves(k);
  point.rows = num_rows();
  if (crystal_) point.g = waves_[k];
  return point;
}

void FlapwSystem::describe(FlapwResult& result) const {
  result.kind = kind_;
  result.source = config_.file.string();
  if (file_) result.source_hash = hash_of_file(config_.file);
  result.algorithm = lapw::name_of(algorithm_);
  result.coefficients = config_.stored ? "stored" : "streamed";
  result.arithmetic = config_.arithmetic == FlapwConfig::Arithmetic::native ? "native" : "3m";
  result.relativistic = config_.radial == lapw::RadialEquation::scalar_relativistic &&
                        (kind_ == "crystal" || kind_ == "potential");
  result.num_atoms = std::ssize(atom_types_);
  result.crystal = crystal_;
  result.k_max = k_max_;
  result.path = file_ ? path_of(file_->k_labels()) : config_.path;
  std::vector<int> atoms_of_type(tins_.size());
  for (const int type : atom_types_) ++atoms_of_type[type];
  for (std::size_t type = 0; type < tins_.size(); ++type) {
    result.types.push_back({.name = crystal_ ? crystal_->types[type].name : fmt::format("{}", type + 1),
                            .lmax = tins_[type].lmax,
                            .atoms = atoms_of_type[type],
                            .is_definite = lapw::is_positive_definite(tins_[type])});
  }
  result.num_rows = num_rows();
  result.interstitial = true;
  for (int k = 0; k < num_points(); ++k) {
    result.interstitial = result.interstitial && has_interstitial(k);
    result.points.push_back(outset(k));
  }
  if (file_) {
    for (const std::string& warning : file_->warnings()) result.warn(warning);
  }
  for (std::size_t type = 0; crystal_ && !result.relativistic && type < crystal_->types.size(); ++type) {
    const std::vector<double> products = lapw::wronskians(crystal_->types[type]);
    for (std::size_t l = 0; l < products.size(); ++l) {
      constexpr double much = 1e-3;  // files that others make are refused from 1% on
      if (std::abs(0.5 * products[l] - 1.0) > much)
        result.warn(fmt::format(
            "type {}: R^2 W/2 - 1 is {:.1e} for l = {}, and 0 for exact radial functions: E_l = {:.4f} "
            "hartree is too far from where this l has states",
            crystal_->types[type].name, 0.5 * products[l] - 1.0, l, crystal_->types[type].energy[l]));
    }
  }
  if (crystal_ && k_max_ > 0.0) {
    for (const lapw::AtomType& type : crystal_->types) {
      if (k_max_ * type.radius > type.lmax)
        result.warn(fmt::format(
            "type {}: k_max times its radius is {:.1f}, more than lmax = {}: its plane waves are cut "
            "short in the sphere, and eigenvalues suffer; lmax = {} would do",
            type.name, k_max_ * type.radius, type.lmax, static_cast<int>(k_max_ * type.radius) + 1));
    }
  }
  const bool has_states = !config_.roots || *config_.roots > 0;
  if (!result.interstitial && has_states)
    result.warn(
        "H and S are of the muffin tins alone, without what lies between them: their eigenvalues are no "
        "energies");
}

void FlapwResult::warn(std::string warning) {
  if (std::ranges::find(warnings, warning) == warnings.end()) warnings.push_back(std::move(warning));
}

}  // namespace cisolve
