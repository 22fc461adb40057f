"""The rules of Galley's games, pure.

State x Action -> State: no clock, no input or output, no hidden randomness. Times are passed in, chance
outcomes are part of the accepted action, so a record replays without a single random number.

    game       what every game is: states, actions, refusals, events, and the protocol that joins them
    given      checks of what people give (options, setups) with errors that name the key
    dice       the one seeded source of chance
    games      the games by name
    scenario   referee cases: JSON files that play a game and check it along the way
    bots       what a seat would do now, in four strengths

Needs the standard library only, and knows nothing of boards, pages or time of day.
"""
