#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the N-th call of each kind fail, in small runs of every kind, and judges what is left.

  tests/faults/sweep.py CISOLVE LIBRARY [--most 20] [--random] [--jobs fcidump scan ...] [--kinds write malloc ...]
                        [--seed 1]

LIBRARY is what tests/faults/fail_calls.cpp makes. Of the calls that a run makes of a kind, --most are chosen: the first
and the last ones, and some between; with --random all of them at random. After each: no crash, no hang, the right exit status with one sentence on stderr,
no temporary file left, an older result or a new whole one, and a restart that gives the right energies. Exit status 0: all
of it held; 77: no h5py.
"""
import argparse
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.dont_write_bytecode = True
try:
    import h5py  # noqa: F401
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
from jobs import (DOES_NOT_FIT, GOOD, INPUT_ERROR, JOBS, SYSTEM_ERROR, Broken, Job,  # noqa: E402
                  expect_explained)

# Kind of call, what happens to it, and the statuses that a run may end with. Any failure may also be one that the run
# can do without (0).
FAULTS = [
    ("write", "ENOSPC", {SYSTEM_ERROR}), ("write", "EDQUOT", {SYSTEM_ERROR}), ("write", "EIO", {SYSTEM_ERROR}),
    ("write", "short", set()), ("write", "EINTR", {SYSTEM_ERROR}),
    ("open", "EACCES", {INPUT_ERROR, SYSTEM_ERROR}), ("open", "EROFS", {INPUT_ERROR, SYSTEM_ERROR}),
    ("open", "EMFILE", {INPUT_ERROR, SYSTEM_ERROR}), ("open", "ENOENT", {INPUT_ERROR, SYSTEM_ERROR}),
    ("read", "EIO", {INPUT_ERROR, SYSTEM_ERROR}), ("fsync", "EIO", {SYSTEM_ERROR}), ("fsync", "ENOSPC", {SYSTEM_ERROR}),
    ("rename", "EACCES", {SYSTEM_ERROR}), ("rename", "ENOSPC", {SYSTEM_ERROR}), ("rename", "EIO", {SYSTEM_ERROR}),
    ("fallocate", "ENOSPC", {SYSTEM_ERROR}), ("fallocate", "EOPNOTSUPP", set()), ("fallocate", "EINTR", set()),
    ("ftruncate", "EIO", {SYSTEM_ERROR}), ("close", "EIO", {SYSTEM_ERROR}), ("close", "ENOSPC", {SYSTEM_ERROR}),
    ("mmap", "ENOMEM", {DOES_NOT_FIT, SYSTEM_ERROR}), ("flock", "ENOLCK", set()), ("flock", "EINTR", set()),
    ("unlink", "EACCES", {SYSTEM_ERROR}), ("malloc", "ENOMEM", {DOES_NOT_FIT}),
    ("write", "SIGKILL", None), ("fsync", "SIGKILL", None), ("rename", "SIGKILL", None), ("unlink", "SIGKILL", None),
    ("write", "SIGTERM", {143}), ("rename", "SIGTERM", {143}), ("malloc", "SIGTERM", {143}),
]


def chosen(calls, most, rng, is_random):
    if calls <= most:
        return list(range(1, calls + 1))
    if is_random:
        return sorted(rng.sample(range(1, calls + 1), most))
    ends = set(range(1, most // 4 + 1)) | set(range(calls - most // 4 + 1, calls + 1))
    return sorted(ends | set(rng.sample(range(1, calls + 1), most - len(ends))))


class Sweep:
    def __init__(self, arguments):
        self.arguments = arguments
        self.tally, self.broken = Counter(), []
        self.rng = random.Random(arguments.seed)

    def counts(self, job, options):
        file = job.folder / "counts"
        job.run("job.inp", "-q", *options, environment=self.preload(CISOLVE_FAULT_COUNTS=str(file)))
        return {kind: int(count) for kind, count in (line.split() for line in file.read_text().splitlines())}

    def preload(self, **variables):
        return {"LD_PRELOAD": str(self.arguments.library.resolve()), **variables}

    def one(self, job, options, kind, action, statuses, first, times):
        job.reset()
        fault = f"{kind}:{first}:{times}:{action}"
        try:
            done = job.run("job.inp", "-q", *options, environment=self.preload(CISOLVE_FAULT=fault))
            is_kill = action == "SIGKILL"
            # Before the run begins to listen, and once all files are written, signals have their usual effect.
            is_unheard = action == "SIGTERM" and done.killed_by == 15 and \
                (job.is_untouched() or job.expect_good_result())
            if not is_kill and not is_unheard:
                expect_explained(done, statuses | {GOOD})
            elif is_kill and done.killed_by not in (0, 9):
                raise Broken(f"killed by signal {done.killed_by}")
            is_complete = job.expect_good_result()
            if done.status == GOOD and not is_complete:
                raise Broken("status 0, but not all results are there")
            if not is_kill and not (kind == "unlink" and done.status != GOOD):
                if kind != "unlink":
                    job.expect_tidy()
            job.expect_recovery()
            self.tally[f"{kind} {action}", "killed" if done.killed_by else done.status] += 1
        except Broken as broken:
            line = f"{job.name} {' '.join(options)} CISOLVE_FAULT={fault}: {broken}"
            self.broken.append(line)
            print("BROKEN " + line, flush=True)

    def __call__(self):
        for name in self.arguments.jobs:
            with tempfile.TemporaryDirectory(prefix="cisolve-faults-") as folder:
                job = Job(name, Path(folder), self.arguments.program.resolve())
                job.prepare()
                for options in ([], ["--restart"]):
                    job.reset()
                    counts = self.counts(job, options)
                    for kind, action, statuses in FAULTS:
                        if self.arguments.kinds and kind not in self.arguments.kinds:
                            continue
                        for first in chosen(counts[kind], self.arguments.most, self.rng, self.arguments.random):
                            self.one(job, options, kind, action, statuses, first, self.rng.choice((0, 1)) if
                                     statuses and not action.startswith("SIG") and action != "EINTR" else 1)
        return not self.broken


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("library", type=Path)
    parser.add_argument("--most", type=int, default=20)
    parser.add_argument("--random", action="store_true")
    parser.add_argument("--jobs", nargs="+", choices=list(JOBS), default=list(JOBS))
    parser.add_argument("--kinds", nargs="+", default=[])
    parser.add_argument("--seed", type=int, default=1)
    sweep = Sweep(parser.parse_args())
    start = time.monotonic()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # also where a shell ignores it in the background
    try:
        good = sweep()
    except KeyboardInterrupt:  # what was done so far
        good = not sweep.broken
    for (fault, status), count in sorted(sweep.tally.items(), key=str):
        print(f"{fault:20} {status!s:>6} {count:6}")
    print(f"{sum(sweep.tally.values()) + len(sweep.broken)} faults in {time.monotonic() - start:.0f} s, "
          f"{len(sweep.broken)} broken")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
