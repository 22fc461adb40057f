"""The hub and the web server: what pages are told, what they may ask for, and who is let in."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import re
import shutil
import socket
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from galley.box_options import LANGUAGES
from galley.tables.table import KEYS_OF
from galley.web.app import CSP, PAGES, STATIC, Server, build_app, load_site
from galley.web.commands import (
    MESSAGE_BYTES,
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
from galley.web.hub import BAD_MESSAGES, COMMANDS_OF, TOPICS, WATCHING, Hub, Page, TooManyPages
from galley.web.hub import PAGES as MOST_PAGES
from tests.browser.feed import DEADLINE_S, Feed

META = {"version": "0.1.0", "simulated": True, "language": "en"}


async def told(page: Page) -> list[dict[str, Any]]:
    """What the page is told now; an empty list if that is nothing."""
    try:
        async with asyncio.timeout(0):
            return [json.loads(text) for text in await page.messages()]
    except TimeoutError:
        return []


def key(board: str, number: int, *, down: bool) -> str:
    return json.dumps({"do": "key", "board": board, "key": number, "down": down})


# -- the hub: what pages are told ------------------------------------------------------------------


@pytest.mark.parametrize("kind", list(TOPICS))
def test_a_new_page_gets_a_snapshot_of_the_topics_of_its_kind(kind: str) -> None:
    async def test() -> None:
        hub = Hub()
        for topic in {topic for topics in TOPICS.values() for topic in topics}:
            hub.publish(topic, [topic])
        hub.pixels("left", b"\x01\x02\x03")
        (snapshot,) = await told(hub.join(kind))
        expected: dict[str, Any] = {topic: [topic] for topic in TOPICS[kind]}
        if kind == "box":
            expected["pixels"] = {"left": "010203"}
        assert snapshot == {"t": "snapshot", "n": 1, "page": 1, "may": True, "topics": expected}

    asyncio.run(test())


def test_differences_are_numbered_and_carry_only_what_changed() -> None:
    async def test() -> None:
        hub = Hub()
        hub.publish("house", {"phase": "attract"})
        hub.publish("meta", META)
        page = hub.join("kiosk")
        await told(page)
        hub.publish("house", {"phase": "join"})
        assert await told(page) == [{"t": "diff", "n": 2, "topics": {"house": {"phase": "join"}}}]
        hub.publish("news", [])
        assert await told(page) == [{"t": "diff", "n": 3, "topics": {"news": []}}]

    asyncio.run(test())


def test_an_equal_value_is_not_told_again() -> None:
    async def test() -> None:
        hub = Hub()
        page = hub.join("box")
        await told(page)
        hub.publish("table", {"state": 1})
        hub.pixels("deck", b"abc")
        assert len(await told(page)) == 2
        hub.publish("table", {"state": 1})
        hub.pixels("deck", b"abc")
        assert await told(page) == []

    asyncio.run(test())


def test_changes_of_one_turn_become_one_message_with_the_last_values() -> None:
    async def test() -> None:
        hub = Hub()
        page = hub.join("box")
        await told(page)
        for n in range(1000):
            hub.publish("table", n)
            hub.publish("house", -n)
            hub.pixels("left", bytes([n % 256]))
        assert await told(page) == [
            {"t": "px", "board": "left", "rgb": f"{999 % 256:02x}"},
            {"t": "diff", "n": 2, "topics": {"house": -999, "table": 999}},
        ]

    asyncio.run(test())


def test_pixels_go_to_boxes_only_and_news_not_to_the_crew() -> None:
    async def test() -> None:
        hub = Hub()
        pages = {kind: hub.join(kind) for kind in TOPICS}
        for page in pages.values():
            await told(page)
        hub.pixels("left", b"abc")
        hub.publish("news", [1])
        heard = {kind: [message["t"] for message in await told(page)] for kind, page in pages.items()}
        assert heard == {"kiosk": ["diff"], "box": ["px", "diff"], "service": []}

    asyncio.run(test())


def test_pixels_are_wanted_while_any_page_sees_them() -> None:
    hub = Hub()
    wanted: list[bool] = []
    hub.on_watched = wanted.append
    one, other, _ = hub.join("box"), hub.join("box"), hub.join("kiosk")
    assert wanted == [True]
    hub.leave(one)
    hub.leave(one)
    assert wanted == [True]
    hub.leave(other)
    assert wanted == [True, False]
    hub.join("box")
    assert wanted == [True, False, True]


def test_a_value_changed_after_publishing_changes_nothing() -> None:
    async def test() -> None:
        hub = Hub()
        value = {"phase": "join"}
        hub.publish("house", value)
        value["phase"] = "game"
        (snapshot,) = await told(hub.join("kiosk"))
        assert snapshot["topics"]["house"] == {"phase": "join"}
        page = hub.join("kiosk")
        await told(page)
        hub.publish("house", value)
        assert await told(page) == [{"t": "diff", "n": 2, "topics": {"house": {"phase": "game"}}}]

    asyncio.run(test())


def test_a_page_that_lost_count_gets_a_new_snapshot() -> None:
    async def test() -> None:
        hub = Hub()
        hub.publish("house", 1)
        page = hub.join("kiosk")
        await told(page)
        assert hub.received(page, '{"do":"snapshot"}')
        assert await told(page) == [{"t": "snapshot", "n": 2, "page": 1, "may": True, "topics": {"house": 1}}]
        hub.publish("house", 2)
        assert await told(page) == [{"t": "diff", "n": 3, "topics": {"house": 2}}]

    asyncio.run(test())


def test_a_ping_is_answered_with_its_number() -> None:
    async def test() -> None:
        hub = Hub()
        page = hub.join("service")
        await told(page)
        hub.received(page, '{"do":"ping","id":7}')
        assert await told(page) == [{"t": "pong", "id": 7}]

    asyncio.run(test())


@given(
    st.lists(
        st.one_of(
            st.tuples(st.sampled_from(TOPICS["box"]), st.integers(0, 3)),
            st.tuples(st.just("px"), st.binary(min_size=3, max_size=3)),
            st.just("read"),
        )
    )
)
def test_whenever_a_page_reads_it_then_knows_the_latest_of_everything(turns: list[Any]) -> None:
    async def test() -> None:
        hub = Hub()
        page = hub.join("box")
        topics: dict[str, Any] = {}
        number, pixels = 0, ""
        latest: dict[str, Any] = {}
        shown = ""
        for turn in [*turns, "read"]:
            if turn != "read":
                name, value = turn
                if name == "px":
                    hub.pixels("left", value)
                    shown = value.hex()
                else:
                    hub.publish(name, value)
                    latest[name] = value
                continue
            for message in await told(page):
                if message["t"] == "px":
                    pixels = message["rgb"]
                    continue
                assert message["n"] == number + 1
                number = message["n"]
                pixels = message["topics"].pop("pixels", {}).get("left", pixels)
                topics |= message["topics"]
            assert (topics, pixels) == (latest, shown)

    asyncio.run(test())


def test_a_topic_that_no_page_has_is_refused() -> None:
    with pytest.raises(KeyError, match="'tabel' belongs to no page; known: meta"):
        Hub().publish("tabel", None)


def test_a_value_that_is_no_json_is_refused() -> None:
    with pytest.raises(TypeError):
        Hub().publish("house", {1, 2})


def test_there_are_only_so_many_pages_at_once() -> None:
    async def test() -> None:
        hub = Hub()
        pages = [hub.join("kiosk") for _ in range(MOST_PAGES)]
        with pytest.raises(TooManyPages):
            hub.join("box")
        hub.leave(pages[0])
        hub.join("box")
        assert hub.pages == MOST_PAGES

    asyncio.run(test())


def test_an_unknown_kind_of_page_is_refused() -> None:
    with pytest.raises(KeyError, match="no page of kind 'bar'"):
        Hub().join("bar")


# -- the hub: what pages may ask for ----------------------------------------------------------------


@pytest.fixture
def hub() -> Hub:
    return Hub()


@pytest.fixture
def given_commands(hub: Hub) -> list[Command]:
    commands: list[Command] = []
    hub.commands = commands.append
    return commands


def test_keys_and_plugs_become_commands(hub: Hub, given_commands: list[Command]) -> None:
    page = hub.join("box")
    hub.received(page, key("left", 8, down=True))
    hub.received(page, key("left", 8, down=False))
    hub.received(page, '{"do":"plug","board":"deck","in":false}')
    assert given_commands == [
        KeyCommand("left", 8, True),
        KeyCommand("left", 8, False),
        PlugCommand("deck", False),
    ]


def test_repeated_presses_and_stray_releases_are_dropped(hub: Hub, given_commands: list[Command]) -> None:
    page = hub.join("box")
    for down in (False, True, True, True, False, False):
        hub.received(page, key("right", 3, down=down))
    assert given_commands == [KeyCommand("right", 3, True), KeyCommand("right", 3, False)]


def test_a_page_that_leaves_lets_go_of_what_it_held(hub: Hub, given_commands: list[Command]) -> None:
    page = hub.join("box")
    for board, number in (("left", 0), ("left", 9), ("deck", 5)):
        hub.received(page, key(board, number, down=True))
    hub.received(page, key("left", 0, down=False))
    given_commands.clear()
    hub.leave(page)
    assert given_commands == [KeyCommand("deck", 5, False), KeyCommand("left", 9, False)]
    hub.leave(page)
    assert len(given_commands) == 2


def test_two_pages_on_one_key_press_it_once(hub: Hub, given_commands: list[Command]) -> None:
    one, other = hub.join("box"), hub.join("box")
    hub.received(one, key("left", 1, down=True))
    hub.received(other, key("left", 1, down=True))
    hub.received(one, key("left", 1, down=False))
    assert given_commands == [KeyCommand("left", 1, True)]
    hub.leave(other)
    assert given_commands == [KeyCommand("left", 1, True), KeyCommand("left", 1, False)]


BAD = (
    "",
    "{",
    "[]",
    "null",
    '"key"',
    "{}",
    '{"do":"dance"}',
    '{"do":["key"]}',
    '{"do":"key","board":"left","key":8}',
    '{"do":"key","board":"left","key":8,"down":1}',
    '{"do":"key","board":"left","key":true,"down":true}',
    '{"do":"key","board":"left","key":8.0,"down":true}',
    '{"do":"key","board":"left","key":12,"down":true}',
    '{"do":"key","board":"left","key":-1,"down":true}',
    '{"do":"key","board":"deck","key":6,"down":true}',
    '{"do":"key","board":"galley","key":1,"down":true}',
    '{"do":"key","board":null,"key":1,"down":true}',
    '{"do":"key","board":"left","key":1,"down":true,"more":0}',
    '{"do":"plug","board":"left","in":"yes"}',
    '{"do":"ping","id":"x"}',
    '{"do":"snapshot","n":1}',
    '{"do":"lift","dropping":-1}',
    '{"do":"lift","dropping":1000}',
    '{"do":"lift"}',
    '{"do":"speaker","on":1}',
    '{"do":"language","to":"tlh"}',
    '{"do":"language","to":["en"]}',
    '{"do":"volume","to":50}',
    '{"do":"quiet","begin":0,"end":1}',
    '{"do":"calibrate","colour":0}',
    "[" * 1000,
    '{"do":"ping","id":' + "9" * 900 + "}",
    '{"do":"ping","id":1}' + " " * MESSAGE_BYTES,
)


@pytest.mark.parametrize("message", BAD)
def test_nonsense_is_ignored_and_counted(hub: Hub, given_commands: list[Command], message: str) -> None:
    page = hub.join("box")
    assert hub.received(page, message)
    assert (given_commands, page.bad_messages, hub.bad_messages) == ([], 1, 1)


def test_too_much_nonsense_ends_a_page(hub: Hub) -> None:
    page = hub.join("box")
    answers = [hub.received(page, "?") for _ in range(BAD_MESSAGES)]
    assert answers == [True] * (BAD_MESSAGES - 1) + [False]


EACH: Mapping[str, tuple[dict[str, object], Command]] = {
    "key": ({"board": "left", "key": 8, "down": True}, KeyCommand("left", 8, True)),
    "lift": ({"dropping": 7}, LiftCommand(7)),
    "plug": ({"board": "deck", "in": False}, PlugCommand("deck", False)),
    "language": ({"to": "nl"}, LanguageCommand("nl")),
    "speaker": ({"on": True}, SpeakerCommand(1)),
    "volume": ({"to": 100}, VolumeCommand(100)),
    "quiet": ({"begin": 1320, "end": 480}, QuietCommand(1320, 480)),
    "calibrate": ({"colour": 3}, CalibrateCommand(3)),
}


@pytest.mark.parametrize("do", EACH)
@pytest.mark.parametrize("kind", list(TOPICS))
def test_each_kind_of_page_gives_its_own_commands_and_no_others(
    hub: Hub, given_commands: list[Command], kind: str, do: str
) -> None:
    page = hub.join(kind)
    fields, command = EACH[do]
    if do == "language" and kind == "service":
        command = LanguageCommand("nl", for_good=True)  # the crew sets the house's own
    hub.received(page, json.dumps({"do": do, **fields}))
    expected = ([command], 0) if do in COMMANDS_OF[kind] else ([], 1)
    assert (given_commands, page.bad_messages) == expected
    assert set(EACH) | WATCHING >= COMMANDS_OF[kind]


def test_the_page_that_offered_last_sounds_and_the_one_before_when_it_has_gone(
    hub: Hub, given_commands: list[Command]
) -> None:
    first, second = hub.join("kiosk"), hub.join("service")
    for page in (first, second):
        hub.received(page, '{"do":"speaker","on":true}')
    hub.leave(second)
    hub.received(first, '{"do":"speaker","on":false}')
    told_of = [command.page for command in given_commands if isinstance(command, SpeakerCommand)]
    assert told_of == [first.own_number, second.own_number, first.own_number, None]
    assert hub.speaker is None


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)
NEARLY = st.dictionaries(
    st.sampled_from(["do", "board", "key", "down", "in", "id"]),
    st.sampled_from(["key", "plug", "ping", "snapshot", "left", "deck"]) | JSON_VALUES,
)


@given(st.text() | st.binary() | NEARLY.map(json.dumps))
def test_no_message_does_any_harm(message: str | bytes) -> None:
    commands: list[Command] = []
    hub = Hub(commands.append)
    page = hub.join("box")
    hub.received(page, message)
    for command in commands:
        if isinstance(command, KeyCommand | PlugCommand):
            assert command.board in KEYS_OF
        if isinstance(command, KeyCommand):
            assert 0 <= command.key < KEYS_OF[command.board]


# -- the server ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def feed() -> Iterator[Feed]:
    feed = Feed({"meta": META, "boards": [{"role": "left"}], "house": {"phase": "attract"}, "news": []})
    yield feed
    feed.stop()


def get(feed: Feed, path: str, headers: Mapping[str, str] | None = None) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", feed.port, timeout=DEADLINE_S)
    try:
        connection.request("GET", path, headers=dict(headers or {}))
        answer = connection.getresponse()
        return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
    finally:
        connection.close()


def open_page(feed: Feed, kind: str = "box", origin: str | None = None) -> ClientConnection:
    named = None if origin is None else Origin(origin)
    return connect(f"ws://127.0.0.1:{feed.port}/ws?page={kind}", origin=named, proxy=None)


def until_closed(page: ClientConnection) -> int:
    """The code with which the server closes the connection."""
    with contextlib.suppress(ConnectionClosed):
        for _ in range(100):
            page.recv(timeout=DEADLINE_S)
    assert page.close_code is not None, "the server goes on talking"
    return page.close_code


@pytest.mark.parametrize("path", list(PAGES))
def test_each_page_is_served_and_keeps_to_itself(feed: Feed, path: str) -> None:
    status, headers, body = get(feed, path)
    assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert headers["content-security-policy"] == CSP
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert f'data-build="{feed.site.build}"' in body.decode()
    assert "unsafe" not in CSP


LANGUAGE_FILES = [f"/static/lang/{language}.json" for language in LANGUAGES]


@pytest.mark.parametrize("path", list(PAGES))
def test_all_that_a_page_loads_is_there_and_small(feed: Feed, path: str) -> None:
    waiting, total = [path], 0
    loaded: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in loaded:
            continue
        loaded.add(name)
        status, _, body = get(feed, name)
        assert status == 200, name
        total += len(body)
        text = body.decode()
        waiting += re.findall(r'(?:src|href)="(/static/[^"#]+)"', text)
        waiting += [f"/static/{module}" for module in re.findall(r'from "\./([^"]+)"', text)]
        waiting += re.findall(r'fetch\("(/static/[^"]+)"\)', text)
        if "/static/lang/${wanted}.json" in text:  # one language, so the longest
            waiting.append(max(LANGUAGE_FILES, key=lambda file: len(get(feed, file)[2])))
    assert {"/static/base.css", "/static/art.svg"} <= loaded
    assert loaded & set(LANGUAGE_FILES)
    assert total <= 300_000
    assert len(loaded) <= 36


def test_pages_name_every_module_they_load_so_that_all_come_at_once() -> None:
    for page in PAGES.values():
        html = load_site("0.1.0").files[page].body.decode()
        named = set(re.findall(r'(?:src|href)="/static/(\w+\.js)"', html))
        used = set(named)
        for _ in named:
            used |= {
                module
                for name in used
                for module in re.findall(r'from "\./([^"]+)"', (STATIC / name).read_text(encoding="utf-8"))
            }
        assert named == used, page


@pytest.mark.parametrize(
    "path",
    [
        "/static/",
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static/..%2fapp.py",
        "/static//etc/passwd",
        "/static/lang",
        "/static/nothing.js",
        "/static/%00",
        "/nothing",
    ],
)
def test_no_other_path_leads_anywhere(feed: Feed, path: str) -> None:
    assert get(feed, path)[0] == 404


def test_a_file_that_is_known_already_is_not_sent_again(feed: Feed) -> None:
    _, headers, _ = get(feed, "/static/base.css")
    assert headers["cache-control"] == "no-cache"
    again = get(feed, "/static/base.css", {"If-None-Match": f'"old", W/{headers["etag"]}'})
    assert (again[0], again[2]) == (304, b"")
    assert get(feed, "/static/base.css", {"If-None-Match": '"old"'})[0] == 200


@pytest.mark.parametrize("path", ["/", "/static/base.css", "/healthz", "/api/boards"])
@pytest.mark.parametrize("host", ["galley.example", "127.0.0.1.example:80", "localhost:x", "10.0.0.7", ""])
def test_requests_that_do_not_name_this_machine_are_refused(feed: Feed, path: str, host: str) -> None:
    assert get(feed, path, {"Host": host})[0] == 403


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "localhost:8765"])
def test_requests_that_name_this_machine_are_answered(feed: Feed, host: str) -> None:
    assert get(feed, "/", {"Host": host})[0] == 200


def test_health_names_version_and_process(feed: Feed) -> None:
    status, _, body = get(feed, "/healthz")
    answer = json.loads(body)
    assert (status, answer["ok"], answer["galley"]) == (200, True, "0.1.0")
    assert isinstance(answer["pid"], int)


def test_the_boards_can_be_asked_for(feed: Feed) -> None:
    assert json.loads(get(feed, "/api/boards")[2]) == [{"role": "left"}]


def test_the_build_changes_with_a_file_and_with_the_version(tmp_path: Path) -> None:
    here = tmp_path / "static"
    shutil.copytree(STATIC, here)
    first = load_site("0.1.0", here).build
    assert load_site("0.1.0", here).build == first == load_site("0.1.0").build
    assert load_site("0.1.1", here).build != first
    (here / "base.css").write_text("body {}")
    assert load_site("0.1.0", here).build != first
    (here / "kiosk.html").unlink()
    with pytest.raises(FileNotFoundError, match=r"kiosk\.html is missing: install galley again"):
        load_site("0.1.0", here)


def test_files_of_other_kinds_are_not_served(tmp_path: Path) -> None:
    here = tmp_path / "static"
    shutil.copytree(STATIC, here)
    (here / "secret.txt").write_text("x")
    assert "secret.txt" not in load_site("0.1.0", here).files


def test_a_page_is_told_and_heard(feed: Feed) -> None:
    with open_page(feed, origin=f"http://127.0.0.1:{feed.port}") as page:
        snapshot = json.loads(page.recv(timeout=DEADLINE_S))
        assert snapshot["topics"]["meta"]["build"] == feed.site.build
        feed.publish({"house": {"phase": "join"}})
        assert json.loads(page.recv(timeout=DEADLINE_S))["topics"] == {"house": {"phase": "join"}}
        feed.pixels("left", b"\xff\x00\x01")
        assert json.loads(page.recv(timeout=DEADLINE_S)) == {"t": "px", "board": "left", "rgb": "ff0001"}
        page.send(key("left", 9, down=True))
        assert feed.command() == KeyCommand("left", 9, True)
    assert feed.command() == KeyCommand("left", 9, False), "a page that goes lets its keys go"


def test_a_slow_page_costs_the_host_nothing_and_then_hears_the_latest(feed: Feed) -> None:
    with open_page(feed, "kiosk") as page:
        page.recv(timeout=DEADLINE_S)
        big = "x" * 50_000
        for n in range(200):
            feed.publish({"news": [n, big]})
        for _ in range(250):
            message = json.loads(page.recv(timeout=DEADLINE_S))
            if message["topics"]["news"][0] == 199:
                break
        assert message["topics"]["news"][0] == 199
    feed.publish({"news": []})


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1:1"])
def test_pages_of_other_sites_get_no_channel(feed: Feed, origin: str) -> None:
    with pytest.raises(InvalidStatus) as refused:
        open_page(feed, origin=origin)
    assert refused.value.response.status_code == 403


def test_an_unknown_kind_of_page_gets_no_channel(feed: Feed) -> None:
    with pytest.raises(InvalidStatus):
        open_page(feed, "bar")


def test_a_long_message_closes_the_page(feed: Feed) -> None:
    with open_page(feed) as page:
        page.send(" " * (MESSAGE_BYTES + 1))
        assert until_closed(page) == 1009


def test_too_much_nonsense_closes_the_page(feed: Feed) -> None:
    with open_page(feed) as page:
        for _ in range(BAD_MESSAGES):
            page.send("nonsense")
        assert until_closed(page) == 1008


def test_a_page_too_many_is_asked_to_try_later(feed: Feed) -> None:
    with contextlib.ExitStack() as pages:
        for _ in range(MOST_PAGES):
            pages.enter_context(open_page(feed, "kiosk"))
        assert until_closed(pages.enter_context(open_page(feed))) == 1013


def test_stopping_closes_the_pages_and_frees_the_port() -> None:
    feed = Feed({"meta": META})
    with open_page(feed) as page:
        page.recv(timeout=DEADLINE_S)
        feed.stop()
        assert until_closed(page) == 1012
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", feed.port), timeout=DEADLINE_S)


def test_a_page_that_leaves_without_reading_does_not_hold_up_the_stop() -> None:
    feed = Feed({"meta": META})
    with open_page(feed, "kiosk") as page:
        page.recv(timeout=DEADLINE_S)
        for n in range(40):
            feed.publish({"news": [n, "x" * 500_000]})
        page.socket.sendall(b"\x88\x80\0\0\0\0")  # it closes, and never reads what lies there for it
        while feed.pages():
            feed.publish({"meta": META})
        feed.stop()
        page.socket.close()


@pytest.mark.parametrize("how", ["stop", "stop at once", "cancel"])
def test_serving_ends_and_closes_its_socket(how: str) -> None:
    async def test() -> None:
        sock = socket.create_server(("127.0.0.1", 0))
        server = Server(build_app(Hub(), load_site("0.1.0")))
        if how == "stop at once":
            server.stop()
        serving = asyncio.create_task(server.serve(sock))
        if how != "stop at once":
            reader, writer = await asyncio.open_connection(*sock.getsockname())
            writer.write(b"GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n")
            assert b"200 OK" in await reader.readline()
            writer.close()
        if how == "cancel":
            serving.cancel()
        else:
            server.stop()
        await asyncio.wait_for(asyncio.gather(serving, return_exceptions=True), DEADLINE_S)
        assert sock.fileno() == -1

    asyncio.run(test())
