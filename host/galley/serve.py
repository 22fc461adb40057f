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
import sys
import time
from dataclasses import replace
from typing import Final

import click

from galley import __version__, house_settings, lan, logs, tables
from galley.box import NS_PER_MS, Box, Watcher, house_ms
from galley.box_options import LANGUAGES
from galley.clock_history import ClockHistory
from galley.data_folder import JOURNAL, FolderInUse
from galley.house import House
from galley.house_settings import HouseSettings
from galley.journal import Journal
from galley.journal_schema import JournalRefused
from galley.keeping import Keeping, Topics
from galley.link import Beat, DeckReport, KeyEdge, TimeSample
from galley.operation import Operation
from galley.plugging import Plugging
from galley.starting import ADDRESS, CannotStart, Settings, bind, has_screen
from galley.tables.table import BOARDS, DeckStand
from galley.timekeeper import Timekeeper
from galley.web.access import Access, new_pin
from galley.web.app import Server, build_app, load_site
from galley.web.hub import (
    CalibrateCommand,
    Command,
    Hub,
    KeyCommand,
    LanguageCommand,
    LiftCommand,
    PlugCommand,
    QuietCommand,
    SpeakerCommand,
    VolumeCommand,
)
from galley_board import deck_codes, wire
from galley_engine.race import LATE

STATUS_EVERY_S: Final = 1.0
BEHIND_A_RACE_MS: Final = 100  # so long at most a bot lets presses go first that were made before its own
RACE_SOON_S: Final = 0.002
DRUM_MOVES: Final = frozenset({"turning", "homing", "waiting"})


