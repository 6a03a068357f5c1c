// The bytes between page and engine, as far as a measurement speaks them: postcard without names
// (crates/protocol/src, where a test holds what is written here).

const varint = (number) => {
  const bytes = [];
  let rest = BigInt(number);
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return [...bytes, Number(rest)];
};
/** A signed number: the sign is its last bit. */
const signed = (number) => varint(BigInt(number) * 2n);

const text = (text) => {
  const bytes = new TextEncoder().encode(text);
  return [Uint8Array.from(varint(bytes.length)), bytes];
};

const joined = (parts) => {
  const message = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    message.set(part, at);
    at += part.length;
  }
  return message;
};

/** Opens one file. */
export const openFile = (name, body) => joined([Uint8Array.of(0, 0, 1), ...text(name), ...text(body)]);
/** Goes to an instant, in microseconds. */
export const seekTo = (at) => Uint8Array.from([7, ...signed(at)]);
/** The page has drawn. */
export const frameDone = () => Uint8Array.of(25);

const HELLO = 0;
const PROGRESS = 1;
const REFUSED = 3;
const FRAME = 4;
const CRASHED = 14;

/** What a measurement wants to know of an update: that it is a hello or progress, a frame's instant,
 *  or what went wrong. */
export const heard = (bytes) => {
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
    // The texts stand among lengths and numbers; a person can read it.
    case REFUSED: case CRASHED: return { wrong: new TextDecoder().decode(bytes.subarray(1)).slice(0, 2000) };
    case FRAME: return { frame: Number(varint() / 2n) };
    default: return {};
  }
};
