// Encodes requests and decodes updates of the engine for the benchmarks, in postcard (a test in crates/protocol/src
// checks these bytes).

const varint = (number) => {
  const bytes = [];
  let rest = BigInt(number);
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return [...bytes, Number(rest)];
};
/** Encodes a signed number that is not negative: postcard stores the sign in the lowest bit. */
const encodeSigned = (number) => varint(BigInt(number) * 2n);

const encodeText = (text) => {
  const bytes = new TextEncoder().encode(text);
  return [Uint8Array.from(varint(bytes.length)), bytes];
};

const concatenate = (parts) => {
  const message = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    message.set(part, at);
    at += part.length;
  }
  return message;
};

/** The request to open one file. */
export const openFile = (name, body) => concatenate([Uint8Array.of(0, 0, 1), ...encodeText(name), ...encodeText(body)]);
/** The request to seek to an instant, in microseconds. */
export const seekTo = (at) => Uint8Array.from([7, ...encodeSigned(at)]);
/** The request that asks how many more copies of a pod fit; the pod is given as `NAMESPACE/NAME`. */
export const howManyMore = (pod) => concatenate([Uint8Array.of(39, 1, 2), ...encodeText(pod), Uint8Array.of(0)]);
/** The message that the page has drawn a frame. */
export const frameDone = () => Uint8Array.of(25);

const HELLO = 0;
const PROGRESS = 1;
const REFUSED = 3;
const FRAME = 4;
const CRASHED = 14;
const WHAT_IF = 21;

/**
 * Decodes the parts of an update that a benchmark needs: a hello, progress, a frame's instant, the answer to a what-if
 * question, or an error text.
 */
export const decodeUpdate = (bytes) => {
  let at = 1;
  const varint = () => {
    let [number, shift] = [0n, 0n];
    for (;;) {
      const byte = bytes[at];
      at += 1;
      number |= BigInt(byte & 127) << shift;
      shift += 7n;
      if (byte < 128) return number;
    }
  };
  switch (bytes[0]) {
    case HELLO: return { hello: true };
    case PROGRESS: return { progress: true };
    // The bytes also contain lengths and numbers beside the error texts; the result is readable enough.
    case REFUSED: case CRASHED: return { error: new TextDecoder().decode(bytes.subarray(1)).slice(0, 2000) };
    case WHAT_IF: return { whatIf: true };
    case FRAME: return { frame: Number(varint() / 2n) };
    default: return {};
  }
};
