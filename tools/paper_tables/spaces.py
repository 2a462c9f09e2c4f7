# SPDX-License-Identifier: MIT
"""Table 1: CSFs by excitation level, from the plan that `cisolve --check` prints."""

import re
import subprocess
from itertools import accumulate

from . import published
from .matrices import REPOSITORY
from .measure import Failure
from .tables import render

INPUT = f"""title = "Table 1: singlets of H2O/6-31G(d)"

[integrals]
file = "{REPOSITORY}/tests/data/h2o_631gd.fcidump.gz"
point_group = "C2v"

[space]
basis = "csf"
excitation_level = "full"

[states]
multiplicity = 1
"""
# The matrix of the largest of these spaces has 1.8e11 nonzeros: the plan ends by saying that it does not fit.
DOES_NOT_FIT = 3
MEMORY = "64 GiB"


def levels(program, folder, irrep):
    """CSFs of each excitation level, from 0, generated one configuration after the other."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "table1.inp"
    file.write_text(INPUT)
    words = [str(program), str(file), "--check", "--memory", MEMORY, "--set", f'states.irrep="{irrep}"']
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    found = [int(n.replace(",", "")) for n in re.findall(r"^ +level \d+ +([\d,]+)$", done.stdout, re.MULTILINE)]
    if done.returncode not in (0, DOES_NOT_FIT) or not found:
        raise Failure(f"{' '.join(words)} ended with status {done.returncode}: {done.stderr.strip()}")
    return found


def table1(program, folder):
    """The table as text and as figures; fails if they are not those published."""
    up_to = list(accumulate(levels(program, folder, "all")))[1:]
    up_to_a1 = list(accumulate(levels(program, folder, "A1")))[1:]
    if up_to != published.CSFS_UP_TO_LEVEL or up_to_a1[-1] != published.CSFS_A1:
        raise Failure(f"the spaces of Table 1 have {up_to} and {up_to_a1[-1]} CSFs, not the published numbers")
    rows = [
        [k, f"{here:,}", f"{a1:,}", f"{printed:,}"]
        for k, (here, a1, printed) in enumerate(zip(up_to, up_to_a1, published.CSFS_UP_TO_LEVEL), 1)
    ]
    text = render(
        "Table 1. Singlet CSFs of H2O/6-31G(d), 10 electrons in 19 orbitals, up to an excitation level.",
        ["level", "all irreps", "A1", "published"],
        rows,
        3,
    )
    return text, {"all": up_to, "A1": up_to_a1}
