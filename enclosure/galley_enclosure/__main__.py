"""`python -m galley_enclosure`: the same as the command `galley-enclosure`."""

import sys

from galley_enclosure.cli import main

sys.exit(main())
