"""The door: the one way to private rows. Operations are declared, charged, run at a metered desk, and recorded."""
