"""How far the truth may lie from what a model says: intervals from readings and the exact laws of their noise."""
