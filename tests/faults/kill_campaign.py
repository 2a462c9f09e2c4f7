#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Kills runs at random moments of all phases, restarts them until they are done, and compares the energies.

  tests/faults/kill_campaign.py CISOLVE [--kills 200] [--seed 1] [--jobs molecule scan ...]

SIGKILL, SIGTERM, SIGINT and SIGHUP in turn, at a moment that is uniform over what a run takes; a run is killed up to four
times, and each time goes on from what it left. Printed are the kills by signal and by the part of the report that the run
had come to, and how long it took to stop. Exit status 0: all ended with the right energies; 77: no h5py.
"""
import argparse
import random
import shutil
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
from jobs import GOOD, JOBS, LONGER, Broken, Job, energies_of  # noqa: E402

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
HEADINGS = ("Molecule", "SCF iterations", "SCF", "System", "Sector", "Space", "Hamiltonian", "Davidson iterations",
            "Roots", "Properties", "Time", "Results are in")
PATIENCE = 120.0  # seconds


class Campaign:
    def __init__(self, arguments):
        self.arguments = arguments
        self.rng = random.Random(arguments.seed)
        self.kills, self.phases, self.statuses = Counter(), Counter(), Counter()
        self.runs, self.slowest, self.broken = 0, 0.0, []

    def phase(self, text):
        lines = [line for line in text.splitlines() if line.startswith(HEADINGS)]
        if any(line.startswith("Point") for line in text.splitlines()) and lines:
            return "scan: " + next(h for h in HEADINGS if lines[-1].startswith(h))
        return next(h for h in HEADINGS if lines[-1].startswith(h)) if lines else "before the report"

    def kill_once(self, job, options, seconds):
        """Starts a run, kills it; its status, or none if it was done before."""
        chosen = SIGNALS[sum(self.kills.values()) % len(SIGNALS)]
        process, log = job.start(*options)
        time.sleep(self.rng.uniform(0.0, 1.05 * seconds))
        if process.poll() is not None:
            job.check_end(process.returncode, log)
            return process.returncode
        text = log.read_text()
        sent = time.monotonic()
        process.send_signal(chosen)
        try:
            code = process.wait(timeout=PATIENCE)
        except Exception as error:
            process.kill()
            raise Broken(f"{chosen.name} does not end it") from error
        self.slowest = max(self.slowest, time.monotonic() - sent)
        self.kills[chosen.name] += 1
        self.phases[self.phase(text)] += 1
        expected = {-signal.SIGKILL} if chosen == signal.SIGKILL else {128 + chosen, GOOD, -chosen}
        if code not in expected and code != GOOD:
            raise Broken(f"{chosen.name} ended it with {code}: {log.read_text()[-300:]}")
        # Before the first line of the report, and once all files are written, signals have their usual effect.
        if code == -chosen and chosen != signal.SIGKILL and self.phase(text) != "before the report" and \
                not job.is_complete():
            raise Broken(f"{chosen.name} killed it instead of stopping it")
        self.statuses[f"{chosen.name}: {code}"] += 1
        return code

    def one_run(self, name, folder):
        job = Job(name, folder, self.arguments.program.resolve(),
                  texts=JOBS if self.arguments.short else LONGER)
        start = time.monotonic()
        done = job.run("job.inp", "-q")
        if done.status != GOOD:
            raise RuntimeError(f"{name}: the clean run ended with {done.status}: {done.err}")
        seconds = time.monotonic() - start
        job.energies = energies_of(folder / "job.h5")
        while sum(self.kills.values()) < self.arguments.kills:
            self.runs += 1
            history = []
            try:
                job.reset(with_files=False)
                for _ in range(self.rng.randint(1, 4)):
                    options = ["--restart"] if list(folder.glob("job*.h5")) else []
                    code = self.kill_once(job, options, seconds)
                    history.append(code)
                    job.expect_readable()
                    if code == GOOD:
                        break
                if sum(self.kills.values()) % 8 == 0 or not job.is_complete():
                    job.expect_recovery()
                if not job.is_right():
                    raise Broken("not all energies are there")
            except Broken as broken:
                self.broken.append(str(broken))
                kept = Path(tempfile.mkdtemp(prefix="cisolve-kill-"))
                shutil.copytree(folder, kept, dirs_exist_ok=True)
                print(f"BROKEN {name} after {history}: {broken}; files: {kept}", flush=True)
            yield

    def __call__(self):
        with tempfile.TemporaryDirectory(prefix="cisolve-kill-") as name:
            runs = []
            for job in self.arguments.jobs:
                folder = Path(name) / job
                folder.mkdir()
                runs.append(self.one_run(job, folder))
            while runs:
                for run in list(runs):
                    if next(run, StopIteration) is StopIteration:
                        runs.remove(run)
        return not self.broken


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", nargs="+", choices=list(LONGER), default=list(LONGER))
    parser.add_argument("--short", action="store_true", help="jobs of a tenth of a second")
    campaign = Campaign(parser.parse_args())
    signal.signal(signal.SIGINT, signal.default_int_handler)  # also where a shell ignores it in the background
    try:
        good = campaign()
    except KeyboardInterrupt:  # what was done so far
        good = not campaign.broken
    for title, counts in (("signal", campaign.kills), ("status", campaign.statuses), ("killed in", campaign.phases)):
        print(f"{title}: " + ", ".join(f"{key} {count}" for key, count in counts.most_common()))
    print(f"{sum(campaign.kills.values())} kills in {campaign.runs} runs; at most {campaign.slowest:.2f} s to stop; "
          f"{len(campaign.broken)} broken")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
