"""JAX for a test, or the test is skipped with a word, or failed where everything is required."""

from __future__ import annotations

import importlib.util

from servers.missing import missing


def require_jax() -> None:
    """Go on only where JAX is installed."""
    if importlib.util.find_spec("jax") is None:
        missing("jax", "JAX is not installed: pip install 'discreet[learn]'")
