"""Floor 3: engines that run a bounded plan exactly, and return whole numbers."""
