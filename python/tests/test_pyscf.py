# SPDX-License-Identifier: MIT
"""cisolve as PySCF's CI solver: the whole protocol, and each trap of it."""
import copy
import pickle

import numpy as np
import pytest

pyscf = pytest.importorskip("pyscf")
from pyscf import ao2mo, fci, gto, lib, mcscf, mrpt, scf  # noqa: E402
from pyscf.fci import direct_spin1  # noqa: E402

import cisolve  # noqa: E402
from cisolve.pyscf import CIHandle, CISolver, LargeCISolver, from_casscf, from_chk, from_mf  # noqa: E402

lib.num_threads(1)


def n2(symmetry=False, r=1.1, **keys):
    return gto.M(atom=f"N 0 0 0; N 0 0 {r}", basis="6-31g", symmetry=symmetry, verbose=0, **keys)


@pytest.fixture(scope="module")
def mf():
    return scf.RHF(n2()).run(conv_tol=1e-12)


def casscf(mf, solver=None, **keys):
    mc = mcscf.CASSCF(mf, 6, 6)
    if solver is not None:
        mc.fcisolver = solver
    mc.fcisolver.conv_tol, mc.conv_tol = 1e-11, 1e-10
    for key, value in keys.items():
        setattr(mc.fcisolver, key, value)
    return mc


@pytest.fixture(scope="module")
def theirs(mf):
    mc = casscf(mf)
    mc.kernel()
    return mc


@pytest.fixture(scope="module")
def ours(mf):
    mc = casscf(mf, CISolver(mf.mol))
    mc.kernel()
    return mc


def integrals(mf, ncas=6, nelecas=6):
    mc = mcscf.CASCI(mf, ncas, nelecas)
    h, core = mc.get_h1eff()
    return h, mc.get_h2eff(), core


def test_casscf_one_step(ours, theirs):
    assert abs(ours.e_tot - theirs.e_tot) < 1e-9
    assert ours.converged and isinstance(ours.e_cas, float)
    assert isinstance(ours.ci, direct_spin1.FCIvector) and ours.ci.shape == (20, 20)


def test_natural_occupations_gradient_nevpt2(ours, theirs):
    assert np.allclose(-np.sort(-ours.cas_natorb()[2]), -np.sort(-theirs.cas_natorb()[2]), atol=1e-5)
    assert np.allclose(ours.nuc_grad_method().kernel(), theirs.nuc_grad_method().kernel(), atol=1e-5)
    assert abs(mrpt.NEVPT(ours).kernel() - mrpt.NEVPT(theirs).kernel()) < 1e-6


@pytest.mark.parametrize("way", ["newton", "two steps"])
def test_casscf_in_other_ways(mf, theirs, way):
    mc = casscf(mf, CISolver(mf.mol))
    energy = mc.newton().kernel()[0] if way == "newton" else mc.mc2step()[0]
    assert abs(energy - theirs.e_tot) < 1e-9


def test_four_roots(mf):
    ours, theirs = mcscf.CASCI(mf, 6, 6), mcscf.CASCI(mf, 6, 6)
    ours.fcisolver = CISolver(mf.mol)
    for mc in (ours, theirs):
        mc.fcisolver.nroots, mc.fcisolver.conv_tol = 4, 1e-12
        mc.kernel()
    assert np.allclose(ours.e_tot, theirs.e_tot, atol=1e-9)
    assert len(ours.ci) == 4 and ours.fcisolver.converged.all()
    s_squared = [ours.fcisolver.spin_square(c, 6, 6)[0] for c in ours.ci]
    assert np.allclose(s_squared, ours.fcisolver.s_squared, atol=1e-6)
    h, core = ours.get_h1eff()
    one, two = ours.fcisolver.make_rdm12(ours.ci[2], 6, 6)
    energy = core + np.einsum("pq,qp", h, one) + .5 * np.einsum("pqrs,pqrs", ao2mo.restore(1, ours.get_h2eff(), 6), two)
    assert abs(energy - ours.e_tot[2]) < 1e-10


