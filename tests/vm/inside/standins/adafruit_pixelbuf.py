"""Stand-in for `adafruit_pixelbuf`, which full builds have in C: colours in, bytes for the chain out.

`neopixel` is the library's own file and sits on top. Like the real one it keeps one buffer for good.
"""


class PixelBuf:
    """`size` pixels of three colours in the order that `byteorder` names, at full brightness."""

    def __init__(
        self, size: int, *, byteorder: str = "BGR", brightness: float = 1.0, auto_write: bool = False
    ) -> None:
        if len(byteorder) != 3 or set(byteorder) != {"R", "G", "B"}:
            raise ValueError("Invalid byteorder string")
        if brightness != 1.0:
            raise NotImplementedError("only full brightness is copied here")
        self._size = size
        self._red = byteorder.index("R")
        self._green = byteorder.index("G")
        self._blue = byteorder.index("B")
        self.byteorder = byteorder
        self.auto_write = auto_write
        self._data = bytearray(3 * size)

    def __len__(self) -> int:
        return self._size

    def __setitem__(self, index: int, value: int) -> None:
        if not 0 <= index < self._size:
            raise IndexError("index out of range")
        if not 0 <= value <= 0xFFFFFF:
            raise ValueError("a colour is 0 to 0xffffff")
        self._data[3 * index + self._red] = value >> 16
        self._data[3 * index + self._green] = value >> 8 & 255
        self._data[3 * index + self._blue] = value & 255
        if self.auto_write:
            self.show()

    def fill(self, color: int) -> None:
        """Give all pixels one colour."""
        for index in range(self._size):
            self[index] = color

    def show(self) -> None:
        """Send what was set to the chain."""
        self._transmit(self._data)

    def _transmit(self, buffer: bytearray) -> None:
        raise NotImplementedError("a driver on top of PixelBuf sends the bytes")
