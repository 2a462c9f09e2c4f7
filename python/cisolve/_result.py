# SPDX-License-Identifier: MIT
"""What a calculation found."""
from __future__ import annotations

import contextlib
import difflib
import logging
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._events import Event
from ._folder import Folder
from ._messages import as_arguments, told
from ._values import at_each_point, look_up, number_of, paths, value

if TYPE_CHECKING:
    import h5py

_log = logging.getLogger("cisolve")


def read(file: str | os.PathLike) -> Result:
    """The result of an earlier calculation from its file."""
    with told():
        _core.show(os.fspath(file))  # refuses what is absent, damaged or no result, with a sentence
    return Result(os.fspath(file))


class Result:
    """What a calculation found: the values of docs/output.md, as numpy has them.

    `result["states/energy"]` is a dataset or attribute by its path; the properties are the most wanted of them. Roots are
    numbered from 0, ascending in energy over all sectors; -1 is the last, as of points and sectors. A scan has the results
    of its points as `point(k)`. Without files=True the file is a temporary one, which pickles with the object and goes with
    it.
    """

    __iter__ = None  # by path, not by number

    def __init__(self, file: str | os.PathLike, status: str | None = None, report: str | None = None,
                 folder: Folder | None = None):
        self._file = os.path.abspath(file)
        self._status = status
        self._report = report
        self._last: Event | None = None
        self._is_stale = False  # the file is that of an earlier calculation
        self._folder = folder  # as long as anybody has it
        self._point: int | None = None  # of a scan, from 0
        self._begin()

    def _begin(self) -> None:
        self._spaces: dict[str, _core.Space] = {}
        self._hamiltonian: _core.Hamiltonian | None = None
        self._own: tuple[Folder, str] | None = None  # a point as the file of a single calculation

    # Copies

    def __copy__(self) -> Result:
        copy = Result.__new__(Result)
        copy.__dict__.update(self.__dict__)
        copy._begin()
        return copy

    def __deepcopy__(self, memo: Any) -> Result:
        return self.__copy__()

    def __getstate__(self) -> dict[str, Any]:
        state = {name: self.__dict__[name] for name in ("_file", "_status", "_report", "_last", "_is_stale", "_point")}
        if self._folder is not None and os.path.exists(self._file):
            state["content"] = Path(self._file).read_bytes()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        content = state.pop("content", None)
        self.__dict__.update(state, _folder=None)
        if content is not None:
            self._folder = Folder()
            self._file = os.path.join(self._folder.name, "result.h5")
            Path(self._file).write_bytes(content)
        self._begin()

    # By path

    def __getitem__(self, path: str) -> Any:
        """A dataset, an attribute ("system/core_energy"), or the names in a group; "/": those of the whole."""
        if not isinstance(path, str):
            raise TypeError(f'{path!r}: values of a result have paths, such as result["states/energy"]')
        with self._open() as file:
            top = self._top(file)
            found = look_up(top, path.strip("/"))
            if found is not None:
                return found[0]
            points = list(top["point"]) if "point" in top else []
            if any(look_up(top["point"][k], path.strip("/")) for k in points):
                raise KeyError(at_each_point(path, f'["{path}"]', points))
            nearest = difflib.get_close_matches(path.strip("/"), paths(top), 1)
        raise KeyError(f"{path}: the result has no such value{f'; the nearest is {nearest[0]}' if nearest else ''}")

    def __contains__(self, path: object) -> bool:
        if not isinstance(path, str) or self._absence():
            return False
        with self._open() as file:
            return look_up(self._top(file), path.strip("/")) is not None

    def _ipython_key_completions_(self) -> list[str]:
        with self._open() as file:
            return paths(self._top(file))

    def _absence(self) -> str:
        """Why there is no file to read; empty: there is one."""
        if self._status == "interrupted" and (self._is_stale or not os.path.exists(self._file)):
            return "the calculation was interrupted: there are no results, but a checkpoint if it had files"
        return "" if os.path.exists(self._file) else f"{self._file}: the result file is gone"

    def _there(self) -> str:
        """The file, which must be there."""
        absence = self._absence()
        if absence:
            raise KeyError(absence) if self._status == "interrupted" else FileNotFoundError(absence)
        return self._file

    def _open(self) -> h5py.File:
        try:
            import h5py
        except ImportError as error:
            raise ImportError("results need h5py: pip install h5py") from error
        return h5py.File(self._there(), "r")

    def _top(self, file: h5py.File) -> h5py.Group:
        return file if self._point is None else file[f"point/{self._point + 1}"]

    def _of_one(self, name: str) -> None:
        """Refuses what a scan has of each point, and not of the whole."""
        if self._point is None and self.is_scan:
            raise _core.InputError(at_each_point(name, f".{name}", self["point"] if "point" in self else []))

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
        if self._report is not None:
            return self._report
        with told():
            return _core.show(self._single_file())

    @property
    def file(self) -> str:
        """The result file, of a point that of its scan; without files=True it goes with this object."""
        return self._file

    @property
    def is_scan(self) -> bool:
        """Whether it is of several points: r["scan/values"] and r["scan/energies"] have the curves, point(k) the rest."""
        return "scan" in self

    def point(self, number: int) -> Result:
        """The result at a point of a scan, from 0: as that of a single calculation, also for files and reports."""
        if self._point is not None:
            raise _core.InputError(f"point: this is point {self._point} of a scan already")
        if not self.is_scan:
            self._there()
            raise _core.InputError("point: the result is of a single calculation, not of a scan")
        number = number_of(number, len(self["scan/values"]), "point", "scan")
        if f"point/{number + 1}" not in self:
            raise KeyError(f"point {number}: the scan has no result there, it is {self['scan/status'][number]}")
        result = Result(self._file, folder=self._folder)
        result._point = number
        return result

    @property
    def warnings(self) -> list[str]:
        """What the report warns of."""
        return [as_arguments(text) for text in self["warnings"]] if "warnings" in self else []

    @property
    def energies(self) -> np.ndarray:
        """Hartree, [roots], ascending; of a scan [points, roots]; of an interrupted calculation as far as it came."""
        if self.is_scan:
            return self["scan/energies"]
        if self._status == "interrupted":
            return self._last.energies if self._last is not None else np.empty(0)
        return self["states/energy"]

    @property
    def residual_norms(self) -> np.ndarray:
        """|H c - E c|, hartree, [roots]."""
        self._of_one("residual_norms")
        return self["states/residual_norm"]

    @property
    def converged(self) -> np.ndarray:
        """Whether each root is, bool [roots]."""
        self._of_one("converged")
        return self["states/converged"].astype(bool)

    @property
    def s_squared(self) -> np.ndarray:
        """<S^2>, hbar^2, [roots]."""
        self._of_one("s_squared")
        return self["states/s_squared"]

    @property
    def multiplicities(self) -> np.ndarray:
        """2S + 1 that <S^2> says, [roots]."""
        self._of_one("multiplicities")
        return np.sqrt(1 + 4 * self.s_squared)

    @property
    def irreps(self) -> list[str]:
        """Names of the irreps, [roots]."""
        self._of_one("irreps")
        return list(self["states/irrep_name"])

    @property
    def sectors(self) -> np.ndarray:
        """The sector of each root, from 0: pairs of irrep and multiplicity in the order of the input."""
        self._of_one("sectors")
        return self["states/sector"] - 1 if "states/sector" in self else np.zeros(len(self.energies), dtype=int)

    # Wavefunctions

    def _group(self, sector: int) -> str:
        """Of a sector; of an only one, what holds the rest."""
        sectors = len(self["sector"]) if "sector" in self else 1
        sector = number_of(sector, sectors, "sector")
        return f"sector/{sector + 1}/" if "sector" in self else ""

    def vectors(self, sector: int = 0) -> np.ndarray:
        """Eigenvectors of a sector, [its roots, dimension], rows as in space(sector)."""
        self._of_one("vectors")
        group = self._group(sector)
        path = f"{group}vector" if group else "states/vector"
        if path not in self:
            self._there()
            raise KeyError("the result has no vectors: output.vectors was false")
        return self[path]

    def space(self, sector: int = 0) -> _core.Space:
        """The determinants of a sector, as listed in the result."""
        self._of_one("space")
        group = f"{self._group(sector)}space"
        if group not in self._spaces:
            if f"{group}/alpha" not in self:
                self._there()
                raise _core.InputError("space: the result lists no determinants (they are CSFs, or written as blocks; "
                                       "output.determinants = \"list\" lists them)")
            alpha, beta = self[f"{group}/alpha"], self[f"{group}/beta"]
            self._spaces[group] = _core.Space.determinants(self.hamiltonian, alpha, beta)
        return self._spaces[group]

    @property
    def hamiltonian(self) -> _core.Hamiltonian:
        """Integrals over the active orbitals."""
        self._of_one("hamiltonian")
        if self._hamiltonian is None:
            if "integrals/one_electron" not in self:
                self._there()
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

    def _place(self, root: int, sectors: np.ndarray) -> tuple[int, int]:
        """Sector of a root, and its number there."""
        root = number_of(root, len(sectors), "root")
        return int(sectors[root]), int(np.count_nonzero(sectors[:root] == sectors[root]))

    def _state(self, root: int, name: str) -> tuple[_core.Space, np.ndarray]:
        """Space and vector of a root."""
        self._of_one(name)
        sector, number = self._place(root, self.sectors)
        return self.space(sector), self.vectors(sector)[number]

    def vector(self, root: int = 0) -> np.ndarray:
        """One eigenvector, rows as in space(sectors[root])."""
        self._of_one("vector")
        sector, number = self._place(root, self.sectors)
        return self.vectors(sector)[number]

    def density(self, bra: int = 0, ket: int | None = None) -> np.ndarray:
        """One-particle density matrices <bra|a+_p a_q|ket> of alpha and beta electrons, [2, n, n]; ket: bra itself."""
        return _core.transition(*self._state(bra, "density"), *self._state(bra if ket is None else ket, "density"))

    def two_particle(self, root: int = 0, by_spin: bool = True) -> Any:
        """Two-particle density matrices of a root, as cisolve.two_particle."""
        return _core.two_particle(*self._state(root, "two_particle"), by_spin=by_spin)

    def natural_orbitals(self, root: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """Occupations, descending, and natural orbitals as columns over the active orbitals."""
        self._of_one("natural_orbitals")
        occupations, orbitals = np.linalg.eigh(self.density(root).sum(axis=0))
        return occupations[::-1].copy(), orbitals[:, ::-1].copy()

    @property
    def orbitals(self) -> np.ndarray:
        """Coefficients of the orbitals, [orbitals, basis functions]: those optimised, else those of the SCF."""
        self._of_one("orbitals")
        for path in ("orbitals/coefficients", "molecule/orbital_coefficients"):
            if path in self:
                return self[path]
        self._there()
        raise KeyError("the result has no orbitals: its integrals came from a file")

    # Files

    def save(self, file: str | os.PathLike) -> None:
        """Writes the result file, in one step; of a point one as a single calculation has it, with the input of the scan."""
        source, target = self._single_file(), Path(file)
        aside = target.with_name(f".{target.name}.tmp-{os.getpid()}")
        try:
            shutil.copyfile(source, aside)
            os.replace(aside, target)
        except OSError as error:
            raise _core.SystemError(f"{target}: it cannot be written: {error.strerror}") from None
        finally:
            with contextlib.suppress(OSError):
                aside.unlink()

    def export(self, file: str | os.PathLike, *, root: int | None = None, average: bool = False, integrals: bool = False,
               natural: bool = False, threshold: float = 0.0, point: int | None = None) -> None:
        """Writes a part for other programs, as `cisolve export`: .molden, .trexio, .txt, .fcidump; the log says what.

        root: from 0; None: the first. average: of all roots in its place. natural: natural orbitals with their occupations.
        integrals: also those. threshold: smaller coefficients are left out. point: of a scan, as point(k).export does.
        """
        if point is not None:
            return self.point(point).export(file, root=root, average=average, integrals=integrals, natural=natural,
                                            threshold=threshold)
        source = self._there()
        if self.is_scan:
            last = len(self["scan/values"]) - 1
            raise _core.InputError(f"point: the result is of a scan; point=0 to point={last} says of which point")
        if root is not None:
            root = number_of(root, len(self.energies), "root") + 1
        with told():
            done = _core.export_result(source, os.fspath(file), root, average, integrals, natural, threshold,
                                       None if self._point is None else self._point + 1)
        _log.info("%s", done.rstrip("\n"))

    def to_molden(self, file: str | os.PathLike, **options: Any) -> None:
        """Writes orbitals; the name must end in .molden. Options as export."""
        self._to(file, ".molden", options)

    def to_trexio(self, file: str | os.PathLike, **options: Any) -> None:
        """Writes orbitals, determinants and densities; the name must end in .trexio. Options as export."""
        self._to(file, ".trexio", options)

    def _to(self, file, ending, options):
        if not os.fspath(file).endswith(ending):
            raise _core.InputError(f"{os.fspath(file)}: the name must end in {ending}")
        self.export(file, **options)

    def to_html(self, file: str | os.PathLike) -> None:
        """Writes one page of HTML with tables and pictures, as `cisolve report`."""
        with told():
            _core.write_page(self._single_file(), os.fspath(file))
        _log.info("%s: a page of the result", os.fspath(file))

    def verify(self, thorough: bool = False) -> tuple[bool, str]:
        """Does the certificates again from the file: (whether all hold, what is said of them)."""
        with told():
            return _core.verify(self._single_file(), thorough)

    def _single_file(self) -> str:
        """The file; of a point one as a single calculation would have, which is made when it is first asked for."""
        source = self._there()
        if self._point is None:
            return source
        if self._own is None:
            folder = Folder()
            name = os.path.join(folder.name, f"point_{self._point}.h5")
            self._write_point(name)
            self._own = folder, name
        return self._own[1]

    def _write_point(self, name: str) -> None:
        with self._open() as file, type(file)(name, "w") as single:
            top, scan = self._top(file), file["scan"]
            for key in ("cisolve_version", "format", "format_version", "title"):
                single.attrs[key] = file.attrs[key]
            single.attrs["created"] = top.attrs["created"]
            for key in top:
                file.copy(top[key], single, key)
            file.copy(file["input"], single, "input")
            if not value(file.attrs["title"]):
                unit = value(scan["values"].attrs.get("unit", ""))
                where = f"{value(scan.attrs.get('coordinate', 'point'))} = {top.attrs['value']:g} {unit}".rstrip()
                single.attrs["title"] = np.bytes_(where) if isinstance(file.attrs["title"], bytes) else where

    def __repr__(self) -> str:
        where = self._file + ("" if self._point is None else f", point {self._point}")
        if self._status is None and self._absence():
            return f"<cisolve.Result: {where}, which is gone>"
        return f"<cisolve.Result: {self.status}, {where}>"
