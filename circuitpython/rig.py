"""The rig: a spare Pico that presses the keys of boards under test and reads their pins.

For: `tests/hil` with real boards. Copied to the spare Pico as `code.py`, beside `boot.py` and `lib`; it never
runs on a board of a box. It must not know what a test wants: it obeys one line of JSON after another on the
data port and tells what it sees.

    {"op":"hello"}                                  what is it joined to?
    {"op":"pin","board":"left","pin":9,"value":0}   drive a pin of a board; null lets go
    {"op":"pulse","pins":[["left",9],["right",9]],"us":30000}   all of these to 0 at once, let go later
    {"op":"watch","board":"deck","pins":[14,15]}    tell when these change

    {"ev":"rig","pins":{"left":[9]},"pixels":["left"]}   the answer to hello
    {"ev":"pin","board":"deck","pin":14,"value":1,"t_us":123456}
    {"ev":"pixels","board":"left","bytes":"..."}    told by themselves: red, green, blue of each, as hex
    {"ev":"error","text":"..."}                     what could not be done

Hardware: each line goes from a pin of this Pico through 1 kOhm to a pin of the board, and GND to GND. Its own
settings.toml says which: RIG_LEFT_BELL = "GP2" joins BELL of the left station to this Pico's GP2, with the
names of the wiring table; RIG_LEFT_PIXELS = "GP20" is the data line of its pixels. A pin that carries PWM
counts as 1 while it was high within HIGH_US. Pixels take a PIO state machine that reads in the background.
"""

import json
import os
import time
from array import array

import board
import digitalio
import usb_cdc

from galley_board import pins

TYPE_CHECKING = False  # a board has no typing module; type checkers take it for true
if TYPE_CHECKING:
    from typing import Any


try:
    import rp2pio
except ImportError:  # another chip: no pixels
    rp2pio = None  # type: ignore[assignment]

READ_BYTES = 128
MOST_LINE = 400
MOST_WAITING = 4096
HIGH_US = 5000
QUIET_S = 0.0003  # within a frame bits are 1.25 us apart, between two frames at least 2 ms pass
PIXEL_HZ = 10000000
# wait 0 pin 0; wait 1 pin 0 [5]; in pins, 1: looks 0.6 us after a bit began, when a 0 is over and a 1 is not
PIXEL_PROGRAM = array("H", (0x2020, 0x25A0, 0x4001))
NO_PORT = "no data port (boot.py did not enable it): copy boot.py and press RESET"


def setting_of(role: str, name: str) -> str:
    """The key of settings.toml for a line: RIG_LEFT_BELL, RIG_DECK_SEAT1 for "SEAT1 red"."""
    return ("RIG_%s_%s" % (role, name.partition(" ")[0])).upper()


def joined(role: str) -> "list[tuple[int, str]]":
    """The pins of a role's board that are joined to ours: its number there, our pin's name."""
    which = pins.BOARD_OF_ROLE[role]
    named = [(name, pin) for name, pin in pins.KEYS[which]]
    named += [(name, pin) for name, pin in pins.DEVICES[which]]
    named.append(("BUZZER", pins.BUZZER_PIN[which]))
    found = []
    for name, pin in named:
        ours = os.getenv(setting_of(role, name))
        if ours:
            found.append((int(pin[2:]), str(ours)))
    return found


class Chain:
    """The pixels of one board, read off their data line by a state machine."""

    def __init__(self, machine: "Any", pixels: int) -> None:
        self._machine = machine
        self._frame = bytearray(3 * pixels)
        self._armed = False

    def poll(self) -> "str | None":
        """A frame that has come since the last look, as hex of red, green, blue; else None."""
        found = None
        if self._armed:
            if self._machine.reading:
                return None
            self._armed = False
            if self._quiet():  # else it was armed in the middle of a frame
                found = self._hex()
        if self._quiet():
            self._machine.restart()
            self._machine.background_read(self._frame)
            self._armed = True
        return found

    def _quiet(self) -> bool:
        self._machine.clear_rxfifo()
        time.sleep(QUIET_S)
        return not self._machine.in_waiting

    def _hex(self) -> str:
        frame = self._frame
        return "".join(
            ["%02x%02x%02x" % (frame[i + 1], frame[i], frame[i + 2]) for i in range(0, len(frame), 3)]
        )


