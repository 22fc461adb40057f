"""What people read: every command is accepted, every option known, every link and every module there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from galley.cli import galley

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((*ROOT.glob("*.md"), *ROOT.glob("[!.]*/README.md")))
IDS = [str(page.relative_to(ROOT)) for page in PAGES]
FENCE = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
CALL = re.compile(r"(?:sudo )?(?:python3 host|(?:\.venv/bin/)?galley)(?= |$)(.*)")
ASIDE = re.compile(r" {2,}.*$|\.\.\.|(?:^|(?<= ))#.*$|[][]")
"""What stands beside a command: its explanation, "and more", and brackets of what may be left out."""
OTHERS = ROOT / "enclosure/galley_enclosure/cli.py", *ROOT.glob("tests/**/conftest.py")
"""Where options are that are not galley's own."""


def spans(text: str) -> list[str]:
    """What is set as code within a line."""
    return re.findall(r"`([^`\n]+)`", FENCE.sub("", text))


def calls(page: Path) -> list[str]:
    """The arguments of every call of `galley` that a page shows; the README's table shows them bare."""
    text = page.read_text("utf-8")
    lines = [line.strip() for block in FENCE.findall(text) for line in block.splitlines()]
    lines += [line.strip() for line in text.splitlines() if line.startswith("    galley ")]
    found = [call[1] for line in (*lines, *spans(text)) if (call := CALL.fullmatch(line))]
    if page.name == "README.md" and page.parent == ROOT:
        rows = text[text.index("| command |") :].split("\n\n")[0].splitlines()[2:]
        found += [f" {word}" for row in rows for word in spans(row.split("|")[1])]
    return [ASIDE.sub("", call.lstrip()).strip() for call in found]


def accepted(words: list[str]) -> None:
    """Have click read a call without doing it; raises UsageError. Capitals stand for what people fill in."""
    command: click.Command = galley
    context = click.Context(command, info_name="galley", **command.context_settings)
    while True:
        values, rest, _ = command.make_parser(context).parse_args(list(words))
        for param in command.params:
            value = values.get(param.name or "")
            if isinstance(param.type, click.Choice) and isinstance(value, str) and not value.isupper():
                param.type.convert(value, param, context)
        if not isinstance(command, click.Group) or not rest:
            return
        if rest[0].isupper():
            return
        name, found, words = command.resolve_command(context, rest)
        assert found is not None
        command, context = found, click.Context(found, parent=context, info_name=name)


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_every_command_is_accepted(page: Path) -> None:
    for call in calls(page):
        try:
            accepted(shlex.split(call))
        except click.UsageError as error:
            pytest.fail(f"galley {call}: {error.format_message()}")


def test_commands_are_found_and_wrong_ones_refused() -> None:
    found = {call for page in PAGES for call in calls(page)}
    assert {"doctor", "firmware wiring", "service check --json", "journal export N"} <= found
    assert len(found) > 40
    for wrong in ("docter", "odds worm_grill --at-lest 3", "race-test --sim pios", "--game duel"):
        with pytest.raises(click.UsageError):
            accepted(shlex.split(wrong))


def options(command: click.Command) -> set[str]:
    """Of a command and of all below it."""
    below = command.commands.values() if isinstance(command, click.Group) else ()
    own = {name for param in command.params for name in (*param.opts, *param.secondary_opts)}
    return own.union(*map(options, below))


def test_every_option_is_known() -> None:
    loaded = [
        galley.get_command(click.Context(galley), name)
        for name in galley.list_commands(click.Context(galley))
    ]
    known = {"--help"}.union(
        options(galley), *(options(command) for command in loaded if command is not None)
    )
    known.update(*(re.findall(r'"(--[\w-]+)"', path.read_text("utf-8")) for path in OTHERS))
    for page in PAGES:
        for word in spans(page.read_text("utf-8")):
            if word.startswith("--"):
                assert word.split()[0] in known, f"{page.name}: {word}"


def anchors(page: Path) -> set[str]:
    """Those of a page's headings, made as the forges make them."""
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", page.read_text("utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_every_link_and_picture_is_there(page: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", FENCE.sub("", page.read_text("utf-8"))):
        if link.startswith("https://"):
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def first_column(page: Path) -> set[str]:
    """What is set as code in the first column of a page's tables."""
    rows = [line.split("|")[1] for line in page.read_text("utf-8").splitlines() if line.startswith("| `")]
    return {word for row in rows for word in spans(row)}


@pytest.mark.parametrize(("page", "package"), [("host", "galley"), ("enclosure", "galley_enclosure")])
def test_the_lists_of_modules_are_whole(page: str, package: str) -> None:
    folder, named = ROOT / page / package, first_column(ROOT / page / "README.md")
    modules = {path.stem for path in folder.glob("*.py") if not path.stem.startswith("__")}
    modules |= {f"{path.parent.name}/" for path in folder.glob("*/*") if path.parent.name != "__pycache__"}
    patterns = {name for name in named if "*" in name}
    told = set(spans((ROOT / page / "README.md").read_text("utf-8")))
    missing = {name for name in modules - told if not any(Path(name).match(like) for like in patterns)}
    assert missing == set()
    gone = {name for name in named - modules - patterns if re.fullmatch(r"[a-z_]+/?", name)}
    assert gone == set()


def test_modules_named_within_a_folder_are_there() -> None:
    for name in spans((ROOT / "host/README.md").read_text("utf-8")):
        if re.fullmatch(r"(web|sim|pi|tables)/\w+", name):
            assert (ROOT / "host/galley" / f"{name}.py").exists(), name


def test_the_list_of_the_tests_folders_is_whole() -> None:
    there = {
        f"{path.parent.name}/" for path in (ROOT / "tests").glob("*/*") if path.parent.name[0] not in "._"
    }
    assert there == {name for name in first_column(ROOT / "tests/README.md") if name.endswith("/")}
