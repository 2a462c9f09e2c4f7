#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Plans of many ranks without a device: what cisolve-bench counts, beside the same counted here, and what
tools/bench/ranks_model.py makes of it.

  test_ranks_model.py CISOLVE_BENCH
"""
import io
import itertools
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[2] / "tools" / "bench"
sys.path.insert(0, str(TOOLS))
sys.dont_write_bytecode = True
import ranks_model  # noqa: E402
import synthetic_fcidump  # noqa: E402


def strings(orbitals, electrons):
    """Sets of orbitals by excitation level out of the lowest, those of a level ascending as binary numbers."""
    return sorted(itertools.combinations(range(orbitals), electrons),
                  key=lambda s: (sum(p >= electrons for p in s), s[::-1]))


def reach(orbitals, electrons, ranks, together):
    """Of full CI without symmetry: strings that differ in at most one orbital from some of consecutive ranks, the most."""
    every = strings(orbitals, electrons)
    each = -(-len(every) // ranks)
    most = 0
    for first in range(0, len(every), each * together):
        own = every[first:first + each * together]
        most = max(most, sum(any(len(set(a) & set(b)) >= electrons - 1 for b in own) for a in every))
    return most / len(every)


class Plans(unittest.TestCase):
    bench = None

    def plan(self, orbitals, electrons, ranks, *options):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            with open(folder / "job.fcidump", "w", encoding="ascii") as file:
                synthetic_fcidump.write(orbitals, electrons, file)
            (folder / "job.inp").write_text('[integrals]\nfile = "job.fcidump"\n[space]\nexcitation_level = "full"\n')
            done = subprocess.run([self.bench, "ranks", folder / "job.inp", "--plan-only", "--ranks", ranks, "--json",
                                   folder / "plans.json", "--gpus-per-node", "2", "--parity", "none", *options],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            return json.loads((folder / "plans.json").read_text())

    def test_ranks_reach_what_strings_do(self):
        report = self.plan([9], 6, "1,4,7")
        self.assertEqual(report["rows"], 84 ** 2)
        for plan in report["plans"]:
            for found, together in (("reach_of_rank", 1), ("reach_of_node", 2)):
                self.assertAlmostEqual(plan[found]["most"], reach(9, 3, plan["ranks"], together), delta=1e-12)

    def test_three_ranks_have_all_rows_and_bring_everything_to_each(self):
        report = self.plan([4, 2, 2, 2], 8, "1,3", "--strips", "1")
        one, three = report["plans"]
        self.assertEqual(sum(rank["rows"] for rank in three["some_ranks"]), report["rows"])
        self.assertEqual(three["cost"], one["cost"])
        self.assertAlmostEqual(sum(rank["cost"] for rank in three["some_ranks"]), one["cost"], delta=1e-9 * one["cost"])
        self.assertEqual(one["some_ranks"][0]["rows_received_bytes"], 0)
        for rank in three["some_ranks"]:  # of panels, which are longer than their rows by padding
            self.assertGreaterEqual(rank["rows_received_bytes"], 8 * (report["rows"] - rank["rows"]))

    def test_table_of_the_model(self):
        text = ranks_model.table([self.plan([9], 6, "1,2")], ranks_model.Rates(), 1 << 32).splitlines()
        self.assertEqual(len(text), 4)
        self.assertTrue(text[2].endswith("100% |"), text[2])  # one GPU waits for nobody


class Model(unittest.TestCase):
    """A vector of 8e9 bytes; a second of sums, a tenth of it same-spin, on one GPU."""
    rates = ranks_model.Rates(nvlink=100e9, port=10e9, memory=1e12, opposite=1.0, same_spin=1.0)

    @staticmethod
    def report(ranks, reached=(1.0, 1.0), received=0):
        return {"rows": 10 ** 9, "gpus_per_node": 4}, {
            "ranks": ranks, "cost": 0.9, "same_spin": 0.1, "imbalance": 1.0, "reach_of_rank": {"most": reached[0]},
            "reach_of_node": {"most": reached[1]}, "some_ranks": [{"columns_received_bytes": received}]}

    def seconds(self, form, strips, *plan, **more):
        return ranks_model.product_seconds(*self.report(*plan, **more), self.rates, form, strips)

    def test_what_own_rows_hide(self):
        # 4 GPUs of a node: 6e9 bytes in 60 ms, behind a quarter of 50 ms.
        self.assertAlmostEqual(self.seconds("whole", 1, 4), 0.25 + 0.060 - 0.0125)

    def test_strips_hide_behind_sums_and_pass_y_once_more(self):
        # 10 strips: the first 6 ms behind own rows, the others behind sums; 2 x 8e9 / 4 bytes of memory each.
        self.assertAlmostEqual(self.seconds("strips", 10, 4), 0.25 + 10 * 0.004)

    def test_ports_between_nodes(self):
        # 4 nodes of 4: three quarters of x through 4 ports in 150 ms, more than 75 ms inside.
        report, plan = self.report(16)
        self.assertAlmostEqual(ranks_model.gather_seconds(report, plan, self.rates, False), 0.150)
        # A rank needs half of x, a node as much: a quarter comes through the ports, 7/16 by NVLink.
        report, plan = self.report(16, reached=(0.5, 0.5))
        self.assertAlmostEqual(ranks_model.gather_seconds(report, plan, self.rates, True), 0.050)
        # Of what comes back 3 of 15 parts are from the node.
        report, plan = self.report(16, received=10 ** 9)
        self.assertAlmostEqual(ranks_model.turn_seconds(report, plan, self.rates), 0.8 * 0.1)


class Fcidump(unittest.TestCase):
    def test_integrals_are_those_that_irreps_let_be(self):
        text = io.StringIO()
        synthetic_fcidump.write([2, 1], 2, text)
        head, lines = text.getvalue().split(" &END\n")
        self.assertIn("NORB=3,NELEC=2", head)
        self.assertIn("ORBSYM=1,2,1,", head)
        # Pairs 11, 31, 33, 22 are of the first irrep, 21 and 32 of the second: 10 + 3 integrals, 4 of one electron, the core.
        self.assertEqual(len(lines.splitlines()), 10 + 3 + 4 + 1)


if __name__ == "__main__":
    Plans.bench = sys.argv.pop(1)
    unittest.main()
