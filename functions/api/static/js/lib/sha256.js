// SHA-256 (FIPS 180-4) of a file, read piece by piece: the browser's own is missing on plain http, and wants it whole.

const PIECE_BYTES = 2 * 1024 ** 2;
const BLOCK = 64;

/** The first 32 bits of the fractional part of a root of each of the first `many` primes. */
function fractions(many, root) {
  const primes = [];
  for (let n = 2; primes.length < many; n += 1) if (primes.every((prime) => n % prime)) primes.push(n);
  return primes.map((prime) => (root(prime) % 1) * 2 ** 32);
}

const ROUNDS = Int32Array.from(fractions(64, Math.cbrt), (value) => value | 0);
const START = Int32Array.from(fractions(8, Math.sqrt), (value) => value | 0);

const turned = (word, by) => (word >>> by) | (word << (32 - by));

/** Takes the 64 bytes of `view` from `at` into the eight words of `state`. Written out: it runs a million times. */
function addBlock(state, words, view, at) {
  for (let i = 0; i < 16; i += 1) words[i] = view.getInt32(at + 4 * i);
  for (let i = 16; i < 64; i += 1) {
    const near = words[i - 2];
    const far = words[i - 15];
    const low = turned(far, 7) ^ turned(far, 18) ^ (far >>> 3);
    const high = turned(near, 17) ^ turned(near, 19) ^ (near >>> 10);
    words[i] = (((words[i - 16] + low) | 0) + ((words[i - 7] + high) | 0)) | 0;
  }
  let a = state[0];
  let b = state[1];
  let c = state[2];
  let d = state[3];
  let e = state[4];
  let f = state[5];
  let g = state[6];
  let h = state[7];
  for (let i = 0; i < 64; i += 1) {
    const chosen = (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g));
    const first = (((h + chosen) | 0) + ((ROUNDS[i] + words[i]) | 0)) | 0;
    const second = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
  state[5] += f;
  state[6] += g;
  state[7] += h;
}

/** The message's end: a one, zeros, and its length in bits. */
function closing(rest, size) {
  const padded = new Uint8Array(rest.length + 9 > BLOCK ? 2 * BLOCK : BLOCK);
  padded.set(rest);
  padded[rest.length] = 0x80;
  new DataView(padded.buffer).setBigUint64(padded.length - 8, BigInt(size) * 8n);
  return padded;
}

function addBlocks(state, words, bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.length; at += BLOCK) addBlock(state, words, view, at);
}

/** In lower-case hexadecimal; `progress(read)` hears how many bytes are behind it. */
export async function sha256(file, progress = () => {}) {
  const state = Int32Array.from(START);
  const words = new Int32Array(64);
  for (let at = 0; at < file.size || at === 0; at += PIECE_BYTES) {
    const bytes = new Uint8Array(await file.slice(at, at + PIECE_BYTES).arrayBuffer());
    const whole = bytes.length - (bytes.length % BLOCK);
    addBlocks(state, words, bytes.subarray(0, whole));
    if (at + PIECE_BYTES >= file.size) addBlocks(state, words, closing(bytes.subarray(whole), file.size));
    progress(Math.min(at + PIECE_BYTES, file.size));
  }
  return [...state].map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}
