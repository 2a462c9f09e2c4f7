// SPDX-License-Identifier: MIT
#include "app/command_line.hpp"

#include <vector>

#include "fuzz/jobs.hpp"

namespace cisolve::fuzz {

void command_line(std::string_view data) {
  static app::CommandLineParser parser;
  std::vector<std::string> words = {"cisolve"};
  while (!data.empty()) {
    const std::size_t end = std::min(data.find('\n'), data.size());
    words.emplace_back(data.substr(0, end).substr(0, data.find('\0')));  // arguments hold no null characters
    data.remove_prefix(std::min(end + 1, data.size()));
  }
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  expect_read_or_refused([&] {
    const app::CommandLine line = parser.parse(static_cast<int>(arguments.size()), arguments.data());
    read_job(parse_input("[integrals]\nfile = \"h2.fcidump\"\n", input_path(), line.overrides));
  });
}

}  // namespace cisolve::fuzz
