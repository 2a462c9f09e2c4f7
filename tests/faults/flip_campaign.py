#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Damages results and checkpoints at random, and gives them to everything that reads such files.

  tests/faults/flip_campaign.py CISOLVE [--count 10000] [--seed 1] [--keep DIR]

Damage: a flipped bit, a few of them, a byte set to 0 or 255, a block of zeros, two blocks exchanged, a file cut or
lengthened. Readers: show, --restart, solver.guess, space.reference.file, and verify where there is such a command. Each must refuse the file
(status 1, one sentence) or do what it does with the undamaged one: the same text, the same energies. Exit status 0: all did;
77: no h5py.
"""
import shutil
import sys

sys.dont_write_bytecode = True
try:
    import h5py  # noqa: F401
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
from campaign import run_campaign  # noqa: E402
from jobs import (DATA, GOOD, INPUT_ERROR, SAME, SOLVER, Broken, Job, energies_of,  # noqa: E402
                  expect_explained)

WATER = f'[integrals]\nfile = "{DATA}/h2o_sto3g.fcidump"\npoint_group = "C2v"\n'
TEXTS = {
    "plain": WATER + "[space]\nexcitation_level = 2\n[states]\ncount = 2\n",
    "sectors": WATER + '[states]\nirrep = ["A1", "B1"]\nmultiplicity = [1, 3]\n',
    "csf": WATER + '[space]\nbasis = "csf"\n[states]\nmultiplicity = 3\nirrep = "B2"\n',
    "scan": '[molecule]\ngeometry = "H 0 0 0; H 0 0 0.7"\nbasis = "sto-3g"\n[scan]\ncoordinate = "bond 1 2"\n'
            'values = [0.7, 0.9]\n',
    "midway": f'[integrals]\nfile = "{DATA}/h2o_631g.fcidump.gz"\n[states]\nirrep = [1, 2]\n',
}
BLOCK = 512


def damage(data, rng):
    """A copy of the bytes that is not the same, and what was done."""
    changed = bytearray(data)
    kind = rng.choice(("bit", "bit", "bit", "bits", "byte", "zeros", "exchange", "cut", "longer"))
    at = rng.randrange(len(changed))
    if kind == "bit":
        changed[at] ^= 1 << rng.randrange(8)
    elif kind == "bits":
        for _ in range(rng.randint(2, 20)):
            changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    elif kind == "byte":
        changed[at] = 0 if changed[at] == 255 else 255 if changed[at] == 0 else rng.choice((0, 255))
    elif kind == "zeros":
        length = min(rng.choice((8, 64, BLOCK, 4096)), len(changed) - at)
        changed[at:at + length] = bytes(length)
    elif kind == "exchange":
        other = rng.randrange(len(changed))
        length = min(rng.choice((8, 64, BLOCK)), len(changed) - max(at, other), abs(at - other))
        changed[at:at + length], changed[other:other + length] = \
            bytes(changed[other:other + length]), bytes(changed[at:at + length])
    elif kind == "cut":
        del changed[rng.choice((at, len(changed) - 1, len(changed) - rng.randint(1, min(64, len(changed))), 0)):]
    else:
        changed += bytes(rng.randrange(256) for _ in range(rng.choice((1, 8, 4096))))
    return (None if bytes(changed) == data else bytes(changed)), kind


class Reader:
    """One way to read a file: where it is put, the command, and what counts as the same."""

    def __init__(self, job, file, name, *command):
        self.job, self.file, self.name, self.command = job, file, name, command
        self.data = (job.kept / file).read_bytes()
        done, self.expected = self.read(self.data)
        if done.status != GOOD:
            raise RuntimeError(f"{job.name} {name}: {done.status} {done.err}")

    def read(self, data):
        folder = self.job.folder
        self.job.reset(with_files=False)
        (folder / "given.h5").write_bytes(data)
        shutil.copy(folder / "given.h5", folder / self.file)
        done = self.job.run(*self.command)
        if done.status != GOOD:
            return done, None
        # What show prints, or the energies of the run.
        return done, energies_of(folder / "out.h5") if "-o" in self.command else done.out

    def same(self, found):
        if isinstance(found, str):
            return found == self.expected
        return found.keys() == self.expected.keys() and \
            all(abs(found[key] - self.expected[key]) < SAME for key in found)


def readers(folder, program):
    for name in TEXTS:
        place = folder / name
        place.mkdir()
        job = Job(name, place, program, texts=TEXTS)
        clean = job.run("job.inp", "-q")
        if "needs Libint2" in clean.err:
            print(f"without {name}: the program has no Libint2")
            continue
        if clean.status != GOOD:
            raise RuntimeError(f"{name}: {clean.err}")
        job.kept = place / "kept"
        job.kept.mkdir()
        shutil.copy(place / "job.h5", job.kept / "job.h5")
        if name == "midway":
            job.run("job.inp", "-q", "--set", "solver.max_iterations=2")
            shutil.copy(place / "job.chk.h5", job.kept / "job.chk.h5")
            yield Reader(job, "job.chk.h5", "restart", "job.inp", "-q", "--restart", "-o", "out.h5")
            continue
        yield Reader(job, "job.h5", "show", "show", "job.h5", "-v")
        if job.run("verify", "job.h5").status == GOOD:
            yield Reader(job, "job.h5", "verify", "verify", "job.h5")
        if name == "scan":
            continue
        yield Reader(job, "job.h5", "guess", "job.inp", "-q", "-o", "out.h5", "--set", "solver.guess=given.h5")
        if name != "sectors":
            yield Reader(job, "job.h5", "reference", "job.inp", "-q", "-o", "out.h5", "--set",
                         'space.reference={ file = "given.h5", weight = 0.05 }', "--set", "space.excitation_level=1")


def judge(way, data):
    done, found = way.read(data)
    expect_explained(done, {GOOD, INPUT_ERROR})
    if done.status == GOOD and not way.same(found):
        raise Broken("another answer without a word")
    return "refused" if done.status else "harmless"


if __name__ == "__main__":
    sys.exit(run_campaign(__doc__, 10000, readers, lambda way, rng: damage(way.data, rng), judge))
