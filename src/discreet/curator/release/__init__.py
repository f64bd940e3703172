"""From exact aggregates to what may be shown: noise, noisy ranks, and the finish over released values."""
