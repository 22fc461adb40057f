"""One board on the second Python: boot.py and code.py as a Pico would run them. Runs on MicroPython only.

For: `launch`, which gives the arguments of `galley.sim.child` and two more: `--pty` and `--path`, the data
port's descriptor and name. It must not import anything that a board lacks: the stand-ins and this file are
all that is not the firmware's own.
"""

import sys

import builtins

sys.path[:] = [path for path in sys.path if path.endswith("standins") or path.endswith("lib")]

import rom  # noqa: E402, F401
import usb_cdc  # noqa: E402
from rig import rig  # noqa: E402


class Console:
    """What the firmware prints, as events; whole lines."""

    def __init__(self) -> None:
        self._line = ""

    def print(self, *values, sep: str = " ", end: str = "\n") -> None:
        """The built-in `print`."""
        lines = (self._line + sep.join([str(value) for value in values]) + end).split("\n")
        self._line = lines.pop()
        for line in lines:
            rig.send("console", {"text": line})


def setting(line: str) -> None:
    """KEY=VALUE as a line of settings.toml."""
    key, _, value = line.partition("=")
    value = value.strip().strip('"')
    rig.settings[key.strip()] = int(value) if value.lstrip("-").isdigit() else value


def run(path: str) -> None:
    """Run one of the board's files; an error goes to the console and ends it."""
    with open(path) as file:
        source = file.read()
    try:
        exec(compile(source, path, "exec"), {"__name__": "__main__"})
    except Exception as error:
        import traceback

        traceback.print_exception(error)


def ground(pin: str) -> None:
    """Join a pin to GND from power-on."""
    rig.set_pin(int(pin), 0)


def channel(descriptor: str) -> None:
    """Use this socket."""
    rig.connect(int(descriptor))


TAKES = {"--set": setting, "--ground": ground, "--rig": channel}
TEXTS = {
    "--firmware": "firmware",
    "--board": "board",
    "--path": "path",
    "--nvm": "nvm_path",
    "--reset-reason": "reset_reason",
    "--safe-mode": "safe_mode_reason",
}
NUMBERS = {"--pty": "pty", "--ticks-origin": "ticks_origin"}


def main(arguments: "list[str]") -> None:
    """Become the board, and stay until the rig goes away."""
    for at in range(0, len(arguments), 2):
        name, value = arguments[at], arguments[at + 1]
        if name in TAKES:
            TAKES[name](value)
        elif name in TEXTS:
            setattr(rig, TEXTS[name], value)
        elif name in NUMBERS:
            setattr(rig, NUMBERS[name], int(value))
        else:
            raise ValueError("%s is no option of a board on this Python" % name)
    builtins.print = Console().print
    rig.service()  # what is soldered to the pins was so before power came
    if rig.safe_mode_reason != "NONE":
        run(rig.firmware + "/safemode.py")
    else:
        run(rig.firmware + "/boot.py")
        rig.power_off_pins()
        port = usb_cdc.enumerate_ports()
        if port is not None:
            rig.send("ready", {"port": rig.path})
        run(rig.firmware + "/code.py")
    while True:
        rig.idle()


main(sys.argv[1:])
