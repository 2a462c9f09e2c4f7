// SPDX-License-Identifier: MIT
#include "tasks/input/toml_guard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace cisolve::detail {
namespace {

// No key of the input is deeper than 3, none takes more than a list of tables of lists of lists, and there are less than two
// hundred of them. Of the tables of a list there may be many, whose fields are no dotted keys.
constexpr std::size_t most_keys = 1000;
constexpr std::size_t most_fields = 100'000;
constexpr std::size_t most_open = 8;   // brackets in brackets
constexpr std::size_t most_parts = 8;  // of a name, by dots

/// A character of UTF-8.
struct Character {
  char32_t code = 0;
  std::size_t bytes = 1;
};

/// The first character of a text that is not empty; none: its bytes are no UTF-8.
std::optional<Character> first_character(std::string_view text) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  if (byte(0) < 0x80) return Character{byte(0), 1};
  const std::size_t bytes = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < bytes) return std::nullopt;
  char32_t code = byte(0) & (0x7fU >> bytes);
  for (std::size_t k = 1; k < bytes; ++k) {
    if ((byte(k) & 0xc0U) != 0x80U) return std::nullopt;
    code = code << 6 | (byte(k) & 0x3fU);
  }
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};  // shorter forms are the rule
  const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < least[bytes] || code > 0x10ffff || is_surrogate) return std::nullopt;
  return Character{code, bytes};
}

bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == '"' || c == '\'';
}

/// Goes through a text once, with as much of TOML in mind as it takes to know strings and comments.
class Guard {
public:
  explicit Guard(std::string_view text) : text_(text) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text_.starts_with(byte_order_mark)) text_.remove_prefix(byte_order_mark.size());
  }

  std::string run() {
    if (text_.size() > most_toml)
      refuse(fmt::format("found {} bytes; an input has at most {}", text_.size(), most_toml));
    while (at_ < text_.size()) step();
    return std::move(safe_);
  }

