#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/examples/expand_csfs.py rebuilds what cisolve writes. Skipped (status 77) without h5py and numpy.

  test_expand_csfs.py CISOLVE
"""
import importlib.util
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
EXAMPLE = REPOSITORY / "docs/examples/expand_csfs.py"
DATA = REPOSITORY / "tests/data"
SKIPPED = 77


class ExpandCsfs(unittest.TestCase):
    program = None

    def expand(self, fcidump, space, states, basis="csf"):
        with tempfile.TemporaryDirectory() as folder:
            job = Path(folder) / "job.inp"
            job.write_text(
                f'[integrals]\nfile = "{DATA / fcidump}"\n[space]\nbasis = "{basis}"\n{space}\n[states]\n{states}\n'
                f'[run]\ndevice = "cpu"\n[solver]\ntolerance = 1e-7\n'
            )
            result = Path(folder) / "job.h5"
            subprocess.run([self.program, str(job), "-q", "-o", str(result)], cwd=folder, check=True,
                           stdout=subprocess.DEVNULL)
            return subprocess.run([sys.executable, str(EXAMPLE), str(result), str(DATA / fcidump)],
                                  capture_output=True, text=True, check=False)

    def expect(self, done, roots):
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertGreaterEqual(done.stdout.count("root "), roots)  # a degenerate partner comes along

    def test_singlets(self):
        self.expect(self.expand("h2o_sto3g.fcidump", 'excitation_level = "full"', "irrep = 1\ncount = 2"), 2)

    def test_triplets_and_quintets(self):
        for multiplicity in (3, 5):
            self.expect(self.expand("lih_sto3g.fcidump", 'excitation_level = "full"',
                                    f'irrep = "all"\nmultiplicity = {multiplicity}\ncount = 2'), 2)

    def test_doublets_out_of_an_open_shell(self):
        self.expect(self.expand("oh_631g.fcidump", "excitation_level = 1", "irrep = 2\nmultiplicity = 2"), 1)

    def test_several_irreps_and_multiplicities(self):
        self.expect(self.expand("h2o_sto3g.fcidump", "excitation_level = 2",
                                "irrep = [1, 4]\nmultiplicity = [1, 3]\ncount = 2"), 8)

    def test_a_sector_without_states(self):
        self.expect(self.expand("h2o_sto3g.fcidump", "excitation_level = 0", "irrep = [4, 1]"), 1)

    def test_frozen_orbitals(self):
        for frozen in ("frozen_core = 1\nfrozen_virtual = 2", "frozen_core = [2]\nfrozen_virtual = [9, 11]"):
            self.expect(self.expand("oh_631g.fcidump", f"excitation_level = 1\n{frozen}",
                                    "irrep = 2\nmultiplicity = 2"), 1)

    def test_what_it_cannot_take_is_said(self):
        done = self.expand("h2o_sto3g.fcidump", "excitation_level = 1", "irrep = [1, 2]", basis="determinant")
        self.assertIn("holds no CSFs", done.stderr)
        self.assertNotIn("Traceback", done.stderr)


if __name__ == "__main__":
    if any(importlib.util.find_spec(name) is None for name in ("h5py", "numpy")):
        print("skipped: h5py or numpy is missing")
        sys.exit(SKIPPED)
    ExpandCsfs.program = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
