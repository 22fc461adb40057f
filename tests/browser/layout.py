"""Is everything that a person sees inside the window and inside its block, do no two blocks overlap, and does
a finger find each target?

A target's place is that of its `.reach`, where it has one: what may be hit is often more than what is drawn.
"""

from __future__ import annotations

from typing import Final

from playwright.sync_api import Page

from tests.browser.feed import Feed
from tests.browser.topics import Topics

SIZES: Final = [(1280, 720), (1920, 1080), (3840, 2160)]
"""The windows in which a kiosk must show everything at once."""

SMALLEST_PX: Final = 64

BLOCKS: Final = (
    ".stage, .bar, .facts, .tool, .simulated, .prompts, .scene, .keybar, .press, .press-group, .side, "
    ".counter, .news, .score, .seat, .step, .seat-key, .card, .option, .winner, .decided, .ranks, "
    ".rank, .hint, .panel, .today-score, .paused-card, .asking-card, .top, .nav, .glance, .legend, "
    ".platters, .station, .deck, .plug, .seat-words, .bar-rows, .tile-place, .grill-place, .offer, "
    ".deck-place, .deck-counts, .glance-side, .hand, .poop-die, .pile, .balance, .job, .engraved, "
    ".name, .holder, .board-state, .field, .choice, .lan, .note, .deck-crew, dl, table"
)
"""What must keep its content and not overlap, on any page."""

# On purpose the marks of a complete platter stick out, the curtain sways, a pause lies over the scene, a
# station's edge is cut off on a phone, and how a board stands is written over it.
_FAULTS: Final = """({blocks, smallest, scrolls}) => {
    const bad = new Set(), slack = 1.5, rects = new Map(), list = [];
    const rect = node => {
        if (!rects.has(node)) rects.set(node, node.getBoundingClientRect());
        return rects.get(node);
    };
    const name = node => `${node.tagName}.${node.getAttribute("class")}`;
    const inside = (a, b) => a.left >= b.left - slack && a.right <= b.right + slack
        && a.top >= b.top - slack && a.bottom <= b.bottom + slack;
    const apart = (a, b) => a.left >= b.right - slack || b.left >= a.right - slack
        || a.top >= b.bottom - slack || b.top >= a.bottom - slack;
    const over = node => node.closest(".paused, .asking, .sheet, .board-state, .pin");

    const {scrollWidth, scrollHeight} = document.documentElement;
    if (scrollWidth > innerWidth || (scrollHeight > innerHeight && !scrolls)) bad.add("the page scrolls");
    const view = {left: 0, right: innerWidth, top: scrolls ? -Infinity : 0};
    view.bottom = scrolls ? Infinity : innerHeight;
    const walk = (parent, outer) => {
        for (const node of parent.children) {
            if (node.matches(".art, .noren, .px, .plate, .screw, .reach, .gloss, script")) continue;
            if (!node.checkVisibility({opacityProperty: true, visibilityProperty: true})) continue;
            const block = node.matches(blocks) ? node : outer;
            if (rect(node).width > 0 && node.tagName !== "g") {
                if (!inside(rect(node), view)) bad.add(`${name(node)} leaves the window`);
                if (block === node) list.push(node);
                else if (block !== null && !inside(rect(node), rect(block)) && !node.closest(".place-done"))
                    bad.add(`${name(node)} leaves ${name(block)}`);
            }
            walk(node, block);
        }
    };
    walk(document.body, null);
    list.forEach((a, i) => {
        for (const b of list.slice(i + 1)) {
            if (apart(rect(a), rect(b)) || a.contains(b) || b.contains(a) || over(a) !== over(b)) continue;
            bad.add(`${name(a)} "${a.textContent}" overlaps ${name(b)} "${b.textContent}"`);
        }
    });

    const reach = node => {
        const part = node.querySelector(".reach, .dropping-reach");
        if (part === null) return rect(node);
        const a = rect(part), b = rect(part.ownerSVGElement);
        const left = Math.max(a.left, b.left), right = Math.min(a.right, b.right);
        return {left, right, top: a.top, bottom: a.bottom, width: right - left, height: a.height};
    };
    const middle = node => document.elementFromPoint(
        reach(node).left + reach(node).width / 2, reach(node).top + reach(node).height / 2);
    const targets = [...document.querySelectorAll("a, button, input, [role=button]")]
        .filter(node => rect(node).width > 0 && node.checkVisibility({visibilityProperty: true}))
        .filter(node => over(node) || !over(middle(node) ?? node));
    const said = node => `${name(node)} ${node.ariaLabel ?? node.textContent}`;
    targets.forEach((a, i) => {
        const {width, height} = reach(a), top = middle(a);
        const size = `${width.toFixed(1)}x${height.toFixed(1)}`;
        if (Math.min(width, height) < smallest) bad.add(`${said(a)} is ${size}`);
        if (a.matches(".dropping")) return;  // the nearest one is lifted
        if (top !== null && !a.contains(top)) bad.add(`${said(a)} is covered by ${name(top)}`);
        for (const b of targets.slice(i + 1)) {
            if (apart(reach(a), reach(b)) || b.matches(".dropping") || a.contains(b)) continue;
            bad.add(`a finger on ${said(a)} may hit ${said(b)}`);
        }
    });
    return [...bad];
}"""

_WIDE: Final = """() => {
    const pen = document.createElement("canvas").getContext("2d");
    const width = family => {
        pen.font = `700 20px "${family}", sans-serif`;
        return pen.measureText("Hamburgefonstiv 0123").width;
    };
    const common = ["DejaVu Sans", "Verdana", "Noto Sans", "Liberation Sans"];
    const widest = common.sort((a, b) => width(b) - width(a))[0];
    for (const kind of ["--plain", "--display"])
        document.documentElement.style.setProperty(kind, `"${widest}", sans-serif`);
}"""

_SHOWN: Final = """([before, language]) => new Promise(done => {
    const html = document.documentElement;
    const look = () => {
        if (document.body.dataset.n === before || html.lang !== language) return;
        watch.disconnect();
        done();
    };
    const watch = new MutationObserver(look);
    watch.observe(html, {subtree: true, attributeFilter: ["data-n", "lang"]});
    look();
})"""


def in_wide_fonts(page: Page) -> None:
    """All words in the widest common font from now on: a machine may have none of the style sheets' own."""
    page.evaluate(_WIDE)


def faults(page: Page, *, scrolls: bool = False) -> list[str]:
    """What is wrong with the page as it is now; `scrolls`: it may be longer than the window, never wider."""
    given = {"blocks": BLOCKS, "smallest": SMALLEST_PX, "scrolls": scrolls}
    found: list[str] = page.evaluate(_FAULTS, given)
    return found


def faults_in(page: Page, feed: Feed, topics: Topics, language: str, *, scrolls: bool = False) -> list[str]:
    """`faults` as soon as the page shows `topics` in `language`; the feed must not show just that already."""
    before = page.evaluate("document.body.dataset.n")
    feed.publish({**topics, "meta": {**topics["meta"], "language": language}})
    page.evaluate(_SHOWN, [before, language])
    return faults(page, scrolls=scrolls)
