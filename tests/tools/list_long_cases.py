#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lists the cases that took long in the last tests of a build folder, for tests/long_under_sanitizers.txt.

    tests/tools/list_long_cases.py build-sanitize SECONDS

But for those that read files or command lines which are wrong or broken: they are what sanitizers are for.
"""
import json
import re
import sys
from pathlib import Path

STAY = re.compile(r"^(io|fuzz) |Refuse|Mistake|Damaged|WhatWasChanged")


def long_cases(folder, seconds):
    """Lines 'ROOM Suite.Case' of cases that took that long, sorted."""
    for file in (Path(folder) / "cases").glob("*.json"):
        room = file.name.split(".")[0]
        for suite in json.loads(file.read_text(encoding="utf-8"))["testsuites"]:
            for case in suite["testsuite"]:
                line = f"{room} {suite['name']}.{case['name']}"
                if float(case["time"].removesuffix("s")) >= seconds and not STAY.search(line):
                    yield line


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    print(f"# {sys.argv[2]} s or more, of two that ran side by side; by tests/tools/list_long_cases.py")
    print(*sorted(set(long_cases(sys.argv[1], float(sys.argv[2])))), sep="\n")
