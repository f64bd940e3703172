"""Many atoms to a step of the grid, treated like a density."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.base.grid import Floats
from discreet.privacy.accountant.pairs import ATOM_ERROR, UNIT, DominatingPair, Masses, Tails


def bin_atoms(pair: DominatingPair, step: float) -> DominatingPair:
    """Return a pair with its atoms as a density, where many of them lie in one step; else the pair itself."""
    count = pair.atoms.shape[1]
    if pair.above is not None or pair.rows > 1 or count < 64 or np.ptp(pair.atoms) / count > step / 4:
        return pair
    return BinnedAtoms.from_pair(pair)


@dataclass(frozen=True, eq=False)
class BinnedAtoms(DominatingPair):
    """Atoms that are summed cell by cell: telling only the cell is post-processing."""

    inside: tuple[Floats, Floats, Floats, Floats] = (np.empty(0), np.empty(0), np.empty(0), np.empty(0))
    """Losses in rising order, and each atom's P-mass, Q-mass and P minus Q."""

    @classmethod
    def from_pair(cls, pair: DominatingPair) -> BinnedAtoms:
        """Return the atoms of a pair as a density."""
        order = np.argsort(pair.atoms[0])
        atoms, p = pair.atoms[0, order], pair.masses[0, order]
        q = np.exp(np.log(np.maximum(p, 1e-320)) - atoms)
        masses = (p, q, -p * np.expm1(-np.maximum(atoms, -700.0)))
        over = [np.append(0.0, np.cumsum(mass[::-1])) for mass in masses]
        under = [np.append(0.0, np.cumsum(mass)) for mass in masses]

        def above(x: Floats) -> Tails:
            place = len(atoms) - np.searchsorted(atoms, x, side="right")
            return Tails(*(sums[place] for sums in over))

        def below(x: Floats) -> Tails:
            place = np.searchsorted(atoms, x, side="right")
            return Tails(*(sums[place] for sums in under))

        margin = 1e-9 * max(abs(float(atoms[0])), abs(float(atoms[-1])))
        low, high = float(atoms[0]) - margin, float(atoms[-1]) + margin
        return cls(above, below, low, high, infinite=pair.infinite, error=2 * ATOM_ERROR, inside=(atoms, *masses))

    @property
    def grain(self) -> float:
        """The largest distance between two atoms, next to no mass at both ends left aside."""
        atoms, p, *_ = self.inside
        first, last = np.searchsorted(np.cumsum(p), [1e-9, 1 - 1e-9])
        return float(np.diff(atoms[max(first - 1, 0) : last + 1]).max(initial=0.0))

    def measure_cells(self, bounds: Floats) -> Masses:
        """Return sums over each cell. Nothing cancels, so what is off is each atom's mass and one unit a term."""
        atoms, *masses = self.inside
        ends = np.searchsorted(atoms, bounds, side="right")
        sums = [np.add.reduceat(np.append(mass, 0.0), ends)[:-1] for mass in masses]
        terms = np.diff(ends)
        p, q, excess = (np.where(terms > 0, found, 0.0)[None, :] for found in sums)
        relative = 2 * ATOM_ERROR + terms * UNIT
        spread = np.add.reduceat(np.append(np.abs(masses[2]), 0.0), ends)[:-1]
        error = relative * np.where(terms > 0, spread, 0.0)[None, :]
        return Masses(p, q, excess, relative * p, relative * q, error)
