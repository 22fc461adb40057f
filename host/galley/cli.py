"""The command line: `galley` plays, its subcommands check things.

For: words to settings, results to exit status: 0 done and all holds, 1 could not or a check failed, 2 a wrong
call or wrong input. Errors are one sentence on standard error, never a traceback. A command is imported when
it is called, and what it works with when it runs, so that each starts as quickly as it can.
"""

from __future__ import annotations

import difflib
import errno
import os
import sys
from importlib import import_module
from typing import Any, Final, NoReturn, TextIO

import click

from galley import __version__
from galley.arguments import Number, Words, game_options
from galley.logs import LEVELS
from galley.tables import GAMES
from galley.tables.table import BOARDS, SEAT_COLOURS
from galley_engine.bots import STRENGTHS

LOST_OUTPUT: Final = (errno.EPIPE, errno.ENOSPC, errno.EIO, errno.EDQUOT)
CLICK_BEGINS: Final = ("Missing ", "Got ", "No such ", "Option ", "Invalid ", "Could ")
"""How sentences begin that click makes itself; ours may begin with a file's name, which stays as it is."""

ELSEWHERE: Final = {
    "backup": "backup_cli",
    "board": "board_cli",
    "boards": "firmware_cli",
    "firmware": "firmware_cli",
    "journal": "journal_cli",
    "odds": "odds_cli",
    "race-test": "race_test_cli",
    "replay": "replay_cli",
    "restore": "backup_cli",
    "service": "service_cli",
    "simulate": "simulate_cli",
}
"""Command -> module of `galley` that has it, as a function of that name."""


class Commands(click.Group):
    """The commands here and ELSEWHERE; the latter are imported when somebody asks for them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names, sorted."""
        return sorted({*self.commands, *ELSEWHERE})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name; None if there is none."""
        if cmd_name in ELSEWHERE and cmd_name not in self.commands:
            module = import_module(f"galley.{ELSEWHERE[cmd_name]}")
            self.add_command(getattr(module, cmd_name.replace("-", "_")))
        return super().get_command(ctx, cmd_name)


@click.group(
    cls=Commands, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, prog_name="galley", message="%(prog)s %(version)s")
@click.option("--port", type=Number(1, 65535), default=8765, show_default=True, help="Where pages are.")
@click.option("--sim", type=Words("board", BOARDS), help="Simulate these boards: left,right,deck.")
@click.option(
    "--connect", multiple=True, metavar="PORT", help="Also use this port: a path, or tcp:HOST:PORT."
)
@click.option("--browser/--no-browser", default=True, help="Open a page in the browser if there is one.")
@click.option("--game", type=click.Choice(GAMES), help="Play this game only.")
@click.option("--seats", type=Words("seat", SEAT_COLOURS), help="Start a game at once with these seats.")
@click.option(
    "--bots", type=Words("seat", SEAT_COLOURS, STRENGTHS), help="Of these seats, bots: blue or blue:best."
)
@click.option(
    "--bot", type=click.Choice(STRENGTHS), default="good", show_default=True, help="Strength of bots."
)
@click.option("--bot-speed", type=Number(0.1, 50), default=1.0, help="Above 1: quicker bots.")
@click.option(
    "--set",
    "given",
    multiple=True,
    metavar="NAME=VALUE",
    help="An option of the game (of --game).",
)
@click.option("--world", multiple=True, metavar="NAME=VALUE", help="A number of the poop deck's world.")
@click.option("--howto/--no-howto", default=True, help="Show how a game is played before it.")
@click.option("--demo/--no-demo", default=True, help="Let bots play while nobody is there.")
@click.option("--data", metavar="DIR", help="Where journal and settings are kept.")
@click.option("--journal/--no-journal", "journalled", default=True, help="Keep games on the disk.")
@click.option("--lan", is_flag=True, help="Let other machines of the network watch, and play with the PIN.")
@click.option(
    "--pin-file",
    type=click.File("r"),
    metavar="FILE",
    help="The PIN, 6 to 12 digits; else one by chance.",
)
@click.option("--unjournalled", is_flag=True, help="Play on even while the disk takes nothing.")
@click.option("--log-level", type=click.Choice(LEVELS), default="info", help="How much galley.log tells.")
@click.option("--seed", type=Number(0, 2**32 - 1), help="Make the dice fall the same way again.")
@click.pass_context
def galley(ctx: click.Context, /, **options: Any) -> None:
    """Play on the box. With no command: start it and open its page."""
    if ctx.invoked_subcommand is not None:
        named = [name for name in ctx.params if ctx.get_parameter_source(name) is not _source("DEFAULT")]
        if named:
            raise click.UsageError(
                f"--{named[0].replace('_', '-')} belongs to playing, not to {ctx.invoked_subcommand}"
            )
        return
    _play(**options)


def _source(name: str) -> Any:
    return click.core.ParameterSource[name]


def _play(
    *,
    port: int,
    sim: tuple[str, ...] | None,
    connect: tuple[str, ...],
    browser: bool,
    seats: tuple[str, ...] | None,
    bots: tuple[str, ...] | None,
    bot: str,
    bot_speed: float,
    given: tuple[str, ...],
    world: tuple[str, ...],
    seed: int | None,
    game: str | None,
    howto: bool,
    demo: bool,
    data: str | None,
    journalled: bool,
    unjournalled: bool,
    log_level: str,
    lan: bool,
    pin_file: TextIO | None,
) -> None:
    strangers = [word for word in bots or () if word.partition(":")[0] not in (seats or ())]
    if strangers:
        raise click.UsageError(f"--bots {strangers[0]}: that seat does not play, name it in --seats too")
    if seats is not None and len(seats) < 2:
        raise click.UsageError(f"--seats {seats[0]}: a game takes two to six, name another seat")

    from galley import serve, starting
    from galley.data_folder import data_folder
    from galley.house import HouseRules
    from galley_engine.game import BadOption

    rules = HouseRules(
        game=game or (GAMES[0] if given else None),
        options=game_options(given),
        physics=_physics(world),
        bot=bot,
        seed=seed,
        bot_speed=bot_speed,
        howto=howto,
        demo=demo,
    )
    if seats is not None and (fault := starting.seats_do_not_fit(rules.game or GAMES[0], len(seats))):
        raise click.UsageError(f"--seats {','.join(seats)}: {fault}")
    folder = data_folder(data) if journalled else None
    if folder is not None and folder.exists() and not folder.is_dir():
        raise click.UsageError(f"--data {folder}: that is a file, name a folder")
    settings = starting.Settings(
        port=port,
        sim=sim,
        connect=connect,
        browser=browser,
        rules=rules,
        seats=starting.seats_of(seats or (), bots or (), bot),
        folder=folder,
        unjournalled=unjournalled,
        log_level=log_level,
        lan=lan,
        pin=_pin(lan, pin_file),
    )
    try:
        serve.serve(settings)
    except starting.CannotStart as error:
        raise click.ClickException(str(error)) from error
    except BadOption as error:
        raise click.UsageError(f"--set {error}") from error


def _physics(given: tuple[str, ...]) -> dict[str, object]:
    """The numbers of the poop deck's world, tried once."""
    from galley.deck_physics import physics
    from galley_engine.game import BadOption

    numbers = game_options(given, "--world")
    try:
        physics(numbers)
    except BadOption as error:
        raise click.UsageError(f"--world {error}") from None
    return numbers


