"""Reports on models: pages without scripts, of noisy numbers and public facts only."""
