"""HTTP: the server's first door, for programs and for the console."""
