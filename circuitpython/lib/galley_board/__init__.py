"""Galley's board side: copied to each board as it is; the host imports the wire and the tables."""
