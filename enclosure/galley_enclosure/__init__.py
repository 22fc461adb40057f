"""The boxes of Galley and their electronics, as code.

Flat parts are born as 2D outlines (`sheet`, `station`, `deck`, `pi_tray`, `coupon`), bought parts are rows
of a table (`parts`), printed parts are stacks of prisms (`printed`). One model feeds the cut files, the
solids, the checks, the bill of materials and the pictures. Only `solids` and `stepfiles` load the CAD
kernel; nothing else may import them at the top, because that takes seconds.
"""

__all__ = ["__version__"]
__version__ = "1"
