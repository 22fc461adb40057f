"""The words of a deck's report: what its eye, its drum and its reader are doing, as numbers on the wire.

For: the firmware reports the numbers (frame D), the host and the pages read the words. It must not know how
a state comes about. A number is a place in its tuple and stays what it is.
"""

EYE_STILL = 0
EYE_TURNING = 1
EYE_GOING = 2  # to an angle, and stops there
EYE_WAITING = 3  # for the drum: the current is enough for one of them
EYE_STALLED = 4  # driven, and did not come home in time
EYE_DRIVER = 5  # its driver reported too much current or heat
EYE_GUARDED = 6  # the guard is open
EYE_MISSING = 7
EYE = ("still", "turning", "going", "waiting", "stalled", "driver", "guarded", "missing")

DRUM_STILL = 0
DRUM_TURNING = 1
DRUM_HOMING = 2
DRUM_WAITING = 3  # for the eye to stand still, or for the guard to be closed
DRUM_NO_HOME = 4  # it turned once and more and never saw its home; nothing moves until it is sent home
DRUM_LOOSE = 5  # this deck has a loose die
DRUM_MISSING = 6
DRUM = ("still", "turning", "homing", "waiting", "no_home", "loose", "missing")

READER_EMPTY = 0
READER_UNSURE = 5
READER_UNTAUGHT = 6  # it has not been shown all colours yet
READER_MISSING = 7
READER = ("empty", "red", "green", "blue", "yellow", "unsure", "untaught", "missing")

# What a `w` frame teaches the reader about the thing in its well; 0 forgets all.
WELL_FORGET = 0
WELL_EMPTY = 5
WELL = ("forget", "red", "green", "blue", "yellow", "empty")

# bits of the flags
GUARD_OPEN = 1
TAUGHT_SHIFT = 1  # five bits: red, green, blue, yellow, empty
IGNORED_SHIFT = 6  # four bits: the beams of holes 1-4 that were blocked at the start
SLIPPED = 1024  # the drum was found away from where it was thought, and has been set right