def _pin(lan: bool, file: TextIO | None) -> str | None:
    """The PIN in a file: an argument could be read in the list of processes."""
    from galley.web.access import BadPin, checked_pin

    if file is None:
        return None
    if not lan:
        raise click.UsageError("--pin-file belongs to --lan: add it, or leave the PIN out")
    try:
        return checked_pin(file.read(100).strip())
    except (BadPin, UnicodeDecodeError) as error:
        raise click.UsageError(f"--pin-file {file.name}: {error}") from error


@galley.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
def scenario(files: tuple[str, ...]) -> None:
    """Play scenario files and check what they expect."""
    from galley_engine.scenario import run_files

    lines, status = run_files(files)
    for line in lines:
        click.echo(line)
    sys.exit(status)


@galley.command()
@click.option("--json", "as_json", is_flag=True, help="As JSON, for programs.")
@click.option("--port", type=Number(1, 65535), default=8765, show_default=True, help="Where pages are.")
@click.option("--data", metavar="DIR", help="The box's data folder.")
def doctor(as_json: bool, port: int, data: str | None) -> None:
    """Check this machine and the boards, and say what to do."""
    from galley.data_folder import data_folder
    from galley.doctor import examine

    sys.exit(examine(click.echo, as_json=as_json, port=port, folder=data_folder(data)))


def _sentence(error: click.ClickException) -> str:
    """One line that names the thing, the value and the remedy."""
    text = " ".join(error.format_message().split())
    if isinstance(error, click.NoSuchOption):
        known = [name for param in galley.params for name in (*param.opts, *param.secondary_opts)]
        if error.option_name in known and error.ctx is not None:
            return f"{error.option_name} belongs to playing, not to {error.ctx.info_name}"
        close = error.possibilities or difflib.get_close_matches(error.option_name, known, 1)
        hint = f"did you mean {close[0]}?" if close else "galley --help lists them"
        return f"there is no option {error.option_name}: {hint}"
    if isinstance(error, click.BadParameter) and error.param is not None and error.message:
        return f"{error.param.opts[0]}: {error.message}"
    ctx = error.ctx if isinstance(error, click.UsageError) else None
    if text.startswith("No such command") and ctx is not None and isinstance(ctx.command, click.Group):
        name = text.split("'")[1]
        commands = ", ".join(sorted(ctx.command.list_commands(ctx)))
        if ctx.command is galley:
            return f"there is no command {name!r}: use {commands}, or none to play"
        return f"there is no command {name!r} of {ctx.command.name}: use {commands}"
    return f"{text[0].lower()}{text[1:]}" if text.startswith(CLICK_BEGINS) else text


def main(argv: list[str] | None = None) -> NoReturn:
    """Run the command line and leave with its exit status."""
    try:
        status = galley.main(args=argv, prog_name="galley", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Exit as error:
        status = error.exit_code
    except click.Abort:
        status = 130
    except click.ClickException as error:
        click.echo(f"galley: {_sentence(error)}", err=True)
        status = error.exit_code
    except OSError as error:
        if error.errno not in LOST_OUTPUT:
            raise
        if error.errno != errno.EPIPE:  # a reader that has seen enough is told nothing
            click.echo(f"galley: the output cannot be written ({error.strerror}): make room for it", err=True)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 1
    except KeyboardInterrupt:
        status = 130
    sys.exit(status if isinstance(status, int) else 0)
