#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tools/check-paths finds what it is for: each case is a small repository, clean or with one wrong name."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools" / "check-paths"

CLEAN = {
    "README.md": "See docs/guide.md, `src/space/space.cpp`, tools/run and tests/<room>/test_<thing>.cpp.\n"
                 "The rows of src/space/*.cpp; a result in /tmp/src/none.cpp, build/bin/run or https://x.org/src/a.md\n",
    "docs/guide.md": "Back to [the start](../README.md), `space/space.hpp`, DIR/tables.json, and/or e.g. 1/2.\n",
    "include/cisolve/space/space.hpp": "// Public.\n",
    "src/space/space.cpp": "// As README.md says; see space/helper.hpp.\nint a;  // tools/run\n",
    "src/space/helper.hpp": 'const char* text = "src/no/comment.cpp";  /* src/space\n   tools/run */\n',
    "tests/space/test_space.cpp": "\n",
    "tools/run": '#!/usr/bin/env python3\n"""Reads docs/guide.md."""\nname = "src/none.cpp"  # not docs\n',
}


def check(changes):
    """Runs the tool on the clean repository with `changes`; (exit status, output)."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "init", "-q", folder], check=True)
        for name, text in {**CLEAN, **changes}.items():
            file = Path(folder) / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        result = subprocess.run([sys.executable, TOOL, "--root", folder], text=True, capture_output=True, check=False)
        return result.returncode, result.stdout + result.stderr


class CheckPaths(unittest.TestCase):
    def refuses(self, file, text, line, name):
        status, output = check({file: text})
        self.assertEqual(status, 1, output)
        self.assertIn(f"{file}:{line}: {name} does not exist\n", output)
        self.assertIn(": 1 names of nothing", output)

    def test_clean_repository(self):
        status, output = check({})
        self.assertEqual(status, 0, output)
        self.assertIn("7 files: clean", output)

    def test_document_names_a_source_that_went(self):
        self.refuses("docs/guide.md", "One\n`src/space/gone.cpp`.\n", 2, "src/space/gone.cpp")

    def test_document_names_a_document_that_went(self):
        self.refuses("docs/guide.md", "See CONTRIBUTING.md.\n", 1, "CONTRIBUTING.md")

    def test_link_from_the_folder_of_the_document(self):
        self.refuses("docs/guide.md", "[picture](../docs/gone.md)\n", 1, "../docs/gone.md")

    def test_comment_at_the_end_of_a_line(self):
        self.refuses("src/space/space.cpp", "int a;  // as in space/gone.hpp\n", 1, "space/gone.hpp")

    def test_comment_over_several_lines(self):
        self.refuses("src/space/space.cpp", "/* one\n   tools/gone\n   three */\n", 2, "tools/gone")

    def test_comment_of_a_script(self):
        self.refuses("tools/run", "#!/usr/bin/env bash\n# Calls tools/gone.\n", 2, "tools/gone")

    def test_docstring(self):
        self.refuses("tools/run", '#!/usr/bin/env python3\n"""Runs\ntests/gone/test_all.cpp."""\n', 3,
                     "tests/gone/test_all.cpp")

    def test_folder_of_a_pattern(self):
        self.refuses("README.md", "All of src/gone/*.cpp\n", 1, "src/gone")


if __name__ == "__main__":
    unittest.main()
