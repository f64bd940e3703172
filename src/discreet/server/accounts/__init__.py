"""Who may come in: tokens, verifiers of passwords, roles."""
