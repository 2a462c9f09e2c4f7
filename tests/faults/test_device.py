#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A device without memory, and one that is lost. Skipped (status 77) without a device. Needs no package of Python.

  test_device.py CISOLVE LIBRARY [--most 12]
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

DATA = Path(__file__).resolve().parents[1] / "data"
SKIPPED = 77
JOB = f"""[integrals]
file = "{DATA}/h2o_631g.fcidump.gz"
[space]
excitation_level = 3
[states]
count = 2
[hamiltonian]
storage = "STORAGE"
[solver]
tolerance = 1e-7
[run]
device = "cuda"
[output]
checkpoint_interval = 0
"""
SAME = 1e-9  # hartree: residuals of 1e-7 and gaps of 0.01 hartree leave less


class Device(unittest.TestCase):
    program = library = None
    most = 12

    def run_job(self, folder, *options, **variables):
        return subprocess.run([self.program, "job.inp", "-q", *options], cwd=folder, capture_output=True, text=True,
                              check=False, timeout=300, env=dict(os.environ, **variables))

    def energies(self, report):
        rows = re.findall(r"^ +\d+ +(-?\d+\.\d{10}) +\d+\.\d{5} ", report, re.MULTILINE)
        self.assertGreaterEqual(len(rows), 2, report)
        return [float(row) for row in rows]

    def sweep(self, kind, status):
        for storage in ("direct", "coded"):
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                (folder / "job.inp").write_text(JOB.replace("STORAGE", storage))
                expected = self.energies(self.run_job(folder).stdout)
                self.run_job(folder, LD_PRELOAD=self.library, CISOLVE_FAULT_COUNTS="counts")
                calls = int(dict(line.split() for line in (folder / "counts").read_text().splitlines())[kind])
                self.assertGreater(calls, 0, "the CUDA runtime is not a shared library")
                failed = 0
                for k in range(self.most):
                    first = 1 + k * (calls - 1) // max(1, self.most - 1)
                    for file in folder.glob("job*.h5"):
                        file.unlink()
                    done = self.run_job(folder, LD_PRELOAD=self.library, CISOLVE_FAULT=f"{kind}:{first}:0:ENOMEM")
                    self.assertIn(done.returncode, (0, status), f"{kind} {first}: {done.stderr}")
                    failed += done.returncode != 0
                    if done.returncode:
                        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                        self.assertFalse((folder / "job.h5").exists())
                    options = ["--restart"] if list(folder.glob("job*.h5")) else []
                    again = self.run_job(folder, *options)
                    self.assertEqual(again.returncode, 0, again.stderr)
                    for found, true in zip(self.energies(again.stdout), expected):
                        self.assertLess(abs(found - true), SAME)
                self.assertGreater(failed, 0)

    def test_without_memory_does_not_fit(self):
        self.sweep("cudaMalloc", 3)

    def test_that_is_lost_is_a_failure_of_the_system(self):
        self.sweep("cudaLaunchKernel", 4)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=Path)
    parser.add_argument("library", type=Path)
    parser.add_argument("--most", type=int, default=12)
    arguments = parser.parse_args()
    Device.program, Device.library = str(arguments.program.resolve()), str(arguments.library.resolve())
    Device.most = arguments.most
    listed = subprocess.run([Device.program, "--version"], capture_output=True, text=True, check=True).stdout
    if listed.split("devices")[1].count("\n") < 2:
        print("no CUDA device")
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1])
