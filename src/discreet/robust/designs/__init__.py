"""How many people a study needs."""
