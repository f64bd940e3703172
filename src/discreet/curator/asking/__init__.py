"""How questions are written and described before anything runs."""
