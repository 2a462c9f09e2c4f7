// SPDX-License-Identifier: MIT
#include "cisolve/lapw/input_file.hpp"

#include <fmt/format.h>

#include <utility>

#include "lapw/input_file_parts.hpp"
#include "lapw/input_file_reader.hpp"

namespace cisolve::lapw {
namespace {

constexpr const char* format_name = "cisolve-flapw";
constexpr int format_version = 1;

/// Refuses files of another format or version.
InputFile::Kind read_kind(const FileReader& reader) {
  const Hdf5Group root = reader.root();
  if (const std::string format = reader.text(root, "format"); format != format_name) {
    reader.refuse(fmt::format("attribute 'format' of '/' is \"{}\", expected \"{}\"", format, format_name));
  }
  if (const std::int64_t version = reader.integer(root, "format_version"); version != format_version) {
    reader.refuse(
        fmt::format("attribute 'format_version' of '/' is {}, expected {}", version, format_version));
  }
  const std::string kind = reader.text(root, "kind");
  if (kind == "coefficients") return InputFile::Kind::coefficients;
  if (kind == "radial") return InputFile::Kind::radial;
  if (kind == "potential") return InputFile::Kind::potential;
  reader.refuse(fmt::format(
      "attribute 'kind' of '/' is \"{}\", expected \"coefficients\", \"radial\" or \"potential\"", kind));
}

}  // namespace

struct InputFile::State {
  explicit State(const std::filesystem::path& file) : reader(file), kind(read_kind(reader)) {
    if (reader.root().has_attribute("title")) title = reader.text(reader.root(), "title");
    if (kind == Kind::coefficients) {
      sets = read_coefficient_sets(reader);
      k_points.points = sets.points;
    } else {
      read_crystal_and_types();
    }
    warnings = reader.warnings();
  }

  void read_crystal_and_types() {
    crystal = read_crystal(reader);
    const Hdf5Group types = reader.group(reader.root(), "types");
    for (std::size_t t = 0; t < crystal.types.size(); ++t) {
      const Hdf5Group group = types.open_group(std::to_string(t + 1));
      if (kind == Kind::radial) {
        read_radial_functions(reader, group, crystal.types[t]);
      } else {
        potentials.push_back(read_sphere_potential(reader, group, crystal.types[t]));
      }
    }
    k_points = read_k_points(reader, crystal.lattice);
    interstitial = read_interstitial(reader);
  }

  FileReader reader;
  Kind kind;
  std::string title;
  std::vector<std::string> warnings;
  KPointList k_points;
  CoefficientSets sets;
  Crystal crystal;
  std::vector<std::unique_ptr<SpherePotential>> potentials;
  std::optional<FourierPotential> interstitial;
};

InputFile::InputFile(const std::filesystem::path& file) : state_(std::make_unique<State>(file)) {}
InputFile::~InputFile() = default;
InputFile::InputFile(InputFile&&) noexcept = default;
InputFile& InputFile::operator=(InputFile&&) noexcept = default;

InputFile::Kind InputFile::kind() const { return state_->kind; }
const std::string& InputFile::title() const { return state_->title; }
const std::vector<std::string>& InputFile::warnings() const { return state_->warnings; }
const std::vector<KPoint>& InputFile::k_points() const { return state_->k_points.points; }

const Crystal& InputFile::crystal() const { return state_->crystal; }
std::optional<double> InputFile::k_max() const { return state_->k_points.k_max; }
const std::vector<std::vector<Index3>>& InputFile::waves() const { return state_->k_points.waves; }
const std::vector<std::string>& InputFile::k_labels() const { return state_->k_points.labels; }
const std::optional<FourierPotential>& InputFile::interstitial() const { return state_->interstitial; }
const SpherePotential& InputFile::sphere_potential(int type) const {
  return *state_->potentials.at(static_cast<std::size_t>(type));
}

const std::vector<int>& InputFile::atom_types() const { return state_->sets.atom_types; }
const std::vector<MuffinTin>& InputFile::muffin_tins() const { return state_->sets.tins; }
std::int64_t InputFile::num_waves(int k) const { return state_->sets.waves.at(static_cast<std::size_t>(k)); }
bool InputFile::has_interstitial(int k) const {
  return state_->sets.has_interstitial.at(static_cast<std::size_t>(k)) != 0;
}
GivenCoefficients InputFile::coefficients(int k) const {
  return read_coefficients(state_->reader, state_->sets, k);
}

}  // namespace cisolve::lapw
