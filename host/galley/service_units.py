"""The files that make a box of a machine: systemd units for host and kiosk, a user for them, a udev rule.

For: `galley service install` and `check`. It knows what stands in the files; it must not write them.

The host may write its data folder and nothing else, sees no device but the boards' ports, and has no way
out of the machine. systemd starts it again whenever it ends or gives no sign of life for WATCHDOG_S; the
journal makes that lose nothing. The kiosk shows the table on the first console, in a browser whose profile
is thrown away.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

WATCHDOG_S: Final = 10
HOST_UNIT: Final = "etc/systemd/system/galley.service"
KIOSK_UNIT: Final = "etc/systemd/system/galley-kiosk.service"
USERS: Final = "etc/sysusers.d/galley.conf"
FOLDERS: Final = "etc/tmpfiles.d/galley.conf"
RULES: Final = "etc/udev/rules.d/70-galley.rules"
"""Below 73, where systemd gives the person at the screen what is tagged uaccess."""

DEFAULT_CAGE: Final = "/usr/bin/cage"
DEFAULT_CHROMIUM: Final = "/usr/bin/chromium"
DEFAULT_USER: Final = "galley"
DEFAULT_FOLDER: Final = "/var/lib/galley"
GALLEY: Final = Path(sys.executable).with_name("galley")
"""This very program: after a first run it is on nobody's PATH."""
HOMES: Final = ("/home/", "/root/")
_USER: Final = re.compile(r"[a-z_][a-z0-9_-]{0,30}")
_FOLDER: Final = re.compile(r"/[^\x00-\x1f\x7f]*")


class BadInstallation(ValueError):
    """A value that the files cannot hold; the message names it and what would do."""


@dataclass(frozen=True, slots=True)
class Installation:
    """What the files are to say: absolute paths of the programs and the data folder, who runs it, the port.

    Raises BadInstallation.
    """

    python: str
    package: str
    cage: str = DEFAULT_CAGE
    chromium: str = DEFAULT_CHROMIUM
    user: str = DEFAULT_USER
    folder: str = DEFAULT_FOLDER
    port: int = 8765

    def __post_init__(self) -> None:
        if not _USER.fullmatch(self.user):
            raise BadInstallation(f"{self.user!r} is no name of a user: use a to z, 0 to 9, - and _")
        if not _FOLDER.fullmatch(self.folder) or ".." in PurePosixPath(self.folder).parts:
            raise BadInstallation(f"{self.folder!r} is no absolute path: write one, as {DEFAULT_FOLDER}")
        if len(PurePosixPath(self.folder).parts) < 3:
            raise BadInstallation(f"{self.folder!r} is a folder of the system: name one below it")


def files(box: Installation) -> Mapping[str, str]:
    """All files by their path below the root, in the order in which they are best written."""
    values = {
        "python": _word(box.python),
        "cage": _word(box.cage),
        "chromium": _word(box.chromium),
        "user": box.user,
        "folder": _word(box.folder),
        "folder_path": _path(box.folder),
        "port": str(box.port),
        "watchdog": str(WATCHDOG_S),
        "homes": "read-only" if _lives_in_a_home(box) else "yes",
    }
    return {path: template.format_map(values) for path, template in TEMPLATES.items()}


def _lives_in_a_home(box: Installation) -> bool:
    """Whether the program or its data is in somebody's home, which must then be seen."""
    return any(f"{path}/".startswith(HOMES) for path in (box.python, box.package, box.folder))


def _word(text: str) -> str:
    """One word of a command: a variable would begin with $."""
    return _path(text).replace("$", "$$")


def _path(text: str) -> str:
    """One word of a setting: a specifier would begin with %, and a space would end it."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"' if re.search(r"[\s\"'\\]", text) else escaped


def user_of(unit: str) -> str:
    """Who runs a unit's program, "" if it does not say."""
    found = re.search(r"^User=(.*)$", unit, re.MULTILINE)
    return found[1] if found else ""


def beneath(root: Path, path: str) -> Path:
    """Where a file of `files` is, below `root`."""
    return root / path


