"""Private learning: models of tables, from gradients and sums that are exact and noisy."""
