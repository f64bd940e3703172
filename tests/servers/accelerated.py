"""JAX for a test, or the test is skipped with a word, or failed where everything is required."""

from __future__ import annotations

import importlib.util
import os

import pytest

from servers.missing import missing


def require_jax() -> None:
    """Go on only where JAX is installed, and tests of it run by themselves: it starts threads, and other tests fork."""
    if os.environ.get("DISCREET_JAX") != "1":
        pytest.skip("JAX starts threads, and other tests fork: set DISCREET_JAX=1 to run these by themselves")
    if importlib.util.find_spec("jax") is None:
        missing("jax", "JAX is not installed: pip install 'discreet[learn]'")
