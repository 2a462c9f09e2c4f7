// SPDX-License-Identifier: MIT
#include "io/targets.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <system_error>

#include "cisolve/core/error.hpp"
#include "cisolve/core/hash.hpp"

namespace cisolve::io {

namespace fs = std::filesystem;

void fail_to_write(const fs::path& target, int error) {
  throw SystemError("cannot write '" + target.string() + "': " + std::generic_category().message(error));
}

fs::path resolve_target(const fs::path& target) {
  std::error_code error;
  fs::path resolved = target;
  // Link by link, since the last may point to a file that is yet to be.
  constexpr int most_links = 40;
  for (int link = 0; fs::is_symlink(resolved, error); ++link) {
    if (link == most_links) fail_to_write(target, ELOOP);
    resolved = resolved.parent_path() / fs::read_symlink(resolved, error);
  }
  const fs::file_status status = fs::status(resolved, error);
  if (fs::is_directory(status)) fail_to_write(target, EISDIR);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw SystemError("cannot write '" + target.string() + "': it is not a plain file");
  }
  return resolved;
}

std::string short_name(const fs::path& file) {
  constexpr std::size_t longest = 160, hash_digits = 16;
  const std::string name = file.filename().string();
  if (name.size() <= longest) return name;
  return fmt::format("{}-{:016x}", name.substr(0, longest - hash_digits - 1),
                     hash_bytes(std::as_bytes(std::span(name))));
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

std::string host_name() {
  std::array<char, 65> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  std::string name(host.data());
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

}  // namespace cisolve::io
