# SPDX-License-Identifier: MIT
"""Runs cisolve-bench, and a CSR5 program if there is one."""

import json
import re
import subprocess
import tempfile
import time
from pathlib import Path


class Failure(Exception):
    """A sentence for the user."""


class Bench:
    def __init__(self, program, device, repeats, csr5=None, say=print):
        self.program = str(program)
        self.device = device
        self.repeats = repeats
        self.csr5 = csr5
        self.say = say
        self.started = time.monotonic()
        self.known = None  # formats of the program, once it was asked

    def run(self, command, arguments, accept=(0,)):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "report.json"
            words = [self.program, command, *arguments, "--json", str(file)]
            done = subprocess.run(words, capture_output=True, text=True, check=False)
            if done.returncode not in accept or not file.exists():
                raise Failure(f"{' '.join(words)} ended with status {done.returncode}: {done.stderr.strip()}")
            return json.loads(file.read_text())

    def formats(self, matrix):
        """Figures and bytes of a matrix, and the report around them; settles the width of its ELL part."""
        width = ["--ell-width", str(matrix.boundary)] if matrix.boundary else []
        self.note(matrix, "bytes")
        report = self.run("formats", matrix.arguments + width)
        self.known = [entry["name"] for entry in report["matrix"]["formats"]]
        matrix.boundary = report["matrix"]["ell_width"]  # for the products too
        return report["matrix"], report

    def products(self, matrix, formats=None, variants=False):
        """Milliseconds of every product, one vector: name -> {median, minimum, maximum}. A wrong one of
        cisolve's makes its run fail."""
        width = ["--ell-width", str(matrix.boundary)] if matrix.boundary else []
        wanted = [name for name in formats or matrix.formats if self.known is None or name in self.known]
        options = ["--device", self.device, "--vectors", "1", "--repeats", str(self.repeats)]
        options += ["--formats", ",".join(wanted)]
        if variants:
            options.append("--variants")
        self.note(matrix, "products")
        report = self.run("spmv", matrix.arguments + width + options)
        found = {}
        for result in report["results"]:
            if result["correct"] and result["columns"] == 1:
                found[result["name"]] = dict(
                    result["milliseconds"], place=result["place"], bytes=result["bytes"]
                )
        if self.csr5 and not variants:
            found["CSR5"] = {"median": self.csr5_milliseconds(matrix), "place": "cuda"}
        return found

    def csr5_milliseconds(self, matrix):
        """By the benchmark of doi:10.1145/2751205.2751209: PROGRAM matrix.mtx prints
        `CSR5-based SpMV time = ... ms` and `Check... PASS!`."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "matrix.mtx"
            self.run("formats", matrix.arguments + ["--market", str(file)])
            self.note(matrix, "CSR5")
            done = subprocess.run([str(self.csr5), str(file)], capture_output=True, text=True, check=False)
        text = done.stdout
        found = re.search(r"CSR5-based SpMV time\s*=\s*([-+.\deE]+)\s*ms", text)
        if not found or "PASS" not in text or "NO PASS" in text:
            raise Failure(f"{self.csr5}: no time of a correct product in its output: {text[-300:]!r}")
        return float(found.group(1))

    def note(self, matrix, what):
        self.say(f"{time.monotonic() - self.started:6.0f} s  {matrix.name}: {what}")
