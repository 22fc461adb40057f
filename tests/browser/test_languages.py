"""Four languages: the same keys, parameters and forms in each; what changes when another is spoken."""

from __future__ import annotations

import json
import re
from typing import Final

import pytest
from playwright.sync_api import Page, expect

from galley.box_options import LANGUAGES
from galley.web.app import STATIC
from tests.browser.conftest import Opener, words
from tests.browser.feed import Feed
from tests.browser.phases import PHASES
from tests.browser.topics import Topics

Entry = str | dict[str, str]
CATALOGUES: Final[dict[str, dict[str, Entry]]] = {
    language: json.loads((STATIC / "lang" / f"{language}.json").read_text(encoding="utf-8"))
    for language in LANGUAGES
}
OTHERS: Final = [language for language in LANGUAGES if language != "en"]
OPERATORS: Final = ("?", "#")
SAME_EVERYWHERE: Final = {"brand", "page.kiosk", "platter"}
PLACEHOLDER: Final = re.compile(r"\{\w+\}|\[[A-Z][^\]]*\]")
"""A parameter, or a key of the box: what is engraved on a key is in no language."""


def templates(entry: Entry) -> dict[str, str]:
    """Row -> template of an entry; one row "" for a plain one."""
    return (
        {"": entry}
        if isinstance(entry, str)
        else {row: t for row, t in entry.items() if row not in OPERATORS}
    )


def operators(entry: Entry) -> dict[str, str]:
    """What selects the row, if the entry is a table."""
    return {} if isinstance(entry, str) else {row: t for row, t in entry.items() if row in OPERATORS}


def in_language(topics: Topics, language: str) -> Topics:
    """`topics` with this language in force."""
    return {**topics, "meta": {**topics["meta"], "language": language}}


@pytest.mark.parametrize("language", OTHERS)
def test_every_language_has_the_same_keys_and_nothing_empty(language: str) -> None:
    own = CATALOGUES[language]
    assert list(own) == list(CATALOGUES["en"]), "the same keys, in the same order"
    for key, entry in own.items():
        for row, template in templates(entry).items():
            assert template.strip(), (key, row)


@pytest.mark.parametrize("language", OTHERS)
def test_every_language_uses_the_same_parameters_and_keys_of_the_box(language: str) -> None:
    for key, entry in CATALOGUES["en"].items():
        own = CATALOGUES[language][key]
        assert operators(own) == operators(entry), key
        assert set(templates(own)) == set(templates(entry)), key
        for row, template in templates(entry).items():
            expected = sorted(PLACEHOLDER.findall(template))
            assert sorted(PLACEHOLDER.findall(templates(own)[row])) == expected, (key, row)


@pytest.mark.parametrize("language", OTHERS)
def test_a_language_is_not_english_left_over(language: str) -> None:
    """Sentences of some length differ; short words may be the same."""
    for key, entry in CATALOGUES["en"].items():
        for row, template in templates(entry).items():
            if len(PLACEHOLDER.sub("", template)) > 16 and key not in SAME_EVERYWHERE:
                assert templates(CATALOGUES[language][key])[row] != template, (key, row)


def test_plural_forms_are_those_that_the_language_has(shown: tuple[Page, Feed]) -> None:
    page, _ = shown
    for language, catalogue in CATALOGUES.items():
        needed = page.evaluate(
            """language => {
                const rules = new Intl.PluralRules(language);
                return [...new Set(Array.from({length: 1000}, (_, n) => rules.select(n)))].sort();
            }""",
            language,
        )
        for key, entry in catalogue.items():
            if "#" in entry:
                assert set(templates(entry)) == set(needed), (language, key)


def test_numbers_choose_their_form(shown: tuple[Page, Feed]) -> None:
    page, _ = shown
    said = page.evaluate(
        """async languages => {
            const words = await import("/static/words.js");
            const before = words.spoken(), said = {};
            for (const language of languages) {
                await words.speak(language);
                said[language] = [0, 1, 2].map(n => words.text("result.points", {n}));
            }
            await words.speak(before);
            return said;
        }""",
        list(LANGUAGES),
    )
    assert said == {
        "en": ["0 points", "1 point", "2 points"],
        "fr": ["0 point", "1 point", "2 points"],
        "nl": ["0 punten", "1 punt", "2 punten"],
        "de": ["0 Punkte", "1 Punkt", "2 Punkte"],
    }


def test_a_change_of_language_is_seen_at_once_in_mid_game(opened: Opener, feed: Feed) -> None:
    topics = PHASES["duel"]()
    feed.publish(topics)
    kiosk, box, service = opened("kiosk"), opened("box"), opened("service")
    for page in (kiosk, box, service):
        page.evaluate("window.marked = true")
    assert words(kiosk, ".prompt") == "ROLL fast, KEEP what fits, ring BELL first!"
    feed.pixels("left", bytes([17, 5, 0]) + bytes(3 * 82))
    feed.publish(in_language(topics, "de"))
    for page in (kiosk, box, service):
        page.locator('html[lang="de"]').wait_for()
        assert page.evaluate("window.marked") is True, "without loading the page again"
    assert words(kiosk, ".prompt") == "ROLL würfelt, KEEP behält: läute zuerst BELL!"
    assert words(kiosk, ".tool-language") == "Deutsch"
    assert words(box, ".prompt") == "ROLL würfelt, KEEP behält: läute zuerst BELL!"
    assert box.locator('.board-left [data-px="0"]').get_attribute("data-rgb") == "110500"
    bell = box.locator('[data-board="left"][data-key="9"]')
    expect(bell).to_have_attribute("aria-label", "linke Station, BELL: läuten")
    assert words(service, "h2") == "Haus"
    assert kiosk.title() == "Galley"
    assert service.title() == "Galley: Betreuung"


def test_a_page_starts_in_the_language_in_force_and_remembers_it(opened: Opener, feed: Feed) -> None:
    feed.publish(in_language(PHASES["join_some"](), "fr"))
    page = opened("kiosk", fresh=True)
    assert words(page, ".prompt") == "Appuie sur ta couleur pour t’asseoir"
    loaded: list[str] = []
    page.on("request", lambda request: loaded.append(request.url))
    page.reload()
    page.locator("body[data-n]").wait_for()
    catalogues = [url.rsplit("/", 1)[1] for url in loaded if "/lang/" in url]
    assert catalogues == ["fr.json"], "only the language that is spoken is loaded"


def test_an_unknown_language_leaves_the_words_as_they_are(opened: Opener, feed: Feed) -> None:
    page = opened("kiosk")
    with page.expect_response("**/lang/xx.json"):
        feed.publish(in_language(PHASES["join_some"](), "xx"))
    expect(page.locator('.seat-key[data-seat="red"] .seat-is')).to_have_text("is in")
    page.wait_for_function(
        "() => performance.getEntriesByName(location.origin + '/static/lang/xx.json').length > 0"
    )
    opened.watch.complaints.clear()