def test_two_singlets_averaged(mf):
    one = casscf(mf, CISolver(mf.mol, multiplicity=1)).state_average_([.5, .5])
    two = casscf(mf)
    two.fix_spin_(shift=.5, ss=0)
    two = two.state_average_([.5, .5])
    assert abs(one.kernel()[0] - two.kernel()[0]) < 1e-7
    assert np.allclose(one.e_states, two.e_states, atol=1e-6)


def test_state_specific(mf):
    one, two = casscf(mf, CISolver(mf.mol)).state_specific_(1), casscf(mf).state_specific_(1)
    assert abs(one.kernel()[0] - two.kernel()[0]) < 1e-7


def test_triplet_at_ms_zero(mf):
    triplet = casscf(mf, CISolver(mf.mol, multiplicity=3)).kernel()[0]
    assert abs(triplet - casscf(mf, spin=2).kernel()[0]) < 1e-8


def test_fix_spin_is_a_multiplicity(mf):
    for ss, spin, multiplicity in ((0, 0, 1), (2, 0, 3), (6, 0, 5), (None, 2, 3), (0, 2, 3)):
        fixed, plain = mcscf.CASCI(mf, 6, 6), mcscf.CASCI(mf, 6, 6)
        fixed.fcisolver, plain.fcisolver = CISolver(mf.mol), CISolver(mf.mol, multiplicity=multiplicity)
        fixed.fcisolver.spin = plain.fcisolver.spin = spin
        fixed.fix_spin_(ss=ss)
        assert abs(fixed.kernel()[0] - plain.kernel()[0]) < 1e-10
        fixed.fcisolver = fixed.fcisolver.undo_fix_spin()
        assert fixed.kernel()[0] == pytest.approx(-108.6558258 if spin else -108.9470107)
    triplet = casscf(mf, spin=2).kernel()[0]
    for mc in (casscf(mf, CISolver(mf.mol)).newton(), casscf(mf, LargeCISolver(mf.mol))):
        assert abs(mc.fix_spin_(ss=2).kernel()[0] - triplet) < 1e-8


def test_wrong_spins_get_a_sentence(mf):
    def fixed(ss, **keys):
        mc = casscf(mf, CISolver(mf.mol, **keys))
        return mc.fix_spin_(ss=ss)

    with pytest.raises(cisolve.InputError, match=r"fix_spin_: found ss = 1; it must be S\(S\+1\)"):
        fixed(1).kernel()
    with pytest.raises(cisolve.InputError, match="ss = 2 is of multiplicity 3; the solver was made with multiplicity = 1"):
        fixed(2, multiplicity=1).kernel()
    with pytest.raises(cisolve.InputError):
        fixed(.75).kernel()  # of an odd number of electrons


def test_average_of_solvers_of_two_spins(mf):
    singlet, triplet = CISolver(mf.mol, multiplicity=1), CISolver(mf.mol, multiplicity=3)
    triplet.spin = 2
    one, two = fci.direct_spin1.FCI(mf.mol), fci.direct_spin1.FCI(mf.mol)
    two.spin = 2
    for solver in (singlet, triplet, one, two):
        solver.conv_tol = 1e-11
    ours = mcscf.state_average_mix_(casscf(mf, CISolver(mf.mol)), [singlet, triplet], [.5, .5])
    theirs = mcscf.state_average_mix_(casscf(mf), [one, two], [.5, .5])
    assert abs(ours.kernel()[0] - theirs.kernel()[0]) < 1e-8


@pytest.mark.parametrize("group, wfnsym", [("D2h", "Ag"), ("D2h", "B1u"), ("D2h", 0), ("Dooh", None), ("Dooh", "A1g"),
                                           ("Dooh", "E1gx")])
def test_symmetry(group, wfnsym):
    mf = scf.RHF(n2(group)).run(conv_tol=1e-12)
    ours, theirs = casscf(mf, CISolver(mf.mol), wfnsym=wfnsym), casscf(mf, wfnsym=wfnsym)
    assert abs(ours.kernel()[0] - theirs.kernel()[0]) < 1e-8


def test_average_of_irreps():
    mf = scf.RHF(n2("D2h")).run(conv_tol=1e-12)

    def average(make):
        solvers = []
        for wfnsym in ("Ag", "B1u"):
            solver = make(mf.mol)
            solver.wfnsym, solver.conv_tol = wfnsym, 1e-11
            solvers.append(solver)
        mc = casscf(mf, make(mf.mol))
        return mcscf.state_average_mix_(mc, solvers, [.5, .5]).kernel()[0]

    assert abs(average(CISolver) - average(fci.direct_spin1_symm.FCI)) < 1e-8


