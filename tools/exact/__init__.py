# SPDX-License-Identifier: MIT
"""Configuration interaction in the Fock space, for tools/differential: no code or formula shared with cisolve."""
