"""The running host: boards, house, pages and clock joined in one asyncio loop.

For: `galley` without a subcommand. This is the thin shell round the pure parts: it moves presses from the box
into the house, the house's view to the boards, its topics to the pages, and lets time pass.

Order matters for the hand that waits for its light: a press is answered to the boards within the same turn of
the loop, and what the pages are told is worked out in the next.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import signal
import socket
import time
from dataclasses import replace
from typing import Final

from galley import __version__, lan, logs, tables
from galley.box import Box, Watcher, house_ms
from galley.buzzers import Buzzers
from galley.data_folder import JOURNAL, FolderInUse
from galley.house import House
from galley.house_settings import HouseSettings, SettingsFile
from galley.journal import Journal
from galley.journal_schema import JournalRefused
from galley.keeping import Keeping
from galley.link_events import Beat, DeckReport, KeyEdge, TimeSample
from galley.operation import Operation
from galley.plugging import Plugging
from galley.publishing import Publisher
from galley.racing import Racing
from galley.starting import CannotStart, Settings, bind
from galley.tables.table import DeckStand
from galley.web.access import Access, new_pin
from galley.web.app import Server, build_app, load_site
from galley.web.commands import (
    CalibrateCommand,
    Command,
    KeyCommand,
    LanguageCommand,
    LiftCommand,
    PlugCommand,
    QuietCommand,
    SpeakerCommand,
    VolumeCommand,
)
from galley.web.hub import Hub
from galley.welcome import greet, open_browser
from galley_board import deck_codes, pins, wire

STATUS_EVERY_S: Final = 1.0
BEHIND_A_RACE_MS: Final = 100  # so long at most a bot lets presses go first that were made before its own
RACE_SOON_S: Final = 0.002
DRUM_MOVES: Final = frozenset({"turning", "homing", "waiting"})


class Host(Watcher):
    """Everything that runs, made from settings; `run` serves until `stop`, in a loop from `new_loop`."""

    def __init__(self, settings: Settings) -> None:
        """Open what is kept. Raises CannotStart if the folder cannot be this box's, BadOption."""
        self._settings = settings
        self._loop: asyncio.AbstractEventLoop | None = None
        self._remarks: list[str] = []
        self._access, self._lan_url = _access(settings)
        site = load_site(__version__)
        self._settings_file = SettingsFile(settings.folder)
        if self._settings_file.remark is not None:
            self._remarks.append(self._settings_file.remark)
        self._house = House(replace(settings.rules, language=self._settings_file.own.language))
        self._keeping = Keeping(self._house, self._open_journal())
        self._box = Box(self)
        self._buzzers = Buzzers()
        self._racing = Racing(self._house, self._box, self._moved)
        self._hub = Hub(self._commanded, access=self._access)
        self._operation = Operation(self._house, self._keeping, self._hub, __version__, site.build)
        self._chronicle = self._operation.chronicle
        self.new_loop = self._operation.new_loop
        self._server = Server(build_app(self._hub, site, self._operation))
        self._plugging = Plugging(
            settings, self._box, self._hub.pixels, self._deck_moved, self._chronicle.console
        )
        self._hub.on_watched = self._plugging.watch_pixels
        self._publisher = Publisher(
            self._hub,
            self._house,
            self._keeping,
            self._box,
            self._racing.keeper,
            self._chronicle,
            kept=self._settings_file,
            build=site.build,
            lan_url=self._lan_url,
            simulated=lambda: self._is_simulated,
        )
        self._failure: CannotStart | None = None
        self._tick: asyncio.TimerHandle | None = None
        self._tell_due = False

    async def run(self, sock: socket.socket) -> None:
        """Serve pages on `sock` and play until `stop` or a signal to end."""
        loop = self._loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self.stop)
        serving = asyncio.create_task(self._server.serve(sock, self._serves))
        background: list[asyncio.Task[None]] = []
        try:
            self._plugging.find()
            self._house.give_hand(self._plugging.deck)
            self._take_up()
            self._chronicle.remarked(self._remarks)
            pin = self._access.pin or ""
            greet(self._settings, self._is_simulated, self._lan_url, pin, self._remarks)
            background = [
                asyncio.create_task(work())
                for work in (
                    self._plugging.simulate,
                    self._plugging.scan_on,
                    self._status_on,
                    lambda: open_browser(self._settings, self._is_simulated),
                    *self._operation.works,
                )
            ]
            for task in background:
                task.add_done_callback(self._background_ended)
            tables.prepare(self._house.evening.games)
            gc.freeze()  # what the start made stays: the collector need not look at it with a hand waiting
            await serving
        finally:
            self._operation.stop()
            for task in background:
                task.cancel()
            await asyncio.gather(*background, return_exceptions=True)
            self._box.close()
            self._keeping.close()
            self._settings_file.close()
            await self._plugging.stop()
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.remove_signal_handler(number)
        if self._failure is not None:
            raise self._failure

    def stop(self) -> None:
        """End `run`, from a signal or from a test."""
        self._server.stop()

    def _serves(self) -> None:
        """The pages can be had from now on."""
        self._operation.ready(self._settings.port, self._is_simulated)

    @property
    def _is_simulated(self) -> bool:
        return self._plugging.simulated is not None

    def _background_ended(self, task: asyncio.Task[None]) -> None:
        """A part that failed ends the box with a sentence: half a box would only puzzle people."""
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._chronicle.failed(error)
            self._failure = (
                error
                if isinstance(error, CannotStart)
                else CannotStart(
                    f"a part of the box failed ({type(error).__name__}: {error}): start it again"
                )
            )
            self.stop()

    # -- what is kept -----------------------------------------------------------------------------------

    def _open_journal(self) -> Journal | None:
        folder = self._settings.folder
        if folder is None:
            return None
        try:
            journal = Journal.open(
                folder / JOURNAL, on_change=self._journal_moved, unjournalled=self._settings.unjournalled
            )
        except (JournalRefused, FolderInUse) as error:
            raise CannotStart(str(error)) from error
        if journal.aside is not None:
            self._remarks.append(journal.aside.sentence)
        if journal.state != "ok":
            self._remarks.append(f"the journal cannot be written ({journal.health.detail})")
        return journal

    def _journal_moved(self) -> None:
        """In the journal's thread: have the loop look."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._kept)

    def _kept(self) -> None:
        """The journal got on, or the disk has failed."""
        self._look_at_journal()
        self._publisher.tell_topics(self._keeping.due())
        self._operation.look()

    def _look_at_journal(self) -> None:
        if self._keeping.hold_or_release(house_ms()):
            self._moved()

    def _take_up(self) -> None:
        """Where the box stood when it ended, else what the command line says."""
        now_ms = house_ms()
        trouble = self._keeping.resume(now_ms)
        if trouble is not None:
            self._remarks.append(trouble)
        self._keeping.hold_or_release(now_ms)
        self._chronicle.taken_up(self._house.session)
        if self._settings.seats and self._house.session is None:
            self._house.evening.attract()  # and not what stood there when the box ended
            try:
                self._house.begin(self._settings.seats, now_ms)
            except ValueError as error:
                raise CannotStart(f"--seats: {error}") from error
        self._tell()
        self._moved()

    def _keep_settings(self, own: HouseSettings) -> None:
        self._settings_file.keep(own)
        self._tell()

    # -- boards ---------------------------------------------------------------------------------------

    async def _status_on(self) -> None:
        while True:
            await asyncio.sleep(STATUS_EVERY_S)
            self._look_at_journal()  # a disk that hangs calls nobody
            self._publisher.tell_boards()
            self._publisher.tell_clocks()

    def reported(self, report: DeckReport) -> None:
        stand = DeckStand(
            face=None if report.face == wire.FACES else report.face,
            moving=deck_codes.DRUM[report.drum] in DRUM_MOVES,
            guard_open=bool(report.flags & deck_codes.GUARD_OPEN),
            unsure=report.reader == deck_codes.READER_UNSURE,
            beams=self._box.has("deck", "beams"),
        )
        if self._house.reported(stand, house_ms()):
            self._moved()
        self._publisher.tell_boards_soon()

    def fell(self, hole: int) -> None:
        self._house.press("deck", pins.FIRST_SENSOR_KEY + hole, house_ms())
        self._moved()

    def joined(self, board: str, boot_id: int) -> None:
        self._racing.joined(board, boot_id)

    def left(self, board: str) -> None:
        self._racing.left(board)

    def changed(self) -> None:
        self._house.boards_live(self._box.live(), house_ms())
        self._moved()
        self._publisher.tell_boards_soon()

    # -- presses, time, views -------------------------------------------------------------------------

    def edge(self, board: str, edge: KeyEdge) -> None:
        self._racing.edge(board, edge)

    def held(self, board: str, keys: int) -> None:
        self._house.keys_down(board, keys, house_ms())

    def timing(self, board: str, event: Beat | TimeSample) -> None:
        self._racing.timing(board, event)

    def _ticked(self) -> None:
        self._tick = None
        due_ms = self._house.due_ms()
        if self._racing.waits and due_ms is not None and house_ms() - due_ms < BEHIND_A_RACE_MS:
            self._tick = asyncio.get_running_loop().call_later(RACE_SOON_S, self._ticked)
            return
        self._house.tick(house_ms())
        self._moved()

    def _moved(self) -> None:
        """The house may have changed: show it on the boards now; pages and clock follow at the next turn."""
        self._box.show(self._house.view())
        tone = self._buzzers.due(self._house.evening.news)
        if tone is not None and self._buzzers_may_sound:
            self._box.buzz(*tone)
        self._racing.follow()
        self._tell_soon()

    @property
    def _buzzers_may_sound(self) -> bool:
        """For people who play, where nothing else sounds, and never when the house is to be silent."""
        evening, own = self._house.evening, self._settings_file.own
        silent = evening.demo or evening.muted or own.volume == 0 or self._hub.speaker is not None
        return not silent and not own.is_quiet(time.localtime())

    def _tell_soon(self) -> None:
        if not self._tell_due:
            self._tell_due = True
            asyncio.get_running_loop().call_soon(self._follow)

    def _follow(self) -> None:
        self._tell_due = False
        self._tell()
        if self._tick is not None:
            self._tick.cancel()
            self._tick = None
        due_ms = self._house.due_ms()
        if due_ms is not None:
            wait_s = max(0.0, due_ms / 1000 - time.monotonic())
            self._tick = asyncio.get_running_loop().call_later(wait_s, self._ticked)

    # -- pages ----------------------------------------------------------------------------------------

    def _tell(self) -> None:
        self._publisher.tell()
        self._operation.look()

    def _deck_moved(self) -> None:
        """Something moved on the simulated deck: pages show where it is."""
        self._tell_soon()

    def _commanded(self, command: Command) -> None:
        match command:
            case KeyCommand(board, key, down):
                self._key(board, key, down)
            case PlugCommand(board, plugged):
                simulated = self._plugging.board(board)
                if simulated is not None:
                    (simulated.replug if plugged else simulated.unplug)()
            case LiftCommand(dropping):
                self._house.lift(dropping, house_ms())
                self._moved()
            case CalibrateCommand(colour):
                self._box.teach_reader(deck_codes.WELL[colour + 1])
            case LanguageCommand(to, for_good=True):
                self._house.speak_usually(to)
                self._keep_settings(replace(self._settings_file.own, language=to))
            case LanguageCommand(to):
                self._house.speak(to, house_ms())
                self._moved()
            case SpeakerCommand():
                self._tell()
            case VolumeCommand(to):
                self._keep_settings(replace(self._settings_file.own, volume=to))
            case QuietCommand(begin, end):
                self._keep_settings(replace(self._settings_file.own, quiet=(begin, end)))

    def _key(self, board: str, key: int, down: bool) -> None:
        """A key of a page: of a simulated board a hand on its pin, of a real one a press like its own."""
        if self._plugging.key(board, key, down):
            return
        (self._house.press if down else self._house.release)(board, key, house_ms())
        self._moved()


def _access(settings: Settings) -> tuple[Access, str | None]:
    """Who may do what, and the box's address in the network if it serves that."""
    if not settings.lan:
        return Access(), None
    own = lan.addresses()
    if not own:
        raise CannotStart("--lan: this machine is in no network: connect it, or start without --lan")
    access = Access(settings.pin or new_pin(), lan.names(own))
    return access, f"http://{own[0]}:{settings.port}/"


def serve(settings: Settings) -> None:
    """Run the box until it is told to end. Raises CannotStart, and BadOption for options of the game."""
    sock = bind(settings.port, lan=settings.lan)
    try:
        host = Host(settings)
        with (
            logs.kept(settings.folder, settings.log_level),  # after the host has made the folder its own
            asyncio.Runner(loop_factory=host.new_loop) as runner,
        ):
            runner.run(host.run(sock))
    finally:
        sock.close()
