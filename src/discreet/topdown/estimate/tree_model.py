"""How well every area of a tree is known, from the readings' variances alone: nothing here looks at what was read.

The unknowns are a histogram x_a for each area, and x_a is the sum of x_c over its children c. A reading asks Q x_a with
noise of variance s in all areas of a level; M is the sum of Q'Q / s over a level's readings.

Theorem (for trees of single counts Hay, Rastogi, Miklau and Suciu 2010; the proof is that of any Gaussian tree). Going
up, let z_a be the least squares estimate of x_a from the readings in a and below, and C_a its covariance. Where the
children of a have S = sum of C_c,

    P_a = M + S^-1,    C_a = P_a^-1,    z_a = C_a (sum of Q'y / s + S^-1 (sum of z_c)),

since the readings of a, and those below each child, are independent of one another. At the top z is the estimate from
all readings. Going down, with x_a and its covariance V_a from all readings,

    x_c = z_c + G_c (x_a - sum of z),    V_c = C_c - C_c S^-1 C_c + G_c V_a G_c',    G_c = C_c S^-1 :

all that the rest of the tree says of x_c it says through x_a, and given x_a the best estimate of x_c is linear in it.

Block form. M is a sum of matrices that are blocks in one basis (`block_basis`), and every matrix above is made of such
by sums, products and inverses, so all of them are. Areas of one kind share theirs (`kinds`).

Degenerate readings (`level_frame`). S and C_a live on the *free* subspace of their level: inverses are taken there.
Public numbers (variance 0) give z_a on the *fixed* subspace: z_a = K^+ k, where K and k sum Q'Q and Q'y over them; the
rest is estimated given that. Of what is *unseen* below a, x_a may know the sum: each child gets an equal share, for
which nothing speaks but that the sum is right, and its variance is infinite unless the child is an only one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.topdown.estimate.area_matrices import ALL, AreaMatrices, Areas
from discreet.topdown.estimate.attribute_basis import NEAR
from discreet.topdown.estimate.block_basis import BlockBasis, find_block_basis
from discreet.topdown.estimate.kinds import AreaKinds, find_subtree_kinds, find_tree_kinds
from discreet.topdown.estimate.level_frame import BlockFrame, LevelFrame, NoisyQuery, find_frame
from discreet.topdown.spec.geography import Geography
from discreet.topdown.spec.queries import Query
from discreet.topdown.spec.schema import CensusSchema


@dataclass(frozen=True, eq=False)
class UpwardModel:
    """What is known of a level's areas from their own subtrees.

    z = covariance h + from_sum s + from_public k, where h is the sum of Q'y / variance over noisy readings, k the sum
    of Q'y / norm over public ones, and s the sum of the children's z.
    """

    precision: AreaMatrices
    covariance: AreaMatrices
    below: AreaMatrices
    """The precision of the sum of the children, S^-1."""
    from_sum: AreaMatrices
    from_public: AreaMatrices


@dataclass(frozen=True, eq=False)
class DownwardModel:
    """What is known of a level's areas from all readings."""

    gain: AreaMatrices
    """What an area takes of the difference between its parent's estimate and the sum of the children's own."""
    covariance: AreaMatrices
    unknown: AreaMatrices
    """The projection onto what no readings determine."""


@dataclass(frozen=True, eq=False)
class TreeModel:
    """The precision of the estimate of every area, for readings of these queries and variances."""

    geography: Geography
    basis: BlockBasis
    measured: tuple[tuple[int, Query, float], ...]
    """The level, the query and the variance of each reading."""
    upward: tuple[UpwardModel, ...]
    downward: tuple[DownwardModel, ...]
    alone: tuple[UpwardModel, ...]
    """As `upward`, from the readings of a level alone: what is estimated without looking at any other level."""

    def variances(self, level: int, query: Query, areas: Areas = ALL) -> Floats:
        """Return the variance of the estimate of each answer in each of the areas, infinite where it is not determined.

        Exact for any query about the schema, measured or not, over the readings' noise.
        """
        model = self.downward[level]
        found = model.covariance.evaluate(query).clip(0)
        cells = np.bincount(query.places, minlength=query.size)
        found[model.unknown.evaluate(query) > NEAR * cells] = np.inf
        return np.asarray(found[model.covariance.kinds[areas]])


