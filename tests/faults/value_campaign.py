#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Changes values within results and checkpoints at random, seals them anew, and gives them to all that reads them.

  tests/faults/value_campaign.py CISOLVE [--count 1000] [--seed 1] [--keep DIR]

Such files are whole and say what no run says: numbers that are negative, huge or not finite, other texts, shapes and
types, objects that are missing or in another's place. One in four has no seal, as files of other programs. Readers:
show, verify, export to each kind of file, --restart, solver.guess, space.reference.file, orbitals.file, and --extend of
a scan. Each must end by itself, with status 0, 1, 2 or 3, and where that is an error with one sentence. What is
calculated from such a file is not compared with anything. Exit status 0: all did; 77: no h5py or xxhash.
"""
import shutil
import struct
import sys

sys.dont_write_bytecode = True
try:
    import h5py
    import numpy as np
    import xxhash
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
from campaign import run_campaign  # noqa: E402
from flip_campaign import TEXTS as FLIPPED, WATER  # noqa: E402
from jobs import (DOES_NOT_FIT, GEOMETRY, GOOD, INPUT_ERROR, NOT_CONVERGED, Job,  # noqa: E402
                  expect_explained)

MOLECULE = f'[molecule]\n{GEOMETRY}\nbasis = "sto-3g"\n'
CAS = "[space]\nreference = { electrons = 4, orbitals = 4 }\nexcitation_level = 0\n[orbitals]\noptimise = \"casscf\"\n"
TEXTS = {
    "plain": WATER + "[space]\nexcitation_level = 2\n[states]\ncount = 2\n",
    "sectors": WATER + '[states]\nirrep = ["A1", "B1"]\nmultiplicity = [1, 3]\n',
    "midway": FLIPPED["midway"],
    "csf": WATER + '[space]\nbasis = "csf"\n[states]\nmultiplicity = 3\nirrep = "B2"\n',
    "densities": MOLECULE + '[states]\ncount = 2\n',
    "casscf": MOLECULE + CAS + "[states]\ncount = 2\n",
    "scan": '[molecule]\ngeometry = "H 0 0 0; Li 0 0 1.6"\nbasis = "sto-3g"\n[scan]\ncoordinate = "bond 1 2"\n'
            'values = [1.5, 1.7]\n[space]\nexcitation_level = 2\n',
}
SETTINGS = '[run]\ndevice = "cpu"\nthreads = 1\n[output]\ncheckpoint_interval = 0\n'
MORE_OUTPUT = {"densities": 'density = "two"\nnatural_orbitals = true\n'}
MIDWAY = {"midway": "solver.max_iterations=2", "casscf": "orbitals.max_iterations=2"}

BLOCK = 65536
MAGIC = b"cisolve seal, version 1\n"
NUMBERS = (0, 1, -1, 2, 3, 7, 8, 63, 64, 65, 255, 2**31 - 1, -2**31, 2**40, 1e300, -1e300, 1e-300, float("nan"),
           float("inf"))
TEXT_VALUES = ("", "abc", "\x1b[2J", "x" * 70000, "[molecule]\n", "csf", "direct", "D2h", "sto-3g", "nan")


# --- the seal (include/cisolve/io/seal.hpp)

def content_of(data):
    """What stands before the seal."""
    return data[:struct.unpack("<Q", data[-64:-56])[0]] if data.endswith(MAGIC) else data


def sealed(content):
    blocks = range(0, len(content), BLOCK)
    hashes = b"".join(struct.pack("<Q", xxhash.xxh3_64_intdigest(content[at:at + BLOCK])) for at in blocks)
    head = struct.pack("<QQQQ", len(content), BLOCK, len(blocks), xxhash.xxh3_64_intdigest(hashes))
    return content + hashes + head + struct.pack("<Q", xxhash.xxh3_64_intdigest(head)) + MAGIC


# --- changes

def of_type(value, dtype):
    """Converted, whatever becomes of what does not fit."""
    with np.errstate(all="ignore"):
        return np.array(value).astype(dtype)


def change_attribute(holder, name, rng):
    kind = rng.choice(("gone", "number", "number", "text", "list"))
    value = holder.attrs[name]
    if kind == "gone":
        del holder.attrs[name]
    elif kind == "list":
        holder.attrs[name] = np.arange(rng.choice((0, 1, 5)))
    elif kind == "text" or isinstance(value, (str, bytes)):
        holder.attrs[name] = rng.choice(TEXT_VALUES) if kind == "number" else "abc"
    else:
        holder.attrs[name] = of_type(rng.choice(NUMBERS), np.asarray(value).dtype)
    return kind


def replace(file, name, values):
    """Another dataset of that name, with the attributes of the one before."""
    attributes = dict(file[name].attrs)
    del file[name]
    dataset = file.create_dataset(name, data=values)
    for key, value in attributes.items():
        dataset.attrs[key] = value


def reshaped(values, rng):
    flat = values.reshape(-1)
    shapes = [flat, values[None]]
    if flat.size:
        shapes.append(flat[0])
    if values.ndim:
        shapes += [values[:max(0, values.shape[0] - 1)], np.concatenate([values, values])]
    return rng.choice(shapes)


def change_dataset(file, name, rng):
    kind = rng.choice(("gone", "all", "one", "one", "one more", "shape", "type", "group", "reversed", "another's"))
    dataset = file[name]
    values = np.array(dataset[()])
    numbers = dataset.dtype.kind in "fiu"
    if kind == "gone":
        del file[name]
    elif kind == "group":
        del file[name]
        file.create_group(name)
    elif kind == "shape":
        replace(file, name, reshaped(values, rng))
    elif kind == "type":
        types = ("f4", "i8", "i1", "u1", "f8", "c16")
        replace(file, name, of_type(values, rng.choice(types)) if numbers else np.arange(3))
    elif kind == "another's":
        others = []
        file.visititems(lambda path, found: others.append(path) if isinstance(found, h5py.Dataset) else None)
        replace(file, name, file[rng.choice(others)][()])
    elif kind == "reversed" and values.ndim:
        dataset[()] = values[::-1]
    elif not numbers:
        replace(file, name, rng.choice(TEXT_VALUES))
    elif values.size:
        flat = values.reshape(-1)
        at = slice(None) if kind == "all" else rng.randrange(flat.size)
        flat[at] = flat[at] + 1 if kind == "one more" else of_type(rng.choice(NUMBERS), values.dtype)
        dataset[()] = values
    return kind


def change_group(file, name, rng):
    kind = rng.choice(("gone", "another's"))
    paths = []
    file.visit(paths.append)
    other = file[rng.choice(paths)]
    del file[name]
    if kind == "another's":
        file[name] = other
    return kind


def change(path, rng):
    """Makes a few changes. @return them in words"""
    done = []
    with h5py.File(path, "r+") as file:
        for _ in range(rng.choice((1, 1, 1, 2, 4))):
            objects = [("/", None)] + [("/", name) for name in file.attrs]

            def visit(name, found, objects=objects):
                objects.append((name, None))
                objects.extend((name, attribute) for attribute in found.attrs)
            file.visititems(visit)
            name, attribute = rng.choice(objects)
            if attribute is not None:
                done.append(f"{name}@{attribute} {change_attribute(file[name], attribute, rng)}")
            elif name != "/":
                changer = change_dataset if isinstance(file[name], h5py.Dataset) else change_group
                done.append(f"{name} {changer(file, name, rng)}")
    return ", ".join(done)


# --- readers

class Reader:
    """One way to read a file: where it is put, and the command."""

    def __init__(self, job, file, name, *command):
        self.job, self.file, self.name, self.command = job, file, name, command
        self.data = content_of((job.kept / file).read_bytes())

    def changed(self, rng):
        path = self.job.folder / "changed.h5"
        path.write_bytes(self.data)
        what = change(path, rng)
        keeps_seal = rng.random() < 0.75
        if not keeps_seal:
            with h5py.File(path, "r+") as file:
                file.attrs.pop("seal", None)
        data = path.read_bytes()
        return (sealed(data) if keeps_seal else data), what

    def read(self, data):
        self.job.reset(with_files=False)
        (self.job.folder / self.file).write_bytes(data)
        return self.job.run(*self.command)


def results_of(job, is_scan, is_molecule):
    new = ("job.inp", "-q", "-o", "new.h5", "--set", "output.checkpoint=new.chk.h5", "--set")
    yield "show", ("show", "-v", "job.h5")
    yield "verify", ("verify", "job.h5")
    for suffix in (".fcidump", ".txt", ".trexio") + ((".molden",) if is_molecule else ()):
        yield suffix, ("export", "job.h5", "new" + suffix, *(("--point", "1") if is_scan else ()))
    if is_scan:
        yield "extend", ("job.inp", "-q", "--extend", "--set", "scan.values=[1.5, 1.6, 1.7]")
        return
    yield "guess", (*new, "solver.guess=job.h5")
    yield "reference", (*new, 'space.reference={ file = "job.h5", weight = 0.05 }')
    if is_molecule:
        yield "orbitals", (*new, "orbitals.file=job.h5")


def readers(folder, program):
    for name, text in TEXTS.items():
        place = folder / name
        place.mkdir()
        job = Job(name, place, program, texts=TEXTS)
        (place / "job.inp").write_text(text + SETTINGS + MORE_OUTPUT.get(name, ""))
        clean = job.run("job.inp", "-q")
        if "needs Libint2" in clean.err:
            print(f"without {name}: the program has no Libint2")
            continue
        if clean.status != GOOD:
            raise RuntimeError(f"{name}: {clean.err}")
        job.kept = place / "kept"
        job.kept.mkdir()
        shutil.copy(place / "job.h5", job.kept)
        for way, command in results_of(job, name == "scan", "[molecule]" in text):
            yield Reader(job, "job.h5", way, *command)
        if name in MIDWAY:
            job.run("job.inp", "-q", "--set", MIDWAY[name])
            shutil.copy(place / "job.chk.h5", job.kept)
            yield Reader(job, "job.chk.h5", "restart", "job.inp", "-q", "--restart", "-o", "new.h5")


def judge(way, data):
    done = way.read(data)
    expect_explained(done, {GOOD, INPUT_ERROR, NOT_CONVERGED, DOES_NOT_FIT})
    return "refused" if done.status in (INPUT_ERROR, DOES_NOT_FIT) else "read"


if __name__ == "__main__":
    sys.exit(run_campaign(__doc__, 1000, readers, Reader.changed, judge))
