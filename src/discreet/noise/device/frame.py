"""JAX, loaded when first used, with 64-bit numbers by context and never by its global flag."""

from __future__ import annotations

import importlib
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any

from discreet.base.errors import ParameterError


@lru_cache(maxsize=1)
def jax_modules() -> tuple[Any, Any]:
    """Return jax and jax.numpy, or say how to get them."""
    try:
        return importlib.import_module("jax"), importlib.import_module("jax.numpy")
    except ImportError as trouble:
        raise ParameterError("jax", "not installed", "JAX: pip install 'discreet[learn]'") from trouble


def wide() -> AbstractContextManager[None]:
    """Return a context in which arrays may hold numbers of 64 bits."""
    found: AbstractContextManager[None] = jax_modules()[0].enable_x64(True)
    return found


def narrow() -> AbstractContextManager[None]:
    """Return a context in which new arrays hold numbers of 32 bits, as models are written for."""
    found: AbstractContextManager[None] = jax_modules()[0].enable_x64(False)
    return found
