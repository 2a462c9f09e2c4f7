# SPDX-License-Identifier: MIT
"""The matrices of the tables: how cisolve-bench is asked for each."""

from dataclasses import dataclass, field
from pathlib import Path

from . import published

REPOSITORY = Path(__file__).resolve().parents[2]


@dataclass
class Matrix:
    name: str  # in the tables
    arguments: list  # for cisolve-bench
    number: int = 0  # of the paper's matrix; 0: none
    boundary: int = 0  # width of the ELL part; 0: the program's choice
    formats: list = field(default_factory=list)  # to time


@dataclass
class Job:
    title: str
    integrals: str  # under tests/data
    point_group: str
    space: str  # lines of [space]
    irrep: str
    random_rows: float = 1.0


# Ten spaces, of which the first 32,768 determinants are taken: of several molecules, symmetries, excitation
# levels and densities, and one random subset, the shape of a selected space.
JOBS = [
    Job("H2O/6-31G(d) CISDTQ A1", "h2o_631gd.fcidump.gz", "C2v", "excitation_level = 4", "A1"),
    Job("H2O/6-31G(d) CISDTQ B1", "h2o_631gd.fcidump.gz", "C2v", "excitation_level = 4", "B1"),
    Job("H2O/6-31G(d) CISDTQ B2", "h2o_631gd.fcidump.gz", "C2v", "excitation_level = 4", "B2"),
    Job("H2O/6-31G(d) CISDTQ A2", "h2o_631gd.fcidump.gz", "C2v", "excitation_level = 4", "A2"),
    Job(
        "H2O/6-31G(d) CISDTQ A1, random tenth",
        "h2o_631gd.fcidump.gz",
        "C2v",
        "excitation_level = 4",
        "A1",
        0.1,
    ),
    Job("H2O/6-31G FCI A1", "h2o_631g.fcidump.gz", "C2v", 'excitation_level = "full"', "A1"),
    Job("N2/cc-pVDZ CISDTQ Ag, core frozen", "n2_ccpvdz_fc.fcidump.gz", "D2h", "excitation_level = 4", "Ag"),
    Job("C2/6-31G FCI Ag, core frozen", "c2_631g_fc.fcidump.gz", "D2h", 'excitation_level = "full"', "Ag"),
    Job("H10 chain/STO-3G FCI", "h10_chain_sto3g.fcidump.gz", "C1", 'excitation_level = "full"', "1"),
    Job("H12/STO-3G CISDTQ", "h12_sto3g.fcidump.gz", "C1", "excitation_level = 4", "1"),
]

GENERATED_FORMATS = ["csr", "ell", "sliced-ell", "hybrid", "hybrid-paper"]
REAL_FORMATS = GENERATED_FORMATS + ["coded"]


def generated(numbers, seed):
    return [
        Matrix(
            f"Matrix {k}",
            ["--paper-matrix", str(k), "--seed", str(seed)],
            k,
            published.BOUNDARY,
            GENERATED_FORMATS,
        )
        for k in numbers
    ]


def generated_large(numbers, seed):
    return [
        Matrix(
            f"Matrix {k}",
            ["--paper-matrix", str(k), "--seed", str(seed), "--paper-rows", str(published.LARGE_ROWS)],
            k,
            published.BOUNDARY,
            ["csr", "hybrid", "hybrid-paper"],
        )
        for k in numbers
    ]


def real(folder, count, rows=published.ROWS):
    """Writes the input files into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    result = []
    for number, job in enumerate(JOBS[:count], 1):
        file = folder / f"job{number}.inp"
        file.write_text(
            f'title = "{job.title}"\n\n[integrals]\n'
            f'file = "{REPOSITORY}/tests/data/{job.integrals}"\n'
            f'point_group = "{job.point_group}"\n\n[space]\n{job.space}\n\n[states]\n'
            f'irrep = "{job.irrep}"\n'
        )
        arguments = [str(file), "--first-rows", str(rows)]
        if job.random_rows < 1:
            arguments += ["--random-rows", str(job.random_rows)]
        result.append(Matrix(f"Job {number}", arguments, formats=REAL_FORMATS))
    return result
