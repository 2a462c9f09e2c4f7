#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a system can do to a run: full disks, folders that are read-only or go, closed terminals and pipes, too little
memory, numbers that are none. Skipped (status 77) without h5py.

  test_conditions.py CISOLVE
"""
import contextlib
import os
import pty
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)
from jobs import (DATA, DOES_NOT_FIT, GOOD, INPUT_ERROR, LONGER, SYSTEM_ERROR, Job,  # noqa: E402
                  energies_of, expect_explained)

NOBODY = 65534


def copy_content(source, target):
    """As another program would write it: without a seal. (H5Ocopy of HDF5 1.10 crashes on some attributes.)"""
    for key, value in source.attrs.items():
        if key != "seal":
            target.attrs[key] = value
    for name, entry in source.items():
        if isinstance(entry, h5py.Group):
            copy_content(entry, target.create_group(name))
        else:
            made = target.create_dataset(name, data=entry[()], dtype=entry.dtype)
            for key, value in entry.attrs.items():
                made.attrs[key] = value


class Conditions(unittest.TestCase):
    program = None

    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory(prefix="cisolve-conditions-")
        self.folder = Path(self.scratch.name)
        self.addCleanup(self.scratch.cleanup)

    def job(self, name="fcidump", **options):
        return Job(name, self.folder, self.program, **options)

    def long_job(self):
        """One that takes a second or two, begun: its report has come to the space."""
        job = self.job("stored", texts=LONGER)
        return job

    # --- disks

    def fill(self, limit_bytes):
        """A limit on the size of files: the write that crosses it fails."""
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, limit_bytes))

    def test_a_file_that_may_not_grow(self):
        job = self.job()
        job.prepare()
        old = (self.folder / "job.h5").read_bytes()
        size = len(old)
        for limit in (0, 100, 4096, size // 2, size - 1):
            job.reset()
            done = job.run("job.inp", "-q", preexec_fn=lambda most=limit: self.fill(most))
            expect_explained(done, {SYSTEM_ERROR})
            self.assertEqual((self.folder / "job.h5").read_bytes(), old)
            job.expect_tidy()
            job.expect_recovery()

    @contextlib.contextmanager
    def small_disk(self, kilobytes):
        place = self.folder / "disk"
        place.mkdir(exist_ok=True)
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "none", str(place)],
                                 capture_output=True, check=False)
        if mounted.returncode != 0:
            self.skipTest("no file system can be mounted here")
        try:
            yield place
        finally:
            subprocess.run(["umount", str(place)], check=False)

    def test_a_full_disk(self):
        for kilobytes in (4, 32, 96):
            with self.small_disk(kilobytes) as disk:
                job = self.job("stored")
                done = job.run("job.inp", "-q", "-o", "disk/job.h5", "--set", "output.checkpoint=disk/job.chk.h5")
                expect_explained(done, {SYSTEM_ERROR})
                self.assertIn("No space left", done.err)
                self.assertEqual([e.name for e in disk.iterdir() if ".tmp" in e.name or e.name.endswith("lock")], [])

    def test_a_folder_that_is_read_only(self):
        place = self.folder / "closed"
        place.mkdir()
        job = self.job()
        place.chmod(0o555)
        self.folder.chmod(0o777)
        options = {"preexec_fn": lambda: os.setuid(NOBODY)} if os.getuid() == 0 else {}
        done = job.run("job.inp", "-q", "-o", "closed/job.h5", **options)
        place.chmod(0o755)
        expect_explained(done, {SYSTEM_ERROR})
        self.assertIn("closed/job.h5", done.err)
        self.assertEqual(list(place.iterdir()), [])

    def test_a_folder_that_goes_during_the_run(self):
        job = self.long_job()
        place = self.folder / "gone"
        place.mkdir()
        process, log = job.start("-o", "gone/job.h5", "--set", "output.checkpoint=gone/job.chk.h5")
        self.wait_for(log, "Space", process)
        shutil.rmtree(place)
        self.assertEqual(process.wait(timeout=60), SYSTEM_ERROR, log.read_text())
        errors = [line for line in log.read_text().splitlines() if "error" in line]
        self.assertEqual(len(errors), 1, errors)
        self.assertIn("gone/job", errors[0])

    def wait_for(self, log, word, process):
        end = time.monotonic() + 60
        while word not in log.read_text() and process.poll() is None and time.monotonic() < end:
            time.sleep(0.01)

    # --- streams and signals

    def test_a_closed_terminal_leaves_a_checkpoint(self):
        job = self.long_job()
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(self.folder)
            os.environ["OMP_NUM_THREADS"] = "1"
            os.execv(str(self.program), [str(self.program), "job.inp"])
        shown = b""
        while b"     1 " not in shown:  # the first iteration
            shown += os.read(terminal, 65536)
        os.close(terminal)
        _, status = os.waitpid(child, 0)
        self.assertTrue(os.WIFEXITED(status), f"killed by signal {os.WTERMSIG(status)}")
        self.assertEqual(os.WEXITSTATUS(status), 128 + signal.SIGHUP)
        self.assertTrue((self.folder / "job.chk.h5").exists())
        done = job.run("job.inp", "-q", "--restart")
        self.assertEqual(done.status, GOOD, done.err)

    def test_nohup_lets_a_run_go_on(self):
        job = self.long_job()
        log = self.folder / "log"
        with open(log, "w") as out:
            process = subprocess.Popen(["nohup", str(self.program), "job.inp"], cwd=self.folder, stdout=out,
                                       stderr=out, stdin=subprocess.DEVNULL)
        time.sleep(0.2)
        process.send_signal(signal.SIGHUP)
        self.assertEqual(process.wait(timeout=60), GOOD, log.read_text())

    def test_a_reader_that_goes_does_not_lose_the_results(self):
        job = self.job()
        reader, writer = os.pipe()
        os.close(reader)
        done = job.run("job.inp", "-q", stdout=writer)
        os.close(writer)
        self.assertEqual(done.status, GOOD, done.err)
        self.assertTrue(job.run("show", "job.h5").out)

    def test_a_report_that_cannot_be_written_is_an_error(self):
        job = self.job()
        with open("/dev/full", "w") as full:
            done = job.run("job.inp", "-q", stdout=full)
        expect_explained(done, {SYSTEM_ERROR})
        self.assertEqual(job.run("show", "job.h5").status, GOOD)

    # --- memory

    def test_too_little_address_space(self):
        job = self.job()
        threads = min(2, len(os.sched_getaffinity(0)))
        fitted = False
        # The last has room for every library of CUDA, whose files alone take 1.2 GB of addresses.
        for megabytes in (200, 300, 400, 500, 600, 700, 850, 1000, 2000, 4000):
            job.reset(with_files=False)
            bytes_ = megabytes << 20
            done = job.run("job.inp", "-q", "--set", f"run.threads={threads}",
                           environment={"OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(threads)},
                           preexec_fn=lambda most=bytes_: resource.setrlimit(resource.RLIMIT_AS, (most, most)))
            if "shared libraries" in done.err:
                continue  # the program itself does not fit
            expect_explained(done, {GOOD, DOES_NOT_FIT, SYSTEM_ERROR})
            self.assertEqual((self.folder / "job.h5").exists(), done.status == GOOD)
            job.expect_tidy()
            fitted = fitted or done.status == GOOD
        self.assertTrue(fitted)

    # --- numbers that are none

    def test_integrals_that_are_no_numbers(self):
        text = (DATA / "h2_sto3g.fcidump").read_text().splitlines()
        for number in ("NaN", "nan", "Infinity", "-inf", "1e999"):
            changed = list(text)
            changed[-2] = " ".join([number] + changed[-2].split()[1:])
            (self.folder / "bad.fcidump").write_text("\n".join(changed) + "\n")
            job = self.job()
            done = job.run("job.inp", "-q", "--set", "integrals.file=bad.fcidump", "--set",
                           "integrals.point_group=D2h")
            expect_explained(done, {INPUT_ERROR})
            self.assertIn("bad.fcidump", done.err)
            self.assertFalse((self.folder / "job.h5").exists())

    def test_keys_that_are_no_numbers(self):
        job = self.job()
        for key in ("solver.tolerance", "hamiltonian.threshold", "output.checkpoint_interval", "solver.tolerance"):
            for number in ("nan", "inf", "-inf", "-nan"):
                done = job.run("job.inp", "-q", "--set", f"{key}={number}")
                expect_explained(done, {INPUT_ERROR})
                self.assertIn(key, done.err)

    def test_a_guess_that_holds_no_numbers(self):
        job = self.job()
        self.assertEqual(job.run("job.inp", "-q").status, GOOD)
        for number in (np.nan, np.inf):
            with h5py.File(self.folder / "job.h5") as good, h5py.File(self.folder / "bad.h5", "w") as bad:
                copy_content(good, bad)
                bad["states/vector"][0, 3] = number
            done = job.run("job.inp", "-q", "-o", "out.h5", "--set", "solver.guess=bad.h5")
            expect_explained(done, {INPUT_ERROR})
            self.assertFalse((self.folder / "out.h5").exists())

    # --- two runs

    def test_a_second_run_with_the_same_files_is_refused(self):
        job = self.long_job()
        process, log = job.start()
        self.wait_for(log, "Space", process)
        second = job.run("job.inp", "-q")
        third = job.run("job.inp", "-q", "-o", "other.h5")  # the same checkpoint
        self.assertEqual(process.wait(timeout=60), GOOD, log.read_text())
        for done in (second, third):
            expect_explained(done, {SYSTEM_ERROR})
            self.assertIn(f"process {process.pid} on host", done.err)
        self.assertEqual(len(energies_of(self.folder / "job.h5")), 2)
        job.expect_tidy()


if __name__ == "__main__":
    Conditions.program = Path(sys.argv.pop(1)).resolve()
    unittest.main()
