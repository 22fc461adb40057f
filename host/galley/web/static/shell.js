// Shell: what all pages have around them: words and drawings loaded, the SIMULATED badge, the banner that says
// what is wrong: a lost link, a disk that keeps nothing, and on the players' page a board that is away.
//
// The language is the host's (`meta.language`). When it changes, the catalogue is loaded and everything is said again;
// until then the page goes on in the old one. The last language is remembered, so that a page that starts without a
// host already speaks it.

import { Channel } from "./channel.js";
import { forgetShown, loadArt } from "./draw.js";
import * as pin from "./pin.js";
import { fillWords, rich, speak, spoken, text } from "./words.js";

const REMEMBERED = "galley.language";

// Starts a page. `page` has changed(topics, names) and may have pixels(board, rgb), link(up), and reworded(), called
// before `changed` when all words are others. Returns the channel once words and drawings are there; the first snapshot
// comes after that.
export async function start(kind, page) {
  await Promise.all([speak(localStorage.getItem(REMEMBERED) ?? "en").catch(() => speak("en")), loadArt()]);
  const banner = document.querySelector("#link");
  const simulated = document.querySelector("#simulated");
  let drawn = false;
  let up = true;
  let loading = null;

  function dress() {
    fillWords(document);
    document.title = text(`page.${kind}`);
    document.documentElement.lang = spoken();
  }

  // A key and its parameters, null if all is well. What a pause says is not said twice.
  function wrong({ meta, house, boards = [] }) {
    if (!up) return ["link.lost"];
    if (house?.paused) return null;
    if (meta?.journal) return [`paused.journal_${meta.journal}`];
    if (kind !== "kiosk" || !house || ["game", "result"].includes(house.phase)) return null;
    // simulated boards are absent until they have started
    const away = boards.find(({ note }) => note && !(meta?.simulated && note.key === "board_absent"));
    return away ? [`note.${away.note.key}`, away.note.params] : null;
  }

  function warn(topics = {}) {
    const said = wrong(topics);
    banner.hidden = said === null;
    banner.dataset.why = up ? "trouble" : "link";
    if (said !== null) banner.replaceChildren(...rich(...said));
  }

  function draw(topics, names) {
    drawn = true;
    warn(topics);
    simulated.hidden = !topics.meta?.simulated;
    page.changed(topics, names);
    document.body.dataset.n = channel.number;
  }

  async function follow(language) {
    if (loading === language) return;
    loading = language;
    const known = await speak(language).then(() => true, () => false);
    loading = null;
    if (known) {
      localStorage.setItem(REMEMBERED, language);
      forgetShown();
      page.reworded?.();
    }
    draw(channel.topics, Object.keys(channel.topics));
    if (known) {
      dress();
      warn(channel.topics);
    }
    const wanted = channel.topics.meta?.language ?? language;
    if (wanted !== language) follow(wanted);
  }

  dress();
  const channel = new Channel(kind, {
    pixels: page.pixels,
    changed(topics, names) {
      const wanted = topics.meta?.language ?? spoken();
      if (wanted !== spoken() && (names.includes("meta") || loading !== null)) follow(wanted);
      if (drawn || loading === null) draw(topics, names);
    },
    may(yes) {
      pin.update(channel, yes || page.watches === true);
      if (drawn) draw(channel.topics, []);
    },
    pin(answer) {
      pin.answered(channel, answer);
      draw(channel.topics, []);
    },
    link(now) {
      up = now;
      warn(channel?.topics);
      document.body.dataset.up = up;
      document.body.classList.toggle("away", !up);
      page.link?.(up);
    },
  });
  return channel;
}
