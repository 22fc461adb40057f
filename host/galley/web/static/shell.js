// Shell: what all pages have around them: words and drawings loaded, the SIMULATED badge, the banner of a lost link.

import { Channel } from "./channel.js";
import { loadArt } from "./draw.js";
import { fillWords, loadWords, text } from "./words.js";

// Starts a page. `page` has changed(topics, names) and may have pixels(board, rgb) and link(up).
// Returns the channel once words and drawings are there; the first snapshot comes after that.
export async function start(kind, page) {
  await Promise.all([loadWords("en"), loadArt()]);
  fillWords(document);
  document.title = text(`page.${kind}`);
  const banner = document.querySelector("#link");
  const simulated = document.querySelector("#simulated");
  const channel = new Channel(kind, {
    pixels: page.pixels,
    changed(topics, names) {
      simulated.hidden = !topics.meta?.simulated;
      page.changed(topics, names);
      document.body.dataset.n = channel.number;
    },
    link(up) {
      banner.hidden = up;
      document.body.dataset.up = up;
      document.body.classList.toggle("away", !up);
      page.link?.(up);
    },
  });
  return channel;
}
