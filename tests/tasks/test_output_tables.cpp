// SPDX-License-Identifier: MIT
// docs/output.md has the rows that the tables of columns give.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tasks/column_markdown.hpp"
#include "tasks/files/result_columns.hpp"

namespace cisolve {
namespace test_output_tables {

using test::markdown_rows;

std::string output_document() {
  std::ifstream file(CISOLVE_INPUTS "/../docs/output.md");
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(OutputTables, AreThoseOfTheDocument) {
  const std::string document = output_document();
  for (const std::string& rows :
       {markdown_rows(root_columns(), "nroots"), markdown_rows(leading_columns(), "nroots, n", "leading/"),
        markdown_rows(certificate_columns(), "nroots", "certificate/"),
        markdown_rows(occupation_columns(), "nroots"), markdown_rows(property_columns(), "nroots"),
        markdown_rows(molecule_columns()), markdown_rows(orbitals_columns()), markdown_rows(system_columns()),
        markdown_rows(sector_columns()), markdown_rows(space_columns()), markdown_rows(hamiltonian_columns()),
        markdown_rows(solver_columns()), markdown_rows(lattice_columns())}) {
    EXPECT_NE(document.find(rows), std::string::npos) << "docs/output.md must have these rows:\n" << rows;
  }
}

}  // namespace test_output_tables
}  // namespace cisolve
