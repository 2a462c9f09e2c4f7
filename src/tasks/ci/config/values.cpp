// SPDX-License-Identifier: MIT
#include "tasks/ci/config/values.hpp"

#include <fmt/format.h>

#include "cisolve/core/error.hpp"
#include "cisolve/core/number_text.hpp"
#include "cisolve/tasks/input/keys.hpp"
#include "tasks/input/text.hpp"

namespace cisolve::detail {

std::int64_t parse_memory(const std::string& text, const std::string& where) {
  if (lower_case(text) == "auto") return 0;
  if (const auto bytes = parse_bytes(text)) return *bytes;
  throw InputError(fmt::format("{}: run.memory must be {}; found the string {}", where,
                               allowed_values(*find_input_key("run.memory")), in_quotes(text)));
}

}  // namespace cisolve::detail
