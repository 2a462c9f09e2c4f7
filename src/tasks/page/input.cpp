// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "cisolve/tasks/report/report.hpp"
#include "tasks/page/sections.hpp"

namespace cisolve::page {
namespace {

std::string hash_text(std::uint64_t hash) { return hash == 0 ? "" : fmt::format("{:016x}", hash); }

Markup code(const std::string& text) { return text.empty() ? Markup() : element("code", {}, text); }

}  // namespace

Section input_section(const CiResult& head, const CiResult& hashed, std::string_view file_name) {
  Section section{"input", "Input and reproducibility"};
  section.body =
      preformatted("Input as given", head.input_text) +
      folded("Input with every default filled in", preformatted("Input with defaults", head.resolved_text));
  Fields fields;
  fields.add("Program", "cisolve " + head.version);
  fields.add("Created (UTC)", head.created);
  fields.add("Result file", std::string(file_name));
  fields.add("Device", device_of(hashed));
  fields.add("Hash of the integrals", code(hash_text(hashed.system.integrals_hash)));
  if (hashed.orbitals) fields.add("... at the start", code(hash_text(hashed.orbitals->start_integrals_hash)));
  for (const CiResult::Sector& sector : hashed.sectors) {
    if (sector.space.dimension == 0) continue;
    const std::string of = hashed.sectors.size() > 1 ? ", " + sector_name(sector, hashed.system) : "";
    fields.add("Hash of the space" + of, code(hash_text(sector.space.hash)));
  }
  section.body += subsection("What identifies the result", fields.markup());
  if (hashed.molecule && !hashed.molecule->basis_set.empty())
    section.body +=
        folded("Basis set (Gaussian94 format)", preformatted("Basis set", hashed.molecule->basis_set));
  return section;
}

}  // namespace cisolve::page
