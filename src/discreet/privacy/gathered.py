"""Many atoms to a step, treated like a density."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.privacy.pairs import ATOM_ERROR, UNIT, Floats, Pair


def gathered(pair: Pair, step: float) -> Pair:
    """Return a pair with its atoms as a density, where many of them lie in one step."""
    count = pair.atoms.shape[1]
    if pair.above is not None or pair.rows > 1 or count < 64 or np.ptp(pair.atoms) / count > step / 4:
        return pair
    return Gathered.of(pair)


@dataclass(frozen=True, eq=False)
class Gathered(Pair):
    """Atoms that are summed cell by cell: telling only the cell is post-processing."""

    inside: tuple[Floats, Floats, Floats] = (np.empty(0), np.empty(0), np.empty(0))

    @classmethod
    def of(cls, pair: Pair) -> Gathered:
        """Return the atoms of a pair, gathered."""
        order = np.argsort(pair.atoms[0])
        atoms, p = pair.atoms[0, order], pair.masses[0, order]
        q = np.exp(np.log(np.maximum(p, 1e-320)) - atoms)
        over, under = ([np.append(0.0, np.cumsum(mass)) for mass in masses] for masses in ((p[::-1], q[::-1]), (p, q)))

        def above(x: Floats) -> tuple[Floats, Floats]:
            place = len(atoms) - np.searchsorted(atoms, x, side="right")
            return over[0][place], over[1][place]

        def below(x: Floats) -> tuple[Floats, Floats]:
            place = np.searchsorted(atoms, x, side="right")
            return under[0][place], under[1][place]

        low, high = float(atoms[0]) - 1e-9, float(atoms[-1]) + 1e-9
        return cls(above, below, low, high, infinite=pair.infinite, inside=(atoms, p, q))

    @property
    def grain(self) -> float:
        """The largest distance between two atoms."""
        return float(np.diff(self.inside[0]).max())

    def cells(self, bounds: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Return sums over each cell. Nothing cancels, so what is off is each atom's mass and one unit a term."""
        atoms, *masses = self.inside
        ends = np.searchsorted(atoms, bounds, side="right")
        sums = [np.add.reduceat(np.append(mass, 0.0), ends)[:-1] for mass in masses]
        terms = np.diff(ends)
        p, q = (np.where(terms > 0, found, 0.0)[None, :] for found in sums)
        return p, q, (ATOM_ERROR + terms * UNIT) * p, (2 * ATOM_ERROR + terms * UNIT) * q