class Rig:
    """All lines, and the port that they are worked from."""

    def __init__(self, port: "usb_cdc.Serial") -> None:
        self._port = port
        port.timeout = 0
        port.write_timeout = 0
        self._in = b""
        self._out = bytearray()
        self._lines: "dict[tuple[str, int], digitalio.DigitalInOut]" = {}
        self._watched: "dict[tuple[str, int], int]" = {}
        self._high_us: "dict[tuple[str, int], int]" = {}
        self._pulses: "list[tuple[int, list[digitalio.DigitalInOut]]]" = []
        self._chains: "dict[str, Chain]" = {}
        for role in ("left", "right", "deck"):
            for pin, ours in joined(role):
                self._lines[(role, pin)] = digitalio.DigitalInOut(getattr(board, ours))
            data = os.getenv(setting_of(role, "PIXELS"))
            if data:
                self._watch_pixels(role, str(data))

    def turn(self) -> None:
        """Everything once: read, obey, let go what is due, look, write."""
        if self._port.in_waiting:
            lines = (self._in + self._port.read(READ_BYTES)).split(b"\n")
            self._in = lines.pop()
            if len(self._in) > MOST_LINE:
                self._in = b""
            for line in lines:
                self._obey(line)
        now_us = time.monotonic_ns() // 1000
        while self._pulses and now_us >= self._pulses[0][0]:
            for pressed in self._pulses.pop(0)[1]:
                pressed.switch_to_input()
        self._look(now_us)
        for role in self._chains:
            frame = self._chains[role].poll()
            if frame is not None and len(self._out) < MOST_WAITING:
                self.tell({"ev": "pixels", "board": role, "bytes": frame})
        if self._out:
            taken = self._port.write(self._out) or 0
            self._out = self._out[taken:]

    def tell(self, event: "dict[str, object]") -> None:
        """Send an event, now or when the port takes it."""
        self._out += (json.dumps(event) + "\n").encode()

    def _watch_pixels(self, role: str, ours: str) -> None:
        make: "Any" = getattr(rp2pio, "StateMachine", None)
        if not hasattr(make, "background_read"):
            self.tell({"ev": "error", "text": "pixels of %s: this board cannot read them" % role})
            return
        machine = make(
            PIXEL_PROGRAM,
            PIXEL_HZ,
            first_in_pin=getattr(board, ours),
            in_shift_right=False,
            auto_push=True,
            push_threshold=8,
        )
        self._chains[role] = Chain(machine, pins.PIXELS[pins.BOARD_OF_ROLE[role]])

    def _obey(self, line: bytes) -> None:
        try:
            order = json.loads(line)
            op = order["op"]
            if op == "hello":
                self._introduce()
            elif op == "pin":
                self._drive(self._lines[(order["board"], order["pin"])], order["value"])
            elif op == "pulse":
                self._pulse([self._lines[(role, pin)] for role, pin in order["pins"]], order["us"])
            elif op == "watch":
                for pin in order["pins"]:
                    self._lines[(order["board"], pin)].switch_to_input()
                    self._watched[(order["board"], pin)] = -1
            else:
                raise ValueError(op)
        except KeyError as error:
            self.tell({"ev": "error", "text": "not joined, or missing: %s" % error})
        except (ValueError, TypeError) as error:
            self.tell({"ev": "error", "text": "no order: %s" % error})

    def _introduce(self) -> None:
        found: "dict[str, list[int]]" = {}
        for role, pin in self._lines:
            found.setdefault(role, []).append(pin)
        self.tell({"ev": "rig", "pins": found, "pixels": list(self._chains)})

    def _drive(self, line: "digitalio.DigitalInOut", value: "int | None") -> None:
        if value is None:
            line.switch_to_input()
        else:
            line.switch_to_output(value=bool(value))

    def _pulse(self, lines: "list[digitalio.DigitalInOut]", us: int) -> None:
        for line in lines:
            line.switch_to_output(value=False)
        self._pulses.append((time.monotonic_ns() // 1000 + us, lines))
        self._pulses.sort(key=lambda pulse: pulse[0])

    def _look(self, now_us: int) -> None:
        for key in self._watched:
            if self._lines[key].value:
                self._high_us[key] = now_us
            value = 1 if now_us - self._high_us.get(key, now_us - HIGH_US) < HIGH_US else 0
            if value != self._watched[key]:
                self._watched[key] = value
                self.tell({"ev": "pin", "board": key[0], "pin": key[1], "value": value, "t_us": now_us})


def main() -> None:
    """Obey for ever."""
    port = usb_cdc.data
    if port is None:
        raise RuntimeError(NO_PORT)
    rig = Rig(port)
    while True:
        rig.turn()


if __name__ == "__main__":
    main()
