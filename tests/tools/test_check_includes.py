#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tools/check-includes finds what it is for: each case is a small tree, clean or with one violation."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools" / "check-includes"

CLEAN = {
    "include/cisolve/core/error.hpp": "#pragma once\n#include <stdexcept>\n",
    "include/cisolve/vectors/block.hpp": '#pragma once\n#include "cisolve/core/error.hpp"\n',
    "include/cisolve/solver/davidson.hpp": '#pragma once\n#include "cisolve/vectors/block.hpp"\n',
    "include/cisolve/space/space.hpp": "#pragma once\n#include <cstdint>\n",
    "include/cisolve/tasks/ci.hpp": '#pragma once\n#include "cisolve/space/space.hpp"\n',
    "src/solver/davidson_impl.hpp": '#pragma once\n#include <Eigen/Core>\n',
    "src/core/plain.hpp": "#pragma once\n",
    "src/solver/davidson.cpp": '#include "solver/davidson_impl.hpp"\n#include "core/plain.hpp"\n',
    "src/vectors/plain.hpp": "#pragma once\n",
    "src/problem/devices.cpp": '#include "cisolve/solver/davidson.hpp"\n#include "cuda/vectors/block.hpp"\n',
    "src/tasks/ci.cpp": '#include "cisolve/tasks/ci.hpp"\n#include "build_info.hpp"\n',
    "src/cuda/core/check.hpp": '#pragma once\n#include <cuda_runtime_api.h>\n',
    "src/cuda/vectors/block.hpp": '#pragma once\n#include "cuda/core/check.hpp"\n',
    "src/cuda/vectors/block.cu": '#include "cuda/vectors/block.hpp"\n#include "vectors/plain.hpp"\n',
    "src/cuda/solver/davidson.cpp": '#include "solver/davidson_impl.hpp"\n'
                                    '#include "cuda/vectors/block.hpp"\n',
    "src/app/main.cpp": '#include "cisolve/tasks/ci.hpp"\n',
}


def check(changes, *options):
    """Runs the tool on the clean tree with `changes`; (exit status, output)."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {**CLEAN, **changes}.items():
            file = Path(folder) / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        result = subprocess.run([sys.executable, TOOL, "--root", folder, *options],
                                text=True, capture_output=True, check=False)
        return result.returncode, result.stdout + result.stderr


class CheckIncludes(unittest.TestCase):
    def refuses(self, name, text, *words):
        status, output = check({name: text}, "--no-compile")
        self.assertEqual(status, 1, output)
        self.assertIn(f"{name}:", output)
        for word in words:
            self.assertIn(word, output)
        self.assertIn(": 1 violations", output)

    def test_clean_tree(self):
        status, output = check({})
        self.assertEqual(status, 0, output)
        self.assertIn("5 public headers, 11 sources: clean", output)

    def test_arrow_against_the_table(self):
        self.refuses("src/space/space.cpp", '#include "cisolve/tasks/ci.hpp"\n',
                     "room space may not include room tasks")

    def test_sideways_arrow(self):
        self.refuses("include/cisolve/solver/start.hpp",
                     '#pragma once\n\n#include "cisolve/space/space.hpp"\n',
                     "start.hpp:3:", "room solver may not include room space")

    def test_tasks_know_no_device(self):
        self.refuses("src/tasks/scan.cpp", '#include "cuda/vectors/block.hpp"\n', "room tasks may not")

    def test_app_skips_a_floor(self):
        self.refuses("src/app/main.cpp", '#include "cisolve/solver/davidson.hpp"\n', "room app may not")

    def test_device_room_outside_its_reach(self):
        self.refuses("src/cuda/vectors/block.cpp", '#include "cisolve/space/space.hpp"\n',
                     "room cuda/vectors may not include room space")

    def test_host_room_includes_device(self):
        self.refuses("src/solver/davidson.cpp", '#include "cuda/vectors/block.hpp"\n',
                     "room solver may not include room cuda/vectors")

    def test_unknown_room(self):
        self.refuses("src/misc/helpers.cpp", "\n", "not in a room")

    def test_private_header_of_another_room(self):
        self.refuses("src/solver/start.cpp", '#include "vectors/plain.hpp"\n', "private to room vectors")

    def test_public_header_includes_private_one(self):
        self.refuses("include/cisolve/solver/davidson.hpp", '#include "solver/davidson_impl.hpp"\n',
                     "may not include the private header")

    def test_third_party_in_public_header(self):
        self.refuses("include/cisolve/core/log.hpp", "#pragma once\n#include <spdlog/spdlog.h>\n",
                     "only the standard library")

    def test_nvcc_reaches_eigen_through_a_header(self):
        self.refuses("src/vectors/plain.hpp", "#pragma once\n#include <Eigen/Core>\n",
                     "not for nvcc (reached from src/cuda/vectors/block.cu)")

    def test_misspelt_header(self):
        self.refuses("src/solver/davidson.cpp", '#include "davidson_impl.hpp"\n', "no header of this project")

    def test_build_info_outside_tasks(self):
        self.refuses("src/space/space.cpp", '#include "build_info.hpp"\n', "not for room space")

    def test_header_that_does_not_compile_alone(self):
        status, output = check({"include/cisolve/core/units.hpp": "#pragma once\nstd::size_t n();\n"})
        self.assertEqual(status, 1, output)
        self.assertIn("units.hpp:1: does not compile alone", output)


if __name__ == "__main__":
    unittest.main()
