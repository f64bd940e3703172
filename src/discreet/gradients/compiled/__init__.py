"""Gradients of any differentiable model as exact sums, compiled by JAX: needs `pip install 'discreet[learn]'`."""
