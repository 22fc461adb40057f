"""settings.toml: whether it says something that no board knows.

For: a misspelt key, which CircuitPython itself takes without a word. What the keys mean is known where they
are used; which there are is data of `pins`.
"""

FILE = "/settings.toml"
OURS = "GALLEY_"


def read(path: str) -> "list[str]":
    """The lines of the file; none where there is no such file."""
    try:
        with open(path) as file:
            return file.read().split("\n")
    except OSError:
        return []


def unknown(lines: "list[str]", known: "list[str]") -> "list[str]":
    """The keys of ours in these lines that are not known."""
    found = []
    for line in lines:
        key = line.partition("=")[0].strip()
        if key.startswith(OURS) and key not in known:
            found.append(key)
    return found
