// SPDX-License-Identifier: MIT
#include "integrals/fcidump_steps.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

#include "cisolve/core/names.hpp"

namespace cisolve {
namespace {

constexpr std::string_view blanks = " \t\v\f\r";
constexpr std::string_view word_ends = " \t\v\f\r,=/!&$'\"";

/// A label per orbital and some more; a header that never ends must not fill the memory.
constexpr std::size_t max_values = 16 * max_fcidump_orbitals;

std::string_view without_leading_blanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text;
}

std::string upper(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return result;
}

/// Takes the lines of a namelist apart.
class NamelistParser {
public:
  explicit NamelistParser(const TextReader& reader) : reader_(reader) {}

  /// True if the line has the terminator.
  bool parse(std::string_view line) {
    for (line = without_leading_blanks(line); !line.empty(); line = without_leading_blanks(line)) {
      const char c = line.front();
      if (c == '!') return false;
      if (c == '/') return ended_by(line.substr(1));
      if (c == '&' || c == '$') return ended_by_word(line);
      if (c == ',') {
        line.remove_prefix(1);
      } else if (c == '=') {
        begin_entry();
        line.remove_prefix(1);
      } else if (c == '\'' || c == '"') {
        const std::size_t end = line.find(c, 1);
        if (end == std::string_view::npos) {
          reader_.refuse("found {} in the header, expected a closing quote", quote(line));
        }
        add({std::string(line.substr(1, end - 1)), true, reader_.line_number()});
        line.remove_prefix(end + 1);
      } else {
        const std::size_t end = std::min(line.find_first_of(word_ends), line.size());
        add({std::string(line.substr(0, end)), false, reader_.line_number()});
        line.remove_prefix(end);
      }
    }
    return false;
  }

  std::vector<NamelistEntry> finish() {
    if (pending_ && entries_.empty()) refuse_value(*pending_);
    if (pending_) entries_.back().values.push_back(std::move(*pending_));
    return std::move(entries_);
  }

private:
  /// A word is a value unless an equals sign follows it.
  void add(NamelistValue value) {
    if (pending_) {
      if (entries_.empty()) refuse_value(*pending_);
      entries_.back().values.push_back(std::move(*pending_));
    }
    pending_ = std::move(value);
    if (++num_values_ > max_values) {
      reader_.refuse("found more than {} values in the header, expected &END or / before", max_values);
    }
  }

  void begin_entry() {
    if (!pending_ || pending_->is_string ||
        !std::isalpha(static_cast<unsigned char>(pending_->text.front()))) {
      reader_.refuse("found '=' without a key before it in the header, expected key = value");
    }
    entries_.push_back({upper(pending_->text), pending_->line, {}});
    pending_.reset();
  }

  bool ended_by_word(std::string_view line) const {
    const std::size_t end = std::min(line.find_first_of(word_ends, 1), line.size());
    if (!equal_ignoring_case(line.substr(1, end - 1), "END")) {
      reader_.refuse("found {} in the header, expected &END or /", quote(line.substr(0, end)));
    }
    return ended_by(line.substr(end));
  }

  bool ended_by(std::string_view rest) const {
    rest = without_leading_blanks(rest);
    if (!rest.empty() && rest.front() != '!') {
      reader_.refuse("found {} behind the end of the header, expected a new line", quote(rest));
    }
    return true;
  }

  [[noreturn]] void refuse_value(const NamelistValue& value) const {
    reader_.refuse_at(value.line, "found {} in the header, expected a key and '='", quote(value.text));
  }

  const TextReader& reader_;
  std::vector<NamelistEntry> entries_;
  std::optional<NamelistValue> pending_;
  std::size_t num_values_ = 0;
};

/// The first line that is not blank, behind &FCI.
std::string_view find_fci(TextReader& reader) {
  while (const auto line = reader.next_line()) {
    const std::string_view text = without_leading_blanks(*line);
    if (text.empty()) continue;
    const std::size_t end = std::min(text.find_first_of(word_ends, 1), text.size());
    if ((text.front() == '&' || text.front() == '$') && equal_ignoring_case(text.substr(1, end - 1), "FCI")) {
      return text.substr(end);
    }
    if (looks_like_macis_record(text)) {
      reader.refuse(
          "found indices before a value and no header, a MACIS file, expected an FCIDUMP header &FCI");
    }
    reader.refuse("found {}, expected an FCIDUMP header &FCI", quote(text));
  }
  reader.refuse("found an empty file, expected an FCIDUMP header &FCI");
}

}  // namespace

Namelist read_fci_namelist(TextReader& reader) {
  Namelist result;
  NamelistParser parser(reader);
  const std::string_view behind_fci = find_fci(reader);
  result.first_line = reader.line_number();
  bool ended = parser.parse(behind_fci);
  while (!ended) {
    const auto line = reader.next_line();
    if (!line) reader.refuse("found the end of the file in the header, expected &END or /");
    if (looks_like_record(*line)) {
      reader.refuse("found a record in the header, expected &END or / before it");
    }
    ended = parser.parse(*line);
  }
  result.entries = parser.finish();
  return result;
}

}  // namespace cisolve
