"""Runs recorded: what mechanisms and desks were asked, what went in, what came out, and what a run ended with."""
