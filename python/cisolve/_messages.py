# SPDX-License-Identifier: MIT
"""Sentences of the library as they are right in Python: it names options of the program, where there are arguments here."""
from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping

from . import _core

#: What a sentence says of the program, and what is the same here.
_COMMANDS = {
    "cisolve export RESULT.h5 OUT --point 1": "result.point(0).export(...)",
    "cisolve INPUT --write-fcidump FILE writes": "Hamiltonian.write_fcidump writes",
    "cisolve explain lists them all": "cisolve.explain() lists them all",
}
_OPTION = re.compile(r"--(restart|extend|root|point|average|natural|integrals|threshold|check)\b(?! and)(:)?")
_FLAGS = ("restart", "extend", "average", "natural", "integrals")


def as_arguments(text: str) -> str:
    """A sentence with names of arguments in place of options: "--natural: ..." begins with "natural:"."""
    for command, here in _COMMANDS.items():
        text = text.replace(command, here)
    text = re.sub(r"--(\w+) and --(\w+)", r"\1 and \2", text)
    return _OPTION.sub(lambda match: match[1] + (match[2] or ("=True" if match[1] in _FLAGS else "")), text)


@contextlib.contextmanager
def told(replaced: Mapping[str, str] | None = None) -> Iterator[None]:
    """What the library throws within says its sentence with names of arguments.

    replaced: parts of sentences, by what stands there instead.
    """
    try:
        yield
    except _core.Error as error:
        text = as_arguments(str(error))
        for part, instead in (replaced or {}).items():
            text = text.replace(part, instead)
        if text == str(error):
            raise
        raise type(error)(text) from None
