"""The house: presses, boards and time in; what box and pages show out. No I/O, no clock.

For: the way through an evening. Time comes in as `now_ms` (house time: milliseconds, never going back),
presses as (board, key), boards that come and go as a set. Out come a box view and the topics of the pages. It
must not know links, ports or browsers, nor the rules of any game. What may happen is in `evening`, which key
does it in `phases` and in the tables, a running game in `play`.

Whatever a key does now stands in one mapping, `jobs`: it lights the lamps, labels the keys on the pages and
answers a press.

A game pauses while a board that it needs is away, and while the operator's menu is open (MODE held for
3 s): presses are void, bots and the game's clock stand still, and it goes on from its state. Where nobody has
pressed a key for a while the box asks, counts down, and goes back to attract. Who does not press a key on her
turn for a minute, while others wait, is replaced by a bot until she comes back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol

from galley import tables
from galley.box_options import HOUSE
from galley.evening import Evening, HouseRules
from galley.phases import (
    ALL_KEYS,
    PHASES,
    HouseJob,
    nobodys_jobs,
    nobodys_prompts,
    operator_jobs,
    operator_prompts,
    return_jobs,
)
from galley.session import Session
from galley.tables.table import (
    BOARDS,
    MODE,
    BoxView,
    DeckStand,
    Hand,
    Job,
    Key,
    Prompt,
    Seat,
    lit,
)
from galley.timekeeper import Timed
from galley_engine.game import JSONObject

ASKING_MS: Final = 20_000
RESULT_HOLD_MS: Final = 1_500  # keys still hammered when the game ends must not skip its result
OPERATOR_HOLD_MS: Final = 3_000
OPERATOR_IDLE_MS: Final = 300_000
AWAITED_MS: Final = 60_000
SPOKEN_MS: Final = 120_000
"""How long a language holds that was chosen in attract, when nothing else is done."""
KEYS_OF: Final = {board: sum(b == board for b, _ in ALL_KEYS) for board in BOARDS}
"""How many keys for hands each board has; numbers above are sensors."""
DEMO_AFTER_MS: Final = 1_500
DEMO_RESULT_MS: Final = 10_000

__all__ = ["ALL_KEYS", "House", "HouseRules"]


class Works(Protocol):
    """A job of either kind."""

    @property
    def word(self) -> str:
        """For the catalogue."""

    @property
    def mode(self) -> int:
        """How the lamp shines."""


@dataclass(slots=True)
class House:
    """The house. Call `tick` at `due_ms` at the latest, then read `view` and `topics`."""

    rules: HouseRules = field(default_factory=HouseRules)
    hand: Hand | None = None
    evening: Evening = field(init=False)
    _live: frozenset[str] = frozenset()
    _void_until_ms: int = 0  # what was pressed in a pause is void, however late it comes
    _held_by: str | None = None  # why the box must not play on, as the disk
    _asking_since_ms: int | None = None
    _spoken_ms: int = 0  # when somebody chose a language last
    _mode_down: dict[str, int] = field(default_factory=dict)  # stations whose MODE is down, and since when
    _mode_up: dict[str, int] = field(default_factory=dict)  # when it was let go last
    _awaited: tuple[int, int] | None = None  # the seat all wait for, and since when it does nothing
    _jobs: Mapping[Key, Job | HouseJob] | None = None

    def __post_init__(self) -> None:
        self.evening = Evening(self.rules, self.hand)

    def give_hand(self, hand: Hand | None) -> None:
        """There is a simulated deck, and this hand over it."""
        self.hand = self.evening.hand = hand

    # -- what it is doing ---------------------------------------------------------------------------

    @property
    def phase(self) -> str:
        """A key of `phases.PHASES`."""
        return self.evening.phase

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Who sits at the table; in a demonstration its bots."""
        play = self.evening.play
        return self.evening.seats if play is None else play.seats

    @property
    def session(self) -> Session | None:
        """The game being played or just over; None in a demonstration."""
        return None if self.evening.play is None or self.evening.demo else self.evening.play.session

    @property
    def racing(self) -> bool:
        """Whether people play a game in which it matters who was first."""
        play = self.evening.play
        return play is not None and self.phase == "game" and bool(play.table.races)

    @property
    def needed(self) -> tuple[str, ...]:
        """The boards without which the game cannot go on from here; none outside a game."""
        play = self.evening.play
        return play.needed if play is not None and self.phase == "game" else ()

    @property
    def missing(self) -> tuple[str, ...]:
        """The boards that the running game needs and that do not answer."""
        return tuple(board for board in self.needed if board not in self._live)

    @property
    def gate_open(self) -> bool:
        """False while the game awaits its start signal."""
        play = self.evening.play
        return play is None or self.phase != "game" or play.gate_open

    # -- in: keys, boards, time -----------------------------------------------------------------------

    def press(self, board: str, key: int, now_ms: int, timed: Timed | None = None) -> None:
        """A key went down at `now_ms`, the time of the press itself. Keys without a job do nothing.

        `timed` is what the timekeeper knows of a press that raced.
        """
        evening = self.evening
        if key >= KEYS_OF[board]:
            self._sense((board, key), True, now_ms)
            return
        if key == MODE and self.phase == "game" and now_ms >= self._mode_up.get(board, now_ms):
            self._mode_down[board] = now_ms
        if now_ms < self._void_until_ms:
            return
        if self._is_there(now_ms):
            return
        place = (board, key)
        play = evening.play
        playing = play is not None and self.phase == "game" and not play.paused
        if play is not None and timed is not None and not evening.demo:
            play.witness(place, timed)
        if self._awaited is not None and play is not None and any(board == own for own, _ in play.jobs()):
            self._awaited = (self._awaited[0], evening.now_ms)  # a hand on the keys of the seat at play
        job = self._jobs_now().get(place)
        self._jobs = None
        if isinstance(job, HouseJob):
            job.deed()
        elif play is not None and playing and (job is None or not play.press(place, now_ms, timed)):
            play.edge(place, True, now_ms)
        self._settled()

    def release(self, board: str, key: int, now_ms: int) -> None:
        """A key went up."""
        if key >= KEYS_OF[board]:
            self._sense((board, key), False, now_ms)
        elif key == MODE:
            self._mode_down.pop(board, None)
            self._mode_up[board] = now_ms  # a press that waited for a race comes after its own end

    def reported(self, stand: DeckStand, now_ms: int) -> None:
        """How the deck's parts stand."""
        play = self.evening.play
        if play is not None and play.world is not None and not play.over:
            self.evening.now_ms = max(self.evening.now_ms, now_ms)
            play.world.reported(stand, self.evening.now_ms)

    def _sense(self, place: Key, down: bool, now_ms: int) -> None:
        """A sensor changed, which is nobody's hand: it keeps no table awake."""
        play = self.evening.play
        if play is not None and not play.paused and not play.over and now_ms >= self._void_until_ms:
            self.evening.now_ms = max(self.evening.now_ms, now_ms)
            play.edge(place, down, now_ms)
            self._settled()

    def hold(self, why: str | None, now_ms: int) -> None:
        """The box must not play on (`why` is for the pages), or may again."""
        if why != self._held_by:
            self.tick(now_ms)
            self._held_by = why
            self._settled()

    def boards_live(self, live: frozenset[str], now_ms: int) -> None:
        """These boards answer now; all others do not."""
        self.tick(now_ms)
        for board in set(self._mode_down) - live:
            del self._mode_down[board]
        self._live = live
        self._settled()

    def tick(self, now_ms: int) -> None:
        """Let time pass: bots act, moments end, an empty table goes back to attract."""
        evening = self.evening
        evening.now_ms = max(evening.now_ms, now_ms)
        if evening.play is not None:
            evening.play.tick(evening.now_ms)
        self._settled()
        if any(evening.now_ms - since_ms >= OPERATOR_HOLD_MS for since_ms in self._mode_down.values()):
            self._mode_down.clear()
            if self.phase == "game":
                evening.operator = True
                evening.touched_ms = evening.now_ms
        awaited_ms = self._awaited_ms()
        if awaited_ms is not None and evening.now_ms >= awaited_ms and self._awaited is not None:
            evening.replace_seat(self._awaited[0])
        self._demonstrate()
        self._ask()
        self._settled()

    def _demonstrate(self) -> None:
        evening = self.evening
        if self.phase == "attract" and evening.chosen and evening.now_ms >= self._spoken_ms + SPOKEN_MS:
            evening.chosen.clear()  # who only chose a language has gone
        demo_ms = self._demo_ms()
        if demo_ms is not None and evening.now_ms >= demo_ms:
            evening.begin_demo()
            evening.touched_ms = evening.now_ms

    def _demo_ms(self) -> int | None:
        """When the next demonstration begins, None while none is to."""
        evening = self.evening
        if self.phase != "attract" or not evening.rules.demo:
            return None
        if evening.play is None:
            return evening.touched_ms + DEMO_AFTER_MS
        return evening.ended_ms + DEMO_RESULT_MS if evening.play.over else None

    def _ask(self) -> None:
        """Two stages: ask whether anybody is there, then go."""
        evening = self.evening
        if self._asking_since_ms is not None:
            if evening.now_ms - self._asking_since_ms >= ASKING_MS:
                self._attract()
            return
        idle_ms = self._idle_ms()
        if idle_ms is not None and evening.now_ms - evening.touched_ms >= idle_ms:
            self._asking_since_ms = evening.now_ms

    def _attract(self) -> None:
        self._asking_since_ms = None
        self.evening.attract()
        self.evening.touched_ms = self.evening.now_ms

    def due_ms(self) -> int | None:
        """The house time at which `tick` must come, None if nothing is waited for."""
        evening = self.evening
        times: list[int | None] = [since_ms + OPERATOR_HOLD_MS for since_ms in self._mode_down.values()]
        if evening.play is not None:
            times.append(evening.play.due_ms())
        if self._asking_since_ms is not None:
            times.append(self._asking_since_ms + ASKING_MS)
        elif (idle_ms := self._idle_ms()) is not None:
            times.append(evening.touched_ms + idle_ms)
        if (demo_ms := self._demo_ms()) is not None:
            times.append(max(demo_ms, evening.now_ms + 1))
        times.append(self._awaited_ms())
        if self.phase == "attract" and evening.chosen:
            times.append(self._spoken_ms + SPOKEN_MS)
        if self.phase == "result" and self._result_held():
            times.append(evening.ended_ms + RESULT_HOLD_MS)
        return min((at for at in times if at is not None), default=None)

    def begin(self, seats: Sequence[Seat], now_ms: int) -> None:
        """Start the game with these seats at once. Raises BadOption, ValueError for seats that cannot be."""
        evening = self.evening
        game = evening.table.game
        if not game.min_seats <= len(seats) <= game.max_seats:
            raise ValueError(
                f"{len(seats)} seats: {game.name} is for {game.min_seats} to {game.max_seats} players"
            )
        if not evening.bots_can_play and any(seat.bot for seat in seats):
            raise ValueError(f"bots cannot play {game.name} on a real deck: seat people only")
        evening.now_ms = evening.touched_ms = max(evening.now_ms, now_ms)
        evening.seats = tuple(seats)
        evening.start()
        self._settled()

    def lift(self, dropping: int, now_ms: int) -> None:
        """Somebody lifts this dropping off the simulated deck: her hand is the grab."""
        play = self.evening.play
        if play is not None and self.phase == "game" and not play.paused and not self._is_there(now_ms):
            play.lift(dropping, now_ms)
            self._settled()

    def speak(self, language: str, now_ms: int) -> None:
        """Show this language until the table is empty."""
        self._is_there(now_ms)
        self._spoken_ms = self.evening.now_ms
        self.evening.speak(language)

    def speak_usually(self, language: str) -> None:
        """Show this language from now on, and whenever the table is empty."""
        self.rules = self.evening.rules = replace(self.rules, language=language)
        self.evening.chosen.pop((HOUSE, "language"), None)
        self._jobs = None

    def _is_there(self, now_ms: int) -> bool:
        """A hand of somebody. True if it answers the question whether anybody is there, and does no more."""
        evening = self.evening
        evening.now_ms = max(evening.now_ms, now_ms)
        evening.touched_ms = evening.now_ms
        asked, self._asking_since_ms = self._asking_since_ms is not None, None
        if asked:
            self._jobs = None
        return asked

    def races(self, board: str, key: int) -> bool:
        """Whether this key's press races, or would have in the position of the last race."""
        play = self.evening.play
        if play is None or play.paused or self.phase not in ("game", "result"):
            return False
        return play.races((board, key))

    def settle(self, places: Sequence[Key]) -> int:
        """Which of these keys goes first, when nobody can know which was pressed first."""
        play = self.evening.play
        return play.settle(places) if play is not None and self.phase == "game" else 0

    # -- out: what box and pages show -------------------------------------------------------------------

    def view(self) -> BoxView:
        """What every board shows now."""
        play = self.evening.play
        return lit(self._jobs_now()) if play is None else play.view(self._jobs_now())

    def topics(self) -> dict[str, object]:
        """The pages' topics that the house answers for: house, table and news."""
        return {"house": self._house_topic(), "table": self._table_topic(), "news": list(self.evening.news)}

    def _house_topic(self) -> JSONObject:
        evening = self.evening
        in_options = self.phase == "options"
        return {
            "phase": self.phase,
            "game": evening.game,
            "demo": evening.demo,
            "games": [self._game_entry(game) for game in evening.games],
            "options": self._option_entries() if in_options else [],
            "howto": evening.howto if self.phase == "howto" else None,
            "seats": [
                {"seat": number, "colour": seat.colour, "bot": seat.bot}
                for number, seat in enumerate(self.seats)
            ],
            "paused": self._paused_entry(),
            "asking": None if self._asking_since_ms is None else {"seconds": ASKING_MS // 1000},
            "prompts": [prompt.json() for prompt in self._prompts()],
            "keys": {} if self._table_has_keys() else self._key_words(),
            "scores": evening.scores.rows(),
            "muted": evening.muted,
        }

    def _game_entry(self, game: str) -> JSONObject:
        table = tables.load(game)
        return {"game": game, "seats": [table.game.min_seats, table.game.max_seats]}

    def _option_entries(self) -> list[JSONObject]:
        evening = self.evening
        return [
            {
                "key": option.key,
                "value": evening.value_of(option),
                "values": list(option.values),
                "chosen": number == evening.option,
            }
            for number, option in enumerate(evening.options)
        ]

    def _paused_entry(self) -> JSONObject | None:
        if self.evening.operator:
            play = self.evening.play
            undo = play is not None and play.can_undo
            return {"because": "operator", "boards": [], "muted": self.evening.muted, "can_undo": undo}
        if self._held_by is not None and self.phase == "game":
            return {"because": f"journal_{self._held_by}", "boards": []}
        missing = list(self.missing)
        return {"because": "boards_missing", "boards": missing} if missing else None

    def _table_has_keys(self) -> bool:
        return self.phase in ("game", "result") and not self.evening.operator

    def _table_topic(self) -> JSONObject | None:
        play = self.evening.play
        if play is None:
            return None
        return {**play.topic(), "keys": self._key_words() if self._table_has_keys() else {}}

    def _key_words(self) -> JSONObject:
        words: dict[str, dict[str, str]] = {}
        for (board, key), job in self._jobs_now().items():
            words.setdefault(board, {})[str(key)] = job.word
        return {board: dict(keys) for board, keys in words.items()}

    def _prompts(self) -> list[Prompt]:
        evening = self.evening
        if self._asking_since_ms is not None:
            return [Prompt("anybody_there")]
        if evening.operator:
            return operator_prompts(evening)
        if self.phase == "game" and evening.play is not None:
            return nobodys_prompts() if self._is_nobodys() else evening.play.prompts()
        if self.phase == "result" and self._result_held():
            return []
        return PHASES[self.phase].prompts(evening)

    def _jobs_now(self) -> Mapping[Key, Job | HouseJob]:
        """What each key does; worked out once between two inputs, for press, lamps and labels alike."""
        if self._jobs is None:
            self._jobs = self._find_jobs()
        return self._jobs

    def _find_jobs(self) -> Mapping[Key, Job | HouseJob]:
        evening, play = self.evening, self.evening.play
        if evening.operator:
            return operator_jobs(evening, self._resume)
        if self.phase == "result" and self._result_held():
            return {}
        if self.phase != "game" or play is None:
            return PHASES[self.phase].jobs(evening)
        if self.missing or self._held_by is not None:
            return {}
        if self._is_nobodys():
            return nobodys_jobs(evening)
        return {**return_jobs(evening), **play.jobs()}

    # -- inside -----------------------------------------------------------------------------------------

    def _settled(self) -> None:
        """After whatever happened: notice an end, pause or go on, see who is awaited."""
        evening, play = self.evening, self.evening.play
        self._jobs = None
        if play is not None and play.over:
            if self.phase == "game":
                evening.decided()
                evening.touched_ms = evening.now_ms
            elif evening.demo and evening.ended_ms < play.session.started_ms:
                evening.ended_ms = evening.now_ms
        if play is None or self.phase != "game":
            evening.operator = False
            self._mode_down.clear()
        elif evening.operator or self.missing or self._held_by is not None:
            play.pause(evening.now_ms)
        elif play.paused:
            lost_ms = play.resume(evening.now_ms)
            evening.touched_ms = min(evening.touched_ms + lost_ms, evening.now_ms)
            self._void_until_ms = evening.now_ms
        self._see_awaited()

    def _see_awaited(self) -> None:
        play = self.evening.play
        seat = play.awaited if play is not None and self.phase == "game" and not play.paused else None
        others = sum(s.bot is None for s in self.seats) > 1
        if seat is None or not others or not self.evening.bots_can_play:
            self._awaited = None
        elif self._awaited is None or self._awaited[0] != seat:
            self._awaited = (seat, self.evening.now_ms)

    def _awaited_ms(self) -> int | None:
        if self._awaited is None:
            return None
        return self._awaited[1] + AWAITED_MS

    def _resume(self) -> None:
        self.evening.operator = False

    def _idle_ms(self) -> int | None:
        if self.evening.operator:
            return OPERATOR_IDLE_MS
        if self.missing or self._held_by is not None or (self.phase == "game" and not self.evening.people()):
            return None
        return PHASES[self.phase].idle_ms

    def _is_nobodys(self) -> bool:
        return not self.evening.people() and not self.evening.left

    def _result_held(self) -> bool:
        return self.evening.now_ms - self.evening.ended_ms < RESULT_HOLD_MS

    # -- what outlives the host ---------------------------------------------------------------------------

    def saved(self) -> dict[str, Any]:
        """What the box must know to come back as it was, beside the game's own record; JSON."""
        return self.evening.saved()

    def restore(self, saved: object, session: Session | None, now_ms: int) -> None:
        """Come back as `saved` says, with the game of `session` where one was on."""
        self.evening.now_ms = self.evening.touched_ms = max(self.evening.now_ms, now_ms)
        self.evening.restore(saved, session)
        self._settled()
