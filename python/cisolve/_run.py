# SPDX-License-Identifier: MIT
"""Calculations as the program does them, and their results."""
from __future__ import annotations

import logging
import os
import shutil
import tempfile
import time
import weakref
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from . import _core
from ._inputs import text_of, toml
from ._events import Event

_log = logging.getLogger("cisolve")


def run(job: str | os.PathLike | Mapping, *, set: Mapping[str, Any] | None = None,
        progress: Callable[[Event], Any] | None = None, files: bool = False, restart: bool = False, extend: bool = False,
        report: Any = None, threads: int | None = None) -> Result:
    """Does a calculation and returns its result.

    job: path of an input file, the text of one, or its sections as a dict: {"molecule": {"geometry": ..., "basis": ...}}.
    set: keys that replace those of the job: {"solver.tolerance": 1e-8}.
    progress: called with an Event at each stage and iteration; where it returns False the calculation stops as by Ctrl-C,
        and its result says "interrupted".
    files: writes the result file, checkpoints and exports that the program would; else nothing is left on disk.
    restart, extend: as the program's options; with files.
    report: where the report goes as it comes: an object with `write`, or True for standard output; None: nowhere, but
        `result.report` has it.
    threads: of the CPU; None: all, or as OMP_NUM_THREADS says.

    Raises InputError, ResourceError, SystemError; Interrupted where it was stopped before there was anything to keep.
    """
    text, source = text_of(job)
    settings = {} if set is None else dict(set)
    given = dict(_core.given_keys(text, source, [(key, toml(value)) for key, value in settings.items()]))
    if threads is not None:
        settings["run.threads"] = threads
    folder = None
    if not files:
        if restart or extend:
            raise _core.InputError("restart, extend: they go on from files; give files=True")
        folder = tempfile.TemporaryDirectory(prefix="cisolve-")
        settings |= {"output.file": os.path.join(folder.name, "result.h5"),
                     "output.checkpoint": os.path.join(folder.name, "checkpoint.h5")}
        if "output.also" in given:
            settings["output.also"] = []
    file = settings.get("output.file") or given.get("output.file") or f"{Path(source).stem}.h5"
    try:
        return _run(text, source, settings, file, progress, restart, extend, report, folder)
    except BaseException:
        if folder is not None:
            folder.cleanup()
        raise


def _run(text, source, settings, file, progress, restart, extend, report, folder):
    lines: list[str] = []
    out = None if report is None else (print_to_stdout if report is True else report.write)
    began = time.monotonic()
    last: list[Event] = []

    def on_event(stage, iteration, energies, residual_norms):
        event = Event(stage, iteration, energies, residual_norms, time.monotonic() - began)
        last[:] = [event]
        return None if progress is None else progress(event)

    def write(part):
        lines.append(part)
        if out is not None:
            out(part)

    pairs = [(key, toml(value)) for key, value in settings.items()]
    status = _core.run_task(text, source, pairs, restart, extend, on_event, _log.log, write)
    result = Result(file, status=status, report="".join(lines), folder=folder)
    if status == "interrupted":
        result._last = last[0] if last else None
    return result


def print_to_stdout(text: str) -> None:
    print(text, end="")


def check(job: str | os.PathLike | Mapping, *, set: Mapping[str, Any] | None = None, verbose: bool = False) -> str:
    """The plan of a calculation: dimensions, memory, storage, device. Writes no file."""
    text, source = text_of(job)
    return _core.check_task(text, source, [(key, toml(value)) for key, value in (set or {}).items()], verbose)


def read(file: str | os.PathLike) -> Result:
    """The result of an earlier calculation from its file."""
    _core.show(os.fspath(file))  # refuses what is absent, damaged or no result, with a sentence
    return Result(os.fspath(file))