def test_scanner(mf):
    ours, theirs = casscf(mf, CISolver(mf.mol)).as_scanner(), casscf(mf).as_scanner()
    assert np.allclose([ours(n2(r=r)) for r in (1.1, 1.3)], [theirs(n2(r=r)) for r in (1.1, 1.3)], atol=1e-8)


def test_gradients_and_couplings_of_averages(mf):
    ours = casscf(mf, CISolver(mf.mol, multiplicity=1)).state_average_([.5, .5])
    theirs = casscf(mf)
    theirs.fix_spin_(shift=.5, ss=0)
    theirs = theirs.state_average_([.5, .5])
    for mc in (ours, theirs):
        mc.conv_tol, mc.conv_tol_grad = 1e-11, 1e-6
        mc.kernel()
    assert np.allclose(ours.nuc_grad_method().kernel(state=0), theirs.nuc_grad_method().kernel(state=0), atol=1e-4)


# Each call alone, against PySCF's own solver.


@pytest.mark.parametrize("nelec", [(3, 3), (4, 2), (2, 4), (1, 0), (0, 1), (3, 0), 6, 5])
def test_products_and_densities_are_pyscfs(mf, nelec):
    h, eri, _ = integrals(mf)
    ours, theirs = CISolver(mf.mol), direct_spin1.FCISolver(mf.mol)
    rng = np.random.default_rng(3)
    shape = [direct_spin1.cistring.num_strings(6, n) for n in direct_spin1._unpack_nelec(nelec)]
    c, d = rng.standard_normal((2, *shape))
    c, d = c / np.linalg.norm(c), d / np.linalg.norm(d)
    if sum(direct_spin1._unpack_nelec(nelec)) > 0:
        h2 = theirs.absorb_h1e(h, eri, 6, nelec, .5)
        link = ours.gen_linkstr(6, nelec, True)
        product = ours.contract_2e(h2, c, 6, nelec, link_index=link)
        assert product.shape == c.shape and np.allclose(product, theirs.contract_2e(h2, c, 6, nelec), atol=1e-10)
        assert ours.contract_2e(h2, c.ravel(), 6, nelec).shape == (c.size,)
        assert np.allclose(ours.contract_2e(h2, d, 6, nelec), theirs.contract_2e(h2, d, 6, nelec), atol=1e-10)
        other = theirs.absorb_h1e(h + np.eye(6), eri, 6, nelec, .5)
        assert np.allclose(ours.contract_2e(other, c, 6, nelec), theirs.contract_2e(other, c, 6, nelec), atol=1e-10)
    for name in ("make_rdm1", "make_rdm1s", "make_rdm12", "make_rdm12s", "make_rdm2"):
        one, two = getattr(ours, name)(c, 6, nelec), getattr(theirs, name)(c, 6, nelec)
        assert all(np.allclose(a, b, atol=1e-12) for a, b in zip(flat(one), flat(two), strict=True)), name
    for name in ("trans_rdm1", "trans_rdm1s", "trans_rdm12", "trans_rdm12s"):
        one, two = getattr(ours, name)(c, d, 6, nelec), getattr(theirs, name)(c, d, 6, nelec)
        assert all(np.allclose(a, b, atol=1e-12) for a, b in zip(flat(one), flat(two), strict=True)), name
    assert np.allclose(ours.make_rdm1([c], 6, nelec), theirs.make_rdm1(c, 6, nelec), atol=1e-12)  # as Newton CASSCF calls it
    assert np.allclose(ours.make_rdm1(c.ravel(), 6, nelec), theirs.make_rdm1(c, 6, nelec), atol=1e-12)
    for reordered in (True, False):
        one, two = (solver.make_rdm12(c, 6, nelec, reorder=reordered) for solver in (ours, theirs))
        assert np.allclose(one[1], two[1], atol=1e-12)


def flat(found):
    return [x for part in found for x in flat(part)] if isinstance(found, (tuple, list)) else [found]


