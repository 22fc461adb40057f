"""Stand-in for `adafruit_pixelbuf`, which full builds have in C: colours in, bytes for the chain out.

Only what a chain of three-colour pixels needs; `neopixel` is the library's own file and sits on top.
"""

from __future__ import annotations

Colour = int | tuple[int, int, int]


class PixelBuf:
    """`size` pixels of three colours in the order that `byteorder` names."""

    def __init__(
        self, size: int, *, byteorder: str = "BGR", brightness: float = 1.0, auto_write: bool = False
    ) -> None:
        if sorted(byteorder) != ["B", "G", "R"]:
            raise ValueError("Invalid byteorder string")
        self._size = size
        self._at = tuple(byteorder.index(channel) for channel in "RGB")
        self.byteorder = byteorder
        self.brightness = brightness
        self.auto_write = auto_write
        self._colours = [0] * size

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, index: int) -> tuple[int, int, int]:
        colour = self._colours[index]
        return colour >> 16, colour >> 8 & 255, colour & 255

    def __setitem__(self, index: int, value: Colour) -> None:
        if not isinstance(value, int):
            value = value[0] << 16 | value[1] << 8 | value[2]
        self._colours[index] = value
        if self.auto_write:
            self.show()

    def fill(self, color: Colour) -> None:
        """Give all pixels one colour."""
        auto, self.auto_write = self.auto_write, False
        for index in range(self._size):
            self[index] = color
        self.auto_write = auto
        if auto:
            self.show()

    def show(self) -> None:
        """Send what was set to the chain."""
        red, green, blue = self._at
        data = bytearray(3 * self._size)
        for index, colour in enumerate(self._colours):
            data[3 * index + red] = int((colour >> 16) * self.brightness)
            data[3 * index + green] = int((colour >> 8 & 255) * self.brightness)
            data[3 * index + blue] = int((colour & 255) * self.brightness)
        self._transmit(data)

    def _transmit(self, buffer: bytearray) -> None:
        raise NotImplementedError("a driver on top of PixelBuf sends the bytes")
