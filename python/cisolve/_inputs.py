# SPDX-License-Identifier: MIT
"""Inputs of calculations as the program reads them."""
from __future__ import annotations

import os
from collections.abc import Mapping

import numpy as np

from . import _core


def text_of(job) -> tuple[str, str]:
    """Text of an input and the name that messages give it."""
    if isinstance(job, Mapping):
        return _document(job), "input"
    if isinstance(job, os.PathLike) or ("\n" not in job and "=" not in job):
        path = os.fspath(job)
        try:
            with open(path, encoding="utf-8") as file:
                return file.read(), path
        except FileNotFoundError:
            raise _core.InputError(f"{path}: there is no such input file") from None
        except (OSError, UnicodeDecodeError) as error:
            raise _core.InputError(f"{path}: it cannot be read: {error}") from None
    return job, "input"


def _document(sections: Mapping) -> str:
    """The sections of an input as TOML."""
    lines = [f"{_name(key)} = {toml(value)}" for key, value in sections.items() if not isinstance(value, Mapping)]
    for name, keys in sections.items():
        if not isinstance(keys, Mapping):
            continue
        lines.append(f"[{_name(name)}]")
        lines += [f"{_name(key)} = {toml(value)}" for key, value in keys.items() if value is not None]
    return "\n".join(lines) + "\n"


def _name(key) -> str:
    if not isinstance(key, str):
        raise _core.InputError(f"{key!r}: names of sections and keys are texts")
    return key if key.replace("_", "").isalnum() and key.isascii() else toml(key)


def toml(value) -> str:
    """A value as TOML."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value)) if np.isfinite(value) else str(float(value)).replace("infinity", "inf")
    if isinstance(value, (str, os.PathLike)):
        text = os.fspath(value)
        escaped = "".join(_ESCAPES.get(c, c if ord(c) >= 32 and ord(c) != 127 else f"\\u{ord(c):04x}") for c in text)
        return f'"{escaped}"'
    if isinstance(value, np.ndarray):
        return toml(value.tolist())
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_name(key)} = {toml(item)}" for key, item in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(toml(item) for item in value) + "]"
    raise _core.InputError(f"{value!r}: a value of an input is a number, a text, true or false, or a list or table of these")


_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
