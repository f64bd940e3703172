"""The server: the only door for people one does not trust. It holds no privacy logic."""
