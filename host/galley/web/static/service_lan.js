// The box's address in the network, on the crew's page: as words and as a picture for a telephone.

import { el, show, svg } from "./draw.js";
import { text } from "./words.js";

// Fills `root`; `lan` is null on a box that serves this machine only.
export function update(root, lan) {
  show(root, lan ?? null, () => lan ? [el("p", {}, text("service.lan_watch")), el("a", { href: lan.url }, lan.url), picture(lan.qr, lan.url)]
    : [el("p", {}, text("service.lan_none"))]);
}

// The dark squares of a QR code, a stroke for each run of them.
function picture(rows, url) {
  const runs = rows.flatMap((row, y) => [...row.matchAll(/1+/g)].map(({ index, 0: run }) => `M${index} ${y}h${run.length}v1h-${run.length}z`));
  return svg("svg", { class: "qr", viewBox: `0 0 ${rows.length} ${rows.length}`, role: "img", "aria-label": url },
    svg("rect", { width: rows.length, height: rows.length, fill: "#fff" }), svg("path", { d: runs.join(""), fill: "#000" }));
}
