"""Linear families of questions about finite domains: marginals, parities, ranges and what people write themselves."""
