"""`python -m galley_enclosure`, which is the command `galley-enclosure`: says what is missing, if so."""

import sys


def main() -> int:
    """Run one command; returns the exit status."""
    try:
        from galley_enclosure.cli import main as run
    except ModuleNotFoundError as error:
        missing = error.name
        sys.stderr.write(f"galley-enclosure: {missing} is missing: .venv/bin/pip install -e '.[cut]'\n")
        return 1
    return run()


if __name__ == "__main__":
    sys.exit(main())
