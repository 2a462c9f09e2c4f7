#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A few seconds of each campaign of docs/reliability.md, the same ones each time. Skipped (status 77) without h5py or xxhash.

  test_campaigns.py CISOLVE LIBRARY
"""
import subprocess
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent


class Campaigns(unittest.TestCase):
    program = library = None

    def expect_good(self, script, *arguments):
        done = subprocess.run([sys.executable, str(HERE / script), self.program, *arguments], capture_output=True,
                              text=True, check=False)
        if done.returncode == 77:
            self.skipTest(done.stdout)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_calls_that_fail(self):
        self.expect_good("sweep.py", self.library, "--most", "1", "--jobs", "fcidump", "--kinds", "write", "rename",
                         "close")

    def test_memory_that_is_refused(self):
        self.expect_good("sweep.py", self.library, "--most", "3", "--random", "--jobs", "fcidump", "--kinds", "malloc")

    def test_kills(self):
        out = self.expect_good("kill_campaign.py", "--kills", "8", "--short")
        self.assertGreaterEqual(int(out.splitlines()[-1].split()[0]), 8, out)

    def test_damaged_files(self):
        out = self.expect_good("flip_campaign.py", "--count", "60")
        self.assertIn("refused", out)

    def test_changed_values(self):
        out = self.expect_good("value_campaign.py", "--count", "60")
        self.assertIn("refused", out)


if __name__ == "__main__":
    Campaigns.program, Campaigns.library = (str(Path(argument).resolve()) for argument in sys.argv[1:3])
    del sys.argv[1:3]
    unittest.main()
