// Channel: the page's one WebSocket. Keeps the topics, asks for a snapshot after a gap, comes back by itself.
//
//   new Channel("box", { changed(topics, names), pixels(board, rgb), link(up), may(yes), pin(answer) })
//
// A page that was loaded with another build than the host's loads itself again, once, when the host can be reached.
// `page` is the number by which the host knows this page. It knows no words and draws nothing.

const BACK_OFF_MS = [150, 300, 600, 1200, 2000];
const PING_MS = 4000;
const RELOADED = "galley.reloaded";

export class Channel {
  constructor(kind, handlers) {
    this.topics = {};
    this.page = null;
    this.handlers = { changed() {}, pixels() {}, link() {}, may() {}, pin() {}, ...handlers };
    this.url = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws?page=${kind}`;
    this.tries = 0;
    this.waiting = 0;
    this.pings = 0;
    this.open();
    setInterval(() => this.ping(), PING_MS);
    window.addEventListener("online", () => this.soon(0));
    window.addEventListener("pageshow", () => this.soon(0));
  }

  get up() {
    return this.socket !== null && this.socket.readyState === WebSocket.OPEN;
  }

  // True if the message went out; nothing is kept for later: a press that waited would be a lie.
  send(message) {
    if (!this.up) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  open() {
    const socket = new WebSocket(this.url);
    this.socket = socket;
    this.number = null;
    this.answered = true;
    socket.onmessage = (event) => { if (this.socket === socket) this.take(event.data); };
    socket.onclose = () => { if (this.socket === socket) this.drop(); };
  }

  drop() {
    const socket = this.socket;
    this.socket = null;
    if (socket !== null) socket.close();
    this.handlers.link(false);
    this.soon(BACK_OFF_MS[Math.min(this.tries, BACK_OFF_MS.length - 1)]);
    this.tries += 1;
  }

  soon(delay_ms) {
    if (this.socket !== null) return;
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => { if (this.socket === null) this.open(); }, delay_ms);
  }

  ping() {
    if (!this.up) return;
    if (!this.answered) {
      this.drop();
      return;
    }
    this.answered = false;
    this.pings += 1;
    this.send({ do: "ping", id: this.pings });
  }

  take(data) {
    this.answered = true;
    const message = JSON.parse(data);
    if (message.t === "px") this.handlers.pixels(message.board, message.rgb);
    else if (message.t === "snapshot") this.snapshot(message);
    else if (message.t === "diff") this.diff(message);
    else if (message.t === "pin") this.handlers.pin(message);
  }

  snapshot(message) {
    this.tries = 0;
    this.number = message.n;
    this.page = message.page ?? null;
    const { pixels = {}, ...topics } = message.topics;
    this.topics = topics;
    this.handlers.link(true);
    this.changed(Object.keys(topics));
    for (const [board, rgb] of Object.entries(pixels)) this.handlers.pixels(board, rgb);
    this.handlers.may(message.may ?? true);
  }

  diff(message) {
    if (this.number === null) return;
    if (message.n !== this.number + 1) {
      this.number = null;
      this.send({ do: "snapshot" });
      return;
    }
    this.number = message.n;
    Object.assign(this.topics, message.topics);
    this.changed(Object.keys(message.topics));
  }

  changed(names) {
    const build = this.topics.meta?.build;
    if (names.includes("meta") && build && build !== document.documentElement.dataset.build) this.renew(build);
    this.handlers.changed(this.topics, names);
  }

  async renew(build) {
    if (sessionStorage.getItem(RELOADED) === build) return;
    try {
      const answer = await fetch(location.pathname, { cache: "reload" });
      if (!answer.ok) return;
    } catch {
      return;
    }
    sessionStorage.setItem(RELOADED, build);
    location.reload();
  }
}
