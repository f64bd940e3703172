"""The quality report of a release: public facts and simulations only."""
