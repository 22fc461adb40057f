"""A board's `traceback`: an error goes to the console."""

import io
import sys


def print_exception(exc, value=None, tb=None) -> None:
    """Print an error and where it came from."""
    text = io.StringIO()
    sys.print_exception(exc, text)
    print(text.getvalue())
