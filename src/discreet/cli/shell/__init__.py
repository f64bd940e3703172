"""The shell: questions and commands line by line, for terminals and notebooks."""
