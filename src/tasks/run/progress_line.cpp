// SPDX-License-Identifier: MIT
#include "tasks/run/progress_line.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

namespace cisolve {
namespace {

using namespace std::chrono_literals;

constexpr auto patience = 1s;  // shorter work is not worth a line
constexpr auto terminal_interval = 100ms;
constexpr auto log_interval = 5s;
constexpr int bar_width = 40;

}  // namespace

ProgressLine::ProgressLine(const RunControl& control, std::string what)
    : control_(control), what_(std::move(what)), start_(std::chrono::steady_clock::now()), shown_(start_) {}

ProgressLine::~ProgressLine() {
  if (drawn_) std::fputs("\r\033[K", stderr);
}

Progress ProgressLine::callback() {
  if (control_.quiet) return {};
  return [this](double fraction) { show(fraction); };
}

void ProgressLine::show(double fraction) {
  const auto now = std::chrono::steady_clock::now();
  const bool due = now - start_ > patience &&
                   now - shown_ > (control_.progress_bar ? std::chrono::nanoseconds(terminal_interval)
                                                         : std::chrono::nanoseconds(log_interval));
  if (!due) return;
  shown_ = now;
  if (control_.progress_bar) {
    const auto done = static_cast<std::size_t>(fraction * bar_width);
    const std::string bar =
        fmt::format("\r{} [{:<{}}] {:3.0f}%", what_, std::string(done, '='), bar_width, 100 * fraction);
    std::fputs(bar.c_str(), stderr);
    std::fflush(stderr);
    drawn_ = true;
  } else {
    control_.say(LogLevel::info, fmt::format("{}: {:.0f}%", what_, 100 * fraction));
  }
}

}  // namespace cisolve
