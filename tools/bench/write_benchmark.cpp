// SPDX-License-Identifier: MIT
#include "write_benchmark.hpp"

#include <hdf5.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/core/hash.hpp"
#include "cisolve/io/atomic_file.hpp"
#include "cisolve/io/hdf5_file.hpp"
#include "random.hpp"
#include "timing.hpp"

namespace cisolve::bench {
namespace {

constexpr std::uint64_t num_vectors = 16;

/// Of the HDF5 library, closed by it.
class Handle {
public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {
    if (id < 0) throw SystemError("the HDF5 library failed");
  }
  ~Handle() { close_(id_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator hid_t() const noexcept { return id_; }

private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

void write_sealed(const std::filesystem::path& path, std::span<const double> vectors) {
  AtomicFile target(path);
  Hdf5File file = Hdf5File::create(target.temporary());
  file.root().write<double>("vectors", vectors, {num_vectors, vectors.size() / num_vectors}, {"1"});
  file.close();
  target.commit();
}

/// With the same chunks, and no driver of ours.
void write_plain(const std::filesystem::path& path, std::span<const double> vectors) {
  AtomicFile target(path);
  {
    const hsize_t shape[] = {num_vectors, vectors.size() / num_vectors};
    const hsize_t chunk[] = {1, std::min<hsize_t>(shape[1], 65536)};
    const Handle file(H5Fcreate(target.temporary().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
                      H5Fclose);
    const Handle space(H5Screate_simple(2, shape, nullptr), H5Sclose);
    const Handle list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_chunk(list, 2, chunk);
    const Handle set(H5Dcreate2(file, "vectors", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, list, H5P_DEFAULT),
                     H5Dclose);
    if (H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, vectors.data()) < 0) {
      throw SystemError("the HDF5 library could not write " + target.temporary().string());
    }
  }
  target.commit();
}

std::vector<double> read_sealed(const std::filesystem::path& path) {
  return Hdf5File::open(path).root().read<double>("vectors").values;
}

std::vector<double> read_plain(const std::filesystem::path& path, std::size_t size) {
  std::vector<double> vectors(size);
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  const Handle set(H5Dopen2(file, "vectors", H5P_DEFAULT), H5Dclose);
  if (H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, vectors.data()) < 0) {
    throw SystemError("the HDF5 library could not read " + path.string());
  }
  return vectors;
}

}  // namespace

nlohmann::json run_write(const WriteOptions& options) {
  std::vector<double> vectors(static_cast<std::size_t>(options.mebibytes) << 17);
  Random random(1);
  for (double& x : vectors) x = random.uniform();

  const std::filesystem::path sealed = options.folder / "cisolve-bench-sealed.h5";
  const std::filesystem::path plain = options.folder / "cisolve-bench-plain.h5";
  Timing write_with{"sealed, written", {}}, write_without{"plain, written", {}};
  Timing read_with{"sealed, read", {}}, read_without{"plain, read", {}}, hash{"hashes alone", {}};
  write_sealed(sealed, vectors);
  write_plain(plain, vectors);
  if (read_sealed(sealed) != vectors || read_plain(plain, vectors.size()) != vectors) {
    throw Error("what was read is not what was written");
  }
  std::uint64_t sum = 0;  // so that hashing is not left out
  for (int k = 0; k < options.repeats; ++k) {
    write_with.time([&] { write_sealed(sealed, vectors); });
    write_without.time([&] { write_plain(plain, vectors); });
    read_with.time([&] { read_sealed(sealed); });
    read_without.time([&] { read_plain(plain, vectors.size()); });
    hash.time([&] { sum ^= hash_bytes(std::as_bytes(std::span(vectors))); });
  }
  std::filesystem::remove(sealed);
  std::filesystem::remove(plain);
  nlohmann::json report = {{"mebibytes", options.mebibytes}, {"hash", sum}};
  for (Timing* timing : {&write_with, &write_without, &read_with, &read_without, &hash}) {
    report["timings"].push_back(timing->report());
  }
  return report;
}

}  // namespace cisolve::bench
