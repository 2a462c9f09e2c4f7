# SPDX-License-Identifier: MIT
"""Integrals that go in and out."""
import copy

import numpy as np
import pytest

import cisolve


def random_integrals(n, seed=1):
    rng = np.random.default_rng(seed)
    h = rng.standard_normal((n, n))
    eri = rng.standard_normal((n,) * 4)
    for axes in ((1, 0, 2, 3), (0, 1, 3, 2), (2, 3, 0, 1)):
        eri = eri + eri.transpose(axes)
    return h + h.T, eri


def pairs(n):
    return [(p, q) for p in range(n) for q in range(p + 1)]


def test_shapes_of_eri_are_one_hamiltonian():
    n = 4
    h, eri = random_integrals(n)
    by_pairs = np.array([[eri[p, q, r, s] for r, s in pairs(n)] for p, q in pairs(n)])
    packed = np.array([by_pairs[i, j] for i in range(len(by_pairs)) for j in range(i + 1)])
    for given in (eri, by_pairs, packed, np.asfortranarray(eri), eri.astype(np.float64)[::1]):
        ham = cisolve.Hamiltonian(h, given, 0.5)
        assert np.array_equal(ham.eri, eri)
        assert np.array_equal(ham.h, h)
    assert (ham.n_orbitals, ham.core_energy, ham.point_group, ham.unrestricted) == (n, 0.5, "unknown", False)
    assert list(ham.irreps) == [1] * n


def test_arrays_of_other_types_are_converted():
    h, eri = np.eye(2, dtype=int), np.zeros((2,) * 4, dtype=np.float32)
    ham = cisolve.Hamiltonian(h.tolist(), eri)
    assert ham.h.dtype == np.float64 and np.array_equal(ham.h, np.eye(2))


def test_orbitals_of_each_spin():
    n = 3
    h, eri = random_integrals(n, 2)
    h_beta, eri_beta = random_integrals(n, 3)
    mixed = random_integrals(n, 4)[1] + np.einsum("pq,rs->pqrs", *(random_integrals(n, k)[0] for k in (5, 6)))
    ham = cisolve.Hamiltonian((h, h_beta), (eri, mixed, eri_beta))
    assert ham.unrestricted
    assert all(np.array_equal(a, b) for a, b in zip(ham.h, (h, h_beta)))
    assert all(np.array_equal(a, b) for a, b in zip(ham.eri, (eri, mixed, eri_beta)))
    # The same orbitals for both spins: the energies of the restricted ones.
    one = cisolve.Operator(cisolve.Hamiltonian(h, eri), cisolve.Space.full(n, (2, 1)))
    two = cisolve.Operator(cisolve.Hamiltonian((h, h), (eri, eri, eri)), cisolve.Space.full(n, (2, 1)))
    assert np.allclose(one.dense(), two.dense(), atol=1e-12)


@pytest.mark.parametrize("change, words", [
    (lambda h, e: (h[:2], e), "h: found shape (2, 3)"),
    (lambda h, e: (h + np.triu(np.ones((3, 3)), 1), e), "it must be symmetric"),
    (lambda h, e: (h, e[:2]), "eri: found shape (2, 3, 3, 3); it must be (3, 3, 3, 3), (6, 6)"),
    (lambda h, e: (h, e + np.arange(81).reshape(e.shape)), "integrals in chemists' order"),
    (lambda h, e: (h * np.nan, e), "h: an element is not finite"),
    (lambda h, e: (h, np.where(e == e[0, 0, 0, 0], np.inf, e)), "eri: an element is not finite"),
    (lambda h, e: ((h, h), e), "of orbitals of their own for each spin"),
])
def test_wrong_integrals_get_a_sentence(change, words):
    with pytest.raises(cisolve.InputError) as error:
        cisolve.Hamiltonian(*change(*random_integrals(3)))
    assert words in str(error.value)
    assert isinstance(error.value, ValueError)


def test_complex_integrals_get_a_sentence():
    h, eri = random_integrals(2)
    with pytest.raises(TypeError, match=r"h: found an array of complex128, shape \(2, 2\); it must be of real numbers"):
        cisolve.Hamiltonian(h.astype(complex), eri)


def test_irreps():
    h, eri = np.diag([1.0, 2.0]), np.zeros((2,) * 4)
    ham = cisolve.Hamiltonian(h, eri, irreps=[1, 2], point_group="Cs")
    assert list(ham.irreps) == [1, 2] and ham.point_group == "Cs"
    with pytest.raises(cisolve.InputError, match="2 numbers for 2 orbitals|found 3 numbers"):
        cisolve.Hamiltonian(h, eri, irreps=[1, 1, 1])
    with pytest.raises(cisolve.InputError, match="orbital 1 has 3; numbers of irreps are 1 to 2"):
        cisolve.Hamiltonian(h, eri, irreps=[1, 3], point_group="Cs")
    with pytest.raises(cisolve.InputError, match="but the orbitals are of different irreps"):
        cisolve.Hamiltonian(np.ones((2, 2)), eri, irreps=[1, 2])


def test_fcidump_there_and_back(tmp_path, water):
    for name in ("w.fcidump", "w.fcidump.gz"):
        water.write_fcidump(tmp_path / name, 10)
        back = cisolve.Hamiltonian.from_fcidump(str(tmp_path / name), point_group="C2v")
        assert np.array_equal(back.h, water.h) and np.array_equal(back.eri, water.eri)
        assert back.core_energy == water.core_energy and list(back.irreps) == list(water.irreps)
        assert (back.electrons, back.ms2) == (10, 0)


def test_files_that_are_none(tmp_path):
    with pytest.raises(cisolve.InputError, match="absent.fcidump"):
        cisolve.Hamiltonian.from_fcidump(tmp_path / "absent.fcidump")


def test_what_does_not_change_is_its_own_copy(small_water):
    space = cisolve.Space.full(small_water, (5, 5))
    for thing in (small_water, space, cisolve.Operator(small_water, space)):
        assert copy.copy(thing) is thing and copy.deepcopy(thing) is thing
