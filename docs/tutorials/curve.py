# SPDX-License-Identifier: MIT
"""A potential curve. docs/tutorials/curve.md goes through it."""
import cisolve

BOHR = 0.529177210903  # angstrom
HARTREE = 27.211386245988  # eV


# One scan
LENGTHS = [0.80, 0.85, 0.90, 0.95, 1.00, 1.10, 1.30, 1.60, 2.00, 2.50, 3.00, 4.00, 6.00]


def curve(space, multiplicity=1, orbitals=None, lengths=LENGTHS, basis="6-31G"):
    return cisolve.run({
        "molecule": {"geometry": "H 0 0 0; F 0 0 0.9", "basis": basis},
        "scan": {"coordinate": "bond 1 2", "values": lengths},
        "space": {"frozen_core": "auto", **space},
        "states": {"irrep": "A1", "multiplicity": multiplicity},
        "orbitals": orbitals or {},
    })


# Four methods
full = curve({"excitation_level": "full"}, multiplicity=[1, 3])
cisd = curve({"excitation_level": 2})
casscf = curve({"reference": {"electrons": 2, "orbitals": {"A1": 2}}, "excitation_level": 0},
               orbitals={"optimise": "casscf"})

exact = full.energies[:, 0]
methods = {"RHF": full["scan/scf_energies"], "CISD": cisd.energies[:, 0],
           "CASSCF": casscf.energies[:, 0]}
print("  R/A     full CI", *(f"{name:>9}" for name in methods))
for k, length in enumerate(LENGTHS):
    errors = [energies[k] - exact[k] for energies in methods.values()]
    print(f"{length:5.2f} {exact[k]:11.5f}", *(f"{error:9.5f}" for error in errors))


# Two spins, one limit
def atom(symbol):
    return cisolve.run({
        "molecule": {"geometry": f"{symbol} 0 0 0", "basis": "6-31G"},
        "space": {"frozen_core": "auto", "excitation_level": "full"},
    }).energies[0]


print("  R/A   triplet - singlet")
for k in (3, 8, 10, 12):
    singlet, triplet = full.energies[k]
    print(f"{LENGTHS[k]:5.2f} {(triplet - singlet) * HARTREE:11.4f} eV")
print(f"HF at 6 A   {exact[-1]:.5f} hartree")
print(f"H and F     {atom('H') + atom('F'):.5f} hartree")


# Constants
def constants(name, scan):
    r_e = scan["scan/constants/r_e"][0] * BOHR
    omega_e = scan["scan/constants/omega_e"][0]
    depth = scan["scan/constants/D_e"][0] * HARTREE
    print(f"{name:8} {r_e:8.4f} {omega_e:10.1f} {depth:10.2f}")


print("            r_e/A   omega/cm^-1   D_e/eV")
constants("full CI", full)
constants("CISD", cisd)
constants("CASSCF", casscf)


# Towards experiment
mrci = curve({"reference": {"electrons": 2, "orbitals": {"A1": 2}}, "excitation_level": 2},
             lengths=[0.85, 0.88, 0.91, 0.94, 0.97, 1.2, 1.6, 2.2, 5.0], basis="cc-pVTZ")
constants("MRCI", mrci)
mrci.to_html("hf.html")
