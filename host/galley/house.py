"""The house: who sits at the table, which game runs, and what box and pages show. No I/O, no clock.

For: the way through an evening: attract, join, game, result, and round again. Time comes in as `now_ms`
(house time: milliseconds, never going back), presses as (board, key), boards that come and go as a set.
Out come a box view and the topics of the pages. It must not know links, ports or browsers, nor the rules
of any game: those are behind a `Table`.

    attract --any key--> join --BELL--> game --over--> result --any key--> join
       ^----- YUCK, or nobody for a while -----'          '-- a while --> attract

Each phase has one row in `_PHASES`: which keys do what. As in the tables, that one mapping lights the
lamps, labels the keys on the pages and answers a press.

While a board that the game needs is away, the game is paused: presses are void, bots and the game's clock
stand still. It goes on from its state when the board is back.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from random import Random
from typing import Final

from galley import tables
from galley.contest import Raced, judged
from galley.pace import Bots
from galley.session import Session
from galley.tables.table import (
    BELL,
    BOARDS,
    MODE,
    SEAT_COLOURS,
    STATIONS,
    YUCK,
    BoardView,
    BoxView,
    Choice,
    Job,
    Key,
    Prompt,
    Seat,
    Table,
    lit,
    seat_key,
)
from galley.timekeeper import Timed
from galley_board import glyphs, pins
from galley_engine.game import SEAT_PARAMETERS, Event, JSONObject, Refusal

JOIN_IDLE_MS: Final = 120_000
GAME_IDLE_MS: Final = 300_000
RESULT_IDLE_MS: Final = 90_000
RESULT_HOLD_MS: Final = 1_500  # keys still hammered when the game ends must not skip its result
NEWS_KEPT: Final = 8
NOT_NEWS: Final = frozenset({"rolled", "kept", "freed"})

ALL_KEYS: Final[tuple[Key, ...]] = tuple(
    (board, key) for board in BOARDS for key in range(len(pins.KEYS[pins.BOARD_OF_ROLE[board]]))
)


@dataclass(frozen=True, slots=True)
class HouseRules:
    """What whoever starts the box decides: game, options, bots' strength and speed, the seed of chance."""

    game: str = "sushi_duel"
    options: Mapping[str, object] = field(default_factory=dict)
    bot: str = "good"
    seed: int | None = None
    bot_speed: float = 1.0


@dataclass(frozen=True, slots=True)
class HouseJob:
    """What a key does outside a game: a word for the catalogue, and the deed."""

    word: str
    deed: Callable[[], None]
    mode: int = glyphs.STEADY


@dataclass(frozen=True, slots=True)
class _Moment:
    """Dice of one board that show something else than the state until `until_ms`."""

    dice: Mapping[int, int]
    until_ms: int


