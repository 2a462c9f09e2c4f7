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
  if (!finite(integrals.core_energy) || !std::ranges::all_of(integrals.one, finite) ||
      !std::ranges::all_of(integrals.two, finite)) {
    throw DimensionError("write_fcidump: an integral is not finite");
  }
}

void write_header(std::string& text, const Integrals& integrals, int num_electrons, int ms2, int isym) {
  text +=
      fmt::format(" &FCI NORB={},NELEC={},MS2={},\n  ORBSYM=", integrals.num_orbitals, num_electrons, ms2);
  for (int p = 0; p < integrals.num_orbitals; ++p) {
    const int number = integrals.irreps[p] + 1;
    text += fmt::format("{},{}", number, p % 32 == 31 ? "\n    " : "");
  }
  text += fmt::format("\n  ISYM={},\n &END\n", isym);
}

void append(std::string& text, double value, int i, int j, int k, int l) {
  text += fmt::format("{:24.16E} {:3d} {:3d} {:3d} {:3d}\n", value, i, j, k, l);
}

}  // namespace

void write_fcidump(const std::filesystem::path& file, const Integrals& integrals, int num_electrons, int ms2,
                   int isym) {
  check_shapes(integrals);
  check_finite(integrals);
  AtomicTextFile out(file);
  std::string text;
  const auto flush_if_full = [&text, &out] {
    if (text.size() < chunk_size) return;
    out.write(text);
    text.clear();
  };

  const int n = integrals.num_orbitals;
  write_header(text, integrals, num_electrons, ms2, isym);
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q <= p; ++q) {
      for (int r = 0; r <= p; ++r) {
        for (int s = 0; s <= (r == p ? q : r); ++s) {
          const double value = integrals.eri(p, q, r, s);
          if (value != 0.0) append(text, value, p + 1, q + 1, r + 1, s + 1);
        }
      }
      flush_if_full();
    }
  }
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q <= p; ++q) {
      // The diagonal is kept though zero: an orbital that no record names is not believed.
      if (p == q || integrals.h(p, q) != 0.0) append(text, integrals.h(p, q), p + 1, q + 1, 0, 0);
    }
    flush_if_full();
  }
  append(text, integrals.core_energy, 0, 0, 0, 0);
  out.write(text);
  out.commit();
}

}  // namespace cisolve
