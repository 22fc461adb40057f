"""Is everything that a person sees inside the window and inside its block, and do no two blocks overlap?"""

from __future__ import annotations

from playwright.sync_api import Page

SIZES = [(1280, 720), (1920, 1080), (3840, 2160)]
"""The windows in which a kiosk must show everything at once."""

# On purpose the marks of a complete platter stick out, the curtain sways, and a pause lies over the scene.
_OUTSIDE = """blocks => {
    const bad = new Set(), slack = 1.5;
    const rect = node => node.getBoundingClientRect();
    const name = node => `${node.tagName}.${node.getAttribute("class")}`;
    const seen = node => rect(node).width > 0
        && node.checkVisibility({opacityProperty: true, visibilityProperty: true});
    const inside = (a, b) => a.left >= b.left - slack && a.right <= b.right + slack
        && a.top >= b.top - slack && a.bottom <= b.bottom + slack;
    const above = node => node.closest(".paused, .asking");
    const apart = (a, b) => a.left >= b.right - slack || b.left >= a.right - slack
        || a.top >= b.bottom - slack || b.top >= a.bottom - slack;

    const {scrollWidth, scrollHeight} = document.documentElement;
    if (scrollWidth > innerWidth || scrollHeight > innerHeight) bad.add("the page scrolls");
    const view = {left: 0, top: 0, right: innerWidth, bottom: innerHeight};
    for (const node of document.body.querySelectorAll("*:not(.art, .art *, .noren *)")) {
        if (!seen(node)) continue;
        if (!inside(rect(node), view)) bad.add(`${name(node)} leaves the window`);
        const block = node.closest(blocks);
        if (block === null || block === node || node.closest(".place-done")) continue;
        if (!inside(rect(node), rect(block))) bad.add(`${name(node)} leaves ${name(block)}`);
    }
    const list = [...document.querySelectorAll(blocks)].filter(seen);
    for (const a of list) for (const b of list) {
        if (a.contains(b) || b.contains(a) || apart(rect(a), rect(b)) || above(a) !== above(b)) continue;
        bad.add(`${name(a)} overlaps ${name(b)}`);
    }
    return [...bad];
}"""


def outside(page: Page, blocks: str) -> list[str]:
    """What is wrong with the layout; `blocks` is a selector of what must keep its content and not overlap."""
    bad: list[str] = page.evaluate(_OUTSIDE, blocks)
    return bad
