// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "app/command_line.hpp"
#include "cisolve/core/error.hpp"

namespace cisolve::app {
namespace test_command_line_parser {

using Words = std::vector<std::string>;

/// All that a command line comes to: what is asked for, or the error.
std::string read_with(CommandLineParser& parser, Words words) {
  words.insert(words.begin(), "cisolve");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  try {
    const CommandLine line = parser.parse(static_cast<int>(arguments.size()), arguments.data());
    std::string text = fmt::format(
        "{} '{}' restart {} extend {} thorough {} checkpoint '{}' written {} '{}' memory {} verbosity {} key "
        "'{}' "
        "markdown {} help '{}' page '{}' root {} average {} natural {} threshold {} point {}",
        static_cast<int>(line.action), line.file.string(), line.restart, line.extend, line.thorough,
        line.checkpoint ? line.checkpoint->string() : "none", line.written ? line.written->option : "nothing",
        line.export_file.string(), line.device_memory.value_or(-1), line.verbosity, line.key, line.markdown,
        line.help, line.page.string(), line.export_options.root.value_or(0), line.export_options.average,
        line.export_options.natural, line.export_options.threshold, line.export_options.point.value_or(0));
    for (const InputOverride& one : line.overrides)
      text += fmt::format("; {} = '{}' {} {}", one.key, one.value, one.where, one.is_literal_text);
    return text;
  } catch (const InputError& error) {
    return fmt::format("refused: {}", error.what());
  }
}

/// One of every option and command, mistakes, and the command lines that fuzzing begins with.
std::vector<Words> many_lines() {
  std::vector<Words> lines = {{},
                              {"job.inp"},
                              {"job.inp", "-o", "out.h5", "--threads", "2"},
                              {"job.inp", "--device", "cpu", "--memory", "16 GiB", "-v"},
                              {"job.inp", "-q"},
                              {"job.inp", "--set", "states.count=2", "--set", "title=a"},
                              {"job.inp", "--check", "--device-memory", "80 GiB"},
                              {"job.inp", "--device-memory", "80 GiB"},
                              {"job.inp", "--restart"},
                              {"job.inp", "--restart", "old.chk.h5"},
                              {"--restart", "job.inp"},
                              {"job.inp", "--extend"},
                              {"job.inp", "--write-matrix", "h.mtx"},
                              {"job.inp", "--write-fcidump", "a.fcidump"},
                              {"job.inp", "--write-matrix", "h.mtx", "--write-fcidump", "a.fcidump"},
                              {"template"},
                              {"explain"},
                              {"explain", "solver.tolerance", "--markdown"},
                              {"show", "a.h5", "-v"},
                              {"show", "b.h5"},
                              {"show"},
                              {"report", "a.h5"},
                              {"report", "a.h5", "-o", "b.html"},
                              {"report", "a.h5", "-o", ""},
                              {"report"},
                              {"verify", "a.h5", "--thorough"},
                              {"verify", "b.h5"},
                              {"export", "a.h5", "a.molden", "--natural", "--root", "2", "--point", "3"},
                              {"export", "a.h5", "a.txt", "--threshold", "1e-3", "--average"},
                              {"export", "a.h5", "a.txt"},
                              {"export", "a.h5"},
                              {"--version"},
                              {"--help"},
                              {"show", "--help"},
                              {"job.inp", "second.inp"},
                              {"job.inp", "-o"},
                              {"job.inp", "-v", "-q"},
                              {"job.inp", "--check", "--restart"},
                              {"job.inp", "--frobnicate"},
                              {"job.inp", "template"},
                              {"template", "job.inp"},
                              {"show", "a.h5", "verify", "b.h5"}};
  for (const auto& entry : std::filesystem::directory_iterator(CISOLVE_FUZZ_CORPUS "/command_line")) {
    Words& words = lines.emplace_back();
    std::ifstream stream(entry.path());
    for (std::string word; std::getline(stream, word);) words.push_back(word);
  }
  return lines;
}

TEST(CommandLineParser, NothingIsLeftOfTheLineBefore) {
  const std::vector<Words> lines = many_lines();
  std::vector<std::string> alone;
  for (const Words& line : lines) {
    CommandLineParser fresh;
    alone.push_back(read_with(fresh, line));
  }
  CommandLineParser parser;
  for (std::size_t before = 0; before < lines.size(); ++before) {
    for (std::size_t k = 0; k < lines.size(); ++k) {
      read_with(parser, lines[before]);
      ASSERT_EQ(read_with(parser, lines[k]), alone[k]) << "after " << alone[before];
    }
  }
}

}  // namespace test_command_line_parser
}  // namespace cisolve::app