private:
  [[noreturn]] void refuse(const std::string& what) const { throw TomlFault(what, line_, column_); }

  /// A comment, a string or a character outside of both.
  void step() {
    const char c = text_[at_];
    if (c == '#') return skip_comment();
    if (c == '"' || c == '\'') {
      begins_line_ = false;
      return take_string(c);
    }
    if (static_cast<unsigned char>(c) >= 0x80) {
      const std::string shown(text_.substr(at_, next().bytes));
      throw TomlFault(fmt::format("found '{}' outside of quotes; texts stand in quotes", shown), line_,
                      column_, true);
    }
    if (c == '[' && begins_line_) return take_header();
    if (c == ' ') check_date();
    if (c == '\n') {
      if (in_header_) open_.clear();  // a header ends with its line
      in_header_ = false;
      begins_line_ = open_.empty();
      if (begins_line_) num_parts_ = 1;
    } else if (c != ' ' && c != '\t' && c != '\r') {
      begins_line_ = false;
      count(c);
    }
    take();
  }

  /// "1979-05-27 0" with nothing behind: the library takes it for a date with a time, and asserts that there is more.
  /// What it takes for a date are ten characters with "-" as fifth and eighth, "_" not counted.
  void check_date() const {
    constexpr std::size_t length = 10;
    const std::string_view behind = text_.substr(at_ + 1);
    if (behind.empty() || behind.front() < '0' || behind.front() > '9') return;
    const bool is_one_digit =
        behind.size() == 1 || std::string_view(" \t\r\n,]}#").find(behind[1]) != std::string_view::npos;
    if (!is_one_digit) return;
    std::string date;  // from its end
    for (auto c = safe_.rbegin(); c != safe_.rend() && date.size() < length; ++c)
      if (*c != '_') date += *c;
    if (date.size() == length && date[length - 1 - 4] == '-' && date[length - 1 - 7] == '-')
      refuse("found a date and a digit; a time has two for the hour");
  }

  /// Brackets, keys and the dots of names.
  void count(char c) {
    if (c == '[' || c == '{') {
      open_.push_back(c);
      if (open_.size() > most_open)
        refuse(fmt::format("found brackets {} deep; no key takes more than {}", open_.size(), most_open));
    }
    if (c == ']' || c == '}') {
      const char opened = c == ']' ? '[' : '{';
      if (open_.empty() || open_.back() != opened)
        refuse(fmt::format("found '{}', but the bracket opened last is {}", c,
                           open_.empty() ? std::string("closed") : fmt::format("'{}'", open_.back())));
      open_.pop_back();
    }
    if (c == '=') count_key();
    if (std::string_view("=,[{").find(c) != std::string_view::npos) num_parts_ = 1;
    if (c == '.' && ++num_parts_ > most_parts)
      refuse(fmt::format("found a name of more than {} parts; section.key is expected", most_parts));
  }

  void count_key() {
    const bool is_field = num_parts_ == 1 && !open_.empty() && open_.front() == '[';
    if (is_field && ++num_fields_ > most_fields)
      refuse(fmt::format("found more than {} fields in lists of tables; an input has fewer", most_fields));
    if (!is_field && ++num_keys_ > most_keys)
      refuse(fmt::format("found more than {} keys; an input has fewer", most_keys));
  }

  /// "[name]" or "[[name]]", up to where the name begins.
  void take_header() {
    begins_line_ = false;
    in_header_ = true;
    num_parts_ = 1;
    if (++num_keys_ > most_keys)
      refuse(fmt::format("found more than {} sections and keys; an input has fewer", most_keys));
    take();
    skip_blanks();
    const bool is_doubled = at_ < text_.size() && text_[at_] == '[';
    if (is_doubled) take();
    skip_blanks();
    if (at_ == text_.size()) return;
    if (const char c = text_[at_]; !begins_name(c)) {
      const Character found = next();
      const std::string shown =
          found.code < 0x20 ? std::string("nothing") : fmt::format("'{}'", text_.substr(at_, found.bytes));
      refuse(
          fmt::format("found {} where the name of a section begins; expected one such as [states]", shown));
    }
    open_.assign(is_doubled ? 2 : 1, '[');
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) take();
  }

  void skip_comment() {
    while (at_ < text_.size() && text_[at_] != '\n') advance(next());
  }

  void take_string(char quote) {
    const auto is_quote = [&](std::size_t k) { return at_ + k < text_.size() && text_[at_ + k] == quote; };
    const unsigned line = line_, column = column_;
    const bool is_long = is_quote(1) && is_quote(2);
    const std::size_t begin = safe_.size();
    for (int k = is_long ? 3 : 1; k > 0; --k) take();
    while (at_ < text_.size() && (is_long || text_[at_] != '\n')) {
      if (is_quote(0) && (!is_long || (is_quote(1) && is_quote(2)))) {
        // Up to two more belong to the text.
        for (int k = 0; k < (is_long ? 5 : 1) && is_quote(0); ++k) take();
        if (quote == '\'') make_basic(begin, is_long ? 3 : 1);
        return;
      }
      if (text_[at_] == '\\' && quote == '"') {
        take();
        if (at_ < text_.size() && static_cast<unsigned char>(text_[at_]) >= 0x80)
          refuse(
              "found a backslash before a character that it means nothing for; a backslash is written \\\\");
        if (at_ == text_.size() || (text_[at_] == '\n' && !is_long)) break;
      }
      if (quote == '"') {
        take_escaped();
      } else {
        take();
      }
    }
    throw TomlFault("found a string that is not closed; a quote is expected at its end", line, column);
  }

  /// Writes a 'literal' string, from `begin` to the end of what is written, as a "basic" one if it has characters
  /// beyond ASCII: it has no escapes for them.
  void make_basic(std::size_t begin, std::size_t quotes) {
    const std::string literal = safe_.substr(begin + quotes, safe_.size() - begin - 2 * quotes);
    if (std::ranges::all_of(literal, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) return;
    safe_.resize(begin);
    safe_.append(quotes, '"');
    for (std::size_t k = 0; k < literal.size();) {
      const Character character = *first_character(std::string_view(literal).substr(k));
      if (literal[k] == '"' || literal[k] == '\\') safe_ += '\\';
      safe_ += character.bytes == 1 ? std::string(1, literal[k]) : escaped(character);
      k += character.bytes;
    }
    safe_.append(quotes, '"');
  }

  static std::string escaped(const Character& character) {
    return fmt::format("\\U{:08X}", static_cast<unsigned>(character.code));
  }

  /// The character here, which is none that a text must not have.
  Character next() const {
    const auto character = first_character(text_.substr(at_));
    if (!character)
      refuse(fmt::format("found a byte of value {} that is no UTF-8; text in UTF-8 is expected",
                         static_cast<unsigned char>(text_[at_])));
    const char32_t code = character->code;
    const bool is_line_end = code == '\n' || (code == '\r' && text_.substr(at_ + 1).starts_with('\n'));
    if ((code < 0x20 && code != '\t' && !is_line_end) || code == 0x7f)
      refuse(fmt::format("found the control character {}; text is expected", static_cast<unsigned>(code)));
    return *character;
  }

  void advance(const Character& character) {
    at_ += character.bytes;
    if (character.code == '\n') {
      safe_ += '\n';
      ++line_;
      column_ = 0;
    }
    ++column_;
  }

  void take() {
    const Character character = next();
    if (character.code != '\n') safe_ += text_.substr(at_, character.bytes);
    advance(character);
  }

  void take_escaped() {
    const Character character = next();
    if (character.bytes == 1) return take();
    safe_ += escaped(character);
    advance(character);
  }

  std::string_view text_;
  std::string safe_;
  std::size_t at_ = 0;
  unsigned line_ = 1, column_ = 1;
  bool begins_line_ = true;  ///< nothing but blanks is before on the line, and no bracket is open
  bool in_header_ = false;
  std::vector<char> open_;
  std::size_t num_keys_ = 0, num_fields_ = 0;
  std::size_t num_parts_ = 1;
};

}  // namespace

std::string guarded_toml(std::string_view text) { return Guard(text).run(); }

}  // namespace cisolve::detail
