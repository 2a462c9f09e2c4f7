# SPDX-License-Identifier: MIT
"""Selected CI. docs/tutorials/selected_ci.md goes through it."""
import cisolve


# A molecule with stretched bonds
water = {"geometry": "O 0 0 0; H 0 1.1355 0.8805; H 0 -1.1355 0.8805", "basis": "6-31G"}
full = cisolve.run({"molecule": water,
                    "space": {"frozen_core": "auto", "excitation_level": "full"}})
exact = full.energies[0]
print(f"RHF      {full['molecule/scf_energies'][-1]:.6f} hartree")
print(f"full CI  {exact:.6f} hartree, {full['space/dimension']} determinants")


# Grow a list
selected = cisolve.run({"molecule": water, "space": {"frozen_core": "auto"},
                        "selection": {"determinants": 4000}})
energy, e2 = selected.energies[0], selected["states/second_order"][0]
limit, error = selected["states/extrapolated_energy"][0], selected["states/extrapolated_error"][0]
print(f"E             {energy:.6f}   {1000 * (energy - exact):+7.3f} mhartree from full CI")
print(f"E + E2        {energy + e2:.6f}   {1000 * (energy + e2 - exact):+7.3f}")
print(f"extrapolated  {limit:.6f}   {1000 * (limit - exact):+7.3f}  +- {1000 * error:.3f}")


# Is the error right?
sizes = selected["selection/determinants"]
energies = selected["selection/energy"][:, 0]
corrections = selected["selection/second_order"][:, 0]

print("determinants   E + E2     limit    estimate   (mhartree from full CI)")
for n in range(3, len(sizes) + 1):
    limit, error = cisolve.extrapolate(energies[:n], corrections[:n])
    last = energies[n - 1] + corrections[n - 1]
    print(f"{sizes[n - 1]:12} {1000 * (last - exact):8.3f} {1000 * (limit - exact):9.3f}",
          f"  +- {1000 * error:.3f}")


# By hand
rhf = cisolve.Space.excitations(full.hamiltonian, ["2222" + 8 * "0"], 0)
ci = cisolve.SelectedCI(full.hamiltonian, rhf)
print("determinants      E        E2     outside")
while True:
    ci.solve()
    second = ci.second_order()
    print(f"{len(ci):8} {ci.energies[0]:14.6f} {second['energy'][0]:9.6f} {second['externals']:8}")
    if second["energy"][0] > -0.01:
        break
    ci.grow(most=4 * len(ci))


# Where full CI is out of reach
nitrogen = {"geometry": "N 0 0 0; N 0 0 1.0977", "basis": "cc-pVDZ"}
selected = cisolve.run({"molecule": nitrogen, "space": {"frozen_core": "auto"},
                        "selection": {"determinants": 50_000}})
energy, e2 = selected.energies[0], selected["states/second_order"][0]
limit, error = selected["states/extrapolated_energy"][0], selected["states/extrapolated_error"][0]
print(f"E {energy:.4f}, E + E2 {energy + e2:.4f}, extrapolated {limit:.4f} +- {error:.4f}")
