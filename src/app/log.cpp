// SPDX-License-Identifier: MIT
#include "app/log.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>

#include <utility>

namespace cisolve::app {

std::shared_ptr<spdlog::logger> make_logger() {
  auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
  auto logger = std::make_shared<spdlog::logger>("cisolve", std::move(sink));
  logger->set_pattern("cisolve: %^%l%$: %v");
  logger->flush_on(spdlog::level::trace);
  return logger;
}

void set_verbosity(spdlog::logger& logger, int verbosity) {
  logger.set_level(verbosity < 0   ? spdlog::level::err
                   : verbosity > 0 ? spdlog::level::debug
                                   : spdlog::level::info);
}

}  // namespace cisolve::app
