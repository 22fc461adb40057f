"""The house: presses, boards and time in; what box and pages show out. No I/O, no clock.

For: the way through an evening. Time comes in as `now_ms` (house time: milliseconds, never going back),
presses as (board, key), boards that come and go as a set. Out come a box view and the topics of the pages. It
must not know links, ports or browsers, nor the rules of any game. What may happen is in `evening`, which key
does it in `phases` and in the tables, a running game in `play`.

Whatever a key does now stands in one mapping, `jobs`: it lights the lamps, labels the keys on the pages and
answers a press.

A game pauses while a board that it needs is away, and while the operator's menu is open (MODE held for
3 s): presses are void, bots and the game's clock stand still, and it goes on from its state. What it does
when nobody presses a key is in `patience`, what the pages are told in `page_topics`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import InitVar, dataclass, field, replace
from typing import Any, Final

from galley import evening_record, page_topics
from galley.box_options import HOUSE
from galley.evening import Evening, HouseRules
from galley.patience import ASKING_MS, Patience
from galley.phases import (
    ALL_KEYS,
    PHASES,
    HouseJob,
    nobodys_jobs,
    nobodys_prompts,
    operator_jobs,
    operator_prompts,
    return_jobs,
    return_prompts,
)
from galley.session import Session
from galley.tables.table import (
    KEYS_OF,
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

RESULT_HOLD_MS: Final = 1_500  # keys still hammered when the game ends must not skip its result
OPERATOR_HOLD_MS: Final = 3_000
__all__ = ["ALL_KEYS", "House", "HouseRules"]


@dataclass(slots=True)
class House:
    """The house. Call `tick` at `due_ms` at the latest, then read `view` and `topics`."""

    rules: InitVar[HouseRules | None] = None
    evening: Evening = field(init=False)
    _patience: Patience = field(init=False)
    _live: frozenset[str] = frozenset()
    _void_until_ms: int = 0  # what was pressed in a pause is void, however late it comes
    _held_by: str | None = None  # why the box must not play on, as the disk
    _mode_down: dict[str, int] = field(default_factory=dict)  # stations whose MODE is down, and since when
    _mode_up: dict[str, int] = field(default_factory=dict)  # when it was let go last
    _jobs: Mapping[Key, Job | HouseJob] | None = None

    def __post_init__(self, rules: HouseRules | None) -> None:
        self.evening = Evening(rules or HouseRules())
        self._patience = Patience(self.evening)

    def give_hand(self, hand: Hand | None) -> None:
        """There is a simulated deck, and this hand over it."""
        self.evening.hand = hand

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
        if play is not None and any(board == own for own, _ in play.jobs()):
            self._patience.touched()  # a hand on the keys of the seat at play
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

    def keys_down(self, board: str, keys: int, now_ms: int) -> None:
        """The keys of a board that are down, bit by bit, where an edge went missing: MODE may be up."""
        if board in self._mode_down and not keys >> MODE & 1:
            self.release(board, MODE, now_ms)

    def reported(self, stand: DeckStand, now_ms: int) -> bool:
        """How the deck's parts stand; False if no game has a use for that."""
        evening = self.evening
        evening.now_ms = max(evening.now_ms, now_ms)
        if evening.play is None or not evening.play.reported(stand, evening.now_ms):
            return False
        self.tick(now_ms)
        return True

    def _sense(self, place: Key, down: bool, now_ms: int) -> None:
        """A sensor changed, which is nobody's hand: it keeps no table awake."""
        play = self.evening.play
        if play is not None and not play.over:
            self.evening.now_ms = max(self.evening.now_ms, now_ms)
            in_a_pause = play.paused or now_ms < self._void_until_ms
            (play.missed if in_a_pause else play.edge)(place, down, max(now_ms, self._void_until_ms))
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
        self._patience.tick(self._stands)
        self._settled()

    def due_ms(self) -> int | None:
        """The house time at which `tick` must come, None if nothing is waited for."""
        evening = self.evening
        times: list[int | None] = [since_ms + OPERATOR_HOLD_MS for since_ms in self._mode_down.values()]
        if evening.play is not None:
            times.append(evening.play.due_ms())
        times.append(self._patience.due_ms(self._stands))
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
            self._patience.touched()
            play.lift(dropping, now_ms)
            self._settled()

    def speak(self, language: str, now_ms: int) -> None:
        """Show this language until the table is empty."""
        self._is_there(now_ms)
        self._patience.spoken()
        self.evening.speak(language)

    def speak_usually(self, language: str) -> None:
        """Show this language from now on, and whenever the table is empty."""
        self.evening.rules = replace(self.evening.rules, language=language)
        self.evening.chosen.pop((HOUSE, "language"), None)
        self._jobs = None

    def _is_there(self, now_ms: int) -> bool:
        """A hand of somebody. True if it answers the question whether anybody is there, and does no more."""
        self.evening.now_ms = max(self.evening.now_ms, now_ms)
        asked = self._patience.is_there()
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

    def topics(self) -> dict[str, Any]:
        """The pages' topics that the house answers for: house, table and news."""
        return page_topics.topics(
            self.evening,
            page_topics.Shown(
                seats=self.seats,
                held_by=self._held_by,
                missing=self.missing,
                asking_ms=ASKING_MS if self._patience.asks else None,
                prompts=self._prompts(),
                jobs=self._jobs_now(),
            ),
        )

    def _prompts(self) -> list[Prompt]:
        evening = self.evening
        if self._patience.asks:
            return [Prompt("anybody_there")]
        if evening.operator:
            return operator_prompts(evening)
        if self.phase == "game" and evening.play is not None:
            if self._is_nobodys():
                return nobodys_prompts()
            return [*evening.play.prompts(), *return_prompts(evening)]
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
        if self._stands or (self.phase == "result" and self._result_held()):
            return {}
        if self.phase != "game" or play is None:
            return PHASES[self.phase].jobs(evening)
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
        elif evening.operator or self._stands:
            play.pause(evening.now_ms)
        elif play.paused:
            lost_ms = play.resume(evening.now_ms)
            evening.touched_ms = min(evening.touched_ms + lost_ms, evening.now_ms)
            self._void_until_ms = evening.now_ms
        self._patience.see_awaited()

    def _resume(self) -> None:
        self.evening.operator = False

    @property
    def _stands(self) -> bool:
        """Whether nothing can go on, however many people there are."""
        return bool(self.missing) or self._held_by is not None

    def _is_nobodys(self) -> bool:
        return not self.evening.people() and not self.evening.left

    def _result_held(self) -> bool:
        return self.evening.now_ms - self.evening.ended_ms < RESULT_HOLD_MS

    # -- what outlives the host ---------------------------------------------------------------------------

    def saved(self) -> dict[str, Any]:
        """What the box must know to come back as it was, beside the game's own record; JSON."""
        return evening_record.saved(self.evening)

    def restore(self, saved: object, session: Session | None, now_ms: int) -> None:
        """Come back as `saved` says, with the game of `session` where one was on."""
        self.evening.now_ms = self.evening.touched_ms = max(self.evening.now_ms, now_ms)
        evening_record.restore(self.evening, saved, session)
        self._settled()
