"""The rules of Galley's games, pure.

State x Action -> State: no clock, no input or output, no hidden randomness. Times are passed in, chance
outcomes are part of the accepted action, so a record replays without a single random number.

    game        what every game is: states, actions, refusals, events, and the protocol that joins them
    actions     what an action's fields may hold; actions made once for all
    given       checks of what people give (options, setups) with errors that name the key
    dice        the one seeded source of chance
    games       the games by name
    record      a game as a file: written step by step, read back without a die
    simulate    games of bots, many of them
    check_game  what every game must hold to
    scenario    referee cases: JSON files that play a game and check it along the way
    odds        how likely something is, exactly, and what to do for it
    bots        what a seat would do now, in four strengths

Needs the standard library only, and knows nothing of boards, pages or time of day.
"""

from typing import Final

VERSION: Final = "0.1.0"
"""The version of the rules, which is that of Galley; a record made by a newer one is not read."""
