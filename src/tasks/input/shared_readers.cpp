// SPDX-License-Identifier: MIT
#include "tasks/input/shared_readers.hpp"

#include <system_error>

#include "cisolve/core/names.hpp"
#include "cisolve/core/number_text.hpp"
#include "cisolve/tasks/input/keys.hpp"
#include "tasks/input/text.hpp"

namespace cisolve::detail {

DeviceChoice read_device(const EntryReader& reader) {
  const std::string& word = reader.get<std::string>("run.device");
  if (word == "cpu") return DeviceChoice::cpu;
  return word == "cuda" ? DeviceChoice::cuda : DeviceChoice::automatic;
}

int read_gpus(const EntryReader& reader) {
  constexpr std::string_view path = "run.gpus";
  return std::holds_alternative<std::string>(reader.value(path)) ? 0 : reader.integer(path);
}

std::int64_t read_memory(const EntryReader& reader) {
  constexpr std::string_view path = "run.memory";
  const std::string& text = reader.get<std::string>(path);
  if (lower_case(text) == "auto") return 0;
  if (const auto bytes = parse_bytes(text)) return *bytes;
  reader.refuse(path, fmt::format("must be {}; found the string {}", allowed_values(*find_input_key(path)),
                                  in_quotes(text)));
}

std::string from_input_file(const std::string& source_name, const std::string& given) {
  return (std::filesystem::path(source_name).parent_path() / given).lexically_normal().string();
}

void check_readable(const EntryReader& reader, std::string_view path, const std::filesystem::path& file,
                    std::string_view what) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status)) {
    reader.refuse(path, fmt::format("names a file that does not exist: {}", one_line(file.string())));
  }
  if (std::filesystem::is_directory(status)) {
    reader.refuse(path, fmt::format("names a folder; {} is expected: {}", what, one_line(file.string())));
  }
}

bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  const auto full = [](const std::filesystem::path& path) {
    std::error_code none;  // links that cannot be followed are no other file's
    const std::filesystem::path canonical =
        std::filesystem::weakly_canonical(std::filesystem::absolute(path), none);
    return none ? path : canonical;
  };
  return full(a) == full(b);
}

void check_output(const EntryReader& reader, std::string_view path, const std::filesystem::path& file,
                  std::span<const SourceFile> sources) {
  std::error_code error;
  static_cast<void>(std::filesystem::status(file, error));
  if (error == std::errc::filename_too_long)
    reader.refuse(path, fmt::format("is longer than the system allows: {}", one_line(file.string())));
  for (const SourceFile& source : sources) {
    if (is_same_file(file, source.file))
      reader.refuse(path, fmt::format("would overwrite {}; give another name", source.what));
  }
}

}  // namespace cisolve::detail
