"""Exact integer draws made on an accelerator: needs JAX (`pip install 'discreet[learn]'`), loaded when first used."""