@pytest.mark.parametrize("nelec", [(3, 3), (4, 2), (2, 4), (1, 0), (0, 1), (6, 6), (6, 0), 7])
def test_energies_for_all_numbers_of_electrons(mf, nelec):
    h, eri, core = integrals(mf)
    ours, theirs = CISolver(mf.mol), direct_spin1.FCISolver(mf.mol)
    e, c = ours.kernel(h, eri, 6, nelec, ecore=core)
    assert isinstance(e, float) and isinstance(c, np.ndarray)
    assert abs(e - theirs.kernel(h, eri, 6, nelec, ecore=core, tol=1e-12)[0]) < 1e-8
    full = ao2mo.restore(1, eri, 6)
    assert abs(ours.kernel(h, full, 6, nelec, ecore=core)[0] - e) < 1e-9  # as CASSCF hands them over


def test_start_vectors_of_every_kind(mf):
    h, eri, core = integrals(mf)
    solver = CISolver(mf.mol)
    e, c = solver.kernel(h, eri, 6, (3, 3), ecore=core, nroots=3)
    assert len(e) == len(c) == 3
    products = solver.num_products
    for guess in (None, True, False, c[0], c[0].ravel(), [c[0]], c[:2], c, np.array(c), [None, c[1]], np.zeros_like(c[0])):
        again, vectors = solver.kernel(h, eri, 6, (3, 3), ci0=guess, ecore=core, nroots=3)
        assert np.allclose(again, e, atol=1e-8) and len(vectors) == 3
    before = solver.num_products
    solver.kernel(h, eri, 6, (3, 3), ci0=c, ecore=core, nroots=3)
    assert solver.num_products - before < products  # what is known is not found again
    # Of other active orbitals, electrons or sizes: no use, but no error.
    assert abs(solver.kernel(h, eri, 6, (3, 3), ci0=np.ones((5, 5)), ecore=core)[0] - e[0]) < 1e-8


def test_tolerances_and_limits(mf):
    h, eri, core = integrals(mf)
    solver = CISolver(mf.mol)
    solver.kernel(h, eri, 6, (3, 3), tol=1e-3)
    loose = solver.residual_norms[0]
    solver.kernel(h, eri, 6, (3, 3), tol=1e-16)
    assert solver.residual_norms[0] <= 1e-8 < loose <= 1e-4
    solver.kernel(h, eri, 6, (3, 3), max_cycle=2, tol=1e-16)
    assert solver.converged is False
    assert CISolver(mf.mol, **{"solver.max_iterations": 2}).kernel(h, eri, 6, (3, 3), tol=1e-16)[0] < 0
    e, c = solver.approx_kernel(h, eri, 6, (3, 3), ecore=core, ci0=None, tol=1e-6, max_memory=100)
    assert abs(e - solver.kernel(h, eri, 6, (3, 3), ecore=core)[0]) < 1e-3 and c.shape == (20, 20)


def test_a_cluster_is_cut_to_the_roots_asked_for():
    """O2's 1-Delta-g: two states of one energy, of which one alone is asked for."""
    mf = scf.ROHF(gto.M(atom="O 0 0 0; O 0 0 1.2", basis="sto-3g", spin=2, verbose=0)).run()
    mc = mcscf.CASCI(mf, 8, (6, 6))
    mc.fcisolver = CISolver(mf.mol, multiplicity=1)
    mc.kernel()
    assert isinstance(mc.e_tot, float)
    mc.fcisolver.nroots = 2
    mc.kernel()
    assert len(mc.e_tot) == 2 and abs(mc.e_tot[0] - mc.e_tot[1]) < 1e-6


def test_more_roots_than_there_are_get_a_sentence():
    h, eri = np.diag([0.0, 1.0]), np.zeros((2, 2, 2, 2))
    with pytest.raises(cisolve.InputError, match="nroots: 5 were asked for, but the active space has 4 such states"):
        CISolver().kernel(h, eri, 2, (1, 1), nroots=5)


def test_wrong_arguments_get_a_sentence(mf):
    with pytest.raises(cisolve.InputError, match="there is no key 'solver.tolerence'"):
        CISolver(mf.mol, **{"solver.tolerence": 1e-6})
    with pytest.raises(cisolve.InputError, match="h1e must be one matrix"):
        CISolver(mf.mol).kernel((np.eye(2), np.eye(2)), np.zeros((2,) * 4), 2, (1, 1))


