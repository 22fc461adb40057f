"""Stand-in for `busio`: an I2C bus on which a TCS34725 answers if the rig has one.

As on a board: a bus without pull-ups, that is without any device, cannot be opened; a device that is gone
gives OSError; nothing may be sent without the lock; nothing is measured before the sensor was switched on.
"""

from rig import rig

ADDRESS = 0x29
COMMAND = 0x80
ENABLE, ID, STATUS, CLEAR = 0x00, 0x12, 0x13, 0x14
TCS34725 = 0x44
ON = 0x03


class I2C:
    """One bus."""

    def __init__(self, scl, sda, *, frequency: int = 100000, timeout: int = 255) -> None:
        if rig.colour is None:
            raise RuntimeError("No pull up found on SDA or SCL; check your wiring")
        self._pins = (scl.number, sda.number)
        for pin in self._pins:
            rig.claim(pin)
        self._locked = False
        self._registers = bytearray(32)
        self._registers[ID] = TCS34725

    def deinit(self) -> None:
        """Give the pins back."""
        for pin in self._pins:
            rig.release(pin)

    def try_lock(self) -> bool:
        """Take the bus; False when somebody has it."""
        if self._locked:
            return False
        self._locked = True
        return True

    def unlock(self) -> None:
        """Give the bus back."""
        self._locked = False

    def writeto(self, address: int, buffer) -> None:
        """Write registers from one on."""
        register = self._register(address, buffer)
        for offset in range(1, len(buffer)):
            self._registers[register + offset - 1] = buffer[offset]

    def writeto_then_readfrom(self, address: int, out_buffer, in_buffer) -> None:
        """Read registers from one on."""
        register = self._register(address, out_buffer)
        for offset in range(len(in_buffer)):
            in_buffer[offset] = self._registers[register + offset]

    def _register(self, address: int, buffer) -> int:
        if not self._locked:
            raise RuntimeError("Function requires lock")
        rig.known_us()
        if address != ADDRESS or rig.colour is None or not buffer[0] & COMMAND:
            raise OSError(19, "No such device")
        measuring = self._registers[ENABLE] & ON == ON
        self._registers[STATUS] = 1 if measuring else 0
        if measuring:
            for channel in range(4):
                count = rig.colour[channel]
                self._registers[CLEAR + 2 * channel] = count & 255
                self._registers[CLEAR + 2 * channel + 1] = count >> 8
        return buffer[0] & 0x1F
