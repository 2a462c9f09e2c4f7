#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws every picture of tools/plot from small calculations: test_plot.py CISOLVE. Skipped without matplotlib."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOLS = Path(__file__).parents[2] / "tools"
DATA = Path(__file__).parents[1] / "data"
SKIPPED = 77
PROGRAM = ""

JOB = f"""title = "Two files"
[integrals]
file = "{DATA}/h2_sto3g.fcidump"
[run]
device = "cpu"
"""
SCAN = f"""title = "A scan of files"
[integrals]
[scan]
files = ["{DATA}/h2_sto3g.fcidump", "{DATA}/h2_sto3g.fcidump"]
values = [0.7, 0.8]
[states]
count = 2
[run]
device = "cpu"
"""


class Plot(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        (self.folder / "job.inp").write_text(JOB)
        (self.folder / "scan.inp").write_text(SCAN)
        for words in (["job.inp"], ["scan.inp"], ["job.inp", "--write-matrix", "h.h5"]):
            run = subprocess.run([PROGRAM, *words], cwd=self.folder, capture_output=True, text=True)
            self.assertEqual(run.returncode, 0, run.stderr)

    def plot(self, *words):
        return subprocess.run([sys.executable, TOOLS / "plot", *words], cwd=self.folder, capture_output=True, text=True)

    def draw(self, *words):
        run = self.plot(*words)
        self.assertEqual(run.returncode, 0, run.stderr)
        return (self.folder / words[-1]).read_bytes()

    def refuse(self, message, *words):
        run = self.plot(*words)
        self.assertEqual(run.returncode, 1)
        self.assertIn(message, run.stderr)
        self.assertNotIn("Traceback", run.stderr)

    def test_curve(self):
        svg = self.draw("curve", "scan.h5", "curve.svg")
        self.assertIn(b"<svg", svg)
        self.assertEqual(svg, self.draw("curve", "scan.h5", "again.svg"))  # no date, no random names
        png = self.draw("curve", "--ev", "--title", "Two", "scan.h5", "scan.h5", "curve.png")
        self.assertTrue(png.startswith(b"\x89PNG"))

    def test_convergence(self):
        self.assertIn(b"<svg", self.draw("convergence", "job.h5", "convergence.svg"))
        self.assertIn(b"<svg", self.draw("convergence", "scan.h5", "--point", "2", "convergence.svg"))

    def test_matrix(self):
        self.assertTrue(self.draw("matrix", "h.h5", "h.png").startswith(b"\x89PNG"))
        self.assertTrue(self.draw("matrix", "h.h5", "--reference", "0.1", "--size", "2", "h.png").startswith(b"\x89PNG"))

    def test_states_are_told_apart(self):
        sys.dont_write_bytecode = True
        loader = SourceFileLoader("plot", str(TOOLS / "plot"))
        plot = module_from_spec(spec_from_loader("plot", loader))
        loader.exec_module(plot)
        with h5py.File(self.folder / "scan.h5") as scan:
            states, scf = plot.curves_of(scan)
            self.assertEqual(scf, [])
            energies = scan["scan/energies"][:]
        for curve in states.values():
            self.assertEqual([value for value, _ in curve], [0.7, 0.8])
        self.assertEqual(sorted(curve[0][1] for curve in states.values()), sorted(energies[0]))

    def test_refusals(self):
        self.refuse("the result of a scan is expected", "curve", "job.h5", "curve.svg")
        self.refuse("written by cisolve --write-matrix", "matrix", "job.h5", "curve.svg")
        self.refuse("must end in .png, .svg or .pdf", "convergence", "job.h5", "curve.txt")
        self.refuse("no point 7", "convergence", "scan.h5", "--point", "7", "curve.svg")
        self.refuse("absent.h5: cannot be read", "curve", "absent.h5", "curve.svg")
        self.refuse("--reference two", "matrix", "h.h5", "--reference", "two", "h.png")


if __name__ == "__main__":
    try:
        from importlib.machinery import SourceFileLoader
        from importlib.util import module_from_spec, spec_from_loader

        import h5py
        import matplotlib  # noqa: F401
    except ImportError as error:
        python = os.environ.get("CISOLVE_TEST_PYTHON", sys.executable)
        if python != sys.executable:
            os.execv(python, [python, *sys.argv])
        print(f"skipped: the Python package {error.name} is missing")
        sys.exit(SKIPPED)
    PROGRAM = sys.argv.pop(1)
    unittest.main()
