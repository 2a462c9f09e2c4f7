# SPDX-License-Identifier: MIT
"""The program that comes with the package: `cisolve` or `python -m cisolve`."""
import os
import sys
from pathlib import Path


def main() -> None:
    program = Path(__file__).with_name("bin") / "cisolve"
    if not program.exists():
        sys.exit(f"cisolve: {program} is not there; the module was not installed by pip")
    os.execv(program, ["cisolve", *sys.argv[1:]])


if __name__ == "__main__":
    main()