def test_orbital_rotation_and_leading_determinants(ours, theirs):
    u = np.linalg.qr(np.random.default_rng(1).standard_normal((6, 6)))[0]
    one = ours.fcisolver.transform_ci_for_orbital_rotation(ours.ci, 6, (3, 3), u)
    two = direct_spin1.FCISolver().transform_ci_for_orbital_rotation(np.asarray(ours.ci), 6, (3, 3), u)
    assert np.allclose(one, two)
    assert [x[1:] for x in ours.fcisolver.large_ci(ours.ci, 6, (3, 3), .2)] == [
        x[1:] for x in direct_spin1.FCISolver().large_ci(np.asarray(ours.ci), 6, (3, 3), .2)]
    assert ours.fcisolver.dump_flags(0) is ours.fcisolver
    copy = ours.fcisolver.copy()
    copy.nroots = 2
    assert ours.fcisolver.nroots == 1


# Wavefunctions that PySCF has no array for


def test_large_solver_is_the_same_casscf(mf, theirs):
    mc = casscf(mf, LargeCISolver(mf.mol))
    assert abs(mc.kernel()[0] - theirs.e_tot) < 1e-9
    assert isinstance(mc.ci, CIHandle) and mc.ci.size == 400 and mc.ci.leading()[0][0] == "222000"
    assert np.allclose(-np.sort(-mc.cas_natorb()[2]), -np.sort(-theirs.cas_natorb()[2]), atol=1e-5)
    assert mc.fcisolver.spin_square(mc.ci, 6, 6) == pytest.approx((0, 1), abs=1e-6)
    ours, pyscfs = mc.fcisolver.large_ci(mc.ci, 6, 6, .1), theirs.fcisolver.large_ci(theirs.ci, 6, 6, .1)
    assert abs(ours[0][0]) == pytest.approx(abs(pyscfs[0][0]), abs=1e-5) and ours[0][1] == "0b111"
    assert not hasattr(mc.fcisolver, "contract_2e") and not hasattr(mc.fcisolver, "absorb_h1e")
    two = casscf(mf, LargeCISolver(mf.mol)).mc2step()[0]
    assert abs(two - theirs.e_tot) < 1e-9


def test_large_solver_in_averages_and_irreps(mf):
    one = casscf(mf, LargeCISolver(mf.mol, multiplicity=1)).state_average_([.5, .5])
    two = casscf(mf, CISolver(mf.mol, multiplicity=1)).state_average_([.5, .5])
    assert abs(one.kernel()[0] - two.kernel()[0]) < 1e-8
    sym = scf.RHF(n2("D2h")).run(conv_tol=1e-12)
    mc = casscf(sym, LargeCISolver(sym.mol), wfnsym="B1u")
    assert abs(mc.kernel()[0] - casscf(sym, CISolver(sym.mol), wfnsym="B1u").kernel()[0]) < 1e-8
    assert mc.ci.size < 400  # of one irrep


def test_csfs_and_truncated_spaces(mf, theirs):
    mc = casscf(mf, LargeCISolver(mf.mol, basis="csf", multiplicity=1))
    assert abs(mc.kernel()[0] - theirs.e_tot) < 1e-9 and mc.ci.size == 175
    full, doubles = mcscf.CASCI(mf, 6, 6), mcscf.CASCI(mf, 6, 6)
    full.fcisolver = LargeCISolver(mf.mol, **{"space.excitation_level": "full"})
    doubles.fcisolver = LargeCISolver(mf.mol, **{"space.excitation_level": 2})
    assert abs(full.kernel()[0] - mcscf.CASCI(mf, 6, 6).kernel()[0]) < 1e-8
    assert doubles.kernel()[0] > full.e_tot + 1e-4 and doubles.ci.size < 400


