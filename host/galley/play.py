"""One game at the table: its session, its bots, its world, and the half-made choices of its players.

For: everything between the deal and the end. Presses come in as (board, key), time as house ms; out come
jobs, prompts, a box view and the page's topic. It must not know what is round the game (who may sit down,
when an empty table is given up), nor a rule: rules are behind the game, keys and lights behind its table.

While it is paused nothing moves: no bot, no world, no clock; presses are not brought here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

from galley.contest import Raced, judged
from galley.pace import Bots
from galley.session import Session
from galley.tables.table import (
    BoardView,
    BoxView,
    Choice,
    DeckStand,
    Hand,
    Job,
    Jobs,
    Key,
    Lit,
    Prompt,
    Seat,
    Table,
    World,
)
from galley.timekeeper import Timed
from galley_engine.game import Event, JSONObject, Refusal

MOST_FOLLOWING: Final = 16  # actions that come by themselves: a table gone wild must not hold the loop

Tell = Callable[[Sequence[Event]], None]


class Moment(NamedTuple):
    """Dice of one board that show something else than the state until `until_ms`."""

    dice: Mapping[int, int]
    until_ms: int


@dataclass(slots=True)
class Play:
    """A running game. `tell` is called with the events of each step, in order."""

    table: Table
    session: Session
    seats: tuple[Seat, ...]
    tell: Tell
    bots: Bots
    world: World | None = None
    speed: float = 1.0
    _choice: Choice = field(default_factory=dict)
    _last_race: Raced | None = None
    _paused_since_ms: int | None = None
    _moments: dict[str, Moment] = field(default_factory=dict)
    _jobs: Jobs | None = None

    @classmethod
    def begin(
        cls,
        table: Table,
        seats: Sequence[Seat],
        session: Session,
        now_ms: int,
        tell: Tell,
        *,
        hand: Hand | None = None,
        settings: Mapping[str, object] | None = None,
        speed: float = 1.0,
    ) -> Play:
        """A game from `session`, whether just dealt or taken up again."""
        seed = session.chance.seed
        play = cls(
            table,
            session,
            tuple(seats),
            tell,
            Bots(table.game.name, seats, seed ^ 1, speed),
            table.world(session.state, seed ^ 2, hand, settings or {}),
            speed,
        )
        play._follow(now_ms)
        return play

    # -- what is asked of it ------------------------------------------------------------------------

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self.session.state.phase == "over")

    @property
    def needed(self) -> tuple[str, ...]:
        """The boards without which it cannot go on from here."""
        return self.table.boards(self.session.state, self.seats)

    @property
    def gate_open(self) -> bool:
        """False while the game awaits its start signal."""
        return self.table.gate_open(self.session.state)

    @property
    def can_undo(self) -> bool:
        """Whether a step can be taken back; one that came by itself with the deal cannot."""
        opening = self.table.forced(self.session.dealt) is not None
        return len(self.session.steps) > opening

    @property
    def awaited(self) -> tuple[int, ...]:
        """The people's seats without whose keys the game cannot go on."""
        return tuple(seat for seat in self.table.awaited(self.session.state) if self.seats[seat].bot is None)

    @property
    def choice(self) -> Choice:
        """The half-made choice, and what is to be known of the world."""
        return self._choice if self.world is None else {**self._choice, **self.world.facts()}

    def jobs(self) -> Jobs:
        """What each key does; worked out once between two inputs, for press, lamps and labels alike."""
        if self._jobs is None:
            self._jobs = self.table.jobs(self.session.state, self.seats, self.choice)
        return self._jobs

    # -- in -------------------------------------------------------------------------------------------

    def press(self, place: Key, now_ms: int, timed: Timed | None = None) -> bool:
        """A key went down at `now_ms`; True if it had a job."""
        jobs = self.jobs()
        job = jobs.get(place)
        if job is None:
            return False
        if job.action is None:
            self._choice = job.choice or {}
            self._jobs = None
            return True
        if self.world is not None:
            self._do_all(self.world.press(self.session.state, job.action, now_ms), now_ms)
            return True
        before = self.session.state
        if self._do(job.action, now_ms) and timed is not None:
            self._last_race = Raced(timed, job.action, len(self.session.steps), before, jobs)
        self._follow(now_ms)
        return True

    def lift(self, dropping: int, now_ms: int) -> None:
        """A hand takes a dropping off the simulated deck, where a key would have taken one."""
        for job in self.jobs().values():
            if self.world is not None and job.action is not None and job.action["do"] == "grab":
                grab: JSONObject = {**job.action, "dropping": dropping}
                self._do_all(self.world.press(self.session.state, grab, now_ms), now_ms)
                return

    def witness(self, place: Key, timed: Timed) -> None:
        """A press that raced, before it is a press: it may tell how close the last race was."""
        if self._last_race is not None:
            self._contest(self._last_race, place, timed)

    def edge(self, place: Key, down: bool, now_ms: int) -> None:
        """A key or sensor without a job went down or up: the world may know it."""
        if self.world is not None:
            board, key = place
            self._do_all(self.world.edge(self.session.state, board, key, down, now_ms), now_ms)

    def missed(self, place: Key, down: bool, now_ms: int) -> None:
        """A sensor changed in a pause, or is told of late: no step, but the world may have to make good."""
        if self.world is not None:
            board, key = place
            self.world.missed(self.session.state, board, key, down, self._stood_ms(now_ms))

    def reported(self, stand: DeckStand, now_ms: int) -> bool:
        """How the deck's parts stand; False if nothing here has a use for that."""
        if self.world is None or self.over:
            return False
        self.world.reported(stand, self._stood_ms(now_ms))
        self._jobs = None
        return True

    def tick(self, now_ms: int) -> None:
        """Let time pass: bots act, the world turns, moments end."""
        self._moments = {b: m for b, m in self._moments.items() if m.until_ms > now_ms}
        if self.paused or self.over:
            return
        acted = False
        for _ in range(len(self.seats)):
            action = self.bots.act(self.session.state, now_ms, self._sight())
            if action is None:
                break
            acted = True
            if self.world is not None:
                action = self.world.wish(self.session.state, action, now_ms)
            if action is not None:
                self._do(action, now_ms)
            if self.session.state.phase == "over":
                return
        if self.world is not None:
            self._do_all(self.world.tick(self.session.state, now_ms), now_ms)
        if acted or self.world is not None:
            self._follow(now_ms)

    def due_ms(self) -> int | None:
        """When `tick` must come, None if nothing is waited for."""
        times = [moment.until_ms for moment in self._moments.values()]
        if not self.paused and not self.over:
            worlds = None if self.world is None else self.world.due_ms()
            times += [at for at in (self.bots.due_ms(), worlds) if at is not None]
        return min(times, default=None)

    @property
    def paused(self) -> bool:
        """True while nothing moves."""
        return self._paused_since_ms is not None

    def pause(self, now_ms: int) -> None:
        """Stop everything; may be called again."""
        if self._paused_since_ms is None:
            self.session.pause(now_ms)
            self._paused_since_ms = now_ms
            self._jobs = None

    def resume(self, now_ms: int) -> int:
        """Go on from the state; the ms for which all stood still."""
        if self._paused_since_ms is None:
            return 0
        lost_ms = now_ms - self._paused_since_ms
        self.session.resume(now_ms)
        self.bots.delay(lost_ms)
        if self.world is not None:
            self.world.delay(lost_ms)
        self._paused_since_ms = None
        self._jobs = None
        return lost_ms

    def undo(self, now_ms: int) -> bool:
        """Take the last step back, and its cause if it came by itself; False if there is none."""
        undone = False
        while self.can_undo and not (undone and self.table.forced(self.session.state) is None):
            undone = self.session.undo()
        if not undone:
            return False
        self._choice = {}
        self._last_race = None
        self._moments.clear()
        self._jobs = None
        if self.world is not None:
            self.world.undone(self.session.state, self._stood_ms(now_ms))
        self._look(self._stood_ms(now_ms))
        return True

    def replace(self, seat: int, bot: str | None, now_ms: int) -> None:
        """Let a bot play a seat from now on, or a person again."""
        self.seats = tuple(replace(s, bot=bot) if n == seat else s for n, s in enumerate(self.seats))
        self.bots = Bots(self.table.game.name, self.seats, self.session.chance.seed ^ 1, self.speed)
        self._choice = {}
        self._jobs = None
        self._look(self._stood_ms(now_ms))

    def _stood_ms(self, now_ms: int) -> int:
        """The moment for bots and world; in a pause that of its beginning, for `resume` delays it."""
        return now_ms if self._paused_since_ms is None else self._paused_since_ms

    def races(self, place: Key) -> bool:
        """Whether this key's press races, or would have in the position of the last race.

        The second of two bells rings when the first has ended the duel; how close it was is worth telling.
        """
        if self._is_race(self.jobs().get(place)):
            return True
        last = self._last_race
        return last is not None and self._is_race(last.rival(place))

    def settle(self, places: Sequence[Key]) -> int:
        """Which of these keys goes first, when nobody can know which was pressed first."""
        actions: list[JSONObject] = []
        for number, place in enumerate(places):
            job = self.jobs().get(place)
            if job is None or job.action is None:
                return number  # it does nothing now, so it takes nothing from the others
            actions.append(job.action)
        return self.table.first(self.session.state, actions)

    # -- out --------------------------------------------------------------------------------------------

    def view(self, jobs: Mapping[Key, Lit]) -> BoxView:
        """What every board shows, with the lamps of the keys in `jobs`."""
        view = self.table.view(self.session.state, jobs, self.choice)
        if self.paused:  # nothing moves in a pause
            view = {board: shown._replace(deck=shown.deck._replace(eye=0)) for board, shown in view.items()}
        return {board: self._with_moment(board, shown) for board, shown in view.items()}

    def prompts(self) -> list[Prompt]:
        """What the players are asked for."""
        return self.table.prompts(self.session.state, self.seats, self.choice)

    def topic(self) -> JSONObject:
        """The pages' topic `table`, without the words of the keys."""
        state = self.session.state
        page = self.table.page(state, self.choice)
        if self.world is not None:
            page = {**page, **self.world.page()}
        return {
            "game": self.table.game.name,
            "step": len(self.session.steps),
            "state": self.table.game.public(state),
            **page,
        }

    def _with_moment(self, board: str, shown: BoardView) -> BoardView:
        moment = self._moments.get(board)
        if moment is None:
            return shown
        return shown._replace(dice=tuple(moment.dice.get(die, code) for die, code in enumerate(shown.dice)))

    # -- what outlives the host -------------------------------------------------------------------------

    def saved(self) -> JSONObject:
        """What the game's record has not: half a choice, with the step that it follows, and the world."""
        return {
            "choice": [len(self.session.steps), dict(self._choice)] if self._choice else None,
            "world": None if self.world is None else self.world.saved(),
        }

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Become as `saved` says; a choice from another position is not this one's."""
        match saved.get("choice"):
            case [int(step), dict(choice)] if step == len(self.session.steps):
                self._choice = {str(key): str(value) for key, value in choice.items()}
        world = saved.get("world")
        if self.world is not None and isinstance(world, dict):
            self.world.restore(world)
        self._jobs = None

    # -- steps --------------------------------------------------------------------------------------------

    def _do_all(self, actions: Sequence[JSONObject], now_ms: int) -> None:
        for action in actions:
            if self.over:
                return
            self._do(action, now_ms)
        self._jobs = None
        if actions:
            self._follow(now_ms)

    def _do(self, action: JSONObject, now_ms: int) -> bool:
        """Take an action; True when the rules accepted it."""
        before = self.session.state
        step = self.session.do(action, now_ms)
        self._jobs = None
        if isinstance(step, Refusal):
            return False
        self._choice = {}
        if self.world is not None:
            self.world.happened(step.state, step.events, now_ms)
        self.tell(step.events)
        flourish = self.table.flourish(before, step.events)
        if flourish is not None:
            until_ms = now_ms + flourish.ms
            self._moments |= {board: Moment(dice, until_ms) for board, dice in flourish.dice.items()}
        return True

    def _follow(self, now_ms: int) -> None:
        """What comes by itself after a step, then let the bots look at what there is."""
        for _ in range(MOST_FOLLOWING):
            forced = None if self.over else self.table.forced(self.session.state)
            if forced is None or not self._do(forced, now_ms):
                break
        self._look(now_ms)

    def _look(self, now_ms: int) -> None:
        self._jobs = None
        if not self.over:
            self.bots.look(self.session.state, now_ms, self._sight())

    def _sight(self) -> object:
        return None if self.world is None else self.world.sight(self.session.state)

    def _contest(self, first: Raced, place: Key, second: Timed) -> None:
        contest = judged(self.table, first, place, second)
        if contest is not None:
            self._last_race = None
            self.session.judge(first.step, contest.verdict)
            self.tell([contest.news])

    def _is_race(self, job: Any) -> bool:
        return isinstance(job, Job) and job.action is not None and job.action["do"] in self.table.races
