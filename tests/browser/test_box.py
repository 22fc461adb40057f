"""The virtual box in a real browser: every key by mouse, touch and keyboard, every pixel as written."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from galley.web.app import STATIC
from galley.web.commands import KeyCommand, PlugCommand
from galley_board import glyphs, pins
from tests.browser.conftest import Opener, show, words
from tests.browser.feed import Feed
from tests.browser.phases import PHASES, pictures

KEYBOARD = {
    "left": [f"Key{letter}" for letter in "QWERASDFZXCV"],
    "right": [f"Key{letter}" for letter in "UIOPJKL"] + ["Semicolon", "KeyN", "KeyM", "Comma", "Period"],
    "deck": [f"Digit{digit}" for digit in "123456"],
}
KEYS = [(board, key) for board, codes in KEYBOARD.items() for key in range(len(codes))]

NAMES = [name.replace("KEEP", "KEEP ") for name, _ in pins.KEYS[pins.STATION]]


def key(page: Page, board: str, number: int) -> str:
    """The selector of a key as a person sees it."""
    return f'[data-board="{board}"][data-key="{number}"]'


def pressed_and_let_go(feed: Feed, board: str, number: int) -> None:
    assert [feed.command(), feed.command()] == [
        KeyCommand(board, number, True),
        KeyCommand(board, number, False),
    ]


def no_more(feed: Feed) -> bool:
    return feed.commands.empty()


# -- keys -----------------------------------------------------------------------------------------------


def test_every_key_can_be_clicked(opened: Opener, feed: Feed) -> None:
    page = opened("box")
    for board, number in KEYS:
        page.locator(key(page, board, number)).click()
        pressed_and_let_go(feed, board, number)
    assert no_more(feed)


def test_every_key_is_on_the_keyboard_and_says_which(opened: Opener, feed: Feed) -> None:
    page = opened("box")
    expect(page.locator(key(page, "left", 0)).locator(".letter")).to_have_text("Q")
    for board, number in KEYS:
        code = KEYBOARD[board][number]
        page.keyboard.press(code)
        pressed_and_let_go(feed, board, number)
        shown = page.locator(key(page, board, number)).locator(".letter").text_content()
        expected = {"Semicolon": ";", "Comma": ",", "Period": "."}.get(code, code[-1])
        assert shown == expected
    assert no_more(feed)


def test_a_held_key_is_pressed_once_and_drawn_down(opened: Opener, feed: Feed) -> None:
    page = opened("box")
    bell = page.locator(key(page, "left", 9))
    for _ in range(4):
        page.keyboard.down("KeyX")
    assert feed.command() == KeyCommand("left", 9, True)
    expect(bell).to_have_class(re.compile(r"\bdown\b"))
    expect(bell).to_have_attribute("aria-pressed", "true")
    page.keyboard.up("KeyX")
    assert feed.command() == KeyCommand("left", 9, False)
    expect(bell).not_to_have_class(re.compile(r"\bdown\b"))
    assert no_more(feed)


def test_two_players_press_at_once_on_one_keyboard(opened: Opener, feed: Feed) -> None:
    page = opened("box")
    for code in ("KeyZ", "KeyN", "KeyQ"):
        page.keyboard.down(code)
    assert {feed.command() for _ in range(3)} == {
        KeyCommand("left", 8, True),
        KeyCommand("right", 8, True),
        KeyCommand("left", 0, True),
    }
    for code, board, number in (("KeyZ", "left", 8), ("KeyN", "right", 8), ("KeyQ", "left", 0)):
        page.keyboard.up(code)
        assert feed.command() == KeyCommand(board, number, False)


def test_a_key_held_by_mouse_and_keyboard_is_let_go_by_the_last(opened: Opener, feed: Feed) -> None:
    page = opened("box")
    page.locator(key(page, "left", 8)).hover()
    page.mouse.down()
    page.keyboard.down("KeyZ")
    page.mouse.up()
    page.keyboard.press("KeyQ")
    assert feed.command() == KeyCommand("left", 8, True)
    pressed_and_let_go(feed, "left", 0)
    page.keyboard.up("KeyZ")
    assert feed.command() == KeyCommand("left", 8, False)
    assert no_more(feed)


def test_a_finger_that_slides_off_still_holds_until_it_is_lifted(opened: Opener, feed: Feed) -> None:
    page = opened("box")
    page.locator(key(page, "right", 10)).hover()
    page.mouse.down()
    assert feed.command() == KeyCommand("right", 10, True)
    page.mouse.move(5, 5)
    assert no_more(feed)
    page.mouse.up()
    assert feed.command() == KeyCommand("right", 10, False)


def test_several_fingers_press_several_keys(opened: Opener, feed: Feed) -> None:
    page = opened("box", has_touch=True)
    touch = page.context.new_cdp_session(page)

    def at(board: str, number: int) -> dict[str, float]:
        box = page.locator(key(page, board, number)).bounding_box()
        assert box is not None
        return {
            "x": box["x"] + box["width"] / 2,
            "y": box["y"] + box["height"] / 2,
            "id": number + len(board),
        }

    first, second = at("left", 8), at("right", 9)
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [first]})
    assert feed.command() == KeyCommand("left", 8, True)
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [first, second]})
    assert feed.command() == KeyCommand("right", 9, True)
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": [second]})
    assert feed.command() == KeyCommand("right", 9, False)
    assert no_more(feed), "the other finger still holds its key"
    touch.send("Input.dispatchTouchEvent", {"type": "touchCancel", "touchPoints": []})
    assert feed.command() == KeyCommand("left", 8, False)


@pytest.mark.parametrize("event", ["blur", "pagehide"])
def test_a_window_that_loses_the_focus_lets_all_keys_go(opened: Opener, feed: Feed, event: str) -> None:
    page = opened("box")
    page.keyboard.down("KeyQ")
    page.keyboard.down("KeyM")
    page.evaluate("name => window.dispatchEvent(new Event(name))", event)
    assert [feed.command() for _ in range(4)] == [
        KeyCommand("left", 0, True),
        KeyCommand("right", 9, True),
        KeyCommand("left", 0, False),
        KeyCommand("right", 9, False),
    ]
    page.keyboard.up("KeyQ")
    page.keyboard.up("KeyM")
    assert no_more(feed)


def test_a_page_that_is_closed_lets_its_keys_go(opened: Opener, feed: Feed) -> None:
    page = opened("box", fresh=True)
    page.keyboard.down("KeyZ")
    assert feed.command() == KeyCommand("left", 8, True)
    page.close()
    assert feed.command() == KeyCommand("left", 8, False)


def test_the_browsers_own_shortcuts_and_the_right_button_press_nothing(opened: Opener, feed: Feed) -> None:
    page = opened("box")
    page.keyboard.press("Alt+KeyQ")
    page.keyboard.press("Control+KeyX")
    page.locator(key(page, "left", 9)).click(button="right")
    page.keyboard.press("KeyZ")
    pressed_and_let_go(feed, "left", 8)
    assert no_more(feed)


def test_keys_can_be_reached_and_pressed_without_a_mouse(opened: Opener, feed: Feed) -> None:
    page = opened("box")
    for code in ("Space", "Enter"):
        page.locator(key(page, "deck", 3)).focus()
        page.keyboard.press(code)
        pressed_and_let_go(feed, "deck", 3)


def test_keys_name_themselves_and_their_jobs(opened: Opener, feed: Feed) -> None:
    page = opened("box")
    show(page, feed, PHASES["duel"]())
    said = {
        ("left", 0): "left station, KEEP 1: free",
        ("left", 2): "left station, KEEP 3: keep",
        ("left", 6): "left station, KEEP 7",
        ("right", 9): "right station, BELL: ring",
        ("deck", 1): "deck, Green seat: mate!",
        ("deck", 3): "deck, Yellow seat",
    }
    for (board, number), label in said.items():
        expect(page.locator(key(page, board, number))).to_have_attribute("aria-label", label)
    for number, name in enumerate(NAMES):
        label = page.locator(key(page, "right", number)).get_attribute("aria-label") or ""
        assert label.startswith(f"right station, {name}")
    for seat, colour in enumerate(("Red", "Green", "Blue", "Yellow", "White", "Violet")):
        label = page.locator(key(page, "deck", seat)).get_attribute("aria-label") or ""
        assert label.startswith(f"deck, {colour} seat")
    jobs = page.locator(".board-left .job").all_text_contents()
    assert jobs == ["free", "free", "keep", "keep", "keep", "keep", "", "", "roll", "ring", "yuck!", ""]


def test_jobs_of_the_lobby_come_from_the_house(opened: Opener, feed: Feed) -> None:
    page = opened("box")
    show(page, feed, PHASES["join_some"]())
    assert page.locator(key(page, "left", 11)).get_attribute("data-job") == "add_bot"
    assert page.locator(".seat-job").all_text_contents() == ["leave", "join", "leave", "join", "join", "join"]


# -- pixels -----------------------------------------------------------------------------------------------


def painted(page: Page, board: str) -> dict[int, str]:
    """Pixel -> colour as written, as the page holds it."""
    read = "nodes => nodes.map(node => [Number(node.dataset.px), node.dataset.rgb])"
    return dict(page.locator(f".board-{board} [data-px]").evaluate_all(read))


@pytest.mark.parametrize("board", ["left", "right", "deck"])
def test_every_pixel_is_painted_as_it_was_written(opened: Opener, feed: Feed, board: str) -> None:
    page = opened("box")
    count = pins.PIXELS[pins.BOARD_OF_ROLE[board]]
    drawn = range(count) if board != "deck" else range(6)
    for seed in range(2):
        rgb = random.Random(seed).randbytes(3 * count)
        feed.pixels(board, rgb)
        last = rgb[3 * drawn[-1] : 3 * drawn[-1] + 3].hex()
        page.locator(f'.board-{board} [data-px="{drawn[-1]}"][data-rgb="{last}"]').wait_for(state="attached")
        assert painted(page, board) == {i: rgb[3 * i : 3 * i + 3].hex() for i in drawn}


def test_a_page_that_opens_late_shows_the_pixels_too(opened: Opener, feed: Feed) -> None:
    shown = pictures(PHASES["duel"]())
    for board, rgb in shown.items():
        feed.pixels(board, rgb)
    page = opened("box", fresh=True)
    page.locator('.board-right [data-px="80"]:not([data-rgb="000000"])').wait_for(state="attached")
    assert "".join(painted(page, "right")[i] for i in range(83)) == shown["right"].hex()


def test_pixels_lie_where_they_are_on_the_box(opened: Opener, feed: Feed) -> None:
    page = opened("box")

    def centre(board: str, selector: str) -> tuple[float, float]:
        box = page.locator(f".board-{board} {selector}").first.bounding_box()
        assert box is not None
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    for die in range(8):
        grid = [
            [centre("left", f'[data-px="{pins.die_pixel(die, r, c)}"]') for c in range(3)] for r in range(3)
        ]
        for i in range(2):
            for j in range(3):
                assert grid[j][i][0] < grid[j][i + 1][0], "columns run to the right"
                assert grid[i][j][1] < grid[i + 1][j][1], "rows run down"
        x, y = centre("left", f'[data-key="{die}"] .bezel')
        assert abs(x - grid[1][1][0]) < 1, "each keep key is in front of its die"
        assert y > grid[2][1][1]
        lamp = centre("left", f'[data-px="{pins.lamp_pixel(pins.STATION, die)}"]')
        assert abs(lamp[0] - x) < 1
        assert abs(lamp[1] - y) < 1
    millimetre = page.locator(".board-left .station").evaluate("n => n.getBoundingClientRect().width") / 320
    pitch = centre("left", '[data-key="1"] .bezel')[0] - centre("left", '[data-key="0"] .bezel')[0]
    assert pitch == pytest.approx(50 * millimetre, rel=0.01)
    for selector, diameter in (('[data-key="0"] .cap-light', 24), ('[data-key="9"] .bezel', 60)):
        width = page.locator(f".board-left {selector}").evaluate("n => 2 * n.r.baseVal.value")
        assert width == diameter


def test_light_is_seen_and_darkness_too(opened: Opener, feed: Feed) -> None:
    page = opened("box")
    feed.pixels("left", bytes([17, 5, 0]) + bytes(3 * 82))
    page.locator('.board-left [data-px="0"][data-rgb="110500"]').wait_for(state="attached")

    def light(pixel: int) -> int:
        fill = page.locator(f'.board-left [data-px="{pixel}"]').evaluate("n => getComputedStyle(n).fill")
        return sum(int(part) for part in re.findall(r"\d+", fill))

    assert light(0) > light(1) + 150


def test_only_pixels_that_changed_are_touched(opened: Opener, feed: Feed) -> None:
    page = opened("box")
    feed.pixels("left", bytes(3 * 83))
    page.evaluate(
        """() => {
            window.touched = 0;
            new MutationObserver(list => { window.touched += list.length; })
                .observe(document.querySelector(".board-left"), {attributeFilter: ["fill"], subtree: true});
        }"""
    )
    feed.pixels("left", bytes(3 * 40) + b"\x10\x20\x30" + bytes(3 * 42))
    page.locator('.board-left [data-px="40"][data-rgb="102030"]').wait_for(state="attached")
    assert page.evaluate("window.touched") == 1


def test_the_legend_shows_the_boards_own_glyphs() -> None:
    source = (STATIC / "glance.js").read_text(encoding="utf-8")
    legend = dict(re.findall(r'^ {2}(\w+): "([.#]{3} [.#]{3} [.#]{3})",$', source, re.MULTILINE))
    table = {name: pattern for name, _, _, pattern in glyphs.TABLE}
    assert legend == {name: table[name] for name in glyphs.GAME_GLYPHS["sushi_duel"]}


# -- the table in a strip, boards that are away, the plug ---------------------------------------------------


def test_one_can_play_on_the_box_alone(opened: Opener, feed: Feed) -> None:
    page = opened("box")
    topics = PHASES["duel"]()
    show(page, feed, topics)
    assert words(page, ".prompt") == "ROLL fast, KEEP what fits, ring BELL first!"
    assert words(page, ".news") == "Blue called Yuck: Red re-rolls all six"
    assert page.locator(".platters .tray").count() == 3
    assert page.locator(".platters .complete").get_attribute("data-place") == "1"
    said = page.locator(".seat-said").all_text_contents()
    assert said == ["2 platters", "0 platters", "bot4 platters", "", "", ""]
    assert page.locator(".holder").all_text_contents() == ["Red", "Blue"]


def data(page: Page, selector: str, name: str) -> list[str]:
    """The attribute `data-NAME` of all that match, in their order."""
    found: list[str] = page.locator(selector).evaluate_all(f"nodes => nodes.map(n => n.dataset.{name})")
    return found


def test_the_sushi_bar_can_be_played_on_the_box_alone(opened: Opener, feed: Feed) -> None:
    page = opened("box")
    topics = PHASES["bar_five"]()
    show(page, feed, topics)
    table, state = topics["table"], topics["table"]["state"]
    for kind, row in state["rows"].items():
        assert data(page, f".row-{kind} .tile-place", "tile") == list(map(str, row))
        assert page.locator(f".row-{kind} .tile b").all_text_contents() == [
            str(value).replace("-", "−") for value in row
        ]
    assert page.locator(".glance .offer").count() == len(table["offers"]) > 1
    chosen = table["offers"][table["option"]]
    assert data(page, ".offer.chosen", "kind") == [chosen["kind"]]
    assert data(page, ".tile-place.chosen", "place") == [str(chosen["place"])]
    stacks = [seat[kind] for seat in state["stacks"] for kind in ("sushi", "bone")]
    assert data(page, ".tile-stack", "height") == [str(stack["height"]) for stack in stacks]
    assert page.locator(".tile-stack .tile b").all_text_contents() == [
        str(stack["top"]).replace("-", "−") for stack in stacks if stack["height"]
    ]
    assert data(page, ".glance .at-turn", "seat") == ["violet"]
    assert page.locator(".holder").all_text_contents() == ["Violet", ""]
    assert page.locator(".glance [data-key]").count() == 0, "the keys are those of the boards"


def test_the_worm_grill_can_be_played_on_the_box_alone(opened: Opener, feed: Feed) -> None:
    page = opened("box")
    topics = PHASES["grill_decide"]()
    show(page, feed, topics)
    table, state = topics["table"], topics["table"]["state"]
    assert data(page, ".grill-place", "place") == [str(n) for n in range(23, 37)]
    colours = [seat["colour"] for seat in topics["house"]["seats"]]
    for place, lies in state["grill"].items():
        here = page.locator(f'.grill-place[data-place="{place}"]')
        assert here.locator(".on-plate .badge b").all_text_contents() == [
            colours[seat][0].upper() for seat in lies["plates"]
        ]
        assert here.locator(".on-snail").count() == int(lies["snail"])
        assert here.locator(".food-worm").count() == (0 if lies["snail"] else lies["worms"])
        chance = table["odds"]["places"].get(place)
        assert words(page, f'[data-place="{place}"] .grill-chance') == (
            f"{chance:.0%}".replace("%", " %") if chance else ""
        )
    assert data(page, ".grill-total b", "total") == [str(state["total"])]
    assert page.locator(".glance .die.kept").count() == sum(state["aside"].values()) > 0
    assert page.locator(".grill-ends").get_attribute("data-ends") == table["ends"]
    assert data(page, ".chance-good", "good") == [str(table["odds"]["throw"])]
    for name in ("worms", "snails"):
        assert data(page, ".glance .seat", name) == list(map(str, state[name]))
    assert page.locator(".has .counted:last-child").all_text_contents() == list(map(str, state["plates"]))


@pytest.mark.parametrize("phase", ["bar_result_five", "grill_result_five"])
def test_a_glance_shows_in_the_end_what_everybody_has(opened: Opener, feed: Feed, phase: str) -> None:
    page = opened("box")
    topics = PHASES[phase]()
    show(page, feed, topics)
    state, sitting = topics["table"]["state"], topics["house"]["seats"]
    said = [
        int(text.split()[0].replace("−", "-")) for text in page.locator(".seat-points").all_text_contents()
    ]
    assert said == state["scores"]
    assert data(page, ".has-won", "seat") == [sitting[seat]["colour"] for seat in state["winners"]]


def test_a_board_that_is_away_is_dim_and_says_why(opened: Opener, feed: Feed) -> None:
    page = opened("box")
    show(page, feed, PHASES["paused"]())
    assert words(page, ".prompt") == "Paused: The left station is missing"
    left = page.locator(".board-left")
    expect(left).to_have_class(re.compile("not-live"))
    assert left.locator(".board-state > *").all_inner_texts() == [
        "Left station: lost",
        "The left station is gone: plug it in again, or check its power supply",
    ]
    expect(page.locator(".board-right")).not_to_have_class(re.compile("not-live"))
    expect(left.locator('[data-px="0"]')).to_be_hidden()


def test_a_simulated_board_is_pulled_out_and_plugged_in(opened: Opener, feed: Feed) -> None:
    page = opened("box")
    page.get_by_role("button", name="Pull out the deck").click()
    assert feed.command() == PlugCommand("deck", False)
    show(page, feed, PHASES["paused"]())
    page.get_by_role("button", name="Plug in the left station").click()
    assert feed.command() == PlugCommand("left", True)
    show(page, feed, PHASES["trouble"]())
    expect(page.locator(".plug:visible")).to_have_count(0)


def test_a_phone_presses_keys(opened: Opener, feed: Feed) -> None:
    page = opened("box", 390, 844, has_touch=True, is_mobile=True)
    page.locator(key(page, "right", 8)).tap()
    pressed_and_let_go(feed, "right", 8)


def test_a_die_is_its_keep_key_too(opened: Opener, feed: Feed) -> None:
    page = opened("box")
    window = page.locator(".board-left .die-window").nth(2).bounding_box()
    assert window is not None
    page.mouse.click(window["x"] + window["width"] / 2, window["y"] + window["height"] / 2)
    pressed_and_let_go(feed, "left", 2)


def test_no_source_of_the_pages_reaches_elsewhere() -> None:
    for path in sorted(Path(STATIC).rglob("*.*")):
        text = path.read_text(encoding="utf-8")
        assert set(re.findall(r"https?://[^\s\"')]+", text)) <= {"http://www.w3.org/2000/svg"}, path.name
