// Fingers: turns mouse, touch and keyboard into presses of the box's keys.
//
// A key is down while at least one finger is on it: a pointer (captured, so that it may slide), a key of the
// keyboard, or Space or Enter on the key that has the focus. When the window loses the focus, is hidden or loses
// its link, all fingers come off. A press that cannot be sent now never happened.

// KeyboardEvent.code -> [board, key]: what is where on the keyboard, whatever is printed on it.
export const KEYBOARD = {
  KeyQ: ["left", 0], KeyW: ["left", 1], KeyE: ["left", 2], KeyR: ["left", 3],
  KeyA: ["left", 4], KeyS: ["left", 5], KeyD: ["left", 6], KeyF: ["left", 7],
  KeyZ: ["left", 8], KeyX: ["left", 9], KeyC: ["left", 10], KeyV: ["left", 11],
  KeyU: ["right", 0], KeyI: ["right", 1], KeyO: ["right", 2], KeyP: ["right", 3],
  KeyJ: ["right", 4], KeyK: ["right", 5], KeyL: ["right", 6], Semicolon: ["right", 7],
  KeyN: ["right", 8], KeyM: ["right", 9], Comma: ["right", 10], Period: ["right", 11],
  Digit1: ["deck", 0], Digit2: ["deck", 1], Digit3: ["deck", 2], Digit4: ["deck", 3], Digit5: ["deck", 4], Digit6: ["deck", 5],
};

const PRINTED = { Semicolon: ";", Comma: ",", Period: "." };

// What is printed on each key of this keyboard: "left 0" -> "Q". Browsers without a layout map get the US letters.
export async function letters() {
  let layout = new Map();
  try {
    layout = (await navigator.keyboard?.getLayoutMap()) ?? layout;
  } catch {
    layout = new Map();
  }
  return new Map(Object.entries(KEYBOARD).map(([code, place]) =>
    [place.join(" "), (layout.get(code) ?? PRINTED[code] ?? code.replace(/^Key|^Digit/, "")).toUpperCase()]));
}

const PLACE = "[data-board][data-key]";

export class Fingers {
  // `send(board, key, down)` tells whether the message went out; `show(board, key, down)` draws the key.
  constructor(send, show) {
    this.send = send;
    this.show = show;
    this.on = new Map();
    addEventListener("keydown", (event) => this.typed(event));
    addEventListener("keyup", (event) => this.off(`code ${event.code}`));
    addEventListener("blur", () => this.allOff());
    addEventListener("pagehide", () => this.allOff());
    document.addEventListener("visibilitychange", () => { if (document.hidden) this.allOff(); });
  }

  // Makes every element below `root` that names a key (data-board, data-key) that key, for pointers and for Space and
  // Enter. The pointer is captured by `root`: the element itself may be drawn anew while the finger is on it.
  watch(root) {
    root.addEventListener("pointerdown", (event) => {
      const node = event.target.closest(PLACE);
      if (node === null || event.button !== 0) return;
      event.preventDefault();
      root.setPointerCapture(event.pointerId);
      this.down(`pointer ${event.pointerId}`, node.dataset.board, Number(node.dataset.key));
    });
    for (const name of ["pointerup", "pointercancel", "lostpointercapture"]) {
      root.addEventListener(name, (event) => this.off(`pointer ${event.pointerId}`));
    }
    root.addEventListener("contextmenu", (event) => { if (event.target.closest(PLACE) !== null) event.preventDefault(); });
    root.addEventListener("keydown", (event) => {
      const node = event.target.closest(PLACE);
      if (node === null || (event.code !== "Space" && event.code !== "Enter")) return;
      event.preventDefault();
      if (!event.repeat) this.down(`code ${event.code}`, node.dataset.board, Number(node.dataset.key));
    });
  }

  typed(event) {
    const place = KEYBOARD[event.code];
    if (place === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (!event.repeat) this.down(`code ${event.code}`, ...place);
  }

  holders(board, key) {
    return [...this.on.values()].filter((place) => place.board === board && place.key === key).length;
  }

  down(finger, board, key) {
    if (this.on.has(finger)) return;
    if (this.holders(board, key) === 0) {
      if (!this.send(board, key, true)) return;
      this.show(board, key, true);
    }
    this.on.set(finger, { board, key });
  }

  off(finger) {
    const place = this.on.get(finger);
    if (place === undefined) return;
    this.on.delete(finger);
    if (this.holders(place.board, place.key) > 0) return;
    this.send(place.board, place.key, false);
    this.show(place.board, place.key, false);
  }

  allOff() {
    for (const finger of [...this.on.keys()]) this.off(finger);
  }
}
