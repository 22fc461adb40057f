"""The host of the Galley game box: rules in, light out. See `galley.cli` for the way in."""

__version__ = "0.1.0"
