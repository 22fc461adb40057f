"""The evening: who sits where, which game is on, what was set, and the deeds that change it.

For: the state of the house between presses. Each deed is one thing that a person may do (sit down, take a
game, start, end it). It must not know which key does what (`phases`), nor when an empty table is given up
(`house`), nor any rule.

    attract --> choose --> join --> howto --> game --> result --> join or choose
       ^          | options                                          |
       '----------+--------- back, or nobody there for a while -----'

In attract the box plays by itself: bots at one game after the other, nobody's game.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Final

from galley import box_options, tables
from galley.box_options import BoxOption, Value
from galley.deck_physics import physics
from galley.play import Play
from galley.scoreboard import Scoreboard
from galley.session import Session
from galley.tables import GAMES
from galley.tables.table import SEAT_COLOURS, Hand, Seat, Table
from galley_engine.game import SEAT_PARAMETERS, BadOption, Event, JSONObject

HOWTO_PICTURES: Final = 3
NEWS_KEPT: Final = 8
NOT_NEWS: Final = frozenset({"rolled", "kept", "freed"})
DEMO_SEATS: Final = (Seat("red", "good"), Seat("blue", "good"))


@dataclass(frozen=True, slots=True)
class HouseRules:
    """What whoever starts the box decides.

    `game` is the only one to be played, None for all; `options` are that game's (the duel's without one).
    `physics` are numbers of the poop deck's world, as how fast its eye turns.
    `howto` shows the pictures before a game, `demo` lets bots play while nobody is there.
    """

    game: str | None = None
    options: Mapping[str, object] = field(default_factory=dict)
    physics: Mapping[str, object] = field(default_factory=dict)
    bot: str = "good"
    seed: int | None = None
    bot_speed: float = 1.0
    howto: bool = True
    demo: bool = True
    language: str = "en"


@dataclass(slots=True)
class Evening:
    """The state of the house. `now_ms` is set by whoever calls a deed. Raises BadOption for wrong options."""

    rules: HouseRules = field(default_factory=HouseRules)
    hand: Hand | None = None
    phase: str = "attract"
    game: str = GAMES[0]
    seats: tuple[Seat, ...] = ()
    play: Play | None = None
    option: int = 0
    howto: int = 0
    operator: bool = False
    left: frozenset[int] = frozenset()  # seats whose people went away and may come back
    muted: bool = False
    chosen: dict[tuple[str, str], Value] = field(default_factory=dict)
    scores: Scoreboard = field(default_factory=Scoreboard)
    now_ms: int = 0
    touched_ms: int = 0
    ended_ms: int = 0
    news: deque[JSONObject] = field(default_factory=lambda: deque(maxlen=NEWS_KEPT))
    news_number: int = 0  # of the last one
    taught: str = ""  # the game whose pictures these people have seen
    _shown: int = -1
    _players: tuple[Seat, ...] = ()  # whom the news are about
    _seeds: Random = field(init=False)

    def __post_init__(self) -> None:
        self.game = self.rules.game or GAMES[0]
        self.table.game.options(self.rules.options)
        physics(self.rules.physics)
        self._seeds = Random(self.rules.seed)

    # -- what there is ------------------------------------------------------------------------------

    @property
    def table(self) -> Table:
        """How the chosen game sits on the box."""
        return tables.load(self.game)

    @property
    def games(self) -> tuple[str, ...]:
        """The games that can be chosen, in the order of their keys."""
        return GAMES if self.rules.game is None else (self.rules.game,)

    @property
    def language(self) -> str:
        """The language in force."""
        return str(self.chosen.get((box_options.HOUSE, "language"), self.rules.language))

    @property
    def bot(self) -> str:
        """The strength of a bot that sits down now."""
        return str(self.chosen.get((box_options.HOUSE, "bot"), self.rules.bot))

    @property
    def options(self) -> tuple[BoxOption, ...]:
        """What can be set now."""
        return box_options.options_for(self.game)

    def value_of(self, option: BoxOption) -> Value:
        """What is set."""
        usual = {"language": self.rules.language, "bot": self.rules.bot}.get(option.key, option.usual)
        return self.chosen.get(box_options.place_of(self.game, option), usual)

    @property
    def demo(self) -> bool:
        """Whether what is played is the box's own demonstration."""
        return self.phase == "attract" and self.play is not None

    @property
    def bots_can_play(self) -> bool:
        """Whether bots can play the chosen game here: some need a hand on a deck."""
        return self._bots_can_play(self.table)

    @property
    def may_add_bot(self) -> bool:
        """Whether there is a seat for one more bot."""
        return self.bots_can_play and len(self.seats) < self.table.game.max_seats

    @property
    def may_start(self) -> bool:
        """Whether there are enough players, or bots can fill up, for the rules as they are set."""
        wanted = 1 if self.bots_can_play else self.table.game.min_seats
        return len(self.seats) >= wanted and self.rules_fit

    @property
    def rules_fit(self) -> bool:
        """Whether the rules as they are set can be played by so many; some depend on their number."""
        game = self.table.game
        seats = max(len(self.seats), game.min_seats)
        try:
            game.start(seats, game.options(self._options()), None)
            physics(self._world())
        except BadOption:
            return False
        return True

    def people(self) -> bool:
        """Whether any seat of the running game is a person's."""
        return self.play is not None and any(seat.bot is None for seat in self.play.seats)

    # -- deeds ----------------------------------------------------------------------------------------

    def attract(self) -> None:
        """Nobody is there: forget who was, and what they had set."""
        self.phase, self.seats, self.play = "attract", (), None
        self.operator, self.taught = False, ""
        self.chosen.clear()
        self.news.clear()
        self.game = self.rules.game or GAMES[0]

    def wake(self, colour: str | None = None) -> None:
        """Somebody has come; `colour` if it was a seat's key."""
        self.play = None
        self.seats = ()
        if colour is not None:
            self.sit(colour)
        self.choose()

    def choose(self) -> None:
        """Which game shall it be? With one game there is nothing to choose."""
        self.play = None
        self.news.clear()
        self.taught = ""
        if len(self.games) == 1:
            self.join()
        else:
            self.phase = "choose"

    def next_game(self) -> None:
        """The next one of the games."""
        self.game = self.games[(self.games.index(self.game) + 1) % len(self.games)]

    def take(self, game: str) -> None:
        """This game."""
        self.game = game
        self.join()

    def set_up(self) -> None:
        """To the options."""
        self.phase, self.option = "options", 0

    def next_option(self) -> None:
        """The next of the options."""
        self.option = (self.option + 1) % len(self.options)

    def set_option(self, value: Value) -> None:
        """Give the option that is shown this value."""
        self.chosen[box_options.place_of(self.game, self.options[self.option])] = value

    def speak(self, language: str) -> None:
        """Change the language until the table is empty."""
        self.chosen[box_options.HOUSE, "language"] = language

    def join(self) -> None:
        """Who plays?"""
        self.play = None
        self.news.clear()
        self.phase = "join"
        self.seats = self.seats[: self.table.game.max_seats]
        if not self.bots_can_play:
            self.seats = tuple(seat for seat in self.seats if seat.bot is None)

    def sit(self, colour: str) -> None:
        """Join with this colour, leave, or take the place of a bot."""
        taken = {seat.colour: seat for seat in self.seats}
        if colour not in taken:
            self.seats = (*self.seats, Seat(colour))
        elif taken[colour].bot:
            self.seats = tuple(replace(s, bot=None) if s.colour == colour else s for s in self.seats)
        else:
            self.seats = tuple(seat for seat in self.seats if seat.colour != colour)

    def add_bot(self) -> None:
        """A bot joins with the first free colour."""
        taken = {seat.colour for seat in self.seats}
        free = next(colour for colour in SEAT_COLOURS if colour not in taken)
        self.seats = (*self.seats, Seat(free, self.bot))

    def ready(self) -> None:
        """All are there: show how it is played, unless these people have just seen it."""
        if self.rules.howto and self.taught != self.game:
            self.phase, self.howto = "howto", 0
        else:
            self.start()

    def next_picture(self) -> None:
        """The next picture; after the last one the game."""
        if self.howto + 1 < HOWTO_PICTURES:
            self.howto += 1
        else:
            self.start()

    def start(self) -> None:
        """Deal, with bots on the seats that are missing."""
        while len(self.seats) < self.table.game.min_seats:
            self.add_bot()
        self.taught = self.game
        self._deal(self.seats, self._options())
        self.phase = "game"

    def end(self) -> None:
        """The operator ends the game: back to who plays."""
        self.operator = False
        self.join()
        self.tell([Event("game_ended_by_operator", {})])

    def decided(self) -> None:
        """The game is over."""
        play = self.play
        if play is None:
            return
        self.phase, self.ended_ms, self.operator = "result", self.now_ms, False
        winners = play.table.game.full(play.session.state)["winners"]
        if isinstance(winners, list) and any(seat.bot is None for seat in play.seats):
            self.scores.count(self.game, [play.seats[seat].colour for seat in winners])

    def begin_demo(self) -> None:
        """The box plays by itself, the next game each time."""
        playable = [game for game in self.games if self._bots_can_play(tables.load(game))]
        if playable and self.rules.demo:
            self._shown = (self._shown + 1) % len(playable)
            self.game = playable[self._shown]
            self._deal(DEMO_SEATS, {})

    def _bots_can_play(self, table: Table) -> bool:
        return self.hand is not None or not table.bots_need_hand

    def _options(self) -> Mapping[str, object]:
        """The options of the game: those of whoever started the box, and those that were set on it."""
        started = self.rules.options if self.game == (self.rules.game or GAMES[0]) else {}
        return {**started, **box_options.given(self.game, self.chosen, "rules")}

    def _world(self) -> Mapping[str, object]:
        """The numbers of its world, in the same way."""
        return {**self.rules.physics, **box_options.given(self.game, self.chosen, "world")}

    def _deal(self, seats: Sequence[Seat], options: Mapping[str, object]) -> None:
        seed = self._seeds.getrandbits(32)
        session = Session.start(self.table.game, len(seats), options, seed, self.now_ms)
        self.news.clear()
        self.take_up(session, seats)

    def take_up(self, session: Session, seats: Sequence[Seat]) -> None:
        """Play on with this session, whether just dealt or as the journal had it."""
        self._players = tuple(seats)
        self.left = frozenset()
        self.play = Play.begin(
            self.table,
            seats,
            session,
            self.now_ms,
            self.tell,
            hand=self.hand,
            settings=self._world(),
            speed=self.rules.bot_speed,
        )

    def replace_seat(self, seat: int) -> None:
        """A bot for a person who has left, or the person again."""
        play = self.play
        if play is None:
            return
        was = play.seats[seat]
        bot = self.bot if was.bot is None else None
        if bot is not None and not self.bots_can_play:
            return
        play.replace(seat, bot, self.now_ms)
        self.seats = play.seats
        self.left = self.left - {seat} if bot is None else self.left | {seat}
        event = "seat_replaced" if bot is not None else "seat_returned"
        self.tell([Event(event, {"by": seat, **({} if bot is None else {"bot": bot})})])

    def undo(self) -> None:
        """Take the last step of the game back."""
        if self.play is not None and self.play.undo(self.now_ms):
            self.tell([Event("step_undone", {})])

    def mute(self) -> None:
        """Sound off, or on again."""
        self.muted = not self.muted

    # -- news -----------------------------------------------------------------------------------------

    def tell(self, events: Sequence[Event]) -> None:
        """Put events among the news, seats as their colours."""
        for event in events:
            if event.kind in NOT_NEWS:
                continue
            self.news_number += 1
            params = {
                name: self._players[value].colour
                if isinstance(value, int) and name in SEAT_PARAMETERS
                else value
                for name, value in event.data.items()
            }
            self.news.append({"n": self.news_number, "key": event.kind, "params": params})