HOST_TEMPLATE: Final = """\
[Unit]
Description=Galley, the host of the box
After=local-fs.target systemd-udevd.service time-sync.target
# it is always to come back, however often it ended
StartLimitIntervalSec=0

[Service]
Type=notify
NotifyAccess=main
ExecStart={python} -m galley --no-browser --port {port} --data {folder}
Restart=always
RestartSec=1
WatchdogSec={watchdog}
TimeoutStartSec=60
TimeoutStopSec=15
KillMode=mixed
User={user}
SupplementaryGroups=dialout
UMask=0077
# a host that is stuck tells where, before it is started again
Environment=PYTHONFAULTHANDLER=1 PYTHONDONTWRITEBYTECODE=1

ProtectSystem=strict
ReadWritePaths={folder_path}
ProtectHome={homes}
PrivateTmp=yes
NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
# the boards' ports, beside what every process may have (null, random, pts for simulated boards)
DevicePolicy=closed
DeviceAllow=char-ttyACM rw
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
RemoveIPC=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6
# nothing but this machine; for --lan, allow the network of the house here as well
IPAddressDeny=any
IPAddressAllow=localhost

[Install]
WantedBy=multi-user.target
"""

KIOSK_TEMPLATE: Final = """\
[Unit]
Description=Galley, the table on the screen
After=galley.service systemd-user-sessions.service plymouth-quit-wait.service getty@tty1.service
Wants=galley.service
Conflicts=getty@tty1.service
StartLimitIntervalSec=0

[Service]
Type=simple
# sound without a first touch; a profile that is thrown away, so that a crash is never asked about
ExecStart={cage} -d -- {chromium} --kiosk --autoplay-policy=no-user-gesture-required \\
    --ozone-platform=wayland --user-data-dir=/run/galley-kiosk --no-first-run --noerrdialogs \\
    --disable-session-crashed-bubble --disable-component-update --password-store=basic http://127.0.0.1:{port}/
Restart=always
RestartSec=2
User={user}
# a session on the seat, which gives screen, keys, touch and sound
PAMName=login
TTYPath=/dev/tty1
TTYReset=yes
TTYVHangup=yes
TTYVTDisallocate=yes
StandardInput=tty-fail
StandardOutput=journal
StandardError=journal
UtmpIdentifier=tty1
UtmpMode=user
RuntimeDirectory=galley-kiosk
RuntimeDirectoryMode=0700
Environment=HOME=/run/galley-kiosk

ProtectSystem=full
PrivateTmp=yes
NoNewPrivileges=yes
ProtectControlGroups=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
RestrictSUIDSGID=yes

[Install]
WantedBy=graphical.target
"""

USERS_TEMPLATE: Final = """\
# Galley: who runs the host and the kiosk. A user who exists is left as he is.
u {user} - "Galley" {folder_path} /usr/sbin/nologin
m {user} dialout
"""

FOLDERS_TEMPLATE: Final = """\
# Galley: where journal, settings and log are kept.
d {folder_path} 0700 {user} - -
"""

RULES_TEMPLATE: Final = """\
# Galley: boards name their maker over USB (boot.py); these rules go by that name.
# Who is in dialout, or sits at the screen, may open their ports.
SUBSYSTEM=="tty", KERNEL=="ttyACM[0-9]*", ATTRS{{manufacturer}}=="Galley", GROUP="dialout", MODE="0660", \\
    TAG+="uaccess"
# A modem manager that talks to them first would be taken for noise: keep it away from device and ports.
SUBSYSTEM=="usb", ENV{{DEVTYPE}}=="usb_device", ATTR{{manufacturer}}=="Galley", ENV{{ID_MM_DEVICE_IGNORE}}="1"
SUBSYSTEM=="tty", KERNEL=="ttyACM[0-9]*", ATTRS{{manufacturer}}=="Galley", ENV{{ID_MM_PORT_IGNORE}}="1"
# The same for one that has no boot.py yet: CircuitPython's own maker number.
SUBSYSTEM=="usb", ENV{{DEVTYPE}}=="usb_device", ATTR{{idVendor}}=="239a", ENV{{ID_MM_DEVICE_IGNORE}}="1"
"""

TEMPLATES: Final[Mapping[str, str]] = {
    USERS: USERS_TEMPLATE,
    FOLDERS: FOLDERS_TEMPLATE,
    RULES: RULES_TEMPLATE,
    HOST_UNIT: HOST_TEMPLATE,
    KIOSK_UNIT: KIOSK_TEMPLATE,
}
