"""What is known of a bought part: one row of the catalogue, and what the words of a row mean.

`mock` is the part's body as prisms in its own coordinates: z = 0 is the face of the panel or floor it sits
on, +z points away from that panel's material for anything one touches (so a button's body has negative z).
`hole` is the cut-out it needs. `room` prisms are air for wires and plugs: nothing may be there. Rows with
`measured=False` rest on a shop page, another project or an assumption; the build guide lists them as
"measure before cutting".
"""

from __future__ import annotations

from dataclasses import dataclass

from galley_enclosure.shapes import Prism

SOURCES = {
    "board file": "outline and drill list of the maker's published board file",
    "nopscadlib": "vitamins of the public parts library NopSCADlib",
    "drawing": "the maker's mechanical drawing",
    "projects": "public projects and shop pages that name the part; two agree",
    "datasheet": "the maker's data sheet",
    "assumed": "assumption: no source found",
    "own": "made by you to the drawing here",
    "standard": "standard size (DIN/ISO)",
}


@dataclass(frozen=True, slots=True)
class Part:
    """A bought part. `panel` is the range of sheet it clamps (mm), `bezel_d` what fingers meet."""

    name: str
    title: str
    source: str
    measured: bool
    mock: tuple[Prism, ...] = ()
    hole_d: float = 0.0
    bezel_d: float = 0.0
    panel: tuple[float, float] = (0.0, 99.0)
    depth: float = 0.0
    wire_room: float = 0.0
    note: str = ""
    colour: str = "#333333"