class Result:
    """What a calculation found: the values of docs/output.md, as numpy has them.

    `result["states/energy"]` is a dataset or attribute by its path; the properties are the most wanted of them. Roots are
    numbered from 0, ascending in energy over all sectors.
    """

    def __init__(self, file: str, status: str | None = None, report: str | None = None, folder=None):
        self._file = os.path.abspath(file)
        self._status = status
        self._report = report
        self._last: Event | None = None
        self._spaces: dict[int, _core.Space] = {}
        self._hamiltonian: _core.Hamiltonian | None = None
        self._prefix = ""
        self._folder = folder  # as long as anybody has it
        if folder is not None:
            weakref.finalize(self, folder.cleanup)

    # By path

    def __getitem__(self, path: str) -> Any:
        """A dataset, an attribute ("system/core_energy"), or the names in a group."""
        with self._open() as file:
            top = file[self._prefix] if self._prefix else file
            path = path.strip("/")
            if path in top:
                found = top[path]
                return _value(found[()]) if hasattr(found, "dtype") else sorted([*found, *found.attrs])
            parent, _, name = path.rpartition("/")
            if (not parent or parent in top) and name in (top[parent] if parent else top).attrs:
                return _value((top[parent] if parent else top).attrs[name])
        raise KeyError(f"{path}: the result has no such value")

    def __contains__(self, path: str) -> bool:
        try:
            self[path]
        except KeyError:
            return False
        return True

    def _open(self):
        try:
            import h5py
        except ImportError as error:
            raise ImportError("results need h5py: pip install h5py") from error
        if not os.path.exists(self._file):
            if self._status == "interrupted":
                raise KeyError("the calculation was interrupted: there are no results, but a checkpoint if it had files")
            raise FileNotFoundError(f"{self._file}: the result file is gone")
        return h5py.File(self._file, "r")

    # What is wanted most

    @property
    def status(self) -> str:
        """"converged", "not converged", "not certified" or "interrupted"."""
        if self._status is not None:
            return self._status
        if self.is_scan:
            return "converged" if all(state == "converged" for state in self["scan/status"]) else "not converged"
        certified = "states/certificate/passed" not in self or bool(np.all(self["states/certificate/passed"]))
        return ("not certified" if not certified else "converged" if self.converged.all() else "not converged")

    @property
    def report(self) -> str:
        """The report, as the program prints it."""
        return self._report if self._report is not None else _core.show(self._file)

    @property
    def file(self) -> str:
        """The result file; without files=True it goes with this object."""
        return self._file

    @property
    def is_scan(self) -> bool:
        """Whether it is of several points: r["scan/values"] and r["scan/energies"] have the curves, point(k) the rest."""
        return "scan" in self

    def point(self, number: int) -> Result:
        """The result at a point of a scan, from 0."""
        if f"point/{number + 1}" not in self:
            raise KeyError(f"point {number}: the scan has no result there")
        result = Result(self._file, folder=None)
        result._prefix, result._folder, result._scan = f"point/{number + 1}", self._folder, self
        return result

    @property
    def warnings(self) -> list[str]:
        """What the report warns of."""
        return list(self["warnings"]) if "warnings" in self else []

    @property
    def energies(self) -> np.ndarray:
        """Hartree, [roots], ascending; of a scan [points, roots]; of an interrupted calculation as far as it came."""
        if self._status == "interrupted":
            return self._last.energies if self._last is not None else np.empty(0)
        return self["scan/energies"] if self.is_scan else self["states/energy"]

    @property
    def residual_norms(self) -> np.ndarray:
        """|H c - E c|, hartree, [roots]."""
        return self["states/residual_norm"]

    @property
    def converged(self) -> np.ndarray:
        """Whether each root is, bool [roots]."""
        return self["states/converged"].astype(bool)

    @property
    def s_squared(self) -> np.ndarray:
        """<S^2>, hbar^2, [roots]."""
        return self["states/s_squared"]

    @property
    def multiplicities(self) -> np.ndarray:
        """2S + 1 that <S^2> says, [roots]."""
        return np.sqrt(1 + 4 * self.s_squared)

    @property
    def irreps(self) -> list[str]:
        """Names of the irreps, [roots]."""
        return list(self["states/irrep_name"])

    @property
    def sectors(self) -> np.ndarray:
        """The sector of each root, from 0: pairs of irrep and multiplicity in the order of the input."""
        return self["states/sector"] - 1 if "states/sector" in self else np.zeros(len(self.energies), dtype=int)

    # Wavefunctions

    def _group(self, sector: int) -> str:
        return f"sector/{sector + 1}/" if f"sector/{sector + 1}" in self else ""

    def vectors(self, sector: int = 0) -> np.ndarray:
        """Eigenvectors of a sector, [its roots, dimension], rows as in space(sector)."""
        group = self._group(sector)
        path = f"{group}vector" if group else "states/vector"
        if path not in self:
            raise KeyError("the result has no vectors: output.vectors was false")
        return self[path]

    def space(self, sector: int = 0) -> _core.Space:
        """The determinants of a sector, as listed in the result."""
        if sector not in self._spaces:
            group = f"{self._group(sector)}space"
            if f"{group}/alpha" not in self:
                raise _core.InputError("space: the result lists no determinants (they are CSFs, or written as blocks; "
                                       "output.determinants = \"list\" lists them)")
            alpha, beta = self[f"{group}/alpha"], self[f"{group}/beta"]
            self._spaces[sector] = _core.Space.determinants(self.hamiltonian, alpha, beta)
        return self._spaces[sector]

    @property
    def hamiltonian(self) -> _core.Hamiltonian:
        """Integrals over the active orbitals."""
        if self._hamiltonian is None:
            if "integrals/one_electron" not in self:
                raise KeyError("the result has no integrals: output.vectors was false, or they are complex")
            h, eri = self["integrals/one_electron"], self["integrals/two_electron"]
            if "integrals/one_electron_beta" in self:
                h = h, self["integrals/one_electron_beta"]
                eri = eri, self["integrals/two_electron_mixed"], self["integrals/two_electron_beta"]
            group = self["system/point_group"]
            self._hamiltonian = _core.Hamiltonian(h, eri, float(self["integrals/core_energy"]),
                                                  irreps=[int(i) for i in self["system/orbital_irreps"]],
                                                  point_group=None if group == "unknown" else group)
        return self._hamiltonian

    def _place(self, root: int) -> tuple[int, int]:
        """Sector of a root, and its number there."""
        sectors = self.sectors
        return int(sectors[root]), int(np.count_nonzero(sectors[:root] == sectors[root]))

    def vector(self, root: int = 0) -> np.ndarray:
        """One eigenvector, rows as in space(sectors[root])."""
        sector, number = self._place(root)
        return self.vectors(sector)[number]

    def density(self, bra: int = 0, ket: int | None = None) -> np.ndarray:
        """One-particle density matrices <bra|a+_p a_q|ket> of alpha and beta electrons, [2, n, n]; ket: bra itself."""
        ket = bra if ket is None else ket
        (bra_sector, _), (ket_sector, _) = self._place(bra), self._place(ket)
        return _core.transition(self.space(bra_sector), self.vector(bra), self.space(ket_sector), self.vector(ket))

    def two_particle(self, root: int = 0, by_spin: bool = True):
        """Two-particle density matrices of a root, as cisolve.two_particle."""
        return _core.two_particle(self.space(self._place(root)[0]), self.vector(root), by_spin=by_spin)

    def natural_orbitals(self, root: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """Occupations, descending, and natural orbitals as columns over the active orbitals."""
        occupations, orbitals = np.linalg.eigh(self.density(root).sum(axis=0))
        return occupations[::-1].copy(), orbitals[:, ::-1].copy()

    @property
    def orbitals(self) -> np.ndarray:
        """Coefficients of the orbitals, [orbitals, basis functions]: those optimised, else those of the SCF."""
        for path in ("orbitals/coefficients", "molecule/orbital_coefficients"):
            if path in self:
                return self[path]
        raise KeyError("the result has no orbitals: its integrals came from a file")

    # Files

    def save(self, file: str | os.PathLike) -> None:
        """Writes the result file, in one step."""
        target = Path(file)
        aside = target.with_name(f".{target.name}.tmp-{os.getpid()}")
        try:
            shutil.copyfile(self._file, aside)
            os.replace(aside, target)
        finally:
            aside.unlink(missing_ok=True)

    def export(self, file: str | os.PathLike, *, root: int | None = None, average: bool = False, integrals: bool = False,
               natural: bool = False, threshold: float = 0.0, point: int | None = None) -> str:
        """Writes a part for other programs, as `cisolve export`: .molden, .trexio, .txt, .fcidump. Roots count from 0."""
        return _core.export_result(self._file, os.fspath(file), None if root is None else root + 1, average, integrals, natural,
                                   threshold, None if point is None else point + 1)

    def to_molden(self, file: str | os.PathLike, **options) -> str:
        """Writes orbitals; the name must end in .molden. Options as export."""
        return self.export(file, **options)

    def to_trexio(self, file: str | os.PathLike, **options) -> str:
        """Writes orbitals, determinants and densities; the name must end in .trexio. Options as export."""
        return self.export(file, **options)

    def to_html(self, file: str | os.PathLike) -> str:
        """Writes one page of HTML with tables and pictures, as `cisolve report`; the name must end in .html."""
        return _core.write_page(self._file, os.fspath(file))

    def verify(self, thorough: bool = False) -> tuple[bool, str]:
        """Does the certificates again from the file: (whether all hold, what is said of them)."""
        return _core.verify(self._file, thorough)

    def __repr__(self) -> str:
        return f"<cisolve.Result: {self.status}, {self._file}{self._prefix and ' ' + self._prefix}>"


def _value(found):
    """What h5py read: texts as str, arrays of texts as lists."""
    if isinstance(found, bytes):
        return found.decode()
    if isinstance(found, np.ndarray) and found.dtype.kind in "OS":
        return [item.decode() if isinstance(item, bytes) else item for item in found.ravel()] if found.ndim == 1 else \
            np.vectorize(lambda item: item.decode() if isinstance(item, bytes) else item, otypes=[object])(found)
    if isinstance(found, np.generic):
        return found.item()
    return found
