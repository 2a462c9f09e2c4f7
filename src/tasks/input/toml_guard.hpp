// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace cisolve::detail {

/// No TOML document that the program reads is larger; bytes.
inline constexpr std::size_t most_toml = std::size_t{4} << 20;

/// Why a text must not be given to the TOML library, and where.
struct TomlFault : std::runtime_error {
  TomlFault(const std::string& what, unsigned at_line, unsigned at_column, bool outside_quotes = false)
      : std::runtime_error(what), line(at_line), column(at_column), is_outside_quotes(outside_quotes) {}

  unsigned line;           ///< from 1
  unsigned column;         ///< in characters, from 1
  bool is_outside_quotes;  ///< a character that stands in strings and comments only
};

/// What the TOML library can be given in place of the text: the same document, with its lines at their places.
///
/// toml++ 3.3 fails on some texts other than by its exception. Its assertions end a build that has them, and are
/// assumptions of the optimiser in one of clang's without; its recursion overflows the stack. So it never sees
///  - bytes that are no UTF-8, or control characters;
///  - characters beyond ASCII, for which is_non_ascii_horizontal_whitespace runs into __builtin_unreachable: in
///    comments they are left out, in strings written as escapes ('literal' ones become "basic"); elsewhere TOML has none;
///  - "[" that no name follows, at which parse_key asserts;
///  - brackets that close others than the last one opened, such as [2, }, at which parse_value asserts;
///  - a date with a blank and one digit behind it, after which parse_value asserts that there is more;
///  - tables in tables without end, through each of which the parser, the destructors and our own reading descend;
///  - keys or bytes by the million: it looks for each table of dotted keys among all before. Of plain names in the tables of
///    lists there may be more.
/// What is no TOML in other ways it says itself.
/// @throws TomlFault  what was found and what is expected, in one sentence
std::string guarded_toml(std::string_view text);

}  // namespace cisolve::detail
