"""From noisy counts to whole numbers: level by level, in several processes, and again where a run was stopped."""