def test_selected_ci_as_a_casscf_solver(mf, theirs):
    """A list of nearly all of the space: nearly its energy, below that without it, and the same list to the end."""
    mc = mcscf.CASSCF(mf, 6, 6)
    mc.internal_rotation = True
    mc.fcisolver = LargeCISolver(mf.mol, **{"selection.determinants": 60})
    mc.kernel()
    assert mc.converged and theirs.e_tot < mc.e_tot < theirs.e_tot + 5e-3
    assert mc.fcisolver.result["selection/end"] and mc.ci.size == len(mc.fcisolver.result.space())
    size, before = mc.ci.size, mc.e_tot
    mc.fcisolver.reselect()
    mc.kernel(mc.mo_coeff)
    assert mc.converged and abs(mc.e_tot - before) < 3e-3 and mc.ci.size >= size // 2


def test_wrong_large_solvers_get_a_sentence(mf):
    with pytest.raises(cisolve.InputError, match="basis: found 'csfs'"):
        LargeCISolver(mf.mol, basis="csfs")
    with pytest.raises(cisolve.InputError, match="multiplicity: CSFs are of one"):
        LargeCISolver(mf.mol, basis="csf")
    with pytest.raises(cisolve.InputError, match="there is no key 'output.file'"):
        LargeCISolver(mf.mol, **{"output.file": "x.h5"})
    with pytest.raises(cisolve.InputError, match="a wavefunction is a CIHandle, not ndarray"):
        LargeCISolver(mf.mol).make_rdm1(np.ones((20, 20)), 6, 6)


# PySCF's integrals


def test_hamiltonians_of_scf_and_casscf(mf, ours, tmp_path):
    ham, electrons = from_mf(mf, 6, 6)
    e = cisolve.solve(cisolve.Operator(ham, cisolve.Space.full(ham, electrons)), tolerance=1e-7).energies[0]
    assert electrons == (3, 3) and abs(e - mcscf.CASCI(mf, 6, 6).kernel()[0]) < 1e-8
    ham, electrons = from_casscf(ours)
    e = cisolve.solve(cisolve.Operator(ham, cisolve.Space.full(ham, electrons)), tolerance=1e-7).energies[0]
    assert abs(e - ours.e_tot) < 1e-8
    small = scf.RHF(gto.M(atom="H 0 0 0; F 0 0 0.9", basis="sto-3g", verbose=0)).run()
    ham, electrons = from_mf(small)
    e = cisolve.solve(cisolve.Operator(ham, cisolve.Space.full(ham, electrons)), tolerance=1e-7).energies[0]
    assert electrons == (5, 5) and abs(e - fci.FCI(small).kernel()[0]) < 1e-8


def test_hamiltonians_with_irreps():
    mf = scf.RHF(n2("D2h")).run()
    ham, electrons = from_mf(mf, 6, 6)
    assert ham.point_group == "D2h" and len(set(ham.irreps)) > 2
    ag = cisolve.Space.full(ham, electrons, irrep="Ag")
    assert len(ag) < 400
    mc = mcscf.CASCI(mf, 6, 6)
    mc.fcisolver.wfnsym = "Ag"
    assert abs(cisolve.solve(cisolve.Operator(ham, ag), tolerance=1e-7).energies[0] - mc.kernel()[0]) < 1e-8


def test_hamiltonians_of_unrestricted_orbitals():
    mf = scf.UHF(gto.M(atom="O 0 0 0; H 0 0 0.97", basis="sto-3g", spin=1, verbose=0)).run()
    ham, electrons = from_mf(mf)
    assert ham.unrestricted and electrons == (5, 4)
    e = cisolve.solve(cisolve.Operator(ham, cisolve.Space.full(ham, electrons)), tolerance=1e-7).energies[0]
    assert abs(e - fci.FCI(mf).kernel()[0]) < 1e-8


def test_hamiltonians_of_checkpoint_files(tmp_path, theirs):
    mol = n2()
    mf = scf.RHF(mol).set(chkfile=str(tmp_path / "n2.chk")).run(conv_tol=1e-12)
    ham, electrons = from_chk(tmp_path / "n2.chk", ncas=6, nelecas=6)
    expected, _ = from_mf(mf, 6, 6)
    assert electrons == (3, 3) and np.allclose(ham.eri, expected.eri) and np.isclose(ham.core_energy, expected.core_energy)
    mc = casscf(mf)
    mc.chkfile = str(tmp_path / "cas.chk")
    mc.kernel()
    ham, electrons = from_chk(tmp_path / "cas.chk", kind="mcscf")
    e = cisolve.solve(cisolve.Operator(ham, cisolve.Space.full(ham, electrons)), tolerance=1e-7).energies[0]
    assert abs(e - theirs.e_tot) < 1e-7
    with pytest.raises(cisolve.InputError, match="holds no 'mcscf'"):
        from_chk(tmp_path / "n2.chk", kind="mcscf")


