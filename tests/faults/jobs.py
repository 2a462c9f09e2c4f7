# SPDX-License-Identifier: MIT
"""Small jobs of every kind, what is true of them, and what must be true of their files whatever happens."""
import os
import shutil
import signal
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import h5py

DATA = Path(__file__).resolve().parents[1] / "data"
TIMEOUT = 120  # seconds; the jobs take a tenth of one
SAME = 1e-9  # hartree: residuals of 1e-7 and gaps of 0.01 hartree leave less
GOOD, INPUT_ERROR, NOT_CONVERGED, DOES_NOT_FIT, SYSTEM_ERROR = range(5)

SOLVER = '[solver]\ntolerance = 1e-7\n[run]\ndevice = "cpu"\nthreads = 1\n[output]\ncheckpoint_interval = 0\n'
WATER = f'[integrals]\nfile = "{DATA}/h2o_631g.fcidump.gz"\npoint_group = "C2v"\n'
CHAIN = "H 0 0 0; H 0 0 0.9; H 0 0 1.9; H 0 0 2.8"
JOBS = {
    "molecule": f'[molecule]\ngeometry = "{CHAIN}"\nbasis = "6-31g"\n[space]\nexcitation_level = "full"\n'
                "[states]\ncount = 3\n",
    "fcidump": WATER + "[space]\nexcitation_level = 2\n[states]\ncount = 2\n",
    "sectors": WATER + '[states]\nirrep = ["A1", "B1"]\nmultiplicity = [1, 3]\n',
    "csf": WATER + '[space]\nbasis = "csf"\n[states]\nmultiplicity = 3\nirrep = "B2"\n',
    "stored": WATER + '[space]\nexcitation_level = 3\n[hamiltonian]\nstorage = "coded"\n[states]\ncount = 3\n',
    "scan": f'[molecule]\ngeometry = "{CHAIN}"\nbasis = "6-31g"\n[scan]\ncoordinate = "bond 1 2"\n'
            'values = [0.7, 0.9, 1.0]\n[space]\nexcitation_level = "full"\n[states]\ncount = 2\n',
}
# Of about a second, for signals at random moments.
GEOMETRY = 'geometry = "O 0 0 0; H 0 0.757 0.587; H 0 -0.757 0.587"'
LONGER = {
    "molecule": f'[molecule]\n{GEOMETRY}\nbasis = "6-31g(d)"\n[space]\nexcitation_level = 3\nfrozen_core = 1\n',
    "sectors": WATER + '[space]\nexcitation_level = 3\n[states]\nirrep = ["A1", "B1"]\nmultiplicity = [1, 3]\n',
    "csf": WATER + '[space]\nbasis = "csf"\nexcitation_level = 3\n[states]\nmultiplicity = 1\ncount = 3\n',
    "stored": WATER + '[space]\nexcitation_level = 4\n[hamiltonian]\nstorage = "csr"\n[states]\ncount = 2\n',
    "scan": f'[molecule]\n{GEOMETRY}\nbasis = "6-31g"\n[scan]\ncoordinate = "bond 1 2"\n'
            'values = [0.9, 1.0, 1.1, 1.3]\n[space]\nexcitation_level = 2\n',
}


class Broken(Exception):
    """What must never happen."""


@dataclass
class Done:
    status: int  # of the shell: 128 + signal where one killed it
    out: str
    err: str
    killed_by: int = 0


