"""Stand-in for `digitalio`: one pin as input with a pull, or as output."""

from rig import rig


class Direction:
    """Which way a pin is used."""

    INPUT = "INPUT"
    OUTPUT = "OUTPUT"


class Pull:
    """The resistor inside the chip."""

    UP = "UP"
    DOWN = "DOWN"


class DigitalInOut:
    """One pin; starts as an input without a pull."""

    def __init__(self, pin) -> None:
        rig.claim(pin.number)
        self._pin = pin.number
        self._direction = Direction.INPUT
        self._pull = None

    def deinit(self) -> None:
        """Give the pin back."""
        rig.release(self._pin)
        self._pin = None

    def switch_to_input(self, pull=None) -> None:
        """Read the pin from now on."""
        self._direction = Direction.INPUT
        self._pull = pull

    def switch_to_output(self, value: bool = False) -> None:
        """Drive the pin from now on."""
        self._direction = Direction.OUTPUT
        self.value = value

    @property
    def direction(self) -> str:
        """One of `Direction`."""
        return self._direction

    @direction.setter
    def direction(self, direction: str) -> None:
        if direction == Direction.OUTPUT:
            self.switch_to_output()
        else:
            self.switch_to_input()

    @property
    def value(self) -> bool:
        """The level: read from outside as an input, the one that was set as an output."""
        if self._pin is None:
            raise ValueError("Object has been deinitialized and can no longer be used.")
        if self._direction == Direction.OUTPUT:
            return rig.outputs[self._pin] != 0
        rig.known_us()
        return rig.level(self._pin, 1 if self._pull == Pull.UP else 0) != 0

    @value.setter
    def value(self, value: bool) -> None:
        if self._pin is None:
            raise ValueError("Object has been deinitialized and can no longer be used.")
        if self._direction != Direction.OUTPUT:
            raise AttributeError("Cannot set value when direction is input.")
        rig.output(self._pin, 1 if value else 0)