class Host(Watcher):
    """Everything that runs, made from settings; `run` serves until `stop`."""

    def __init__(self, settings: Settings) -> None:
        """Open what is kept. Raises CannotStart if the folder cannot be this box's, BadOption."""
        self._settings = settings
        self._loop: asyncio.AbstractEventLoop | None = None
        self._remarks: list[str] = []
        self._own = self._load_settings()
        self._house = House(replace(settings.rules, language=self._own.language))
        self._keeping = Keeping(self._house, self._open_journal())
        self._box = Box(self)
        self._keeper = Timekeeper()
        self._clocks = ClockHistory(BOARDS)
        self._closed_ns: int | None = None
        self._asking: asyncio.TimerHandle | None = None
        self._access, self._lan_url = _access(settings)
        self._lan_qr = [] if self._lan_url is None else lan.qr_rows(self._lan_url)
        self._hub = Hub(self._commanded, access=self._access)
        self._site = load_site(__version__)
        self._operation = Operation(self._house, self._keeping, self._hub, __version__, self._site.build)
        self._chronicle = self._operation.chronicle
        self._server = Server(build_app(self._hub, self._site, self._operation))
        self._plugging = Plugging(
            settings, self._box, self._hub.pixels, self._deck_moved, self._chronicle.console
        )
        self._failure: CannotStart | None = None
        self._tick: asyncio.TimerHandle | None = None
        self._tell_due = False
        self._status_due = False

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
            self._report()
            background = [
                asyncio.create_task(work())
                for work in (
                    self._plugging.simulate,
                    self._plugging.scan_on,
                    self._status_on,
                    self._open_browser,
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
        self._operation.ready(self._settings.port, self._plugging.simulated is not None)

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

    def _load_settings(self) -> HouseSettings:
        folder = self._settings.folder
        try:
            found, remark = (HouseSettings(), None) if folder is None else house_settings.load(folder)
        except OSError as error:
            found, remark = (
                HouseSettings(),
                f"the settings cannot be read ({error.strerror}): usual ones are used",
            )
        if remark is not None:
            self._remarks.append(remark)
        return found

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
        return journal

    def _journal_moved(self) -> None:
        """In the journal's thread: have the loop look."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._kept)

    def _kept(self) -> None:
        """The journal got on, or the disk has failed."""
        self._keeping.hold_or_release(house_ms())
        self._publish(self._keeping.due())
        self._operation.look()
        if self._keeping.trouble is not None:
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
        self._own = own
        folder = self._settings.folder
        if folder is not None:
            with contextlib.suppress(OSError):  # the journal tells of a disk that fails
                house_settings.save(folder, own)
        self._tell()

    # -- boards ---------------------------------------------------------------------------------------

    async def _status_on(self) -> None:
        while True:
            await asyncio.sleep(STATUS_EVERY_S)
            self._keeping.hold_or_release(house_ms())  # a disk that hangs calls nobody
            self._tell_boards()
            self._tell_clocks()

    def reported(self, report: DeckReport) -> None:
        stand = DeckStand(
            face=None if report.face == wire.FACES else report.face,
            moving=deck_codes.DRUM[report.drum] in DRUM_MOVES,
            guard_open=bool(report.flags & deck_codes.GUARD_OPEN),
            unsure=report.reader == deck_codes.READER_UNSURE,
        )
        self._house.reported(stand, house_ms())

    def joined(self, board: str, boot_id: int) -> None:
        self._keeper.joined(board, boot_id, time.monotonic_ns(), self._box.clock_lag_us(board))

    def left(self, board: str) -> None:
        if board in self._house.needed:
            self._keeper.left(board, time.monotonic_ns())
        else:
            self._keeper.gone(board)
            self._decide()

    def changed(self) -> None:
        self._house.boards_live(self._box.live(), house_ms())
        self._moved()
        if not self._status_due:
            self._status_due = True
            asyncio.get_running_loop().call_soon(self._tell_boards)

    # -- presses, time, views -------------------------------------------------------------------------

    def edge(self, board: str, edge: KeyEdge) -> None:
        if not edge.down:
            self._house.release(board, edge.key, edge.received_ns // NS_PER_MS - edge.age_ms)
            self._moved()
            return
        if self._house.races(board, edge.key) or self._keeper.races(board):
            self._keeper.enter(board, edge, edge.received_ns)
            self._decide()
        else:
            self._house.press(board, edge.key, edge.received_ns // NS_PER_MS - edge.age_ms)
            self._moved()

    def timing(self, board: str, event: Beat | TimeSample) -> None:
        if isinstance(event, Beat):
            self._keeper.beat(board, event)
        else:
            self._keeper.sample(board, event)
            # asking more often costs, so it is done where it may decide something
            self._box.clock_unsure(board, self._house.racing and self._keeper.unsure(board))
            self._decide()

    def _decide(self) -> None:
        """Let every press out whose turn has come; ask the boards again while some wait."""
        moved = False
        while heat := self._keeper.heat():
            places = [(press.source, press.key) for press in heat]
            timed = self._keeper.take(heat[self._house.settle(places)])
            press = timed.press
            self._house.press(press.source, press.key, press.ns // NS_PER_MS, timed)
            moved = True
        for refused in self._keeper.refused():
            if refused.why == LATE:  # a bounce's second edge: it raced nobody, and still counts
                self._house.press(refused.press.source, refused.press.key, refused.press.ns // NS_PER_MS)
                moved = True
        if moved:
            self._moved()
        due_ns = self._keeper.probes_due_ns(time.monotonic_ns())
        if due_ns is not None and self._asking is None:
            self._asking = asyncio.get_running_loop().call_later(due_ns / 1e9, self._ask)

    def _ask(self) -> None:
        self._asking = None
        self._box.probe_all()
        self._keeper.asked(time.monotonic_ns())
        self._decide()

    def _ticked(self) -> None:
        self._tick = None
        due_ms = self._house.due_ms()
        waiting = self._keeper.probes_due_ns(time.monotonic_ns()) is not None
        if waiting and due_ms is not None and house_ms() - due_ms < BEHIND_A_RACE_MS:
            self._tick = asyncio.get_running_loop().call_later(RACE_SOON_S, self._ticked)
            return
        self._house.tick(house_ms())
        self._moved()

    def _moved(self) -> None:
        """The house may have changed: show it on the boards now; pages and clock follow at the next turn."""
        self._box.show(self._house.view())
        if self._house.gate_open != (self._closed_ns is None):
            now_ns = time.monotonic_ns()
            if self._closed_ns is not None:
                self._keeper.start_given(self._closed_ns, now_ns)
            self._closed_ns = now_ns if self._closed_ns is None else None
        self._tell_soon()

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
        minutes = time.localtime()
        self._house.evening.scores.turn(f"{minutes.tm_year}-{minutes.tm_yday}")
        self._hub.publish(
            "meta",
            {
                "version": __version__,
                "build": self._site.build,
                "simulated": self._plugging.simulated is not None,
                "language": self._house.evening.language,
                "languages": list(LANGUAGES),
                "speaker": self._hub.speaker,
                "volume": self._own.volume,
                "quiet": self._own.is_quiet(minutes.tm_hour * 60 + minutes.tm_min),
                "quiet_hours": list(self._own.quiet),
                "journal": self._keeping.trouble,
            },
        )
        if self._lan_url is not None:
            self._hub.publish("lan", {"url": self._lan_url, "qr": self._lan_qr})
        self._publish(self._keeping.follow())
        self._operation.look()

    def _publish(self, topics: Topics | None) -> None:
        for topic, value in (topics or {}).items():
            self._hub.publish(topic, value)

    def _deck_moved(self) -> None:
        """Something moved on the simulated deck: pages show where it is."""
        self._tell_soon()

    def _tell_boards(self) -> None:
        self._status_due = False
        now_ns = time.monotonic_ns()
        boards = self._box.status()
        for board in boards:
            board["clock"] = self._keeper.standing(board["role"], now_ns)
        self._hub.publish("boards", boards)
        self._chronicle.boards(boards)

    def _tell_clocks(self) -> None:
        """A second went by: keep how each clock stands, for the crew's page to draw."""
        now_ns = time.monotonic_ns()
        if self._clocks.take({board: self._keeper.reading(board, now_ns) for board in BOARDS}):
            self._hub.publish("clocks", self._clocks.older())
        self._hub.publish("clocks_now", self._clocks.newest())

    def _commanded(self, command: Command) -> None:
        match command:
            case KeyCommand(board, key, down):
                self._key(board, key, down)
            case PlugCommand(board, plugged):
                simulated = self._plugging.board(board)
                if simulated is not None:
                    (simulated.plug if plugged else simulated.unplug)()
            case LiftCommand(dropping):
                self._house.lift(dropping, house_ms())
                self._moved()
            case CalibrateCommand(colour):
                self._box.teach_reader(deck_codes.WELL[colour + 1])
            case LanguageCommand(to, for_good=True):
                self._house.speak_usually(to)
                self._keep_settings(replace(self._own, language=to))
            case LanguageCommand(to):
                self._house.speak(to, house_ms())
                self._moved()
            case SpeakerCommand():
                self._tell()
            case VolumeCommand(to):
                self._keep_settings(replace(self._own, volume=to))
            case QuietCommand(begin, end):
                self._keep_settings(replace(self._own, quiet=(begin, end)))

    def _key(self, board: str, key: int, down: bool) -> None:
        """A key of a page: of a simulated board a hand on its pin, of a real one a press like its own."""
        if self._plugging.key(board, key, down):
            return
        (self._house.press if down else self._house.release)(board, key, house_ms())
        self._moved()

    # -- the person who started it ----------------------------------------------------------------------

    def _url(self, path: str = "/") -> str:
        return f"http://{ADDRESS}:{self._settings.port}{path}"

    def _report(self) -> None:
        self._chronicle.remarked(self._remarks)
        for remark in self._remarks:
            click.echo(f"galley: {remark}", err=True)
        boards = (
            "simulated boards" if self._plugging.simulated is not None else "the boards that are plugged in"
        )
        click.echo(f"Galley {__version__} plays on {boards}.", err=True)
        click.echo(f"  the table  {self._url()}\n  the box    {self._url('/box')}", err=True)
        click.echo(f"  the crew   {self._url('/service')}", err=True)
        if self._lan_url is not None:
            self._report_lan(self._lan_url)
        click.echo("Ctrl-C ends it.", err=True)

    def _report_lan(self, url: str) -> None:
        """The address for others; the PIN only where a person reads it, never into a log."""
        click.echo(f"  others     {url}\n{lan.qr_terminal(url)}", err=True)
        if sys.stderr.isatty():
            click.echo(f"  PIN        {self._access.pin}", err=True)
        elif self._settings.pin is None:
            click.echo("  PIN        not shown, as this is no terminal: start with --pin-file FILE", err=True)

    async def _open_browser(self) -> None:
        if not (self._settings.browser and has_screen()):
            return
        page = self._url("/box" if self._plugging.simulated is not None else "/")
        with contextlib.suppress(OSError):
            opener = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "webbrowser",
                page,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.DEVNULL,
            )
            await opener.wait()


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
        with logs.kept(settings.folder, settings.log_level):  # after the host has made the folder its own
            asyncio.run(host.run(sock))
    finally:
        sock.close()
