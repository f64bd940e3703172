"""The state of a descent as bytes: parameters and what an optimiser remembers, arrays of fixed shapes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from discreet.base.errors import ParameterError
from discreet.noise.device.frame import jax_modules


def pack_state(state: Any) -> bytes:
    """Return all leaves of a state, one after another, as little-endian bytes."""
    leaves = [np.asarray(leaf) for leaf in jax_modules()[0].tree.leaves(state)]
    return b"".join(leaf.astype(leaf.dtype.newbyteorder("<")).tobytes() for leaf in leaves)


def unpack_state(packed: bytes, like: Any) -> Any:
    """Return the state that was packed, given one of the same structure, shapes and types."""
    jax, _ = jax_modules()
    leaves, structure = jax.tree.flatten(like)
    found, start = [], 0
    for leaf in leaves:
        kind = np.dtype(leaf.dtype)
        end = start + math.prod(leaf.shape) * kind.itemsize
        held = np.frombuffer(packed[start:end], dtype=kind.newbyteorder("<"))
        found.append(held.astype(kind).reshape(leaf.shape))
        start = end
    if start != len(packed):
        raise ParameterError("state", len(packed), f"{start} bytes")
    return jax.tree.unflatten(structure, found)


def shape_like(parameters: Any, line: Any) -> Any:
    """Return a line of numbers as a tree of arrays like the parameters."""
    jax, _ = jax_modules()
    leaves, structure = jax.tree.flatten(parameters)
    found, start = [], 0
    for leaf in leaves:
        found.append(line[start : start + leaf.size].reshape(leaf.shape))
        start += leaf.size
    return jax.tree.unflatten(structure, found)