@dataclass(slots=True)
class House:
    """The state of the evening. Call `tick` at `due_ms` at the latest, then read `view` and `topics`."""

    rules: HouseRules = field(default_factory=HouseRules)
    phase: str = "attract"
    seats: tuple[Seat, ...] = ()
    session: Session | None = None
    _table: Table = field(init=False)
    _bots: Bots | None = None
    _choice: Choice = field(default_factory=dict)
    _last_race: Raced | None = None
    _live: frozenset[str] = frozenset()
    _paused_since_ms: int | None = None
    _void_until_ms: int = (
        0  # the end of the last pause: what was pressed in it is void, however late it comes
    )
    _touched_ms: int = 0
    _ended_ms: int = 0
    _now_ms: int = 0
    _jobs: Mapping[Key, Job | HouseJob] | None = None
    _flourishes: dict[str, _Moment] = field(default_factory=dict)
    _news: deque[JSONObject] = field(default_factory=lambda: deque(maxlen=NEWS_KEPT))
    _news_number: int = 0
    _seeds: Random = field(init=False)

    def __post_init__(self) -> None:
        self._table = tables.load(self.rules.game)
        self._table.game.options(self.rules.options)
        self._seeds = Random(self.rules.seed)

    # -- in: keys, boards, time -----------------------------------------------------------------

    def press(self, board: str, key: int, now_ms: int, timed: Timed | None = None) -> None:
        """A key went down at `now_ms`, the time of the press itself. Keys without a job do nothing.

        `timed` is what the timekeeper knows of a press that raced.
        """
        if self.missing or now_ms < self._void_until_ms:
            return
        self._now_ms = max(self._now_ms, now_ms)
        self._touched_ms = self._now_ms
        if timed is not None and self._last_race is not None:
            # may be news, whatever else the key does now
            self._contest(self._last_race, (board, key), timed)
        jobs = self._jobs_now()
        job = jobs.get((board, key))
        if job is not None:
            self._jobs = None
            if isinstance(job, HouseJob):
                job.deed()
            elif job.action is not None:
                before = self.session.state if self.session is not None else None
                if self._do(job.action, now_ms) and timed is not None and self.session is not None:
                    self._last_race = Raced(timed, job.action, len(self.session.steps), before, jobs)
            else:
                self._choice = job.choice or {}

    def _contest(self, first: Raced, place: Key, second: Timed) -> None:
        contest = judged(self._table, first, place, second)
        if contest is not None and self.session is not None:
            self._last_race = None
            self.session.verdicts[first.step] = contest.verdict
            self._tell([contest.news])

    def races(self, board: str, key: int) -> bool:
        """Whether this key's press races, or would have in the position of the last race.

        The second of two bells rings when the first has ended the duel; how close it was is worth telling.
        """
        if self._is_race(self._jobs_now().get((board, key))):
            return True
        last = self._last_race
        return last is not None and self._is_race(last.rival((board, key)))

    def _is_race(self, job: Job | HouseJob | None) -> bool:
        return isinstance(job, Job) and job.action is not None and job.action["do"] in self._table.races

    def settle(self, places: Sequence[Key]) -> int:
        """Which of these keys goes first, when nobody can know which was pressed first."""
        actions: list[JSONObject] = []
        for number, place in enumerate(places):
            job = self._jobs_now().get(place)
            if not isinstance(job, Job) or job.action is None:
                return number  # it does nothing now, so it takes nothing from the others
            actions.append(job.action)
        return self._table.first(self.session.state, actions) if self.session is not None else 0

    @property
    def gate_open(self) -> bool:
        """False while the game awaits its start signal."""
        return self.session is None or self.phase != "game" or self._table.gate_open(self.session.state)

    def boards_live(self, live: frozenset[str], now_ms: int) -> None:
        """These boards answer now; all others do not."""
        self.tick(now_ms)
        self._live = live
        self._jobs = None
        self._pause_or_resume()

    def tick(self, now_ms: int) -> None:
        """Let time pass: bots act, moments end, an empty table goes back to attract."""
        self._now_ms = max(self._now_ms, now_ms)
        self._jobs = None
        self._flourishes = {b: m for b, m in self._flourishes.items() if m.until_ms > self._now_ms}
        if self.phase == "game" and not self.missing and self._bots is not None and self.session is not None:
            # bounded: a bot that the rules refuse for ever must not hold the loop
            for _ in range(len(self.seats)):
                action = self._bots.act(self.session.state, self._now_ms)
                if action is None:
                    break
                self._do(action, self._now_ms)
                if self.phase != "game":
                    return
            else:
                self._bots.look(self.session.state, self._now_ms)
        idle_ms = self._idle_ms()
        if idle_ms is not None and self._now_ms - self._touched_ms >= idle_ms:
            self._attract()

    def due_ms(self) -> int | None:
        """The house time at which `tick` must come, None if nothing is waited for."""
        times = [moment.until_ms for moment in self._flourishes.values()]
        if self.phase == "game" and not self.missing and self._bots is not None:
            bot_ms = self._bots.due_ms()
            if bot_ms is not None:
                times.append(bot_ms)
        idle_ms = self._idle_ms()
        if idle_ms is not None:
            times.append(self._touched_ms + idle_ms)
        if self.phase == "result" and self._held():
            times.append(self._ended_ms + RESULT_HOLD_MS)
        return min(times, default=None)

    def begin(self, seats: Sequence[Seat], now_ms: int) -> None:
        """Start the game with these seats at once. Raises BadOption, or ValueError for a wrong number."""
        game = self._table.game
        if not game.min_seats <= len(seats) <= game.max_seats:
            raise ValueError(
                f"{len(seats)} seats: {game.name} is for {game.min_seats} to {game.max_seats} players"
            )
        self._now_ms = self._touched_ms = max(self._now_ms, now_ms)
        self._jobs = None
        self.seats = tuple(seats)
        seed = self._seeds.getrandbits(32)
        self.session = Session.start(game, len(seats), self.rules.options, seed, self._now_ms)
        self._bots = Bots(game.name, self.seats, seed ^ 1, self.rules.bot_speed)
        self._choice = {}
        self._last_race = None
        self._news.clear()
        self.phase = "game"
        forced = self._table.forced(self.session.state)
        if forced is not None:
            self._do(forced, self._now_ms)
        self._bots.look(self.session.state, self._now_ms)
        self._paused_since_ms = None
        self._pause_or_resume()

    # -- out: what box and pages show -------------------------------------------------------------

    @property
    def needed(self) -> tuple[str, ...]:
        """The boards without which the game cannot go on from here; none outside a game."""
        if self.session is None or self.phase != "game":
            return ()
        return self._table.boards(self.session.state)

    @property
    def missing(self) -> tuple[str, ...]:
        """The boards that the running game needs and that do not answer."""
        return tuple(board for board in self.needed if board not in self._live)

    def view(self) -> BoxView:
        """What every board shows now."""
        if self.session is None or self.phase not in ("game", "result"):
            return lit(self._jobs_now())
        view = self._table.view(self.session.state, self._jobs_now())
        return {board: self._flourished(board, shown) for board, shown in view.items()}

    def topics(self) -> dict[str, object]:
        """The pages' topics that the house answers for: house, table and news."""
        return {"house": self._house_topic(), "table": self._table_topic(), "news": list(self._news)}

    def _flourished(self, board: str, shown: BoardView) -> BoardView:
        moment = self._flourishes.get(board)
        if moment is None:
            return shown
        return shown._replace(dice=tuple(moment.dice.get(die, code) for die, code in enumerate(shown.dice)))

    def _house_topic(self) -> JSONObject:
        missing = list(self.missing)
        return {
            "phase": self.phase,
            "game": self.rules.game,
            "seats": [
                {"seat": number, "colour": seat.colour, "bot": seat.bot}
                for number, seat in enumerate(self.seats)
            ],
            "paused": {"because": "boards_missing", "boards": missing} if missing else None,
            "prompts": [prompt.json() for prompt in self._prompts()],
            "keys": self._key_words() if self.phase != "game" else {},
        }

    def _table_topic(self) -> JSONObject | None:
        if self.session is None or self.phase not in ("game", "result"):
            return None
        state = self.session.state
        return {
            "state": self._table.game.public(state),
            **self._table.page(state),
            "keys": self._key_words(),
        }

    def _key_words(self) -> JSONObject:
        words: dict[str, dict[str, str]] = {}
        for (board, key), job in self._jobs_now().items():
            words.setdefault(board, {})[str(key)] = job.word
        return {board: dict(keys) for board, keys in words.items()}

    def _prompts(self) -> list[Prompt]:
        if self.phase == "game" and self.session is not None:
            return self._table.prompts(self.session.state, self.seats, self._choice)
        return _PHASES[self.phase].prompts(self)

    def _jobs_now(self) -> Mapping[Key, Job | HouseJob]:
        """What each key does; worked out once between two inputs, for press, lamps and labels alike."""
        if self._jobs is None:
            self._jobs = self._game_jobs() if self.phase == "game" else _PHASES[self.phase].jobs(self)
        return self._jobs

    # -- the game ---------------------------------------------------------------------------------

    def _game_jobs(self) -> Mapping[Key, Job | HouseJob]:
        if self.session is None or self.missing:
            return {}
        if all(seat.bot for seat in self.seats):  # nobody's game: whoever comes may end it
            return {key: HouseJob("go_on", self._join) for key in ALL_KEYS}
        return self._table.jobs(self.session.state, self.seats, self._choice)

    def _do(self, action: JSONObject, now_ms: int) -> bool:
        """Take an action; True when the rules accepted it."""
        session = self.session
        if session is None:
            return False
        before = session.state
        step = session.do(action, now_ms)
        if not isinstance(step, Refusal):
            self._choice = {}
            self._tell(step.events)
            flourish = self._table.flourish(before, step.events)
            if flourish is not None:
                until_ms = self._now_ms + flourish.ms
                self._flourishes |= {board: _Moment(dice, until_ms) for board, dice in flourish.dice.items()}
        if self._bots is not None:
            self._bots.look(session.state, self._now_ms)
        if session.state.phase == "over":
            self.phase = "result"
            self._bots = None
            self._touched_ms = self._ended_ms = self._now_ms
        self._pause_or_resume()  # the next phase may need other boards
        return not isinstance(step, Refusal)

    def _tell(self, events: Sequence[Event]) -> None:
        for event in events:
            if event.kind in NOT_NEWS:
                continue
            self._news_number += 1
            params = {
                name: self.seats[value].colour
                if isinstance(value, int) and name in SEAT_PARAMETERS
                else value
                for name, value in event.data.items()
            }
            self._news.append({"n": self._news_number, "key": event.kind, "params": params})

    def _pause_or_resume(self) -> None:
        if self.session is None or self.phase != "game":
            self._paused_since_ms = None
        elif self.missing and self._paused_since_ms is None:
            self.session.pause(self._now_ms)
            self._paused_since_ms = self._now_ms
        elif not self.missing and self._paused_since_ms is not None:
            self.session.resume(self._now_ms)
            if self._bots is not None:
                self._bots.delay(self._now_ms - self._paused_since_ms)
            self._touched_ms += self._now_ms - self._paused_since_ms
            self._void_until_ms = self._now_ms
            self._paused_since_ms = None

    # -- around the game ----------------------------------------------------------------------------

    def _idle_ms(self) -> int | None:
        if self.missing or (self.phase == "game" and not any(seat.bot is None for seat in self.seats)):
            return None
        return _PHASES[self.phase].idle_ms

    def _attract(self) -> None:
        self.phase, self.seats, self.session, self._bots = "attract", (), None, None
        self._flourishes.clear()
        self._news.clear()
        self._last_race = None
        self._paused_since_ms = None

    def _join(self) -> None:
        self.phase, self.session, self._bots = "join", None, None
        self._flourishes.clear()
        self._last_race = None
        self._news.clear()
        self._touched_ms = self._now_ms

    def _wake_with(self, colour: str) -> None:
        self._join()
        self._sit(colour)

    def _sit(self, colour: str) -> None:
        taken = {seat.colour: seat for seat in self.seats}
        if colour not in taken:
            self.seats = (*self.seats, Seat(colour))
        elif taken[colour].bot:
            self.seats = tuple(replace(s, bot=None) if s.colour == colour else s for s in self.seats)
        else:
            self.seats = tuple(seat for seat in self.seats if seat.colour != colour)

    def _add_bot(self) -> None:
        taken = {seat.colour for seat in self.seats}
        free = next(colour for colour in SEAT_COLOURS if colour not in taken)
        self.seats = (*self.seats, Seat(free, self.rules.bot))

    def _start_joined(self) -> None:
        while len(self.seats) < self._table.game.min_seats:
            self._add_bot()
        self.begin(self.seats, self._now_ms)

    def _held(self) -> bool:
        return self._now_ms - self._ended_ms < RESULT_HOLD_MS

    def _attract_jobs(self) -> Mapping[Key, HouseJob]:
        jobs = {key: HouseJob("wake", self._join, glyphs.PULSE) for key in ALL_KEYS}
        for colour in SEAT_COLOURS:
            jobs[seat_key(colour)] = HouseJob("join", partial(self._wake_with, colour), glyphs.PULSE)
        return jobs

    def _join_jobs(self) -> Mapping[Key, HouseJob]:
        taken = {seat.colour: seat for seat in self.seats}
        jobs: dict[Key, HouseJob] = {}
        for colour in SEAT_COLOURS:
            seat = taken.get(colour)
            word = "leave" if seat is not None and seat.bot is None else "join"
            mode = glyphs.PULSE if seat is None else glyphs.LOW if seat.bot else glyphs.STEADY
            jobs[seat_key(colour)] = HouseJob(word, partial(self._sit, colour), mode)
        for side in STATIONS:
            jobs[side, YUCK] = HouseJob("back", self._attract)
            if self.seats:
                jobs[side, BELL] = HouseJob("start", self._start_joined, glyphs.PULSE)
            if len(self.seats) < self._table.game.max_seats:
                jobs[side, MODE] = HouseJob("add_bot", self._add_bot)
        return jobs

    def _result_jobs(self) -> Mapping[Key, HouseJob]:
        if self._held():
            return {}
        return {key: HouseJob("go_on", self._join, glyphs.PULSE) for key in ALL_KEYS}

    def _attract_prompts(self) -> list[Prompt]:
        return [Prompt("attract_press_any")]

    def _join_prompts(self) -> list[Prompt]:
        enough = len(self.seats) >= self._table.game.min_seats
        start = [Prompt("join_start" if enough else "join_need_one_more")] if self.seats else []
        more = [Prompt("join_add_bot")] if len(self.seats) < self._table.game.max_seats else []
        return [Prompt("join_press_seat"), *start, *more, Prompt("join_back")]

    def _result_prompts(self) -> list[Prompt]:
        return [] if self._held() else [Prompt("result_again")]


@dataclass(frozen=True, slots=True)
class _Phase:
    jobs: Callable[[House], Mapping[Key, HouseJob]]
    prompts: Callable[[House], list[Prompt]]
    idle_ms: int | None


_PHASES: Final[Mapping[str, _Phase]] = {
    "attract": _Phase(House._attract_jobs, House._attract_prompts, None),
    "join": _Phase(House._join_jobs, House._join_prompts, JOIN_IDLE_MS),
    "game": _Phase(lambda house: {}, lambda house: [], GAME_IDLE_MS),
    "result": _Phase(House._result_jobs, House._result_prompts, RESULT_IDLE_MS),
}
