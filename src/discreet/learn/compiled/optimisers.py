"""What is done with a noisy mean gradient: post-processing, which costs nothing. optax's optimisers fit as well."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.gradients.compiled.states import shape_like
from discreet.gradients.compiled.unit_sums import Move
from discreet.noise.device.frame import jax_modules, narrow


class Optimiser(Protocol):
    """The two functions of an optimiser, as optax has them."""

    def init(self, params: Any) -> Any:
        """Return the state to start from."""

    def update(self, updates: Any, state: Any, params: Any) -> tuple[Any, Any]:
        """Return what to add to the parameters for a gradient, and the next state."""


@dataclass(frozen=True, slots=True)
class Momentum:
    """Descent along a moving sum of gradients; with momentum 0, plain gradient descent."""

    step: float
    momentum: float = 0.9

    def __post_init__(self) -> None:
        check.positive("step", self.step)
        check.real("momentum", self.momentum, least=0, below=1)

    def init(self, params: Any) -> Any:
        """Return a sum of zeros."""
        jax, jnp = jax_modules()
        return jax.tree.map(jnp.zeros_like, params)

    def update(self, updates: Any, state: Any, params: Any) -> tuple[Any, Any]:
        """Return a step along the new sum."""
        del params
        jax, _ = jax_modules()
        moved = jax.tree.map(lambda old, new: self.momentum * old + new, state, updates)
        return jax.tree.map(lambda each: -self.step * each, moved), moved


@dataclass(frozen=True, slots=True)
class Adam:
    """Steps of about the same length in every coordinate (Kingma, Ba 2015)."""

    step: float = 1e-3
    first: float = 0.9
    second: float = 0.999
    floor: float = 1e-8

    def __post_init__(self) -> None:
        check.positive("step", self.step)
        check.real("first", self.first, least=0, below=1)
        check.real("second", self.second, least=0, below=1)
        check.positive("floor", self.floor)

    def init(self, params: Any) -> Any:
        """Return two means of zeros, and how many gradients were seen."""
        jax, jnp = jax_modules()
        zeros = jax.tree.map(jnp.zeros_like, params)
        return zeros, zeros, jnp.zeros((), jnp.float32)

    def update(self, updates: Any, state: Any, params: Any) -> tuple[Any, Any]:
        """Return a step along the mean over the root of the mean square, both without their bias at the start."""
        del params
        jax, jnp = jax_modules()
        means, squares, seen = state[0], state[1], state[2] + 1
        means = jax.tree.map(lambda old, new: self.first * old + (1 - self.first) * new, means, updates)
        squares = jax.tree.map(lambda old, new: self.second * old + (1 - self.second) * new * new, squares, updates)

        def move(mean: Any, square: Any) -> Any:
            root = jnp.sqrt(square / (1 - self.second**seen)) + self.floor
            return -self.step * mean / (1 - self.first**seen) / root

        return jax.tree.map(move, means, squares), (means, squares, seen)


def start_state(optimiser: Optimiser, parameters: Any) -> Any:
    """Return the state that a descent starts from: parameters in 32-bit floats, and what the optimiser remembers."""
    with narrow():
        held = jax_modules()[0].tree.map(_as_floats, parameters)
        return held, optimiser.init(held)


def make_move(optimiser: Optimiser, share: float) -> Move:
    """Return what makes the next state of noisy sums, whose mean is `share` of them: post-processing, compiled."""
    jax, _ = jax_modules()

    def move(state: Any, noisy: Any) -> Any:
        parameters, memory = state
        means = (noisy.astype(np.float64) * share).astype(np.float32)
        with narrow():
            change, memory = optimiser.update(shape_like(parameters, means), memory, parameters)
            return jax.tree.map(lambda old, step: old + step, parameters, change), memory

    found: Move = jax.jit(move)
    return found


def _as_floats(leaf: Any) -> Any:
    _, jnp = jax_modules()
    found = jnp.asarray(leaf)
    if not jnp.issubdtype(found.dtype, jnp.floating):
        raise ParameterError("parameters", found.dtype, "arrays of floats")
    return found.astype(np.float32)
