#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tools/differential: some of its cases, and that it finds what is wrong. Skipped (status 77) without h5py and numpy.

  test_differential.py CISOLVE [--count N] [--device cpu|cuda]
"""
import argparse
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
TOOL = REPOSITORY / "tools/differential"
SKIPPED = 77

# A program whose result is not what cisolve wrote: argument 1 says what is changed.
LIAR = """#!{python}
import subprocess, sys
import h5py
done = subprocess.run(["{cisolve}"] + sys.argv[1:])
if done.returncode == 0:
    with h5py.File("case.h5", "r+") as file:
        {lie}
sys.exit(done.returncode)
"""
LIES = {
    "energy": "file['states/energy'][-1] += 1e-7",
    "spin": "file['states/s_squared'][:] = file['states/s_squared'][:] + 0.1",
    "root": "file['states/energy'][:] = file['states/energy'][:] + 2.0",
    "dimension": "[s.attrs.modify('dimension', s.attrs['dimension'] + 1) for s in "
                 "([g['space'] for g in file['sector'].values()] if 'sector' in file else [file['space']])]",
}


class Differential(unittest.TestCase):
    program, count, device = None, 25, "cpu"

    def run_tool(self, program, folder, *options):
        return subprocess.run([sys.executable, str(TOOL), "--program", str(program), "--keep", f"{folder}/kept",
                               *options], cwd=folder, capture_output=True, text=True, check=False)

    def test_random_problems_agree_with_dense_diagonalisation(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.run_tool(self.program, folder, "--count", str(self.count), "--device", self.device,
                                 "--orbitals", "5" if self.count <= 25 else "6")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            compared = int(done.stdout.split(" compared")[0].split()[-1])
            self.assertGreater(compared, self.count // 2, done.stdout)
            self.assertFalse((Path(folder) / "kept").exists())

    def test_what_is_wrong_is_found_kept_and_reproduced(self):
        for name, lie in LIES.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                liar = Path(folder) / "liar"
                liar.write_text(LIAR.format(python=sys.executable, cisolve=self.program, lie=lie))
                liar.chmod(0o755)
                done = self.run_tool(liar, folder, "--seed", "3", "--count", "1", "--orbitals", "4")
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                self.assertIn("--seed 3 --count 1", done.stdout)
                for file in ("case.inp", "case.fcidump", "report.txt"):
                    self.assertTrue((Path(folder) / "kept/3" / file).is_file())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=Path)
    parser.add_argument("--count", default=25, type=int)
    parser.add_argument("--device", default="cpu")
    arguments = parser.parse_args()
    try:
        import h5py  # noqa: F401
        import numpy  # noqa: F401
    except ImportError as error:
        print(f"skipped: {error}")
        return SKIPPED
    Differential.program, Differential.count = arguments.program.resolve(), arguments.count
    Differential.device = arguments.device
    result = unittest.TextTestRunner(verbosity=1).run(unittest.defaultTestLoader.loadTestsFromTestCase(Differential))
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
