// SPDX-License-Identifier: MIT
#include "integrals/text_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "cisolve/core/error.hpp"

namespace cisolve {
namespace {

constexpr std::size_t buffer_size = std::size_t{1} << 15;  // at first
constexpr std::size_t longest_line = std::size_t{1} << 20;
constexpr std::size_t longest_quote = 40;

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && (byte < '\t' || byte > '\r')) || byte == 0x7f;
}

}  // namespace

TextReader::TextReader(const std::filesystem::path& file) : name_(file.string()), buffer_(buffer_size) {
  std::error_code status;
  const auto type = std::filesystem::status(file, status).type();
  if (type == std::filesystem::file_type::not_found) {
    throw InputError(name_ + ": there is no such file, expected integrals in FCIDUMP format");
  }
  if (type == std::filesystem::file_type::directory) {
    throw InputError(name_ + ": found a folder, expected a file of integrals in FCIDUMP format");
  }
  errno = 0;
  file_.reset(gzopen(name_.c_str(), "rb"));
  if (!file_) {
    throw SystemError(name_ + ": cannot be opened: " + (errno != 0 ? std::strerror(errno) : "out of memory"));
  }
  gzbuffer(file_.get(), static_cast<unsigned>(buffer_size));
  fill();
  refuse_unless_text();
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (std::string_view(buffer_.data(), last_).starts_with(byte_order_mark)) first_ = byte_order_mark.size();
}

bool TextReader::fill() {
  if (first_ > 0) {
    std::copy(buffer_.data() + first_, buffer_.data() + last_, buffer_.data());
    last_ -= first_;
    first_ = 0;
  }
  if (last_ == longest_line) {
    refuse_at(line_number_ + 1, "found a line of over {} bytes, expected text", longest_line);
  }
  if (last_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
  const int count =
      gzread(file_.get(), buffer_.data() + last_, static_cast<unsigned>(buffer_.size() - last_));
  int status = Z_OK;
  const char* const reason = gzerror(file_.get(), &status);
  if (status == Z_ERRNO) throw SystemError(name_ + ": cannot be read: " + std::strerror(errno));
  if (count < 0 || (status != Z_OK && status != Z_STREAM_END)) {
    refuse_at(line_number_ + 1, "found damaged or truncated gzip data ({}), expected a complete file",
              reason);
  }
  last_ += count;
  return count > 0;
}

void TextReader::refuse_unless_text() const {
  const char* const end = buffer_.data() + last_;
  const char* const control = std::find_if(buffer_.data(), end, is_control);
  if (control == end) return;
  if (std::string_view(buffer_.data(), last_).starts_with("\x89HDF\r\n"))
    refuse_at(1, "found an HDF5 file, expected text in FCIDUMP format");
  refuse_at(1 + std::count(buffer_.data(), control, '\n'),
            "found a byte of value {}, expected text in FCIDUMP format",
            static_cast<unsigned char>(*control));
}

std::optional<std::string_view> TextReader::next_line() {
  std::size_t searched = first_;
  for (;;) {
    const void* const found =
        last_ > searched ? std::memchr(buffer_.data() + searched, '\n', last_ - searched) : nullptr;
    line_was_ended_ = found != nullptr;
    std::size_t end = last_;
    if (found != nullptr) {
      end = static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data());
    } else {
      const std::size_t unread = last_ - first_;
      if (fill()) {
        searched = unread;
        continue;
      }
      if (unread == 0) return std::nullopt;
      end = last_;
    }
    std::string_view line(buffer_.data() + first_, end - first_);
    first_ = line_was_ended_ ? end + 1 : end;
    ++line_number_;
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }
}

std::string TextReader::where(std::int64_t line) const {
  return fmt::format("{}:{}", name_, std::max(line, std::int64_t{1}));
}

void TextReader::throw_at(std::int64_t line, const std::string& message) const {
  throw InputError(fmt::format("{}: {}", where(line), message));
}

std::string quote(std::string_view text) {
  std::string result(text.substr(0, longest_quote));
  std::ranges::replace_if(
      result, [](char c) { return c < ' ' || c > '~'; }, '?');
  return fmt::format("'{}{}'", result, text.size() > longest_quote ? "..." : "");
}

}  // namespace cisolve
