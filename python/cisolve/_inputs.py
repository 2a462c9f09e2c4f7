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
    if not isinstance(job, (str, os.PathLike)):
        raise TypeError(f"job: found {job!r}; it must be a dict of sections, the text of an input, or the path of one")
    if isinstance(job, str) and ("\n" in job or "=" in job or job.lstrip()[:1] in ("", "[")):
        return job, "input"
    path = os.fspath(job)
    try:
        with open(path, encoding="utf-8") as file:
            return file.read(), path
    except FileNotFoundError:
        raise _core.InputError(f"{path}: there is no such input file") from None
    except OSError as error:
        raise _core.InputError(f"{path}: it cannot be read: {error.strerror}") from None
    except ValueError:
        raise _core.InputError(f"{path}: it is no text in UTF-8, and no input") from None


def settings_of(settings: Mapping | None) -> list[tuple[str, str]]:
    """Keys and their values as TOML."""
    if settings is None:
        return []
    if not isinstance(settings, Mapping):
        raise TypeError(f"set: found {settings!r}; it must be a dict of keys, such as {{\"solver.tolerance\": 1e-8}}")
    for key in settings:
        if not isinstance(key, str):
            raise _core.InputError(f"set: found {key!r}; names of keys are texts, such as \"solver.tolerance\"")
    return [(key, toml(value, key)) for key, value in settings.items()]


def _document(sections: Mapping) -> str:
    """The sections of an input as TOML; what is None is left out."""
    given = {name: value for name, value in sections.items() if value is not None}
    lines = [f"{_name(key)} = {toml(value, key)}" for key, value in given.items() if not isinstance(value, Mapping)]
    for name, keys in given.items():
        if not isinstance(keys, Mapping):
            continue
        lines.append(f"[{_name(name)}]")
        lines += [f"{_name(key)} = {toml(value, f'{name}.{key}')}" for key, value in keys.items() if value is not None]
    return "\n".join(lines) + "\n"


def _name(key) -> str:
    if not isinstance(key, str):
        raise _core.InputError(f"{key!r}: names of sections and keys are texts")
    return key if key.replace("_", "").isalnum() and key.isascii() else toml(key)


def toml(value, key="") -> str:
    """A value as TOML. key: whose it is, for messages."""
    if isinstance(value, np.ndarray):
        return toml(value.tolist(), key)
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    if isinstance(value, (str, os.PathLike)):
        text = os.fspath(value)
        escaped = "".join(_ESCAPES.get(c, c if ord(c) >= 32 and ord(c) != 127 else f"\\u{ord(c):04x}") for c in text)
        return f'"{escaped}"'
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_name(name)} = {toml(item, key)}" for name, item in value.items()) + " }"
    if isinstance(value, (list, tuple, range)):
        return "[" + ", ".join(toml(item, key) for item in value) + "]"
    raise _core.InputError(f"{key}{key and ': '}found {value!r}; a value of an input is a number, a text, true or false, or a "
                           "list or table of these")


_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