def model_tree(geography: Geography, schema: CensusSchema, measured: Sequence[NoisyQuery]) -> TreeModel:
    """Return how well all areas will be known from these readings; their values are not looked at."""
    for each in measured:
        if not 0 <= each.level < len(geography.levels):
            raise ParameterError("reading.level", each.level, f"a level from 0 to {len(geography.levels) - 1}")
        if each.query.schema.shape != schema.shape:
            raise ParameterError("reading.query", each.query.name, "a query about the schema of the release")
        if not 0 <= each.variance < np.inf:
            raise ParameterError("reading.variance", each.variance, "a finite number, 0 where answers are public")
    basis = find_block_basis(schema, [each.query for each in measured])
    by_level = [[each for each in measured if each.level == place] for place in range(len(geography.levels))]
    subtrees = find_subtree_kinds(geography)
    upward: list[UpwardModel] = []
    frames: list[LevelFrame] = []
    for place in reversed(range(len(geography.levels))):
        frame = find_frame(basis, by_level[place], frames[0] if frames else None)
        sums = _add_children(geography, place, subtrees, upward[0]) if upward else ()
        upward.insert(0, _combine(basis, frame, subtrees[place].of, frames[0] if frames else None, sums))
        frames.insert(0, frame)
    alone = [
        _combine(basis, find_frame(basis, readings, None), np.zeros(len(level), dtype=np.int64))
        for readings, level in zip(by_level, geography.levels, strict=True)
    ]
    downward = _go_down(geography, basis, subtrees, upward, frames)
    asked = tuple((each.level, each.query, each.variance) for each in measured)
    return TreeModel(geography, basis, asked, tuple(upward), downward, tuple(alone))


def _add_children(
    geography: Geography, place: int, subtrees: tuple[AreaKinds, ...], below: UpwardModel
) -> list[Floats]:
    """Return, for each block and each kind of a level, the sum S of its children's covariances."""
    children = geography.levels[place + 1]
    bounds = children.bound_children(len(geography.levels[place]))
    first = subtrees[place].first
    members = np.concatenate([np.arange(bounds[area], bounds[area + 1]) for area in first])
    starts = np.cumsum([0, *(bounds[first + 1] - bounds[first])[:-1]])
    kinds = below.covariance.kinds[members]
    return [np.add.reduceat(part[kinds], starts, axis=0) for part in below.covariance.parts]


def _invert(frame: BlockFrame, matrices: Floats) -> Floats:
    """Return the inverses on the free subspace, 0 elsewhere."""
    reduced = np.linalg.inv(frame.free.T @ matrices @ frame.free)
    return np.asarray(frame.free @ ((reduced + reduced.swapaxes(1, 2)) / 2) @ frame.free.T)


def _combine(
    basis: BlockBasis, frame: LevelFrame, kinds: Ints, below: LevelFrame | None = None, sums: Sequence[Floats] = ()
) -> UpwardModel:
    """Return what own readings and the children say together; `sums` are the sums S of the children's covariances."""
    parts: list[tuple[Floats, ...]] = []
    for place, each in enumerate(frame):
        fixed = below[place].fixed if below else np.zeros_like(each.fixed)
        sum_precision = _invert(below[place], sums[place]) if below else np.zeros((1, *fixed.shape))
        precision = each.precision + sum_precision
        covariance = _invert(each, precision)
        from_public = (np.eye(len(fixed)) - covariance @ precision) @ each.public
        from_sum = covariance @ sum_precision + from_public @ fixed
        parts.append((precision, covariance, sum_precision, from_sum, from_public))
    return UpwardModel(*(AreaMatrices(basis, tuple(each), kinds) for each in zip(*parts, strict=True)))


def _go_down(
    geography: Geography,
    basis: BlockBasis,
    subtrees: tuple[AreaKinds, ...],
    upward: Sequence[UpwardModel],
    frames: Sequence[LevelFrame],
) -> tuple[DownwardModel, ...]:
    """Return what is known of every level from all readings, the top first."""
    trees = find_tree_kinds(geography, subtrees)
    top = upward[0].covariance
    unseen = tuple(each.unseen[None] for each in frames[0])
    found = [
        DownwardModel(
            AreaMatrices(basis, tuple(np.zeros_like(each) for each in unseen), trees[0].of),
            top,
            AreaMatrices(basis, unseen, trees[0].of),
        )
    ]
    for place in range(1, len(geography.levels)):
        level = geography.levels[place]
        areas = trees[place].first
        parents = level.parents[areas]
        children = np.bincount(level.parents)[parents][:, None, None]
        own, above, whole = upward[place].covariance, upward[place - 1].below, found[-1]
        gains, covariances, unknowns = [], [], []
        for block, frame in enumerate(frames[place]):
            covariance = own.parts[block][own.kinds[areas]]
            share = covariance @ above.parts[block][above.kinds[parents]]
            gain = share + (np.eye(len(frame.fixed)) - frame.free @ frame.free.T) / children
            around = whole.covariance.parts[block][whole.covariance.kinds[parents]]
            exact = covariance - share @ covariance + gain @ around @ gain.swapaxes(1, 2)
            gains.append(gain)
            covariances.append((exact + exact.swapaxes(1, 2)) / 2)
            inherited = whole.unknown.parts[block][whole.unknown.kinds[parents]]
            unknowns.append(np.where(children == 1, inherited, frame.unseen))
        found.append(
            DownwardModel(
                *(AreaMatrices(basis, tuple(each), trees[place].of) for each in (gains, covariances, unknowns))
            )
        )
    return tuple(found)
