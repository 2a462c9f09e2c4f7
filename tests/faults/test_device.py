#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A device without memory, one that is lost, and signals between iterations on it. Skipped (status 77) without a device.
Needs no package of Python.

  test_device.py CISOLVE LIBRARY [--most 12] [--device cuda] [test ...]
"""
import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
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
# Of seconds: full CI of 34 million determinants, with a checkpoint due each second.
LONG_JOB = f"""[integrals]
file = "{DATA}/h2o_631gd.fcidump.gz"
[space]
excitation_level = LEVEL
[states]
count = 2
[hamiltonian]
storage = "direct"
[solver]
tolerance = 1e-9
[run]
device = "DEVICE"
[output]
checkpoint_interval = 1
"""
SAME = 1e-9  # hartree: residuals of 1e-7 and gaps of 0.01 hartree leave less
ITERATION = re.compile(r"^ +(\d+) +\d+ +\d+ +-\d+\.\d{10} +\d\.\d\de", re.MULTILINE)


class Device(unittest.TestCase):
    program = library = None
    device = "cuda"
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

    def stop_at(self, folder, chosen, *, iteration, checkpoint=False):
        """Sends a signal once the report has come so far; the status that follows, and the report."""
        log = folder / "log"
        with open(log, "w") as out:
            process = subprocess.Popen(["stdbuf", "-oL", self.program, "job.inp"], cwd=folder, stdout=out, stderr=out)
        try:
            while process.poll() is None:
                done = [int(number) for number in ITERATION.findall(log.read_text())]
                if done and done[-1] >= iteration and (not checkpoint or (folder / "job.chk.h5").exists()):
                    process.send_signal(chosen)
                    break
                time.sleep(0.005)
            return process.wait(timeout=300), log.read_text()
        finally:
            process.kill()

    def test_signals_between_iterations_leave_a_checkpoint(self):
        level = '"full"' if self.device == "cuda" else "4"
        cases = ((signal.SIGTERM, 1), (signal.SIGINT, 4), (signal.SIGHUP, 7), (signal.SIGTERM, 10), (signal.SIGKILL, 1))
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "job.inp").write_text(LONG_JOB.replace("LEVEL", level).replace("DEVICE", self.device))
            expected = self.energies(self.run_job(folder).stdout)
            for chosen, iteration in cases:
                with self.subTest(signal=chosen.name, iteration=iteration):
                    for file in folder.glob("job*.h5*"):
                        file.unlink()
                    killed = chosen == signal.SIGKILL
                    status, report = self.stop_at(folder, chosen, iteration=iteration, checkpoint=killed)
                    self.assertEqual(status, -chosen if killed else 128 + chosen, report)
                    self.assertFalse((folder / "job.h5").exists(), report)
                    self.assertTrue((folder / "job.chk.h5").exists(), report)
                    again = self.run_job(folder, "--restart")
                    self.assertEqual(again.returncode, 0, again.stderr)
                    for found, true in zip(self.energies(again.stdout), expected, strict=True):
                        self.assertLess(abs(found - true), SAME)
                    last = ITERATION.findall(report)[-1]
                    print(f"{chosen.name} after iteration {iteration}: status {status} after iteration {last}, "
                          "the restart found the same energies")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=Path)
    parser.add_argument("library", type=Path)
    parser.add_argument("--most", type=int, default=12)
    parser.add_argument("--device", default="cuda", help="cpu: the test of signals can be tried without a device")
    parser.add_argument("tests", nargs="*")
    arguments = parser.parse_intermixed_args()
    Device.program, Device.library = str(arguments.program.resolve()), str(arguments.library.resolve())
    Device.most, Device.device = arguments.most, arguments.device
    listed = subprocess.run([Device.program, "--version"], capture_output=True, text=True, check=True).stdout
    if Device.device == "cuda" and listed.split("devices")[1].count("\n") < 2:
        print("no CUDA device")
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1] + [f"Device.{test}" for test in arguments.tests])
