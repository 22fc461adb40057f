"""Galley's board side: copied to each board as it is, and imported by the host for the wire and the tables."""
