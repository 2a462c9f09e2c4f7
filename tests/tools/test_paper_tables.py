#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tools/paper-tables --quick on this machine: its tables hold the paper's figures and this machine's times.

  test_paper_tables.py CISOLVE_BENCH
"""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[2] / "tools"
sys.path.insert(0, str(TOOLS))
sys.dont_write_bytecode = True
from paper_tables import published, tables  # noqa: E402


class Published(unittest.TestCase):
    def test_sums_and_means_are_those_of_the_paper(self):
        for reference, expansion, total in zip(published.REFERENCE_NONZEROS, published.EXPANSION_NONZEROS,
                                               published.TOTAL_NONZEROS):
            self.assertEqual(reference + expansion, total)
            self.assertEqual(reference, published.BOUNDARY * published.ROWS)
        for column, mean in [(published.CSR_MIB, 356.44), (published.HYBRID_MIB, 356.67),
                             (published.CUSPARSE_MS, 12.9196), (published.CSR5_MS, 8.0272),
                             (published.LARGE_CUSPARSE_S, 12.5761), (published.LARGE_HYBRID_S, 3.1831)]:
            self.assertAlmostEqual(sum(column) / 10, mean, delta=0.01)

    def test_hybrid_column_follows_from_its_formula(self):
        for expansion, printed in zip(published.EXPANSION_NONZEROS, published.HYBRID_MIB):
            rows = published.ROWS
            size = 12 * rows * published.BOUNDARY + 12 * expansion + 12 * rows
            self.assertAlmostEqual(size / 2**20, printed, delta=0.006)


class Render(unittest.TestCase):
    def test_columns_line_up(self):
        text = tables.render("T", ["", "a", "b"], [["x", 1, 22], ["long", 333, 4]], 2).splitlines()
        self.assertEqual(text[2:], ["        a  |  b", "---------------", "x       1  | 22", "long  333  |  4"])


class Quick(unittest.TestCase):
    bench = None

    def run_tool(self, folder, *options):
        return subprocess.run([sys.executable, str(TOOLS / "paper-tables"), "--bench", self.bench, "--out", folder,
                               *options], capture_output=True, text=True, check=False)

    def test_tables_of_two_matrices_of_each_kind(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.run_tool(folder, "--quick", "--device", "cpu", "--repeats", "1")
            self.assertEqual(done.returncode, 0, done.stderr)
            text = (Path(folder) / "tables.txt").read_text()
            self.assertEqual(done.stdout.strip(), text.strip())
            for part in ("Table 1", "30,046,752", "7,536,400", "Table 3", "Table 4", "Table 5", "Tables 6 to 8 are left out", "Table 9", "CSR5 is left out",
                         "374,089,620", "9,678,327  31,141,367", "1074-5,314", "0.800110", "356.76", "Job 2"):
                self.assertIn(part, text)
            results = json.loads((Path(folder) / "tables.json").read_text())
            for kind in ("generated", "real"):
                for found, products in zip(results[kind]["matrices"], results[kind]["products"]):
                    self.assertEqual(found["rows"], published.ROWS)
                    for name in ("cisolve csr", "cisolve hybrid"):
                        self.assertGreater(products[name]["median"], 0)
            self.assertEqual(results["generated"]["matrices"][1]["nonzeros"], published.TOTAL_NONZEROS[1])

    def test_missing_programs_are_named(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.run_tool(folder, "--csr5", "/nonexistent/csr5")
        self.assertEqual(done.returncode, 1)
        self.assertIn("/nonexistent/csr5", done.stderr)


if __name__ == "__main__":
    Quick.bench = sys.argv.pop(1)
    unittest.main()
