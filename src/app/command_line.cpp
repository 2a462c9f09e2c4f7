// SPDX-License-Identifier: MIT
#include "app/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <span>

#include "cisolve/core/error.hpp"
#include "cisolve/core/number_text.hpp"

namespace cisolve::app {

namespace {

/// The options as they stand on the command line, before they become overrides of keys.
struct Options {
  std::string file, output, restart, device, device_memory, gpus, threads, memory, key, result, exported,
      page;
  std::vector<std::string> assignments;
  bool check = false, extend = false, verbose = false, quiet = false, version = false, markdown = false,
       thorough = false;
  int root = 0, point = 0;
  ExportOptions export_options;
};

void add_run_options(CLI::App& app, Options& options, std::vector<std::string>& export_files) {
  app.add_option("FILE", options.file, "Input file (.inp)");
  app.add_option("-o,--output", options.output, "Result file (default: <stem>.h5)");
  app.add_flag("--check", options.check, "Print the plan (dimensions, bytes, time) and stop");
  app.add_option("--restart", options.restart,
                 "Go on from a checkpoint or a result (default: <stem>.chk.h5, <stem>.h5)")
      ->expected(0, 1)
      ->type_name("[FILE]");
  app.add_flag("--extend", options.extend, "Add the points of a scan that its result file lacks");
  for (std::size_t k = 0; k < exports().size(); ++k) {
    app.add_option(exports()[k].option, export_files[k], exports()[k].help);
  }
  app.add_option("--device", options.device, "cpu, cuda or auto");
  app.add_option("--device-memory", options.device_memory,
                 "With --check: plan for a device that isn't there, with so much free, such as \"80 GiB\"");
  app.add_option("--gpus", options.gpus, "How many GPUs share the calculation, or auto");
  app.add_option("--threads", options.threads, "CPU threads; 0: all");
  app.add_option("--memory", options.memory, "Memory that may be taken, such as \"16 GiB\"");
  app.add_option("--set", options.assignments, "Override a key: section.key=value; repeatable")
      ->allow_extra_args(false);
  app.add_flag("-v,--verbose", options.verbose,
               "Log more, report all orbitals and each point of a scan; with --check all formats");
  app.add_flag("-q,--quiet", options.quiet, "Log errors only");
  app.add_flag("--version", options.version, "Version, build options, libraries, devices");
}

std::vector<InputOverride> make_overrides(const CLI::App& app, const Options& options) {
  std::vector<InputOverride> overrides;
  for (const std::string& assignment : options.assignments) overrides.push_back(parse_override(assignment));
  const auto add = [&](const char* option, const char* key, const std::string& value, bool is_literal_text) {
    if (app.count(option) == 0) return;
    overrides.push_back({.key = key,
                         .value = value,
                         .where = fmt::format("{} {}", option, value),
                         .is_literal_text = is_literal_text});
  };
  add("-o", "output.file", options.output, true);
  add("--device", "run.device", options.device, true);
  add("--gpus", "run.gpus", options.gpus, false);
  add("--threads", "run.threads", options.threads, false);
  add("--memory", "run.memory", options.memory, true);
  return overrides;
}

/// `--restart h2o.inp` names the input, not a checkpoint: those are HDF5 files.
void sort_out_restart(Options& options) {
  if (options.file.empty() && !options.restart.empty() && !options.restart.ends_with(".h5")) {
    options.file.swap(options.restart);
  }
}

/// Bytes of a device that is planned for; none: it isn't said.
std::optional<std::int64_t> device_memory(const CLI::App& app, const Options& options) {
  if (app.count("--device-memory") == 0) return std::nullopt;
  if (!options.check) throw InputError("--device-memory is for --check: a run uses the device that is there");
  const auto bytes = parse_bytes(options.device_memory);
  if (!bytes)
    throw InputError(fmt::format("--device-memory: \"{}\" is no size; expected one such as \"80 GiB\"",
                                 options.device_memory));
  return bytes;
}

CommandLine make_run(const CLI::App& app, Options options, std::span<const std::string> export_files) {
  CommandLine line;
  line.restart = app.count("--restart") > 0;
  sort_out_restart(options);
  if (options.file.empty()) {
    throw InputError("no input file is given; expected: cisolve FILE, or cisolve --help");
  }
  line.extend = options.extend;
  if (line.restart && options.check) throw InputError("--check and --restart exclude each other");
  if (line.extend && (line.restart || options.check)) {
    throw InputError(
        fmt::format("--extend and {} exclude each other", line.restart ? "--restart" : "--check"));
  }
  const char* excluded = options.check  ? "--check"
                         : line.restart ? "--restart"
                         : line.extend  ? "--extend"
                                        : nullptr;
  for (std::size_t k = exports().size(); k-- > 0;) {
    const Export& written = exports()[k];
    if (app.count(written.option) == 0) continue;
    if (line.written != nullptr && excluded == nullptr) excluded = line.written->option;
    line.written = &written;
    line.export_file = export_files[k];
  }
  if (line.written != nullptr && excluded != nullptr) {
    throw InputError(fmt::format("{} and {} exclude each other", line.written->option, excluded));
  }
  if (options.verbose && options.quiet) throw InputError("-v and -q exclude each other");
  line.action = options.check ? Action::check : line.written != nullptr ? Action::write_export : Action::run;
  line.device_memory = device_memory(app, options);
  line.file = options.file;
  line.overrides = make_overrides(app, options);
  if (!options.restart.empty()) line.checkpoint = options.restart;
  line.verbosity = options.verbose ? 1 : options.quiet ? -1 : 0;
  return line;
}

std::string one_sentence(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text + " (see cisolve --help)";
}

}  // namespace

CLI::App* add_export(CLI::App& app, Options& options) {
  CLI::App* command =
      app.add_subcommand("export", "Write orbitals, determinants or integrals of a result file");
  command->add_option("FILE", options.result, "Result file (.h5)")->required();
  command
      ->add_option("OUT", options.exported, ".molden, .trexio, .txt (determinants), .fcidump or .fcidump.gz")
      ->required();
  command->add_option("--root", options.root, "Of this root (default: the first)");
  command->add_flag("--average", options.export_options.average, "Of the average of all roots");
  command->add_flag("--natural", options.export_options.natural, "Over natural orbitals");
  command->add_flag("--integrals", options.export_options.integrals,
                    "With the integrals over all orbitals (.trexio)");
  command->add_option("--threshold", options.export_options.threshold,
                      "Leave out determinants with a smaller coefficient");
  command->add_option("--point", options.point, "Of this point of a scan");
  return command;
}

/// The options that the parser writes into, and the parser, which holds references to them.
struct CommandLineParser::Implementation {
  Options options;
  std::vector<std::string> export_files = std::vector<std::string>(exports().size());
  CLI::App app{"Configuration-interaction solver for quantum chemistry", "cisolve"};
  CLI::App *write_template = nullptr, *explain = nullptr, *show = nullptr, *page = nullptr, *verify = nullptr,
           *lint = nullptr, *export_command = nullptr;

