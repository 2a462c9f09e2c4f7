// SPDX-License-Identifier: MIT
#include "core/text_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "cisolve/core/error.hpp"

namespace cisolve::detail {

std::string read_text_file(const std::filesystem::path& file, std::string_view what, std::size_t most_bytes) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status))
    throw InputError(fmt::format("{}: there is no such file; {} is expected", file.string(), what));
  if (std::filesystem::is_directory(status))
    throw InputError(fmt::format("{}: this is a folder; {} is expected", file.string(), what));
  std::ifstream stream(file, std::ios::binary);
  std::string text;
  constexpr std::size_t piece = std::size_t{1} << 14;
  while (stream && text.size() <= most_bytes) {
    const std::size_t before = text.size();
    text.resize(before + piece);
    stream.read(text.data() + before, static_cast<std::streamsize>(piece));
    text.resize(before + static_cast<std::size_t>(stream.gcount()));
  }
  if (!stream.is_open() || stream.bad())
    throw SystemError(fmt::format("{}: cannot be read: {}", file.string(), std::strerror(errno)));
  if (text.size() > most_bytes)
    throw InputError(fmt::format("{}: found more than {} bytes; {} is expected, which is smaller",
                                 file.string(), most_bytes, what));
  return text;
}

}  // namespace cisolve::detail
