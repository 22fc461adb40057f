"""Simulated boards: child processes that run the real firmware over stand-in hardware modules."""
