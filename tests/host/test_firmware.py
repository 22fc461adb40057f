"""The boards' files onto any folder: in a safe order, read back, what was there kept; and a file to drag."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from galley import cli
from galley.drives import drive_at, mounted
from galley.firmware import LAST, ROLES, FirmwareError, differences, keep, strays, tree, with_role, write
from galley_board import identity
from tests.loop.box_process import ROOT

UF2_MAGIC = (0x0A324655, 0x9E5D5157, 0x0AB16F30)
RP2350 = 0xE48BFF59


def galley(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "galley", *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("role", ROLES)
def test_a_role_has_all_files_of_the_checkout_and_its_role(role: str) -> None:
    made = tree(role)
    library = ROOT / "circuitpython" / "lib" / "galley_board"
    ours = {f"lib/galley_board/{path.name}" for path in library.glob("*.py")}
    assert set(made.files) == {*LAST, *ours, "lib/neopixel.py", "lib/versions.json", "settings.toml"}
    assert f'GALLEY_ROLE = "{role}"' in made.files["settings.toml"].decode()
    assert made.fingerprint == identity.fingerprint(str(library))
    versions = json.loads(made.files["lib/versions.json"])
    assert versions["role"] == role
    assert versions["adafruit-circuitpython-neopixel"][0].isdigit()


def test_an_unknown_role_is_refused() -> None:
    with pytest.raises(FirmwareError, match=r"no role 'middle': use left, right, deck"):
        tree("middle")


def test_what_starts_the_board_is_written_last() -> None:
    names = [name for name, _ in tree("deck").in_order()]
    assert tuple(names[-len(LAST) :]) == LAST
    assert names[-1] == "code.py"


def test_a_folder_gets_the_tree_and_only_what_differs_is_written_again(tmp_path: Path) -> None:
    made = tree("left")
    assert write(tmp_path, made) == [name for name, _ in made.in_order()]
    assert differences(tmp_path, made) == []
    assert write(tmp_path, made) == []
    (tmp_path / "code.py").write_text("print('mine')\n")
    (tmp_path / "lib" / "galley_board" / "old.mpy").write_bytes(b"M")
    (tmp_path / "lib" / "other.py").write_text("# somebody's\n")
    assert differences(tmp_path, made) == [
        "code.py is another",
        "lib/galley_board/old.mpy does not belong there",
    ]
    assert write(tmp_path, made) == ["code.py"]
    assert differences(tmp_path, made) == []
    assert (tmp_path / "lib" / "other.py").exists(), "what is not ours stays"


def test_a_write_that_was_cut_short_leaves_code_py_as_it_was_and_can_be_done_again(tmp_path: Path) -> None:
    """For every file: the cable is pulled just before it."""
    made = tree("right")
    before = b"print('before')\n"
    for cut in range(0, len(made.files), 5):
        folder = tmp_path / str(cut)
        folder.mkdir()
        (folder / "code.py").write_bytes(before)
        names = [name for name, _ in made.in_order()]
        blocked = folder / names[cut]
        blocked.parent.mkdir(parents=True, exist_ok=True)
        if blocked.name != "code.py":
            blocked.mkdir()  # a file cannot be written where a folder is
            with pytest.raises(FirmwareError, match="check the drive and flash again"):
                write(folder, made)
            assert (folder / "code.py").read_bytes() == before
            blocked.rmdir()
        write(folder, made)
        assert differences(folder, made) == []


def test_what_was_there_is_kept(tmp_path: Path) -> None:
    drive, aside = tmp_path / "drive", tmp_path / "aside"
    made = tree("left")
    assert keep(drive, aside, made) is None
    library = drive / "lib" / "galley_board"
    library.mkdir(parents=True)
    (drive / "code.py").write_text("old\n")
    (library / "gone.py").write_text("old too\n")
    assert strays(drive, made) == ["lib/galley_board/gone.py"]
    assert keep(drive, aside, made) == aside
    write(drive, made)
    assert (aside / "code.py").read_text() == "old\n"
    assert (aside / "lib" / "galley_board" / "gone.py").read_text() == "old too\n"
    assert not (library / "gone.py").exists()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", 'GALLEY_ROLE = "deck"\n'),
        ('GALLEY_ROLE = "left"\nX = 1\n', 'GALLEY_ROLE = "deck"\nX = 1\n'),
        ('X = 1\n  GALLEY_ROLE="nonsense" # mine\n', 'X = 1\nGALLEY_ROLE = "deck"\n'),
    ],
)
def test_the_role_is_put_into_settings_that_stay_otherwise(before: str, after: str) -> None:
    assert with_role(before, "deck") == after


def test_settings_of_whoever_built_the_board_are_no_difference(tmp_path: Path) -> None:
    write(tmp_path, tree("left"))
    path = tmp_path / "settings.toml"
    path.write_text(path.read_text() + "GALLEY_PRODUCTION = 1\n")
    assert differences(tmp_path, tree("left")) == []
    assert differences(tmp_path, tree("right")) == [
        "settings.toml is another",
        "lib/versions.json is another",
    ]


def test_drives_are_found_among_the_mounts_and_told_apart_by_their_boards(tmp_path: Path) -> None:
    one, two = tmp_path / "CIRCUITPY", tmp_path / "my disks" / "CIRCUITPY1"
    for path in (one, two):
        path.mkdir(parents=True)
    (two / "boot_out.txt").write_text(
        "Adafruit CircuitPython 10.0.3\r\nBoard ID:raspberry_pi_pico2\r\nUID:e66A4C\r\n"
    )
    escaped = str(two).replace(" ", r"\040")
    lines = f"proc /proc proc rw 0 0\n/dev/sda1 {one} vfat rw 0 0\n/dev/sdb1 {escaped} vfat rw 0 0\n\n"
    assert mounted(lambda: lines) == [(one, ""), (two, "E66A4C")]
    assert drive_at(tmp_path) == (tmp_path, "")


def test_flash_and_verify_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def said(*arguments: str | Path) -> tuple[object, str, str]:
        """Exit status, output and errors of a call in this process."""
        with pytest.raises(SystemExit) as end:
            cli.main([str(argument) for argument in arguments])
        return end.value.code, *capsys.readouterr()

    drive, data = tmp_path / "drive", tmp_path / "data"
    drive.mkdir()
    verify = ("firmware", "verify", "--drive", drive)
    status, out, err = said(*verify)
    assert (status, out) == (2, "")
    assert "--role" in err
    flash: Sequence[str | Path] = ("firmware", "flash", "--drive", drive, "--data", data, "--no-restart")
    first = galley(*flash, "--role", "deck")
    assert first.returncode == 0, first.stderr
    assert "all read back" in first.stdout
    assert said(*verify)[0] == 0
    (drive / "boot.py").write_text("# mine\n")
    status, out, err = said(*verify)
    assert (status, out) == (1, "boot.py is another\n")
    assert err.count("\n") == 1
    assert "1 of " in said(*flash)[1]
    (kept,) = (data / "firmware").iterdir()
    assert (kept / "boot.py").read_text() == "# mine\n"


def uf2_blocks(data: bytes) -> list[tuple[int, bytes]]:
    """Address and payload of each block, each checked."""
    assert len(data) % 512 == 0
    found = []
    for at in range(0, len(data), 512):
        block = data[at : at + 512]
        first, second, _, address, size, *_ = struct.unpack("<8I", block[:32])
        assert (first, second, *struct.unpack("<I", block[508:])) == UF2_MAGIC
        found.append((address, block[32 : 32 + size]))
    return found


def test_one_file_holds_the_runtime_and_our_files(tmp_path: Path) -> None:
    payload = bytes(range(256))
    head = struct.pack("<8I", *UF2_MAGIC[:2], 0x2000, 0x10000000, 256, 0, 1, RP2350)
    runtime = tmp_path / "circuitpython.uf2"
    runtime.write_bytes(head + payload.ljust(476, b"\0") + struct.pack("<I", UF2_MAGIC[2]))
    out = tmp_path / "left.uf2"
    made = galley("firmware", "uf2", "--role", "left", "--runtime", runtime, "--out", out)
    assert made.returncode == 0, made.stderr
    blocks = uf2_blocks(out.read_bytes())
    assert blocks[0] == (0x10000000, payload)
    image = b"".join(part for _, part in blocks[1:])
    assert (ROOT / "circuitpython" / "code.py").read_bytes() in image
    assert b'GALLEY_ROLE = "left"' in image
    runtime.write_bytes(b"no UF2 at all")
    refused = galley("firmware", "uf2", "--role", "left", "--runtime", runtime, "--out", tmp_path / "no.uf2")
    assert refused.returncode == 1
    assert refused.stderr.count("\n") == 1
    assert "Traceback" not in refused.stderr
