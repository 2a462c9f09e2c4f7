// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/integrals/fcidump.hpp"

namespace cisolve {
namespace {

constexpr std::size_t chunk_size = std::size_t{1} << 20;

/// A file under a temporary name until commit() renames it. Removed by the destructor if that was not
/// reached.
class AtomicTextFile {
public:
  explicit AtomicTextFile(const std::filesystem::path& target)
      : target_(target), temporary_(fmt::format("{}.{}.tmp", target.string(), ::getpid())) {
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor_ < 0) fail("cannot be created");
    const bool compressed = target.extension() == ".gz";
    const int copy = ::dup(descriptor_);  // gzclose closes its descriptor, fsync comes after it.
    stream_ = copy < 0 ? nullptr : gzdopen(copy, compressed ? "wb" : "wbT");
    if (stream_ != nullptr) return;
    if (copy >= 0) ::close(copy);
    discard();
    throw SystemError(target_.string() + ": cannot be opened for writing");
  }
  ~AtomicTextFile() { discard(); }
  AtomicTextFile(const AtomicTextFile&) = delete;
  AtomicTextFile& operator=(const AtomicTextFile&) = delete;

  void write(const std::string& text) {
    if (text.empty()) return;
    if (gzwrite(stream_, text.data(), static_cast<unsigned>(text.size())) == 0) fail("cannot be written");
  }

  void commit() {
    if (gzclose(std::exchange(stream_, nullptr)) != Z_OK || ::fsync(descriptor_) != 0 ||
        ::close(std::exchange(descriptor_, -1)) != 0) {
      fail("cannot be written");
    }
    std::error_code status;
    std::filesystem::rename(temporary_, target_, status);
    if (status)
      throw SystemError(fmt::format("{}: cannot be replaced: {}", target_.string(), status.message()));
    temporary_.clear();
  }

private:
  [[noreturn]] void fail(std::string_view what) const {
    throw SystemError(fmt::format("{}: {}: {}", target_.string(), what, std::strerror(errno)));
  }

  void discard() noexcept {
    if (stream_ != nullptr) gzclose(std::exchange(stream_, nullptr));
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
    temporary_.clear();
  }

  std::filesystem::path target_;
  std::string temporary_;
  int descriptor_ = -1;
  gzFile stream_ = nullptr;
};

void check_finite(const Integrals& integrals) {
  const auto finite = [](double value) { return std::isfinite(value); };
  bool all_finite = finite(integrals.core_energy) && std::ranges::all_of(integrals.one, finite) &&
                    std::ranges::all_of(integrals.two, finite);
  if (const auto& beta = integrals.beta) {
    for (const std::vector<double>* array : {&beta->one, &beta->two, &beta->mixed})
      all_finite = all_finite && std::ranges::all_of(*array, finite);
  }
  if (!all_finite) throw DimensionError("write_fcidump: an integral is not finite");
}

void write_header(std::string& text, const Integrals& integrals, int num_electrons, int ms2, int isym) {
  text +=
      fmt::format(" &FCI NORB={},NELEC={},MS2={},\n  ORBSYM=", integrals.num_orbitals, num_electrons, ms2);
  for (int p = 0; p < integrals.num_orbitals; ++p) {
    const int number = integrals.irreps[p] + 1;
    text += fmt::format("{},{}", number, p % 32 == 31 ? "\n    " : "");
  }
  text += fmt::format("\n  ISYM={},\n{} &END\n", isym, integrals.is_unrestricted() ? "  IUHF=1,\n" : "");
}

/// Writes records in large pieces.
class RecordWriter {
public:
  RecordWriter(AtomicTextFile& file, std::string header) : file_(file), text_(std::move(header)) {}

  void add(double value, int i, int j, int k, int l) {
    text_ += fmt::format("{:24.16E} {:3d} {:3d} {:3d} {:3d}\n", value, i, j, k, l);
    if (text_.size() >= chunk_size) flush();
  }
  void end_block() { add(0.0, 0, 0, 0, 0); }
  void flush() {
    file_.write(text_);
    text_.clear();
  }

private:
  AtomicTextFile& file_;
  std::string text_;
};

/// (ij|kl) of orbitals of one spin.
void write_two_electron(RecordWriter& records, int n, const std::vector<double>& two) {
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q <= p; ++q) {
      for (int r = 0; r <= p; ++r) {
        for (int s = 0; s <= (r == p ? q : r); ++s) {
          const double value = two[Integrals::eri_index(p, q, r, s)];
          if (value != 0.0) records.add(value, p + 1, q + 1, r + 1, s + 1);
        }
      }
    }
  }
}

/// (ij|kl), i and j of alpha orbitals, k and l of beta ones.
void write_mixed(RecordWriter& records, int n, const std::vector<double>& mixed) {
  auto value = mixed.begin();
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q <= p; ++q) {
      for (int r = 0; r < n; ++r) {
        for (int s = 0; s <= r; ++s, ++value) {
          if (*value != 0.0) records.add(*value, p + 1, q + 1, r + 1, s + 1);
        }
      }
    }
  }
}

void write_one_electron(RecordWriter& records, int n, const std::vector<double>& one) {
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q <= p; ++q) {
      // The diagonal is kept though zero: an orbital that no record names is not believed.
      const double value = one[pair_index(p, q)];
      if (p == q || value != 0.0) records.add(value, p + 1, q + 1, 0, 0);
    }
  }
}

}  // namespace

void write_fcidump(const std::filesystem::path& file, const Integrals& integrals, int num_electrons, int ms2,
                   int isym) {
  check_shapes(integrals);
  check_finite(integrals);
  AtomicTextFile out(file);
  std::string header;
  write_header(header, integrals, num_electrons, ms2, isym);
  RecordWriter records(out, std::move(header));
  const int n = integrals.num_orbitals;
  write_two_electron(records, n, integrals.two);
  if (const auto& beta = integrals.beta) {
    records.end_block();
    write_two_electron(records, n, beta->two);
    records.end_block();
    write_mixed(records, n, beta->mixed);
    records.end_block();
  }
  write_one_electron(records, n, integrals.one);
  if (const auto& beta = integrals.beta) {
    records.end_block();
    write_one_electron(records, n, beta->one);
    records.end_block();
  }
  records.add(integrals.core_energy, 0, 0, 0, 0);
  records.flush();
  out.commit();
}

}  // namespace cisolve
