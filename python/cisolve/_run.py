# SPDX-License-Identifier: MIT
"""Calculations as the program does them."""
from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from . import _core
from ._events import Event, goes_on
from ._folder import Folder
from ._inputs import settings_of, text_of
from ._messages import as_arguments, told
from ._result import Result

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
    pairs = settings_of(set)
    if progress is not None and not callable(progress):
        raise TypeError(f"progress: found {progress!r}; it must be a function of an Event")
    if report not in (None, True, False) and not hasattr(report, "write"):
        raise TypeError(f"report: found {report!r}; it must be an object with write, or True for standard output")
    with told():
        given = dict(_core.given_keys(text, source, pairs))
    ours: dict[str, Any] = {} if threads is None else {"run.threads": threads}
    folder = None
    if not files:
        if restart or extend:
            raise _core.InputError("restart, extend: they go on from files; give files=True")
        folder = Folder()
        ours |= {"output.file": os.path.join(folder.name, "result.h5"),
                 "output.checkpoint": os.path.join(folder.name, "checkpoint.h5")}
        if "output.also" in given:
            ours["output.also"] = []
    file = ours.get("output.file") or given.get("output.file") or f"{Path(source).stem}.h5"
    pairs = [pair for pair in pairs if pair[0] not in ours] + settings_of(ours)
    by_us = {"set run.threads: run.threads": "threads"} if threads is not None else {}
    if "output.also" in ours:
        by_us["set output.also: "] = ""
    try:
        with told(by_us):
            return _run(text, source, pairs, file, progress, restart, extend, report, folder)
    except BaseException:
        if folder is not None:
            folder.cleanup()
        raise


def _run(text, source, pairs, file, progress, restart, extend, report, folder):
    lines: list[str] = []
    out = print_to_stdout if report is True else getattr(report, "write", None)
    before = _version_of(file)
    began = time.monotonic()
    last: list[Event] = []

    def on_event(stage, iteration, energies, residual_norms):
        event = Event(stage, iteration, energies, residual_norms, time.monotonic() - began)
        last[:] = [event]
        return progress is None or goes_on(progress(event))

    def log(level, line):
        _log.log(level, "%s", as_arguments(line))

    def write(part):
        lines.append(part)
        if out is not None:
            out(part)

    status = _core.run_task(text, source, pairs, restart, extend, on_event, log, write)
    result = Result(file, status=status, report="".join(lines), folder=folder)
    if status == "interrupted":
        result._last = last[0] if last else None
        result._is_stale = not (restart or extend) and before is not None and before == _version_of(file)
    return result


def _version_of(file):
    """What changes as a file is written anew; None: there is none."""
    try:
        found = os.stat(file)
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def print_to_stdout(text: str) -> None:
    print(text, end="")


def check(job: str | os.PathLike | Mapping, *, set: Mapping[str, Any] | None = None, verbose: bool = False) -> str:
    """The plan of a calculation: dimensions, memory, storage, device. Writes no file."""
    text, source = text_of(job)
    pairs = settings_of(set)
    with told():
        return _core.check_task(text, source, pairs, bool(verbose))


def explain(key: str | None = None) -> str:
    """What a key of the input, or a section, means; without one the names of all keys, a line each."""
    if key is None:
        return "\n".join(_core.key_names())
    if not isinstance(key, str):
        raise TypeError(f"key: found {key!r}; it must be a text, such as \"solver.tolerance\"")
    with told():
        return _core.explain(key)
