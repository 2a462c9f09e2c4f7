// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace cisolve {

/// The seal of a file: hashes (XXH3-64) of its blocks, written behind its content. Each block that is read is
/// compared with it, so that no changed byte is ever taken for what was written.
///
/// Behind the content stand the hashes, then 64 bytes: numbers of 8 bytes each (of the content the bytes; bytes
/// per block; blocks; hash of the hashes; hash of the 32 bytes before), and the text "cisolve seal, version 1\n".
/// All numbers are little-endian. HDF5 libraries ignore what stands behind their content.
struct Seal {
  static constexpr std::uint64_t block_bytes = 64 * 1024;

  std::uint64_t content_bytes = 0;
  std::vector<std::uint64_t> hashes;  ///< one per block; the last block may be shorter

  static std::uint64_t num_blocks(std::uint64_t bytes) { return (bytes + block_bytes - 1) / block_bytes; }
};

/// Reads the seal of an open file and checks it against its own hashes and the size of the file.
/// @param file  descriptor, open for reading
/// @param name  for messages
/// @return none if the file does not end in a seal
/// @throws InputError if it ends in one that is not as it was written
/// @throws SystemError if the file cannot be read
std::optional<Seal> read_seal(int file, const std::filesystem::path& name);

/// Whether a file ends in a seal. Throws as read_seal does.
bool has_seal(const std::filesystem::path& file);

/// A hash of all bytes of a sealed file, of which its seal alone is read: what tells it from others of its name.
/// @throws InputError, SystemError as read_seal, and where there is no seal
std::uint64_t seal_digest(const std::filesystem::path& file);

/// Writes a seal behind the content, where the file then ends.
/// @return 0, or the error of the system
int write_seal(int file, const Seal& seal);

/// Reads all of a sealed file and compares it with its seal: from the disk, where the system lets go of what it still
/// has in memory.
/// @param shown_as  the name for messages, if not `file`
/// @throws InputError if the file has no seal or is not as it was written; names it
/// @throws SystemError if it cannot be read
void verify_seal(const std::filesystem::path& file, const std::filesystem::path& shown_as = {});

}  // namespace cisolve
