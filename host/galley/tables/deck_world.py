"""The world of the poop deck on the box: the eye, the die, what falls, and a hand where it is simulated.

For: whatever happens on deck that no key says. Sensors come in as keys of the deck board, time as house ms;
out come the game's events (`die_shows`, `dropping_fell`, `die_fell`) and the actions of a hand. It must not
know boards, pages or who is a person: the house asks it with `press` for people, with `wish` for bots.

Without a Hand the droppings are real: their colour comes with a key or the reader, and bots cannot play. With
one, a WHITE press lifts the dropping that the arm points at, and its colour is known while it is held.

In the loose build a Hand sees what the die does. A beam alone does not tell it from a dropping, so the crew
is asked for a while (`deck_memory`). An eye that is not seen at home for MISSED_MS has passed it all the
same: a broken sensor must not stop the die.

In a pause time stands still for it: what it is told then is told at the moment at which the pause began.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from galley.deck_physics import BRINK, Physics
from galley.tables.deck_memory import Faces, Falls
from galley.tables.deck_motors import Drum, Eye
from galley.tables.deck_tongs import Tongs
from galley.tables.table import Choice, DeckStand, Hand
from galley_engine.dice import KeptDice
from galley_engine.game import Event, JSONObject
from galley_engine.games.poop_deck_state import COLOURS, State, is_left, may_fall

BEAMS: Final = range(6, 10)
READER: Final = dict(zip(range(10, 14), COLOURS, strict=True))
UNSURE, GUARD, HOME = 14, 15, 16

MISSED_MS: Final = 60_000
LOOK_MS: Final = 200  # how often the pages see where the arm is
MOST_DRAWN: Final = 1_000_000  # more chance than any game uses: a wild number must not hold the loop


class DeckWorld:
    """All of a running deck that is not in the game's state. See `tables.table.World`."""

    def __init__(self, state: State, seed: int, hand: Hand | None, physics: Physics) -> None:
        self._physics = physics
        self._chance = KeptDice(seed)
        self._eye = Eye(physics, self._chance)
        self._drum = Drum(physics, self._chance) if physics.build == "drum" else None
        if self._drum is not None and state.die in physics.faces:  # other faces may be set than at its start
            self._drum.face = physics.faces.index(state.die)
        self._over = state.phase == "over"
        self._now_ms: int | None = None
        self._beat_ms = self._home_ms = self._look_ms = 0
        self._faces = Faces()
        self._blind = self._drum is None and hand is None  # only the crew sees a real die on a real deck
        self._falls = Falls(self._blind)
        self._guess: str | None = None
        self._unsure = self._guard_open = False
        self._beams = True
        self._said: JSONObject | None = None
        self._tongs = None if hand is None else Tongs(state, self._chance, hand, physics)

    # -- what is known of it --------------------------------------------------------------------------

    def facts(self) -> Choice:
        """Words for the table's functions; a fact that does not hold is left out."""
        physics, drum = self._physics, self._drum
        found = {
            "build": physics.build,
            "eye": str(0 if self._over or self._guard_open else self._eye.percent),
            "open": "".join("01"[sector in physics.open_holes] for sector in physics.holes),
        }
        if drum is not None:
            found |= {"drum": str(drum.face), "drift": str(drum.drift)}
        known: Mapping[str, str | None] = {
            "hand": "yes" if self._tongs is not None else None,
            "held": self._held,
            "guess": self._guess,
            "danger": "yes" if self._in_danger() else None,
            "doubt": "yes" if self._falls.in_doubt else None,
            "guard": "open" if self._guard_open else None,
            "reader": "unsure" if self._unsure else None,
            "unwatched": None if self._beams or self._tongs is not None else "yes",
        }
        return found | {name: word for name, word in known.items() if word is not None}

    def page(self) -> JSONObject:
        """What the pages draw: the deck, and with a Hand where everything lies (else `lying` is None)."""
        drum, physics = self._drum, self._physics
        return {
            "deck": {
                "build": physics.build,
                "sectors": physics.sectors,
                "rings": physics.rings,
                "holes": list(physics.holes),
                "open": list(physics.open_holes),
                "drift": None if drum is None else drum.drift,
                "turning": drum is not None and drum.turns(self._now_ms or 0),
                "danger": self._in_danger(),
                "eye": 0 if self._over or self._guard_open else self._eye.percent,
                "aim": None if self._tongs is None else self._tongs.aim,
                "pointed": None if self._tongs is None else self._tongs.pointed(),
                "guess": self._guess,
                "said": self._said,
                "lying": None if self._tongs is None else self._tongs.lying(),
            }
        }

    def sight(self, state: State) -> object:
        """The deck as a bot sees it; None without a Hand, or while a fall is on its way through the wire."""
        seen = None if self._tongs is None else self._tongs.sight(state)
        if seen is None or self._drum is None:
            return seen
        return seen._replace(die_in_danger=self._drum.in_danger)

    # -- sensors ----------------------------------------------------------------------------------------

    def edge(self, state: State, board: str, key: int, down: bool, now_ms: int) -> Sequence[JSONObject]:
        """A sensor of the deck changed; keys that people press are not for the world."""
        self._wake(now_ms)
        if board != "deck" or state.phase == "over":
            return ()
        if key == UNSURE:
            self._unsure = down
        elif key == GUARD:
            self._guard_open = down
        elif not down:
            return ()
        elif key == HOME:
            return self._passed(now_ms)
        elif key in BEAMS:
            return self._fell(state, now_ms)
        elif key in READER:
            return self._announced(state, READER[key], now_ms)
        return ()

    def missed(self, state: State, board: str, key: int, down: bool, now_ms: int) -> None:
        """What fell in a pause has fallen, and counts when the game goes on."""
        self._wake(now_ms)
        if board == "deck" and down and key in BEAMS:
            self._falls.add(now_ms)

    def reported(self, stand: DeckStand, now_ms: int) -> None:
        """How the deck's parts stand: the die shows a colour when it is there, not when it was sent."""
        self._wake(now_ms)
        self._guard_open, self._unsure, self._beams = stand.guard_open, stand.unsure, stand.beams
        if self._drum is not None:
            self._drum.reported(stand.face, stand.moving, now_ms)

    def _passed(self, now_ms: int) -> Sequence[JSONObject]:
        """The eye was at home: it bumps the drum."""
        self._home_ms = now_ms
        if self._drum is not None and self._drum.bump(now_ms):
            return ({"do": "die_fell"},)
        return ()

    def _fell(self, state: State, now_ms: int) -> Sequence[JSONObject]:
        """Something went through a hole."""
        if self._blind:
            self._falls.add(now_ms)
            return ()
        if self._drum is None and self._tongs is not None and self._tongs.die is None:
            return ({"do": "die_fell"},)
        return ({"do": "dropping_fell"},) if may_fall(state) else ()

    def _die_of_the_hand(self, state: State) -> list[JSONObject]:
        """What a hand sees of a loose die."""
        if self._drum is not None or self._tongs is None:
            return []
        colour = self._tongs.die
        if colour is None:
            return [{"do": "die_fell"}]
        return [] if colour == state.die else [{"do": "die_shows", "colour": colour}]

    # -- what people and bots want ------------------------------------------------------------------------

    def press(self, state: State, action: JSONObject, now_ms: int) -> Sequence[JSONObject]:
        """A person's key. Beside the game's actions: `guess` (colour or None), and `grab` of a `dropping`."""
        self._wake(now_ms)
        seat, do = action.get("seat"), action["do"]
        if isinstance(seat, int) and self._tongs is not None:
            self._tongs.person(seat)
        if do == "grab":
            dropping = action.get("dropping")
            lifted = self._tongs is None or self._tongs.lift(
                state, dropping if isinstance(dropping, int) else None
            )
            return ({"do": "grab", "seat": seat},) if lifted else ()
        colour = action.get("colour")
        if do == "guess":
            return self._guessed(state, colour if isinstance(colour, str) else None)
        if do == "announce" and state.phase == "hunt":
            return self._announced(state, str(colour), now_ms)
        return (action,)

    def _guessed(self, state: State, colour: str | None) -> Sequence[JSONObject]:
        """The last one's colour was named: the hand looks at once, a crew says the truth after."""
        truth = None if self._tongs is None else self._tongs.last
        if colour is not None and truth is not None:
            return ({"do": "name_last", "seat": state.turn, "colour": colour, "truth": truth},)
        self._guess = colour if self._tongs is None else None
        return ()

    def _announced(self, state: State, colour: str, now_ms: int) -> Sequence[JSONObject]:
        """A colour was said or read; with nothing grabbed, the grab was HOLD_MS earlier."""
        if not is_left(state, colour):
            return ()
        seat = state.turn
        announced: JSONObject = {"do": "announce", "seat": seat, "colour": colour}
        if state.phase == "hold":
            return (announced,) if self._held in (None, colour) else ()
        if self._guess is not None:
            return ({"do": "name_last", "seat": seat, "colour": self._guess, "truth": colour},)
        if self._tongs is not None:
            return ()
        # What the die has shown since then counts, so the game is told it once more, in order.
        shown: list[JSONObject] = [{"do": "die_shows", "colour": face} for face in self._faces.recall(now_ms)]
        return (*shown[:1], {"do": "grab", "seat": seat}, *shown[1:], announced)

    def wish(self, state: State, wish: JSONObject, now_ms: int) -> JSONObject | None:
        """A bot's wish: pushing and naming are done at once, a grab begins with aiming."""
        self._wake(now_ms)
        seat, do, tongs = wish.get("seat"), wish["do"], self._tongs
        if tongs is None or not isinstance(seat, int):
            return None
        tongs.bot(seat)
        if do == "name_last":
            return None if tongs.last is None else {**wish, "truth": tongs.last}
        if do != "grab":
            return wish
        dropping = wish.get("dropping")
        tongs.reach(state, seat, dropping if isinstance(dropping, int) else None, now_ms)
        return None

    # -- time ---------------------------------------------------------------------------------------------

    def tick(self, state: State, now_ms: int) -> Sequence[JSONObject]:
        """Let time pass. What is due comes in the order in which it would have happened."""
        self._wake(now_ms)
        self._over = state.phase == "over"
        if self._over:
            return ()
        self._look_ms = now_ms + LOOK_MS
        if now_ms >= self._beat_ms:
            self._eye.beat()
            self._beat_ms = now_ms + self._eye.sector_ms
        found: list[JSONObject] = [{"do": "dropping_fell"}] * self._falls.take_missed()
        found += self._die_of_the_hand(state)
        drum = self._drum
        if drum is not None and drum.arrived(now_ms) and drum.colour != state.die:
            found.append({"do": "die_shows", "colour": drum.colour})
        if self._guard_open:
            self._home_ms = now_ms  # the eye stands still
        elif now_ms - self._home_ms >= MISSED_MS:
            found += self._passed(now_ms)
        settled_ms = self._falls.due_ms()
        if settled_ms is not None and now_ms >= settled_ms:
            if may_fall(state):
                found.append({"do": "dropping_fell"})
            else:
                self._falls.forget()
        moved = None if found or self._tongs is None else self._tongs.tick(state, now_ms)
        return found if moved is None else [moved]

    def due_ms(self) -> int | None:
        """When `tick` must come."""
        if self._over or self._now_ms is None:
            return None if self._over else 0
        times: list[int | None] = [self._beat_ms, self._home_ms + MISSED_MS, self._falls.due_ms()]
        if self._tongs is not None:
            times.append(self._look_ms)
        if self._drum is not None:
            times.append(self._drum.turning_ms)
        return min(at_ms for at_ms in times if at_ms is not None)

    def delay(self, ms: int) -> None:
        """Everything is so much later."""
        self._beat_ms += ms
        self._home_ms += ms
        self._look_ms += ms
        self._faces.delay(ms)
        self._falls.delay(ms)
        if self._drum is not None:
            self._drum.delay(ms)
        if self._tongs is not None:
            self._tongs.delay(ms)

    def _wake(self, now_ms: int) -> None:
        """Time begins with the first call that brings it."""
        if self._now_ms is None:
            self._beat_ms = now_ms + self._eye.sector_ms
            self._home_ms = self._look_ms = now_ms
            self._falls.start(now_ms)
            if self._drum is not None:
                self._drum.show(now_ms)
        self._now_ms = now_ms

    # -- what the rules made of it --------------------------------------------------------------------------

    def happened(self, state: State, events: Sequence[Event], now_ms: int) -> None:
        """Carry out with the hand, and on the drum, what an action came to."""
        self._wake(now_ms)
        kinds = {event.kind for event in events}
        for event in events:
            kind, data = event.kind, event.data
            if kind == "die_turned":
                self._faces.turned(str(data["colour"]), now_ms)
            elif kind == "dropping_lifted":
                self._said = None
            elif kind in ("dropping_collected", "dropping_put_back"):
                self._said = {**data, "right": kind == "dropping_collected"}
            elif kind == "last_named":
                self._said = {**data, "right": data["colour"] == data["truth"]}
            elif kind == "dropping_lost" and "last_named" not in kinds:
                self._falls.settle()
            elif kind == "die_pushed" and self._drum is not None:
                self._drum.push()
            elif kind == "die_pushed" and self._tongs is not None:
                self._tongs.push_die()
        if self._tongs is not None:
            _carry_out(self._tongs, kinds, now_ms)
        if state.phase != "hunt" or state.deck != 1:
            self._guess = None
        self._over = state.phase == "over"

    def undone(self, state: State, now_ms: int) -> None:
        """A step was taken back: who held or guessed something begins again; what lies on deck stays."""
        self._wake(now_ms)
        self._over = state.phase == "over"
        self._guess = self._said = None
        faces, drum = self._physics.faces, self._drum
        if drum is not None and state.die in faces and drum.colour != state.die:
            drum.face = faces.index(state.die)
            drum.show(now_ms)
        if self._tongs is not None:
            self._tongs.undone(state)

    @property
    def _held(self) -> str | None:
        return None if self._tongs is None else self._tongs.held

    def _in_danger(self) -> bool:
        if self._drum is not None:
            return self._drum.in_danger
        return self._tongs is not None and self._tongs.die_in_danger

    # -- over a restart -------------------------------------------------------------------------------------

    def saved(self) -> JSONObject:
        """Die, eye, what was said, what fell and is in doubt, the hand, and how much chance was drawn."""
        drum = self._drum
        return {
            "drawn": self._chance.drawn,
            "face": None if drum is None else drum.face,
            "drift": None if drum is None else drum.drift,
            "eye": self._eye.percent,
            "fallen": self._falls.count,
            "guess": self._guess,
            "said": self._said,
            "hand": None if self._tongs is None else self._tongs.saved(),
        }

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Be as it was, with all of the time for what is in doubt, and let the chance go on from there."""
        drawn, face, drift, eye, fallen = (
            saved.get(name) for name in ("drawn", "face", "drift", "eye", "fallen")
        )
        if type(drawn) is int and self._chance.drawn <= drawn <= MOST_DRAWN:
            while self._chance.drawn < drawn:
                self._chance.die(COLOURS)
        if self._drum is not None:
            if type(face) is int and 0 <= face < len(self._physics.faces):
                self._drum.face = face
            if type(drift) is int and 0 <= drift <= BRINK:
                self._drum.drift = drift
        if type(eye) is int and 0 < abs(eye) <= 100:
            self._eye.percent = eye
        if type(fallen) is int:
            self._falls.restore(fallen)
        if saved.get("guess") in COLOURS:
            self._guess = saved["guess"]
        if isinstance(saved.get("said"), dict):
            self._said = saved["said"]
        if self._tongs is not None and isinstance(saved.get("hand"), dict):
            self._tongs.restore(saved["hand"])


def _carry_out(tongs: Tongs, kinds: set[str], now_ms: int) -> None:
    """Let the hand do what an action came to."""
    if "dropping_lifted" in kinds:
        tongs.lifted(now_ms)
    elif "dropping_collected" in kinds:
        tongs.lay_down(True)
    elif "dropping_put_back" in kinds:
        tongs.lay_down(False)
    elif {"last_named", "dropping_lost"} <= kinds:
        tongs.throw_away()
