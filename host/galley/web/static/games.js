// Games: what the pages have of each game: its scene, three pictures of how it is played, its result.

import * as sushi_duel from "./duel.js";
import * as poop_deck from "./poop_deck.js";
import * as sushi_bar from "./sushi_bar.js";
import * as worm_grill from "./worm_grill.js";

export const GAMES = { sushi_duel, sushi_bar, worm_grill, poop_deck };

// How long a game takes, in minutes.
export const MINUTES = { sushi_duel: 15, sushi_bar: 15, worm_grill: 25, poop_deck: 10 };
