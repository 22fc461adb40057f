"""Stand-in for `pwmio`: one pin with a frequency and a duty cycle."""

from rig import rig

FULL = 65535


class PWMOut:
    """A square wave on a pin; `duty_cycle` 0 is silence, 32768 is half on."""

    def __init__(
        self, pin, *, duty_cycle: int = 0, frequency: int = 500, variable_frequency: bool = False
    ) -> None:
        rig.claim(pin.number)
        self._pin = pin.number
        self._frequency = frequency
        self._variable = variable_frequency
        self._duty = duty_cycle
        rig.pwm(self._pin, duty_cycle)

    def deinit(self) -> None:
        """Be silent and give the pin back."""
        self.duty_cycle = 0
        rig.release(self._pin)

    @property
    def frequency(self) -> int:
        """Hertz; may be set only with `variable_frequency`."""
        return self._frequency

    @frequency.setter
    def frequency(self, hz: int) -> None:
        if not self._variable:
            raise ValueError("PWM frequency not writable when variable_frequency is False on construction.")
        self._frequency = hz

    @property
    def duty_cycle(self) -> int:
        """0 to 65535."""
        return self._duty

    @duty_cycle.setter
    def duty_cycle(self, duty: int) -> None:
        if not 0 <= duty <= FULL:
            raise ValueError("duty_cycle must be 0-65535")
        self._duty = duty
        rig.pwm(self._pin, duty)
