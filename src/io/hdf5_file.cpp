// SPDX-License-Identifier: MIT
#include "cisolve/io/hdf5_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "cisolve/core/error.hpp"
#include "io/hdf5_state.hpp"
#include "io/quarantine.hpp"

namespace cisolve {
namespace {

/// What the system says about reading a file, in words better than the library's.
void check_readable(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  const int error = file < 0 ? errno : 0;
  struct stat info {};
  const bool plain = file >= 0 && ::fstat(file, &info) == 0 && S_ISREG(info.st_mode);
  if (file >= 0) ::close(file);
  if (error != 0) {
    const std::string message =
        "cannot read '" + path.string() + "': " + std::generic_category().message(error);
    if (error == ENOENT || error == ENOTDIR || error == ENAMETOOLONG) throw InputError(message);
    throw SystemError(message);
  }
  if (!plain) throw InputError("cannot read '" + path.string() + "': it is not a plain file");
}

constexpr const char* seal_name = "seal";
constexpr std::string_view seal_meaning = "hashes of all bytes stand behind the HDF5 content; docs/output.md";

/// Puts the bytes of `copy` in place of a file.
void replace_content(const std::filesystem::path& path, const std::string& name, const FileDescriptor& copy) {
  const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
  struct stat info {};
  int error = file.get() < 0 || ::fstat(copy.get(), &info) != 0 ? errno : 0;
  std::vector<std::byte> buffer(1 << 20);
  for (std::uint64_t at = 0, size = static_cast<std::uint64_t>(info.st_size); error == 0 && at < size;) {
    const auto part = std::span(buffer).first(std::min<std::uint64_t>(buffer.size(), size - at));
    error = read_at(copy.get(), at, part);
    if (error == 0) error = write_at(file.get(), at, part);
    at += part.size();
  }
  if (error == 0) return;
  throw SystemError("cannot write '" + name + "': " + std::generic_category().message(error));
}

/// The content of a file, of which nothing is known but that it can be read.
SealedBytes open_bytes(const std::filesystem::path& path, const std::string& name, SealedBytes::Use use) {
  check_readable(path);
  SealedBytes bytes = SealedBytes::open(path, use);
  if (bytes.is_sealed()) return bytes;
  FileDescriptor copy = copy_in_quarantine(FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC)), name);
  if (use == SealedBytes::Use::modify) {
    replace_content(path, name, copy);
    return SealedBytes::open(path, use);
  }
  return SealedBytes::of_file(std::move(copy), name, use);
}

}  // namespace

bool hdf5_is_thread_safe() {
  hbool_t is_safe = 0;
  return H5is_library_threadsafe(&is_safe) >= 0 && is_safe != 0;
}

Hdf5File Hdf5File::create(const std::filesystem::path& path, const std::filesystem::path& shown_as,
                          Hdf5Strings strings, Hdf5Seal seal) {
  const std::filesystem::path& name = shown_as.empty() ? path : shown_as;
  const auto use = seal == Hdf5Seal::none ? SealedBytes::Use::create_unsealed : SealedBytes::Use::create;
  Hdf5File file(std::make_shared<Hdf5FileState>(SealedBytes::open(path, use), name.string(), H5F_ACC_TRUNC));
  file.state_->strings = strings;
  if (seal == Hdf5Seal::sealed) file.root().write_attribute(seal_name, seal_meaning);
  return file;
}

Hdf5File Hdf5File::open(const std::filesystem::path& path) {
  return Hdf5File(std::make_shared<Hdf5FileState>(open_bytes(path, path.string(), SealedBytes::Use::read),
                                                  path.string(), H5F_ACC_RDONLY));
}

Hdf5File Hdf5File::modify(const std::filesystem::path& path, const std::filesystem::path& shown_as) {
  const std::filesystem::path& name = shown_as.empty() ? path : shown_as;
  Hdf5File file(std::make_shared<Hdf5FileState>(open_bytes(path, name.string(), SealedBytes::Use::modify),
                                                name.string(), H5F_ACC_RDWR));
  if (!file.root().has_attribute(seal_name)) file.root().write_attribute(seal_name, seal_meaning);
  return file;
}

void Hdf5File::rename_unit(const std::string& unit, const std::string& name) { state_->units[unit] = name; }

Hdf5Group Hdf5File::root() const {
  return hdf5::guarded(*state_, "read the root group", [&] {
    return Hdf5Group(
        state_, std::make_shared<Hdf5Object::Handle>(Hdf5Object::Handle{state_->file->openGroup("/")}), "/");
  });
}

void Hdf5File::close() { state_->close(); }

}  // namespace cisolve
