"""Contrasts: marginals rewritten without redundancy, with the same objective up to a constant."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.families.domain import DenseTable, Domain
from discreet.synthetic.fit.contrasts import recognise, rewrite_marginals
from synthetic.support.tiny import TinyLines, TinyMarginals, measure, write_parities

DOMAIN = Domain((2, 3, 4, 5))
SETS = ((0, 1), (1, 2), (0, 2), (1,), (0, 1))


def test_the_sum_of_squares_is_the_same_up_to_a_constant() -> None:
    generator = np.random.default_rng(1)
    measured = measure(TinyMarginals(DOMAIN, SETS), generator.integers(0, 50, DOMAIN.sizes), 7.0, 2)
    contrasts, others = rewrite_marginals(DOMAIN, measured, range(len(measured)))
    assert others == []
    assert [each.columns for each in contrasts] == sorted({(0,), (1,), (2,), (0, 1), (1, 2), (0, 2)})
    differences = []
    for _ in range(5):
        table = DenseTable(DOMAIN, generator.dirichlet(np.ones(DOMAIN.cells)).reshape(DOMAIN.sizes) * 3000)
        before = sum(
            float(((each.answers - table.project(each.columns).ravel()) ** 2).sum()) / (2 * each.variance)
            for each in measured
        )
        after = sum(
            float(((each.answers - each.answer(table.project(each.columns))) ** 2).sum()) / (2 * each.variance)
            for each in contrasts
        )
        differences.append(before - after)
    assert differences == pytest.approx([differences[0]] * 5, rel=1e-9)


def test_spreading_back_is_the_transpose_and_rows_are_written_out_alike() -> None:
    generator = np.random.default_rng(3)
    measured = measure(TinyMarginals(DOMAIN, ((1, 2),)), np.ones(DOMAIN.sizes, dtype=int), 1.0, 2)
    for each in rewrite_marginals(DOMAIN, measured, [0])[0]:
        sizes = tuple(DOMAIN.sizes[place] for place in each.columns)
        table, values = generator.normal(size=sizes), generator.normal(size=len(each.answers))
        assert values @ each.answer(table) == pytest.approx(float((each.spread_back(values) * table).sum()))
        assert each.list_rows() @ table.ravel() == pytest.approx(each.answer(table))
        assert (each.list_rows() ** 2) @ table.ravel() == pytest.approx(each.answer_squares(table))
        assert each.list_rows().sum(axis=1) == pytest.approx(0, abs=1e-12), "contrasts of the uniform table are 0"


def test_only_marginals_and_parities_are_rewritten() -> None:
    domain = Domain((2, 2, 2, 3, 5))
    counts = np.ones(domain.sizes, dtype=int)
    upside_down = TinyLines(domain, ((0,),), (((0, 1), (1, 0)),))
    assert recognise(domain, measure(TinyMarginals(domain, ((0, 2),)), counts, 1.0, 1)[0]) == "marginal"
    assert recognise(domain, measure(upside_down, counts, 1.0, 1)[0]) == "other"
    assert recognise(domain, measure(TinyLines(domain, ((0,),), (((1, 1),),)), counts, 1.0, 1)[0]) == "other"
    bits = Domain((2, 2, 2))
    parity = measure(write_parities(3, ((0, 2),)), np.ones(bits.sizes, dtype=int), 1.0, 1)[0]
    assert recognise(bits, parity) == "parity"
    assert (
        recognise(bits, measure(TinyLines(bits, ((0,),), (((-1, 1),),)), np.ones(bits.sizes, dtype=int), 1.0, 1)[0])
        == "other"
    )


def test_too_many_contrasts_are_left_as_marginals() -> None:
    domain = Domain((20, 20, 2, 3))
    measured = measure(TinyMarginals(domain, ((0, 1), (2,))), np.ones(domain.sizes, dtype=int), 1.0, 1)
    assert rewrite_marginals(domain, measured, [0, 1]) == ([], [0, 1])
    assert rewrite_marginals(domain, measured, [1])[1] == []
