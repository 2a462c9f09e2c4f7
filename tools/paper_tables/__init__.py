# SPDX-License-Identifier: MIT
"""The parts of tools/paper-tables."""
