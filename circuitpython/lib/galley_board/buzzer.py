"""The buzzer: one tone for a bounded time.

For: short sounds with an end that needs nobody. It must not know why it sounds.

Hardware: a piezo or passive buzzer on a PWM pin (`pins.BUZZER_PIN`). `pwm` is a `pwmio.PWMOut` with
variable frequency, or None where there is no buzzer.
"""

from galley_board.link import since_ms

TYPE_CHECKING = False  # a board has no typing module; type checkers take it for true
if TYPE_CHECKING:
    from galley_board.hardware_types import Tone


LOWEST_HZ = 100
HIGHEST_HZ = 5000
LONGEST_MS = 2000
HALF = 32768


class Buzzer:
    """Sounds from `start` until its time is over, and never longer than LONGEST_MS."""

    def __init__(self, pwm: "Tone | None") -> None:
        self._pwm = pwm
        self._on = False
        self._start_ms = 0
        self._for_ms = 0

    def start(self, hz: int, ms: int, now_ms: int) -> None:
        """Sound `hz` (brought into what a buzzer can do) for `ms`; 0 of either is silence."""
        if self._pwm is None:
            return
        if not hz or not ms:
            self.stop()
            return
        self._pwm.frequency = max(LOWEST_HZ, min(hz, HIGHEST_HZ))
        self._pwm.duty_cycle = HALF
        self._on = True
        self._start_ms = now_ms
        self._for_ms = min(ms, LONGEST_MS)

    def stop(self) -> None:
        """Be silent now."""
        if self._on and self._pwm is not None:
            self._pwm.duty_cycle = 0
        self._on = False

    def poll(self, now_ms: int) -> None:
        """End the tone when its time is over; call it every turn."""
        if self._on and not 0 <= since_ms(now_ms, self._start_ms) < self._for_ms:
            self.stop()
