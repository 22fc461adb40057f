// Pin: a page on another machine may watch; to do more, its person types the PIN here once.
//
// Until then the page is `watching` (body): what presses keys of the box is hidden, for it would do nothing.
// The token that a right PIN gives is kept for this tab only, so that the page may come back by itself.

import { el, show } from "./draw.js";
import { text } from "./words.js";

const TOKEN = "galley.token";
const WATCHING = "watching";
const DIGITS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "⌫", "0", "↵"];
const MOST = 12;

let box = null;
let typed = "";
let said = null;

// Called with every snapshot: `may` tells whether this page's keys do something.
export function update(channel, may) {
  document.body.classList.toggle(WATCHING, !may);
  if (may) {
    close();
    return;
  }
  const token = sessionStorage.getItem(TOKEN);
  if (token !== null) channel.send({ do: "token", token });
  else ask(channel);
}

// The host's answer to a PIN or a token.
export function answered(channel, { ok, wait_s, token }) {
  if (ok) {
    sessionStorage.setItem(TOKEN, token);
    document.body.classList.remove(WATCHING);
    close();
    return;
  }
  sessionStorage.removeItem(TOKEN);
  typed = "";
  said = wait_s > 0 ? ["pin.wait", { n: wait_s }] : box === null ? null : ["pin.wrong", {}];
  ask(channel);
}

function ask(channel) {
  if (box === null) {
    box = el("section", { class: "pin", "aria-label": text("pin.title") });
    document.body.append(box);
  }
  draw(channel);
}

function draw(channel) {
  show(box, [typed, said, document.documentElement.lang, box.classList.contains("open")], () => box.classList.contains("open") ? pad(channel) : [
    button("pin-open", text("pin.title"), () => { box.classList.add("open"); draw(channel); })]);
}

function pad(channel) {
  return [
    el("h2", {}, text("pin.title")),
    el("p", { class: "pin-typed", role: "status" }, "•".repeat(typed.length) || text("pin.where")),
    el("div", { class: "pin-keys" }, ...DIGITS.map((digit) => button("pin-key", digit, () => press(channel, digit), digit === "⌫" ? text("pin.delete") : digit === "↵" ? text("pin.enter") : digit))),
    el("p", { class: "pin-said", role: "alert" }, said === null ? "" : text(...said)),
    button("pin-close", text("pin.watch"), () => { box.classList.remove("open"); typed = ""; draw(channel); }),
  ];
}

function button(className, label, does, name = label) {
  const node = el("button", { type: "button", class: className, "aria-label": name }, label);
  node.addEventListener("click", does);
  return node;
}

function press(channel, digit) {
  said = null;
  if (digit === "⌫") typed = typed.slice(0, -1);
  else if (digit !== "↵") typed = (typed + digit).slice(0, MOST);
  else if (typed !== "") channel.send({ do: "pin", pin: typed });
  draw(channel);
}

function close() {
  box?.remove();
  box = null;
  typed = "";
  said = null;
}
