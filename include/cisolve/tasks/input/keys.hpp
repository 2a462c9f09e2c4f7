// SPDX-License-Identifier: MIT
#pragma once

#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cisolve {

/// Kinds of TOML values, as bits: a key may take several.
namespace value_kind {
inline constexpr unsigned boolean = 1, integer = 2, real = 4, text = 8;
inline constexpr unsigned integer_list = 16, text_list = 32, mixed_list = 64;
inline constexpr unsigned table = 128, other = 256;
inline constexpr unsigned real_list = 512;   // of integers and others
inline constexpr unsigned real_rows = 1024;  // a list of such lists
inline constexpr unsigned table_list = 2048;
inline constexpr unsigned any_list =
    integer_list | real_list | text_list | mixed_list | real_rows | table_list;
}  // namespace value_kind

/// What may be said of a key besides its name, kind and meaning.
struct InputKeyOptions {
  std::string_view unit = {};
  std::string_view default_value = {};    ///< as TOML; empty: none, see default_meaning
  std::string_view default_meaning = {};  ///< what happens without the key
  std::string_view example = {};          ///< as TOML, for the template, where there is no default
  bool required = false;
  std::vector<std::string_view> words = {};                   ///< texts that are allowed; empty: any
  double minimum = -std::numeric_limits<double>::infinity();  ///< of a number or of each in a list
  double maximum = std::numeric_limits<double>::infinity();   ///< integers also end at 2^31 - 1,
  bool is_wide = false;                                       ///< or at 2^63 - 1
  bool above_minimum = false;                                 ///< the minimum itself is refused
  std::string_view allowed = {};  ///< in words, where kinds, words and range do not say it all
  std::vector<std::pair<std::string_view, std::string_view>> misnomers =
      {};                    ///< (what is written, word meant)
  bool in_template = false;  ///< stands in the template as given by the example
  bool free_names = false;   ///< a table's names are the user's, its values numbers
  bool free_texts = false;   ///< the same with texts as values
  bool counts = false;       ///< a list of numbers that may recur and be 0; else of orbitals
  std::string_view list_field =
      {};  ///< of a list of tables: the field that a list stands for in place of a table
};

/// One key of the input. The parser's checks, `cisolve template`, `cisolve explain` and the tables
/// of docs/input.md all come from these.
struct InputKey : InputKeyOptions {
  InputKey(std::string_view its_path, unsigned its_kinds, std::string_view its_meaning,
           InputKeyOptions options = {}, std::string_view its_details = {})
      : InputKeyOptions(std::move(options)), path(its_path), kinds(its_kinds), meaning(its_meaning),
        details(its_details) {}

  /// "section.name"; three parts: a field of an inline table; "section.name[].field": one of each table of a list.
  std::string_view path;
  unsigned kinds;            ///< value_kind bits
  std::string_view meaning;  ///< one line
  std::string_view details;  ///< the rest; may be empty

  std::string_view section() const;  ///< "" for a key outside the sections
  std::string_view name() const;     ///< without the section
  /// Whether it is a field of the tables of a list. Such a default stands in documents alone: readers apply it.
  bool is_in_list() const;
};

/// A section of the input with its keys.
struct InputSection {
  std::string_view name;
  std::string_view meaning;
  int place = 0;  ///< among all, in documents: ascending
  std::vector<InputKey> keys = {};
  bool optional =
      false;  ///< not part of a calculation that gives none of its keys; a comment in the template
  std::vector<std::string_view> replaced_by = {};  ///< sections that take its place where they are given
};

/// Every section, in the order of the documentation.
std::span<const InputSection> input_sections();

/// Every key, sections together, in the order of the documentation.
std::span<const InputKey> input_keys();

/// The key with this path, or null. Fields of all tables of a list are one key: "crystal.types[2].radius" is
/// "crystal.types[].radius".
const InputKey* find_input_key(std::string_view path);

/// The values that a key takes, in words: "an integer >= 1", "\"auto\", \"cpu\" or \"cuda\"".
std::string allowed_values(const InputKey& key);

/// A commented input with every key and its default.
std::string input_template();

/// Meaning, type, unit, default and allowed values of a key, or the list of keys of a section.
/// @throws InputError, naming the nearest key, if there is no such key or section
std::string explain_input(std::string_view path);

/// The list of all keys, a line each.
std::string list_input_keys();

/// The keys as Markdown: the tables of docs/input.md.
std::string input_keys_markdown();

}  // namespace cisolve
