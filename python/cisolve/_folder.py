# SPDX-License-Identifier: MIT
"""Temporary folders for the files of results."""
from __future__ import annotations

import os
import shutil
import tempfile
import weakref


class Folder:
    """A temporary folder that goes with the last that holds this object, or as the process ends that made it."""

    def __init__(self) -> None:
        self.name = tempfile.mkdtemp(prefix="cisolve-")
        self._finalizer = weakref.finalize(self, _remove, self.name, os.getpid())

    def cleanup(self) -> None:
        """Removes it now."""
        self._finalizer()


def _remove(name: str, owner: int) -> None:
    if os.getpid() == owner:  # a process that was forked from it only looks on
        shutil.rmtree(name, ignore_errors=True)
