"""One simulated board: a process that runs boot.py and code.py as a Pico would.

For: `python -I -S child.py`, started by `galley.sim.boards`. It must not import the host, a site
package or anything heavy: a board has none, and three of these start with every host.

`sys.path` is the stand-ins, the firmware's `lib`, and the standard library. The stand-ins and this
file are all that is simulated; from `boot.py` on, every line is the one a real board runs.

Arguments: `--name value` pairs, see `OPTIONS`; `--set KEY=VALUE` (a line of settings.toml) and
`--ground N` (a pin that is joined to GND at power-on) may come several times.

It ends when the rig's socket closes, that is, when its parent is gone; `boards` sees to it that the
kernel ends it then even if the firmware hangs or this process is stopped. Exit status: 0 the rig is
gone, 75 the firmware restarted the chip, a signal's number when the watchdog or a hand ended it.
"""

from __future__ import annotations

import gc
import os
import runpy
import signal
import socket
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "standins"))

import supervisor  # noqa: E402
import usb_cdc  # noqa: E402
from rig import Rig, rig  # noqa: E402
from troubles import collect  # noqa: E402

OPTIONS = {
    "board": "left, right or deck: the name in every event",
    "firmware": "the folder with boot.py, code.py and lib",
    "rig": "descriptor of the rig's socket",
    "ticks-origin": "ticks_ms at power-on",
    "skew-ppm": "how fast this board's crystal runs, in millionths",
    "loop-ms": "milliseconds added to each turn of the firmware",
    "scan-ms": "milliseconds between two scans of the keys, whatever the firmware asks for",
    "queue-len": "events that the keypad's queue holds, whatever the firmware asks for",
    "boot-id": "the boot_id to use instead of a random one",
    "nvm": "file that keeps the non-volatile bytes",
    "reset-reason": "why the chip starts: POWER_ON, WATCHDOG, SOFTWARE",
    "safe-mode": "start in safe mode for this reason",
}


class Console:
    """What the firmware prints, as events; whole lines, so that the rig sees them whole."""

    encoding = "utf-8"

    def __init__(self) -> None:
        self._line = ""

    def write(self, text: str) -> int:
        """Collect text and send each whole line."""
        *lines, self._line = (self._line + text).split("\n")
        for line in lines:
            self._send(line)
        return len(text)

    def flush(self) -> None:
        """Nothing waits but a line's beginning."""

    def _send(self, line: str) -> None:
        from json import dumps

        rig.send("console", f'"text":{dumps(line)}')


def setting(line: str) -> tuple[str, str | int]:
    """KEY=VALUE as CircuitPython's os.getenv reads it: digits are a number, all else is text."""
    key, _, value = line.partition("=")
    value = value.strip().strip('"')
    return key.strip(), int(value) if value.lstrip("-").isdigit() else value


def use_board_time(board: Rig, boot_id: int | None, settings: dict[str, str | int]) -> None:
    """Give the standard library's functions a board's behaviour."""

    def getenv(key: str, default: str | None = None) -> str | int | None:
        return settings.get(key, default)

    replaced: list[tuple[object, str, object]] = [
        (time, "sleep", board.sleep),
        (time, "monotonic_ns", board.monotonic_ns),
        (os, "getenv", getenv),
        (gc, "collect", lambda: collect(board)),
    ]
    if boot_id is not None:
        replaced.append((os, "urandom", lambda count: boot_id.to_bytes(count, "big")))
    for module, name, function in replaced:
        setattr(module, name, function)


def run(path: str) -> None:
    """Run one of the board's files as CircuitPython does; an error goes to the console."""
    try:
        runpy.run_path(path, run_name="__main__")
    except supervisor.Reload:
        raise
    except BaseException as error:
        from traceback import print_exception

        print_exception(error)


def start(firmware: str, board: Rig) -> None:
    """From power-on to the end of code.py, again and again where it asks for a reload."""
    if board.safe_mode_reason != "NONE":
        run(os.path.join(firmware, "safemode.py"))
        return
    run(os.path.join(firmware, "boot.py"))
    board.power_off_pins()
    port = usb_cdc.enumerate_ports()
    if port is not None:
        board.send("ready", f'"port":"{port.path}"')
    gc.freeze()  # collections then look only at what the firmware makes, as on a board
    while True:
        try:
            run(os.path.join(firmware, "code.py"))
            return
        except supervisor.Reload:
            board.power_off_pins()
            for name in [name for name in sys.modules if name.partition(".")[0] == "galley_board"]:
                del sys.modules[name]


def main(arguments: list[str]) -> None:
    """Read the arguments, become the board, and stay until the rig goes away."""
    given: dict[str, str] = {}
    settings: dict[str, str | int] = {}
    for name, value in zip(arguments[::2], arguments[1::2], strict=True):
        if name == "--set":
            key, worth = setting(value)
            settings[key] = worth
        elif name == "--ground":
            rig.set_pin(int(value), 0)
        elif name[2:] in OPTIONS:
            given[name[2:]] = value
        else:
            sys.exit(f"{name} is no option of a simulated board: use one of --{', --'.join(OPTIONS)}")
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the host; the board goes when the host does
    rig.alarm = lambda seconds: signal.setitimer(signal.ITIMER_REAL, seconds)
    rig.board = given["board"]
    rig.connect(socket.socket(fileno=int(given["rig"])))
    rig.ticks_origin = int(given.get("ticks-origin", rig.ticks_origin))
    rig.skew_ppm = int(given.get("skew-ppm", 0))
    rig.loop_ms = float(given.get("loop-ms", 0))
    rig.scan_ms = int(given.get("scan-ms", 0))
    rig.queue_len = int(given.get("queue-len", 0))
    rig.nvm_path = given.get("nvm", "")
    rig.reset_reason = given.get("reset-reason", rig.reset_reason)
    rig.safe_mode_reason = given.get("safe-mode", rig.safe_mode_reason)
    rig.service()  # what is soldered to the pins was so before power came
    sys.path.insert(0, os.path.join(given["firmware"], "lib"))
    sys.stdout = sys.stderr = Console()  # as much of a file as print needs
    boot_id = int(given["boot-id"]) if "boot-id" in given else None
    use_board_time(rig, boot_id, settings)
    start(given["firmware"], rig)
    rig.alarm(0)  # the watchdog ends with the program
    while True:
        rig.idle()


if __name__ == "__main__":
    main(sys.argv[1:])
