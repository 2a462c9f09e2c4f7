# SPDX-License-Identifier: MIT
"""Values of a result file by their paths, and how numbers of roots and points are told."""
from __future__ import annotations

import operator
from typing import Any

import numpy as np


def number_of(given: Any, count: int, what: str, whole: str = "result") -> int:
    """A number from 0 to below count; negative ones count from the end.

    Raises IndexError, TypeError: with a sentence.
    """
    try:
        number = operator.index(given)
    except TypeError:
        raise TypeError(f"{what}: found {given!r}; it must be an integer") from None
    if not -count <= number < count:
        raise IndexError(f"{what} {number}: the {whole} has {f'the {what}s 0 to {count - 1}' if count else f'no {what}s'}")
    return number % count


def at_each_point(name: str, suffix: str, points: list[str]) -> str:
    """What is said where a scan is asked for something that its points have."""
    if not points:
        return f"{name}: the result is of a scan, none of whose points has a result"
    numbers = sorted(int(k) - 1 for k in points)
    return (f"{name}: the result is of a scan, and each point has its own: point(k){suffix}, "
            f"k from {numbers[0]} to {numbers[-1]}")


def look_up(top: Any, path: str) -> tuple[Any] | None:
    """A value, or the names in a group, in a tuple; None: there is none."""
    if not path:
        return (sorted([*top, *top.attrs]),)
    if path in top:
        found = top[path]
        return (value(found[()]) if hasattr(found, "dtype") else sorted([*found, *found.attrs]),)
    parent, _, name = path.rpartition("/")
    if (not parent or parent in top) and name in (top[parent] if parent else top).attrs:
        return (value((top[parent] if parent else top).attrs[name]),)
    return None


def paths(top: Any) -> list[str]:
    """Of all values and groups."""
    found = list(top.attrs)

    def take(path: str, item: Any) -> None:
        found.append(path)
        if not hasattr(item, "dtype"):
            found.extend(f"{path}/{name}" for name in item.attrs)

    top.visititems(take)
    return found


def value(found: Any) -> Any:
    """What h5py read: texts as str, arrays of texts as lists."""
    if isinstance(found, bytes):
        return found.decode()
    if isinstance(found, np.ndarray) and found.dtype.kind in "OS":
        return [item.decode() if isinstance(item, bytes) else item for item in found.ravel()] if found.ndim == 1 else \
            np.vectorize(lambda item: item.decode() if isinstance(item, bytes) else item, otypes=[object])(found)
    if isinstance(found, np.generic):
        return found.item()
    return found