@dataclass
class Job:
    """One of JOBS in a folder, with the files that a clean run left: an older result and a checkpoint of the middle."""
    name: str
    folder: Path
    program: Path
    energies: list = field(default_factory=list)
    kept: Path = None
    texts: dict = None

    def __post_init__(self):
        (self.folder / "job.inp").write_text((self.texts or JOBS)[self.name] + SOLVER)

    def run(self, *options, environment=None, **popen):
        full = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"} | (environment or {})
        popen = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | popen
        process = subprocess.Popen([str(self.program), *options], cwd=self.folder, text=True, env=full,
                                   stdin=subprocess.DEVNULL, **popen)
        try:
            out, err = process.communicate(timeout=TIMEOUT)
        except subprocess.TimeoutExpired as error:
            process.kill()
            process.communicate()
            raise Broken(f"it hangs: {' '.join(options)}") from error
        code = process.returncode
        return Done(code if code >= 0 else 128 - code, out or "", err or "", max(0, -code))

    def start(self, *options):
        """A run whose report can be read while it lasts, in the file that comes with it."""
        log = self.folder / "log"
        buffered_by_line = [shutil.which("stdbuf"), "-oL"] if shutil.which("stdbuf") else []
        with open(log, "w") as out:
            process = subprocess.Popen([*buffered_by_line, str(self.program), "job.inp", "-v", *options],
                                       cwd=self.folder, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                       env=dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1"))
        return process, log

    @staticmethod
    def check_end(code, log):
        if code != GOOD:
            raise Broken(f"a run that was not killed ended with {code}: {log.read_text()[-300:]}")

    def prepare(self):
        """The clean run's energies; then a checkpoint from the middle and an older result, to begin with."""
        done = self.run("job.inp", "-q")
        if done.status != GOOD:
            raise RuntimeError(f"{self.name}: the clean run ended with {done.status}: {done.err}")
        self.energies = energies_of(self.folder / "job.h5")
        for file in self.folder.glob("*.h5"):
            file.unlink()
        done = self.run("job.inp", "-q", "--set", "solver.max_iterations=3")
        if done.status != NOT_CONVERGED:
            raise RuntimeError(f"{self.name}: three iterations ended with {done.status}: {done.err}")
        self.kept = self.folder / "kept"
        self.kept.mkdir()
        for file in self.folder.glob("*.h5*"):  # of checkpoints also the one before
            shutil.copy(file, self.kept / file.name)
        self.reset()

    def reset(self, with_files=True):
        for entry in self.folder.iterdir():
            if entry.name not in ("kept", "job.inp"):
                entry.unlink()
        if with_files:
            for file in self.kept.iterdir():
                shutil.copy(file, self.folder / file.name)

    # --- what must be true afterwards

    def expect_tidy(self):
        left = [e.name for e in self.folder.iterdir() if ".tmp-" in e.name or e.name.endswith(".lock")]
        if left:
            raise Broken(f"left behind: {left}")

    def is_untouched(self):
        """Whether all files are those that it began with."""
        def content(folder):
            return {e.name: e.read_bytes() for e in folder.iterdir() if e.is_file() and e.name != "job.inp"}
        return content(self.folder) == content(self.kept)

    def expect_good_result(self):
        """A result that is there is whole, and either the older one or right."""
        result = self.folder / "job.h5"
        if not result.exists():
            return False
        old = self.kept / "job.h5"
        if old.exists() and old.read_bytes() == result.read_bytes():
            return False
        shown = self.run("show", "job.h5")
        if shown.status != GOOD:
            raise Broken(f"the result is not whole: {shown.err}")
        return self.is_right()

    def expect_readable(self):
        """What is there can be read, whatever happened."""
        if (self.folder / "job.h5").exists() and self.run("show", "job.h5").status != GOOD:
            raise Broken("the result file cannot be shown")

    def is_complete(self):
        file = self.folder / "job.h5"
        return file.exists() and None not in energies_of(file).values() and \
            len(energies_of(file)) == len(self.energies)

    def is_right(self):
        found = energies_of(self.folder / "job.h5")
        known = {key: value for key, value in found.items() if value is not None}
        for key, value in known.items():
            if abs(value - self.energies[key]) > SAME:
                raise Broken(f"energy {key} is {value:.12f}, not {self.energies[key]:.12f}")
        return len(known) == len(self.energies)

    def expect_recovery(self):
        """Going on from what is there gives the right energies."""
        start = [] if not list(self.folder.glob("job*.h5*")) else ["--restart"]
        done = self.run("job.inp", "-q", *start)
        if done.status != GOOD:
            raise Broken(f"{' '.join(['job.inp', *start])} afterwards ends with {done.status}: {done.err.strip()}")
        if not self.is_right():
            raise Broken("the restart did not give all energies")
        self.expect_tidy()


def energies_of(file):
    """(point, root): hartree; None: a root that the file says is not converged."""
    with h5py.File(file) as f:
        if "scan" in f:
            table, status = f["scan/energies"][:], f["scan/status"].asstr()[:]
            return {(i, k): float(e) if status[i] == "converged" else None
                    for i, row in enumerate(table) for k, e in enumerate(row)}
        good = f["states/converged"][:]
        return {(0, k): float(e) if good[k] else None for k, e in enumerate(f["states/energy"][:])}


def expect_explained(done, statuses):
    """Ended by itself, with one of these statuses, and where that is an error with one sentence on stderr."""
    if done.killed_by:
        raise Broken(f"killed by {signal.Signals(done.killed_by).name}: {done.err.strip()[-300:]}")
    if done.status not in statuses:
        raise Broken(f"status {done.status}, not one of {sorted(statuses)}: {done.err.strip()[-300:]}")
    if done.status in (INPUT_ERROR, DOES_NOT_FIT, SYSTEM_ERROR):
        # libgomp says it, too, in lines of its own.
        lines = [line for line in done.err.splitlines() if line and not line.startswith("libgomp: ")]
        if len(lines) != 1 or not lines[0].startswith("cisolve: error: "):
            raise Broken(f"status {done.status} without one sentence: {done.err.strip()[-300:]}")
