// Loudspeaker: which sound goes with what happened, its caption on the screen, and whether this page sounds.
//
// One page of all is the loudspeaker (`meta.speaker`): the one that asked last, by its button. It asks again when it
// comes back. A browser lets a page sound after the first touch only, or when it was started so (host/README.md);
// until then the page does not ask. Every page shows the captions, sound or no sound.

import { show } from "./draw.js";
import { play } from "./sounds.js";
import { text } from "./words.js";

// News -> sound; the first of a message that has one is heard.
export const SOUND_OF = {
  game_won: "win", game_ended: "win", crew_won: "win", crew_lost: "wrong",
  platter_taken: "bell", must_choose: "bell", plate_placed: "bell", plate_stacked: "bell", snail_taken: "bell",
  dropping_collected: "bell", tile_taken: "tick", tile_forced: "wrong", tile_stolen: "yuck", plate_stolen: "yuck",
  yuck_called: "yuck", mate_called: "mate", bell_false: "wrong", yuck_missed: "wrong", mate_missed: "wrong",
  throw_bad: "wrong", dropping_put_back: "wrong", dropping_lost: "yuck", die_lost: "wrong", last_named: "tick",
  thrown: "roll", rolled: "roll", set_aside: "tick", locked: "tick", dropping_lifted: "tick", die_pushed: "tick",
  got_ready: "tick", duel_started: "bell",
};
const RANK = ["win", "mate", "yuck", "wrong", "bell", "roll", "tick"];

const CAPTION_MS = 1600;
const WANTED = "galley.speaker";

// The dice of a duel are rolled too often to be news.
const faces = ({ table }) => JSON.stringify(Object.values(table?.state?.stations ?? {}).map((station) => station.faces ?? null));
const rolled = (before, after) => before !== after && after.includes('"');

export class Loudspeaker {
  // `ask(on)` tells the host that this page wants to be the loudspeaker, or no longer does.
  constructor(caption, ask) {
    this.caption = caption;
    this.ask = ask;
    this.context = null;
    this.wanted = localStorage.getItem(WANTED) === "on";
    this.heard = null;
    this.faces = "";
    this.clearing = 0;
    this.chosen = false;
    this.level = 0;
    if (this.wanted) this.open();
  }

  get on() {
    return this.chosen && this.context?.state === "running";
  }

  // Makes this page able to sound; only then does it ask.
  open() {
    this.context ??= new AudioContext();
    this.out ??= new GainNode(this.context);
    this.out.connect(this.context.destination);
    if (this.context.state === "running") this.ask(true);
    else {
      this.context.onstatechange = () => {
        if (this.context.state === "running" && this.wanted) this.ask(true);
      };
      const wake = () => this.context.resume();
      addEventListener("pointerdown", wake, { once: true });
      addEventListener("keydown", wake, { once: true });
      this.context.resume().catch(() => {});
    }
  }

  toggle() {
    this.wanted = !this.on;
    localStorage.setItem(WANTED, this.wanted ? "on" : "off");
    if (this.wanted) this.open();
    else this.ask(false);
  }

  // The page is connected (again).
  connected() {
    if (this.wanted && this.context?.state === "running") this.ask(true);
  }

  update(topics, page) {
    const { meta, house, news = [] } = topics;
    this.chosen = page !== null && meta?.speaker === page;
    this.level = meta?.quiet || house?.muted ? 0 : ((meta?.volume ?? 100) / 100) ** 2;
    const last = news.at(-1)?.n ?? 0;
    const dice = faces(topics);
    if (this.heard !== null) {
      const sounds = news.filter(({ n }) => n > this.heard).map(({ key }) => SOUND_OF[key]);
      if (rolled(this.faces, dice)) sounds.push("roll");
      const loudest = RANK.find((sound) => sounds.includes(sound));
      if (loudest !== undefined) this.sound(loudest);
    }
    this.heard = last;
    this.faces = dice;
  }

  // Sounds, if this page is the loudspeaker, and says so in any case.
  sound(name) {
    if (this.on && this.level > 0) {
      this.out.gain.value = this.level;
      play(this.context, this.out, name);
    }
    this.caption.hidden = false;
    this.caption.dataset.sound = name;
    show(this.caption, name, () => [text("sound.caption", { sound: text(`sound.${name}`) })]);
    clearTimeout(this.clearing);
    this.clearing = setTimeout(() => { this.caption.hidden = true; }, CAPTION_MS);
  }
}
