// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/io/unfinished_files.hpp"
#include "cisolve/tasks/files/result_file.hpp"
#include "cisolve/tasks/run/task.hpp"
#include "tasks/export/text_output.hpp"
#include "tasks/input/entries.hpp"
#include "tasks/run/tasks.hpp"

namespace cisolve {
std::span<const Task> tasks() {
  static const Task all[] = {flapw_task(), vmc_task(), scan_task(), ci_task()};
  return all;
}

const Task& task_of(const Input& input) {
  return *std::ranges::find_if(tasks(), [&](const Task& task) {
    return task.asked_by.empty() || input.sections.contains(task.asked_by) ||
           detail::has_section(input.entries, task.asked_by);
  });
}

void show_result(const std::filesystem::path& file, std::ostream& report, bool verbose) {
  const auto task = std::ranges::find_if(tasks(), [&](const Task& one) { return one.wrote(file); });
  task->show(file, report, verbose);
}

void write_page(const std::filesystem::path& file, std::filesystem::path page, std::ostream& report) {
  const auto task = std::ranges::find_if(tasks(), [&](const Task& one) { return one.wrote(file); });
  if (page.empty()) page = std::filesystem::path(file).replace_extension(".html");
  const auto ending = page.extension();
  if (ending != ".html" && ending != ".htm")
    throw InputError(fmt::format("'{}': a page needs a name that ends in .html", page.string()));
  if (is_result(page))
    throw InputError(
        fmt::format("'{}' is a result file, which a page must not replace; -o names another", page.string()));
  const std::string text = task->page(file);
  TextOutput out(page);
  out.write(text);
  out.commit();
  report << fmt::format("{}: page of {}\n", page.string(), file.string());
}

bool verify_result(const std::filesystem::path& file, std::ostream& report, bool thorough) {
  const auto task = std::ranges::find_if(tasks(), [&](const Task& one) { return one.wrote(file); });
  return task->verify(file, report, thorough);
}

void serve_task(const SharedWork& work, const WorkPlace& place) {
  const auto task = std::ranges::find(tasks(), work.task, &Task::name);
  if (task == tasks().end() || task->serve == nullptr)
    throw SystemError(fmt::format("this process does not know the work of '{}'", work.task));
  task->serve(work, place);
}

void abandon_files() noexcept { remove_unfinished_files(); }

std::span<const InputSection> input_sections() {
  static const std::vector<InputSection> sections = [] {
    std::vector<InputSection> all;
    for (const Task& task : tasks()) {
      for (InputSection& section : task.sections()) all.push_back(std::move(section));
    }
    std::ranges::stable_sort(all, {}, &InputSection::place);
    return all;
  }();
  return sections;
}

}  // namespace cisolve
