"""From a role to a running board.

For: opening the hardware and putting the loop together, the same for every role, and running it. It
must not know what a role's keys or pixels are: that is data of `pins`.

What goes wrong here goes to the console in a sentence and into the hello's faults, and the board
runs on with what it has: a board that answers can be mended from a distance.
"""

import os
import time

import microcontroller
import supervisor
import usb_cdc
from watchdog import WatchDogMode

from galley_board import faults, identity, pins, recovery, settings, wire
from galley_board.buzzer import Buzzer
from galley_board.hardware import Hardware
from galley_board.keys import Keys
from galley_board.link import BoardLink, since_ms
from galley_board.loop import Loop
from galley_board.pixels import Renderer

TYPE_CHECKING = False  # a board has no typing module; type checkers take it for true
if TYPE_CHECKING:
    from galley_board.hardware_types import Builder


SLEEP_S = 0.001
SETTLE_S = 0.005
WATCHDOG_S = 8.0  # an RP2040 counts to 8.388 s at most
NO_PORT = "no data port (boot.py did not enable it): copy boot.py and press RESET"


class NoMachinery:
    """A board on which nothing moves."""

    def __init__(self) -> None:
        self.bitmap = 0
        self.caps = 0
        self.faults = 0
        self.fault_key = -1
        self.version = 0

    def poll(self, now_ms: int, link: "BoardLink", leave: bool) -> bool:
        """There is nothing to do."""
        return False


def settle() -> None:
    """Wait until inputs have come to what their wires say."""
    time.sleep(SETTLE_S)


def assemble(role: int, board_faults: int, build: "Builder | None" = None) -> Loop:
    """The loop of a board with this role (a number of `wire.ROLES`) and these faults so far.

    `build` makes of the hardware what moves and sees on it.
    """
    which = pins.BOARD_OF_ROLE[wire.ROLES[role]]
    port = usb_cdc.data
    if port is None:
        raise RuntimeError(NO_PORT)
    port.timeout = 0
    port.write_timeout = 0
    hardware = Hardware(which, str(os.getenv("GALLEY_EDGES")) == "1")
    works = NoMachinery() if build is None else build(hardware)
    for name in settings.unknown(settings.read(settings.FILE), pins.settings()):
        hardware.fault(faults.SETTING_UNKNOWN, name)
    if microcontroller.cpu.reset_reason == microcontroller.ResetReason.WATCHDOG:
        board_faults |= faults.WATCHDOG_RESET
    folder = __file__.rpartition("/")[0]
    link = BoardLink(
        role,
        identity.new_boot_id(),
        pins.PIXELS[which],
        hardware.caps | works.caps,
        identity.fingerprint(folder),
    )
    keys = Keys(hardware.scanner, hardware.event, hardware.key_numbers, supervisor.ticks_ms())
    # keys that are down now are stuck; from the first turn on every edge is somebody's
    settle()
    keys.poll(supervisor.ticks_ms(), link)
    watchdog = microcontroller.watchdog
    watchdog.timeout = WATCHDOG_S
    watchdog.mode = WatchDogMode.RESET
    return Loop(
        port,
        link,
        keys,
        Renderer(hardware.strip, which),
        Buzzer(hardware.tone),
        watchdog,
        hardware,
        board_faults | hardware.faults,
        pins.MOST_MA[which],
        works,
    )


def run(loop: Loop) -> None:
    """Turn after turn; only an exception ends it."""
    start_ms = supervisor.ticks_ms()
    well = False
    while True:
        loop.turn()
        if loop.link.service:
            if loop.link.service == wire.OPEN_DRIVE:
                recovery.open_drive(microcontroller.nvm)
            microcontroller.reset()
        if not well and since_ms(supervisor.ticks_ms(), start_ms) >= recovery.HEALTHY_MS:
            well = True
            recovery.healthy(microcontroller.nvm)
        if not loop.unfinished:
            time.sleep(SLEEP_S)


def unknown(role: int) -> Loop:
    """The loop of a board that was not told its role: it says so and shows so."""
    print("GALLEY_ROLE is %r. %s" % (os.getenv("GALLEY_ROLE"), faults.explain(faults.ROLE_UNKNOWN)))
    return assemble(role, faults.ROLE_UNKNOWN)
