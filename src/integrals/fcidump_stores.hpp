// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "cisolve/integrals/fcidump.hpp"
#include "integrals/fcidump_steps.hpp"
#include "integrals/fcidump_survey.hpp"

// What read_fcidump gathers records in.

namespace cisolve {

/// Judges the records of a file one by one, and keeps what all layouts have.
class RecordChecks {
public:
  /// @param most_named  the largest orbital that a record may name
  RecordChecks(const TextReader& reader, const FcidumpHeader& header, const FcidumpOptions& options,
               std::int64_t most_named)
      : reader_(reader), header_(header), options_(options), most_named_(most_named) {}

  /// A last line without its end may have lost digits of its last number.
  void check_last_line(const FcidumpRecord& record) const;

protected:
  /// The largest orbital of a record.
  /// @throws InputError if one is outside what may be named, or the record is none of an FCIDUMP file
  std::int64_t check_orbitals(const FcidumpRecord& record) const;
  void check_magnitude(const FcidumpRecord& record, double magnitude) const;
  [[noreturn]] void refuse_second(const FcidumpRecord& record, double earlier) const;
  /// @throws ResourceError if so many bytes of packed integrals are too many
  void check_bytes(std::int64_t orbital, std::size_t bytes) const;
  /// @param named      orbitals of either spin, or spinors, that records name
  /// @param num_orbitals  that the header says
  void check_completeness(int named, int num_orbitals) const;
  void warn_without_core(bool has_core, FcidumpFile& result) const;

  const TextReader& reader_;
  const FcidumpHeader& header_;
  const FcidumpOptions& options_;
  std::int64_t most_named_;
  std::int64_t num_records_ = 0;
};

/// Gathers real records into packed arrays, which grow with the largest orbital named so far: the pairs of
/// the first n orbitals are the front of the packed triangle.
class RealStore : public RecordChecks {
public:
  /// The largest integral that the labels forbid, and where it stands.
  struct Forbidden {
    double magnitude = 0.0;
    FcidumpRecord record;
    std::int64_t line = 0;
  };

  /// @param labels  zero-based irreps of the orbitals of either spin
  RealStore(const TextReader& reader, const FcidumpHeader& header, const SettledLayout& layout,
            std::vector<int> labels, const FcidumpOptions& options);

  void add(const FcidumpRecord& record);
  void move_to(FcidumpFile& result);
  const Forbidden& worst_forbidden() const { return worst_forbidden_; }

private:
  static constexpr double absent = std::numeric_limits<double>::quiet_NaN();
  /// Blocks of unrestricted integrals in the order of a file that has them one after the other.
  enum Block { aa, bb, ab, h_a, h_b, core };
  struct Place {
    int orbital;
    int spin;
  };

  bool is_unrestricted() const { return layout_ != FcidumpLayout::restricted; }
  Place place(std::int64_t index, bool is_second_pair) const;
  void add_two_electron(const FcidumpRecord& record);
  void add_one_electron(const FcidumpRecord& record);
  void add_core(const FcidumpRecord& record);
  void next_block();
  bool joins_spins(const FcidumpRecord& record, const Place& p, const Place& q) const;
  double& mixed(const Place& i, const Place& j, const Place& k, const Place& l);
  int label(const Place& p) const { return labels_[p.orbital]; }
  void check_symmetry(const FcidumpRecord& record, int product);
  void grow(int num_orbitals);
  void store(double& element, const FcidumpRecord& record);
  [[noreturn]] void refuse_contradiction(double earlier, const FcidumpRecord& record) const;

  FcidumpLayout layout_;
  int num_orbitals_;  ///< that the header says, of either spin
  std::vector<int> labels_;
  int num_named_ = 0;  ///< orbitals that the arrays hold
  std::vector<double> one_[2], two_[2], mixed_;
  double core_energy_ = absent;
  bool has_zero_records_ = false;
  int block_ = aa;
  bool mixed_in_order_ = true;   ///< of (aa|bb), none has a pair before that of its beta orbitals
  std::int64_t mixed_line_ = 0;  ///< of one whose pairs are not the same
  Forbidden worst_forbidden_;
};

/// Gathers records of Hermitian integrals, which are laid out when all are there.
class ComplexStore : public RecordChecks {
public:
  ComplexStore(const TextReader& reader, const FcidumpHeader& header, const SettledLayout& layout,
               const FcidumpOptions& options)
      : RecordChecks(reader, header, options, header.norb),
        are_spinors_(layout.layout == FcidumpLayout::spinors) {}

  void add(const ComplexRecord& record);
  void move_to(FcidumpFile& result);

private:
  struct Kept {
    FcidumpRecord real;
    double imaginary;
    std::int64_t line;
  };

  void put(Complex& element, Complex value, const Kept& kept) const;
  void put_all(ComplexIntegrals& integrals) const;
  const Kept* without_exchange(const ComplexIntegrals& integrals) const;

  bool are_spinors_;
  int num_named_ = 0;
  std::vector<Kept> records_;
};

}  // namespace cisolve
