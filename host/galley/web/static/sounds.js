// Sounds: synthesised from the numbers below; nothing is loaded.
//
// A sound is a list of voices that start `at_ms`, sound for `ms` and fade out. A voice is a wave of `hz` that glides
// `to` another pitch, or noise around `hz`. Knows no page and no news.

export const SOUNDS = {
  bell: [
    { wave: "sine", hz: 1568, ms: 1500, gain: 0.5 },
    { wave: "sine", hz: 3951, ms: 700, gain: 0.22 },
    { wave: "sine", hz: 6272, ms: 260, gain: 0.12 },
    { wave: "noise", hz: 5200, ms: 24, gain: 0.3 },
  ],
  roll: [0, 48, 88, 150, 185, 260].map((at_ms, i) => ({ wave: "noise", hz: 1900 - 170 * i, at_ms, ms: 42, gain: 0.42 - 0.04 * i })),
  yuck: [
    { wave: "sawtooth", hz: 196, to: 82, ms: 420, gain: 0.3 },
    { wave: "square", hz: 201, to: 78, ms: 420, gain: 0.12 },
    { wave: "noise", hz: 420, at_ms: 120, ms: 260, gain: 0.2 },
  ],
  mate: [
    { wave: "triangle", hz: 523, ms: 150, gain: 0.5 },
    { wave: "triangle", hz: 523, at_ms: 170, ms: 150, gain: 0.5 },
    { wave: "triangle", hz: 392, at_ms: 340, ms: 380, gain: 0.5 },
  ],
  win: [523, 659, 784, 1047].map((hz, i) => ({ wave: "triangle", hz, at_ms: 130 * i, ms: i === 3 ? 900 : 260, gain: 0.5 })),
  wrong: [
    { wave: "square", hz: 147, ms: 170, gain: 0.22 },
    { wave: "square", hz: 131, at_ms: 200, ms: 320, gain: 0.22 },
  ],
  tick: [{ wave: "noise", hz: 2600, ms: 26, gain: 0.4 }, { wave: "sine", hz: 1320, ms: 30, gain: 0.2 }],
};

const ATTACK_S = 0.004;
const SILENCE = 0.0008;

function source(context, { wave, hz, to = hz, ms }, start_s) {
  if (wave !== "noise") {
    const tone = new OscillatorNode(context, { type: wave, frequency: hz });
    tone.frequency.setValueAtTime(hz, start_s);
    tone.frequency.exponentialRampToValueAtTime(to, start_s + ms / 1000);
    return [tone, tone];
  }
  const grains = new AudioBuffer({ length: Math.ceil((ms / 1000) * context.sampleRate), sampleRate: context.sampleRate });
  const samples = grains.getChannelData(0);
  for (let i = 0; i < samples.length; i += 1) samples[i] = Math.random() * 2 - 1;
  const noise = new AudioBufferSourceNode(context, { buffer: grains });
  const filter = new BiquadFilterNode(context, { type: "bandpass", frequency: hz, Q: 1.2 });
  noise.connect(filter);
  return [noise, filter];
}

// Plays a sound into `out` now. Returns how long it sounds, in ms.
export function play(context, out, name) {
  const now_s = context.currentTime;
  for (const voice of SOUNDS[name]) {
    const start_s = now_s + (voice.at_ms ?? 0) / 1000, end_s = start_s + voice.ms / 1000;
    const [first, last] = source(context, voice, start_s);
    const level = new GainNode(context, { gain: 0 });
    level.gain.setValueAtTime(SILENCE, start_s);
    level.gain.linearRampToValueAtTime(voice.gain, start_s + ATTACK_S);
    level.gain.exponentialRampToValueAtTime(SILENCE, end_s);
    last.connect(level).connect(out);
    first.start(start_s);
    first.stop(end_s + 0.02);
  }
  return Math.max(...SOUNDS[name].map(({ at_ms = 0, ms }) => at_ms + ms));
}
