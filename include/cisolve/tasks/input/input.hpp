// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace cisolve {

/// An inline table as the value of a key: the number of its fields, which are keys of their own
/// ("space.reference.electrons"), unless the key takes names that are the user's, each with a number or a text. Of a list
/// of tables: the number of tables, whose fields are keys ("crystal.types[1].radius").
struct InputTable {
  std::size_t size = 0;
  std::vector<std::pair<std::string, std::int64_t>> counts = {};  ///< of names with numbers
  std::vector<std::pair<std::string, std::string>> texts = {};    ///< of names with texts
};

/// The value of a key, of any kind that TOML has.
using InputValue =
    std::variant<bool, std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<double>,
                 std::vector<std::string>, std::vector<std::vector<double>>, InputTable>;

/// A value of the input and where it was given.
struct InputEntry {
  InputValue value;
  std::string where;        ///< "h2o.inp:12" or "--set states.count=2", for messages
  bool is_default = false;  ///< it was not given
};

/// An input whose names, types and ranges are right. Holds what was given, not the defaults.
struct Input {
  std::string text;                                        ///< as given, without the overrides
  std::string source_name;                                 ///< path of the file
  std::map<std::string, InputEntry, std::less<>> entries;  ///< by path of the key
  std::map<std::string, unsigned, std::less<>> sections;   ///< whose headers are there, with their lines
};

/// A key set from the command line; replaces what the file says.
struct InputOverride {
  std::string key;
  std::string value;             ///< TOML; a bare word is a string
  std::string where;             ///< the option, for messages
  bool is_literal_text = false;  ///< take `value` as a string, whatever it looks like
};

/// Reads "key=value", as --set takes it.
/// @throws InputError without "=" or a key
InputOverride parse_override(std::string_view assignment);

/// Checks TOML text against the table of keys.
/// @param text         the input
/// @param overrides    of the command line
/// @param source_name  path of the file: begins the messages, and relative integral files are relative to it
/// @throws InputError  one sentence "file:line: ..." that names the key, what was found, what is
///                     allowed and the nearest valid name
Input parse_input(std::string text, std::string source_name,
                  const std::vector<InputOverride>& overrides = {});

/// A message that begins with a key begins with where that was given, too: "h2o.inp:9: space.frozen_core: ...", or with the
/// input's name if it was not. Other messages stay as they are.
std::string with_place(std::string message, const Input& input);

/// Reads an input file and checks it against the table of keys.
/// @param file       begins the messages, and relative integral files are relative to it
/// @param overrides  of the command line
/// @throws InputError if there is no such file, and as parse_input; SystemError if it cannot be read
Input read_input(const std::filesystem::path& file, const std::vector<InputOverride>& overrides = {});

}  // namespace cisolve
