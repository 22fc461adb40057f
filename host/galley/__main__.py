"""`python -m galley` is the command `galley`."""

from galley.cli import main

main()
