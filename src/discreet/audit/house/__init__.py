"""The audit of the house: everything that is shipped, attacked by the tools of `audit` from outside."""
