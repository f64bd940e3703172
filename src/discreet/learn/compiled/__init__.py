"""Gradient descent for any differentiable model, compiled by JAX: needs `pip install 'discreet[learn]'`."""