  Implementation() {
    add_run_options(app, options, export_files);
    app.require_subcommand(0, 1);
    write_template = app.add_subcommand("template", "Write an input with every key and its default");
    explain = app.add_subcommand("explain", "Explain a key of the input, or list them all");
    explain->add_option("KEY", options.key, "Such as solver.tolerance, or a section");
    explain->add_flag("--markdown", options.markdown, "The tables of the documentation");
    show = app.add_subcommand("show", "Print the report of a result file again");
    show->add_option("FILE", options.result, "Result file (.h5)")->required();
    show->add_flag("-v,--verbose", options.verbose, "All orbitals, each point of a scan");
    page = app.add_subcommand("report", "Write a result file as a page of HTML that needs nothing else");
    page->add_option("FILE", options.result, "Result file (.h5)")->required();
    page->add_option("-o,--output", options.page, "Page (default: <stem>.html beside the result)");
    lint = app.add_subcommand("lint", "What a file of integrals is, and whether it is safe to use");
    lint->add_option("FILE", options.result, "FCIDUMP file, plain or .gz")->required();
    verify = app.add_subcommand("verify", "Check the roots of a result file again");
    verify->add_option("FILE", options.result, "Result file (.h5)")->required();
    verify->add_flag("--thorough", options.thorough, "All rows of the Hamiltonian, whatever that takes");
    export_command = add_export(app, options);
  }

  /// As before the first command line: CLI11 writes only what is given.
  void clear() {
    app.clear();
    options = Options();
    std::ranges::fill(export_files, std::string());  // where they are
  }

  CommandLine make_command(const CLI::App* chosen) const {
    if (!options.file.empty()) {
      throw InputError(fmt::format("'{}' and the command '{}' exclude each other (see cisolve --help)",
                                   options.file, chosen->get_name()));
    }
    CommandLine line;
    line.action = chosen == write_template   ? Action::write_template
                  : chosen == explain        ? Action::explain
                  : chosen == page           ? Action::report
                  : chosen == verify         ? Action::verify
                  : chosen == lint           ? Action::lint
                  : chosen == export_command ? Action::export_result
                                             : Action::show;
    line.file = options.result;
    line.key = options.key;
    line.markdown = options.markdown;
    line.thorough = options.thorough;
    line.export_file = options.exported;
    if (page->count("-o") > 0 && options.page.empty())
      throw InputError("report: -o is empty; expected a name, such as h2o.html");
    line.page = options.page;
    line.export_options = options.export_options;
    if (export_command->count("--root") > 0) line.export_options.root = options.root;
    if (export_command->count("--point") > 0) line.export_options.point = options.point;
    line.verbosity = options.verbose ? 1 : 0;
    return line;
  }
};

CommandLineParser::CommandLineParser() : implementation_(std::make_unique<Implementation>()) {}
CommandLineParser::~CommandLineParser() = default;

CommandLine CommandLineParser::parse(int argc, char** argv) {
  Implementation& parser = *implementation_;
  parser.clear();
  CommandLine line;
  try {
    parser.app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    line.action = Action::print_help;
    line.help = parser.app.help();
    return line;
  } catch (const CLI::ParseError& error) {
    throw InputError(one_sentence(error.what()));
  }
  line.action = Action::print_version;
  if (parser.options.version) return line;
  const auto chosen = parser.app.get_subcommands();
  return chosen.empty() ? make_run(parser.app, parser.options, parser.export_files)
                        : parser.make_command(chosen.front());
}

}  // namespace cisolve::app
