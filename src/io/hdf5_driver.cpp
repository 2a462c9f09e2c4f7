// SPDX-License-Identifier: MIT
#include "io/hdf5_driver.hpp"

#include <new>
#if H5_VERSION_GE(1, 13, 2)
#include <H5FDdevelop.h>
#endif

namespace cisolve::hdf5 {
namespace {

/// What the library is told of in the properties.
struct DriverInfo {
  SealedBytes* bytes;
};

/// The library's handle begins with its own fields.
struct DriverFile {
  H5FD_t fields{};
  haddr_t end_of_allocation = 0;
  SealedBytes* bytes = nullptr;
};

DriverFile& of(H5FD_t* file) { return *reinterpret_cast<DriverFile*>(file); }
const DriverFile& of(const H5FD_t* file) { return *reinterpret_cast<const DriverFile*>(file); }

constexpr herr_t good = 0, bad = -1;

extern "C" {

static H5FD_t* open_file(const char* /*name*/, unsigned flags, hid_t properties, haddr_t /*most*/) {
  const auto* info = static_cast<const DriverInfo*>(H5Pget_driver_info(properties));
  auto* file = info == nullptr ? nullptr : new (std::nothrow) DriverFile;
  if (file == nullptr) return nullptr;
  file->bytes = info->bytes;
  if ((flags & H5F_ACC_TRUNC) != 0) file->bytes->resize(0);
  return &file->fields;
}

static herr_t close_file(H5FD_t* file) {
  delete &of(file);
  return good;
}

static herr_t query(const H5FD_t* /*file*/, unsigned long* flags) {
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return good;
}

static haddr_t end_of_allocation(const H5FD_t* file, H5FD_mem_t /*type*/) {
  return of(file).end_of_allocation;
}

static herr_t set_end_of_allocation(H5FD_t* file, H5FD_mem_t /*type*/, haddr_t address) {
  of(file).end_of_allocation = address;
  return good;
}

static haddr_t end_of_file(const H5FD_t* file, H5FD_mem_t /*type*/) { return of(file).bytes->size(); }

static herr_t read_bytes(H5FD_t* file, H5FD_mem_t /*type*/, hid_t /*properties*/, haddr_t address,
                         size_t size, void* buffer) {
  return of(file).bytes->read(address, {static_cast<std::byte*>(buffer), size}) ? good : bad;
}

static herr_t write_bytes(H5FD_t* file, H5FD_mem_t /*type*/, hid_t /*properties*/, haddr_t address,
                          size_t size, const void* buffer) {
  of(file).bytes->write(address, {static_cast<const std::byte*>(buffer), size});
  return good;
}

static herr_t truncate_file(H5FD_t* file, hid_t /*properties*/, hbool_t /*closing*/) {
  of(file).bytes->resize(of(file).end_of_allocation);
  return good;
}

}  // extern "C"

H5FD_class_t driver_class() {
  H5FD_class_t driver{};
#if H5_VERSION_GE(1, 13, 2)
  driver.version = H5FD_CLASS_VERSION;
  driver.value = static_cast<H5FD_class_value_t>(H5_VFD_MAX + 1);
#endif
  driver.name = "cisolve";
  driver.maxaddr = (haddr_t{1} << 62);
  driver.fc_degree = H5F_CLOSE_STRONG;
  driver.fapl_size = sizeof(DriverInfo);
  driver.open = open_file;
  driver.close = close_file;
  driver.query = query;
  driver.get_eoa = end_of_allocation;
  driver.set_eoa = set_end_of_allocation;
  driver.get_eof = end_of_file;
  driver.read = read_bytes;
  driver.write = write_bytes;
  driver.truncate = truncate_file;
  for (H5FD_mem_t& type : driver.fl_map) type = H5FD_MEM_DEFAULT;
  return driver;
}

}  // namespace

Driver::Driver(SealedBytes& bytes) : bytes_(&bytes) {
  const H5FD_class_t driver = driver_class();
  id_ = H5FDregister(&driver);
}

Driver::~Driver() {
  if (id_ >= 0) H5FDunregister(id_);
}

void Driver::set(H5::FileAccPropList& properties) const {
  const DriverInfo info{bytes_};
  if (id_ < 0 || H5Pset_driver(properties.getId(), id_, &info) < 0) {
    throw H5::PropListIException("Driver::set", "the HDF5 library refused the driver");
  }
}

}  // namespace cisolve::hdf5
