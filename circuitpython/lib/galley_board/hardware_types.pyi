"""What the firmware asks of the hardware's objects, for type checkers.

For: naming only what is used, so that tests and stand-ins can be small. It is no module: nobody imports it,
and no board has it. Whoever names it does so under TYPE_CHECKING.
"""

from array import array
from typing import Any, Protocol

class Edge(Protocol):
    """What `keypad.Event` has."""

    @property
    def key_number(self) -> int:
        """The place of the key's pin."""

    @property
    def pressed(self) -> bool:
        """Whether the key went down."""

    @property
    def timestamp(self) -> int:
        """`ticks_ms` at the scan."""

class Edges(Protocol):
    """What `keypad.EventQueue` has."""

    @property
    def overflowed(self) -> bool:
        """Whether an edge was dropped since the last `clear`."""

    def get_into(self, event: Any) -> bool:
        """Fill an event of the queue's own kind; False when there is none."""

    def clear(self) -> None:
        """Forget all edges, and that any was dropped."""

class Scanner(Protocol):
    """What `keypad.Keys` has."""

    @property
    def events(self) -> Edges:
        """What was scanned and not yet read."""

    def reset(self) -> None:
        """Take all keys as released, so that one that is down gives a press."""

class Machine(Protocol):
    """What `rp2pio.StateMachine` has."""

    @property
    def frequency(self) -> int:
        """The clock it really runs at, in Hz."""

    @property
    def in_waiting(self) -> int:
        """Words that can be read now."""

    @property
    def rxstall(self) -> bool:
        """Whether a word found the FIFO full since the last `clear_rxfifo`."""

    def readinto(self, buf: "array[int]") -> None:
        """Read as many words as `buf` holds; waits for them."""

    def clear_rxfifo(self) -> None:
        """Forget all words."""

    def stop(self) -> None:
        """Stop its clock."""

    def restart(self) -> None:
        """Begin the program anew."""

class EdgeSink(Protocol):
    """Who is told of keys: `galley_board.link.BoardLink`."""

    def key_edge(self, key: int, down: int, stamp_ms: int, us: int) -> None:
        """Key `key` went down (1) or up (0), `us` microseconds after `stamp_ms` (`wire.NO_US`: not known)."""

class Strip(Protocol):
    """What `neopixel.NeoPixel` has."""

    def __setitem__(self, index: int, value: int) -> None: ...
    def show(self) -> None:
        """Send what was set to the chain."""

class Tone(Protocol):
    """What `pwmio.PWMOut` has."""

    frequency: int
    duty_cycle: int

class Port(Protocol):
    """What `usb_cdc.Serial` has."""

    @property
    def connected(self) -> bool:
        """Whether a program has the port open."""

    @property
    def in_waiting(self) -> int:
        """Bytes that can be read now."""

    def readinto(self, buf: bytearray) -> "int | None":
        """Read what is there; how many bytes."""

    def write(self, buf: memoryview) -> "int | None":
        """Take what fits; how many bytes."""

class Watchdog(Protocol):
    """What `microcontroller.watchdog` has."""

    def feed(self) -> None:
        """Begin the time anew."""

class Powered(Protocol):
    """What `galley_board.hardware.Hardware` has."""

    def external_power(self) -> bool:
        """Whether the 5 V inlet has power."""

class Input(Protocol):
    """What `digitalio.DigitalInOut` has as an input."""

    @property
    def value(self) -> bool:
        """The level of the pin."""

class Output(Protocol):
    """What `digitalio.DigitalInOut` has as an output."""

    value: bool

class Bus(Protocol):
    """What `busio.I2C` has."""

    def writeto(self, address: int, buffer: bytearray) -> None:
        """Send bytes to a device; OSError when it does not answer."""

    def writeto_then_readfrom(self, address: int, out_buffer: bytearray, in_buffer: bytearray) -> None:
        """Send bytes to a device, then fill a buffer from it; OSError when it does not answer."""

class Works(Protocol):
    """What moves and sees on a board: `galley_board.machinery`."""

    bitmap: int
    caps: int
    faults: int
    fault_key: int
    version: int

    def poll(self, now_ms: int, link: "Any", leave: bool) -> bool:
        """Do what is due; whether there was anything to tell."""

class Builder(Protocol):
    """What makes the works of a board out of its `galley_board.hardware.Hardware`."""

    def __call__(self, hardware: Any) -> Works:
        """All at rest."""

class Setting(Protocol):
    """What `os.getenv` is."""

    def __call__(self, key: str) -> object:
        """What settings.toml says, or None."""

class Bytes(Protocol):
    """What `microcontroller.nvm` has for several bytes."""

    def __getitem__(self, places: slice) -> bytearray: ...
    def __setitem__(self, places: slice, value: bytearray) -> None: ...

class Memory(Protocol):
    """What `microcontroller.nvm` has."""

    def __getitem__(self, index: int) -> int: ...
    def __setitem__(self, index: int, value: int) -> None: ...
