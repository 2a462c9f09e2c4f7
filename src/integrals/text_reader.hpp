// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>
#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cisolve {

/// Lines of a text file, plain or gzip-compressed (told by content), one buffer at a time.
class TextReader {
public:
  /// @throws InputError   if there is no such file, it is a folder, or it is not text
  /// @throws SystemError  if it cannot be opened
  explicit TextReader(const std::filesystem::path& file);

  /// The next line without its end (LF or CR-LF); valid until the next call. Nothing at the end.
  /// @throws InputError  if compressed data are damaged or cut, or a line is longer than any text line
  std::optional<std::string_view> next_line();

  /// Number of the line that next_line gave last, from 1.
  std::int64_t line_number() const noexcept { return line_number_; }

  /// False if the file ended before the end of that line.
  bool line_was_ended() const noexcept { return line_was_ended_; }

  /// Throws InputError "file:line: message" for the current line.
  template <class... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) const {
    throw_at(line_number_, fmt::format(format, std::forward<Args>(args)...));
  }

  /// The same for another line.
  template <class... Args>
  [[noreturn]] void refuse_at(std::int64_t line, fmt::format_string<Args...> format, Args&&... args) const {
    throw_at(line, fmt::format(format, std::forward<Args>(args)...));
  }

  /// "file:line".
  std::string where(std::int64_t line) const;

private:
  struct Close {
    void operator()(gzFile file) const noexcept { gzclose(file); }
  };

  [[noreturn]] void throw_at(std::int64_t line, const std::string& message) const;
  bool fill();
  void refuse_unless_text() const;

  std::string name_;
  std::unique_ptr<gzFile_s, Close> file_;
  std::vector<char> buffer_;
  std::size_t first_ = 0, last_ = 0;  ///< unread part of the buffer
  std::int64_t line_number_ = 0;
  bool line_was_ended_ = true;
};

/// A piece of the file, quoted for a message: cut if long, without what a terminal would take amiss.
std::string quote(std::string_view text);

}  // namespace cisolve
