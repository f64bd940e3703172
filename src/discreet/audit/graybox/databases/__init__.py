"""Databases to replay on: neighbours that are generated, people that are made up, curators that are thrown away."""
