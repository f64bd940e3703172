"""The console: pages that the server writes, for analysts who ask and for owners who look after the data."""
