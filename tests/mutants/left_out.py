"""Counting what limits leave out, each rule broken once: one unit's part, its price, its record, its identity."""

from __future__ import annotations

from mutants.mutant import broken

PLAN, PRICE, ASKED = (
    "tests/query/test_left_out.py",
    "tests/query/test_price_left_out.py",
    "tests/curator/asking/test_left_out.py",
)

MUTATIONS = [
    broken(
        "left out: rows of one unit are counted without a most",
        "query/left_out.py",
        "measure = Measure(Part.SUM, beyond, ClampedGrid(Fraction(0), Fraction(1), 0, counted))",
        "measure = Measure(Part.SUM, beyond, ClampedGrid(Fraction(0), Fraction(1), 0, 10**6))",
        PLAN,
    ),
    broken(
        "left out: a unit is charged for as many rows as it may keep",
        "query/left_out.py",
        "ALONE = Limits(1, 1, 1)",
        "ALONE = Limits(4, 1, 4)",
        PLAN,
    ),
    broken(
        "left out: replaced units pay for one of two",
        "query/left_out.py",
        "(KeySet((), ALONE),), (measure,), plan.factor, plan.tables)",
        "(KeySet((), ALONE),), (measure,), 1, plan.tables)",
        PLAN,
    ),
    broken(
        "left out: rows that are in no group use up limits",
        "query/left_out.py",
        "[each for each in (plan.block.where, *_in_groups(plan)) if each]",
        "[each for each in (plan.block.where,) if each]",
        PLAN,
    ),
    broken(
        "left out: groups beyond max_groups are forgotten",
        "query/left_out.py",
        "    if limits.groups < groups:\n",
        "    if limits.groups < 0:\n",
        PLAN,
    ),
    broken(
        "left out: units that are cut before a join are told as if they were not",
        "query/left_out.py",
        "    if any(scan.rows is not None or scan.unique for scan in list_scans(plan.block)):\n",
        "    if False:\n",
        PLAN,
    ),
    broken(
        "left out: the answer keeps the whole price",
        "query/price_left_out.py",
        "    return add_left_out(make((1 - SHARE) * amount), found)\n",
        "    return add_left_out(make(amount), found)\n",
        PRICE,
    ),
    broken(
        "left out: the count is not charged for",
        "query/price_left_out.py",
        "    charge = round_charge(add_charges(main.charge, own))\n",
        "    charge = round_charge(main.charge)\n",
        PRICE,
    ),
    broken(
        "left out: its noise is made for ten times its part of the price",
        "query/price_left_out.py",
        "    return Laplace(fitting_scale(ratio_up(found.plan.l1(measure), part)",
        "    return Laplace(fitting_scale(ratio_up(found.plan.l1(measure), 10 * part)",
        PRICE,
    ),
    broken(
        "left out: the guarantee is that of the answer alone",
        "query/price_left_out.py",
        "write_amount(main.target), write_amount(total), 1)",
        "write_amount(main.target), write_amount(main.target), 1)",
        PRICE,
    ),
    broken(
        "left out: the count is not in the identity of the question",
        "curator/asking/question_operation.py",
        "            return (self.plan, self.left_out[0])\n",
        "            return (self.plan,)\n",
        ASKED,
    ),
    broken(
        "left out: the count is not recorded",
        "curator/release/released.py",
        '            values["left_out"] = self.left_out\n',
        '            values["left_out"] = None\n',
        ASKED,
    ),
]
