"""The certified accountant: dominating pairs put on a grid, composed, and bracketed."""
