// SPDX-License-Identifier: MIT
#include "cisolve/io/seal.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>

#include "cisolve/core/error.hpp"
#include "cisolve/core/hash.hpp"
#include "io/file_bytes.hpp"
#include "io/sealed_bytes.hpp"

namespace cisolve {
namespace {

static_assert(std::endian::native == std::endian::little, "seals are little-endian");

constexpr std::string_view mark = "cisolve seal, version 1\n";

struct Footer {
  std::uint64_t content_bytes = 0, block_bytes = 0, num_blocks = 0, hashes_hash = 0;
  std::uint64_t hash = 0;  ///< of the numbers above
  std::array<char, mark.size()> text{};

  std::uint64_t hash_of_numbers() const {
    return hash_bytes(std::as_bytes(std::span(this, 1)).first(offsetof(Footer, hash)));
  }
};
static_assert(sizeof(Footer) == 64);

FileDescriptor open_to_read(const std::filesystem::path& file, const std::filesystem::path& name) {
  FileDescriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (opened.get() >= 0) return opened;
  throw SystemError("cannot read '" + name.string() + "': " + std::generic_category().message(errno));
}

}  // namespace

std::optional<Seal> read_seal(int file, const std::filesystem::path& name) {
  const auto require = [&](int error) {
    if (error == 0) return;
    throw SystemError("cannot read '" + name.string() + "': " + std::generic_category().message(error));
  };
  struct stat info {};
  require(::fstat(file, &info) == 0 ? 0 : errno);
  const auto size = static_cast<std::uint64_t>(info.st_size);
  Footer footer;
  if (size < sizeof footer) return std::nullopt;
  require(read_at(file, size - sizeof footer, std::as_writable_bytes(std::span(&footer, 1))));
  if (std::string_view(footer.text.data(), footer.text.size()) != mark) return std::nullopt;

  const auto damaged = [&] {
    return InputError("'" + name.string() + "' is damaged: its seal is not the one that cisolve wrote");
  };
  if (footer.hash != footer.hash_of_numbers() || footer.block_bytes != Seal::block_bytes) throw damaged();
  const std::uint64_t before = size - sizeof footer;
  if (footer.content_bytes > before || footer.num_blocks != Seal::num_blocks(footer.content_bytes) ||
      footer.num_blocks != (before - footer.content_bytes) / 8 || (before - footer.content_bytes) % 8 != 0) {
    throw damaged();
  }
  Seal seal{footer.content_bytes, std::vector<std::uint64_t>(footer.num_blocks)};
  const auto table = std::as_writable_bytes(std::span(seal.hashes));
  require(read_at(file, seal.content_bytes, table));
  if (hash_bytes(table) != footer.hashes_hash) throw damaged();
  return seal;
}

bool has_seal(const std::filesystem::path& file) {
  return read_seal(open_to_read(file, file).get(), file).has_value();
}

std::uint64_t seal_digest(const std::filesystem::path& file) {
  const std::optional<Seal> seal = read_seal(open_to_read(file, file).get(), file);
  if (!seal) throw InputError("'" + file.string() + "' has no seal");
  return hash_bytes(std::as_bytes(std::span(seal->hashes)));
}

int write_seal(int file, const Seal& seal) {
  const auto table = std::as_bytes(std::span(seal.hashes));
  Footer footer{seal.content_bytes, Seal::block_bytes, seal.hashes.size(), hash_bytes(table)};
  footer.hash = footer.hash_of_numbers();
  std::ranges::copy(mark, footer.text.begin());
  if (::ftruncate(file, static_cast<off_t>(seal.content_bytes)) != 0) return errno;
  const int error = write_at(file, seal.content_bytes, table);
  if (error != 0) return error;
  return write_at(file, seal.content_bytes + table.size(), std::as_bytes(std::span(&footer, 1)));
}

void verify_seal(const std::filesystem::path& file, const std::filesystem::path& shown_as) {
  const std::string name = (shown_as.empty() ? file : shown_as).string();
  FileDescriptor opened = open_to_read(file, name);
  ::posix_fadvise(opened.get(), 0, 0, POSIX_FADV_DONTNEED);
  SealedBytes bytes = SealedBytes::of_file(std::move(opened), name, SealedBytes::Use::read);
  if (!bytes.is_sealed()) throw InputError("'" + name + "' has no seal");
  std::vector<std::byte> buffer(16 * Seal::block_bytes);
  for (std::uint64_t at = 0; at < bytes.size(); at += buffer.size()) {
    const std::uint64_t count = std::min<std::uint64_t>(buffer.size(), bytes.size() - at);
    if (!bytes.read(at, std::span(buffer).first(count))) bytes.raise_failure("read all", name);
  }
}

}  // namespace cisolve