@pytest.mark.gpu
def test_casscf_on_the_device(mf, theirs):
    mc = casscf(mf, CISolver(mf.mol, device="cuda"))
    assert abs(mc.kernel()[0] - theirs.e_tot) < 1e-9


def test_arguments_of_from_mf(mf):
    for arguments, sentence in (
        ((6,), "ncas, nelecas: an active space needs both"), ((0, 0), "ncas: found 0"), ((60, 6), "ncas: found 60; .* 1 to 18"),
        ((6, 5), "nelecas: found 5; .* an odd number for the core"), ((2, 6), "nelecas: found 6; .* 0 to 4"),
        ((6, 6, -1), "ncore: found -1; .* 0 to 12"),
    ):
        with pytest.raises(cisolve.InputError, match=sentence):
            from_mf(mf, *arguments)
    with pytest.raises(cisolve.InputError, match="it has no orbitals yet"):
        from_mf(scf.RHF(mf.mol))
    with pytest.raises(cisolve.InputError, match="of a GHF mix the spins"):
        from_mf(scf.GHF(mf.mol))
    with pytest.raises(TypeError, match="mf: found None; it must be an SCF"):
        from_mf(None)
    assert from_mf(mf, 6, (3, 3))[1] == (3, 3)


def test_nothing_complex_is_cut_to_its_real_part():
    h, eri, solver = np.diag([1.0, 2, 3]), np.zeros((3,) * 4), CISolver()
    with pytest.raises(cisolve.InputError, match="eri: the integrals are complex"):
        solver.kernel(h, eri + 1j, 3, (1, 1))
    with pytest.raises(cisolve.InputError, match="eri: the integrals are complex"):
        solver.contract_2e(eri + 1j, np.ones((3, 3)), 3, (1, 1))
    for wrong in (np.ones((3, 3)) + 1j, np.ones((2, 2)), None):
        with pytest.raises(cisolve.InputError, match=r"fcivec: found shape .*\(3, 3\) of real numbers"):
            solver.make_rdm1(wrong, 3, (1, 1))


def test_arguments_of_solvers(mf):
    for wrong in ("1", 1.0, 0, -1):
        with pytest.raises(cisolve.InputError, match="multiplicity: found .*; it must be an integer, 1 or more, or None"):
            CISolver(mf.mol, multiplicity=wrong)
    with pytest.raises(cisolve.InputError, match="conv_tol: found -1"):
        casscf(mf, CISolver(mf.mol)).fcisolver.kernel(np.eye(2), np.zeros((2,) * 4), 2, (1, 1), tol=-1)
    levels = {"space.excitation_level": 2}
    energies = [mcscf.CASCI(mf, 6, 6).set(fcisolver=LargeCISolver(mf.mol, **levels, **{"space.reference": reference})).kernel()[0]
                for reference in ("222000", ["222000"])]
    assert energies[0] == pytest.approx(energies[1], abs=1e-9)


def test_solvers_are_copied_and_pickled(mf, ours):
    for again in (copy.deepcopy(ours), pickle.loads(pickle.dumps(ours))):
        assert again.e_tot == ours.e_tot and isinstance(again.fcisolver, CISolver)
        assert np.allclose(again.fcisolver.make_rdm1(again.ci, 6, 6), ours.fcisolver.make_rdm1(ours.ci, 6, 6), atol=1e-12)
    large = LargeCISolver(mf.mol, **{"selection.determinants": 50})
    energy, handle = large.kernel(*integrals(mf)[:2], 6, 6)
    again = copy.deepcopy(large)
    assert again.kernel(*integrals(mf)[:2], 6, 6, ci0=copy.deepcopy(handle))[0] == pytest.approx(energy, abs=1e-9)
    assert copy.deepcopy(handle).space is handle.space and copy.deepcopy(handle).vector is not handle.vector
