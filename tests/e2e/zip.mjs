// Reads ZIP files of the form that `podscope scorm` writes.
import { inflateRawSync } from "node:zlib";

const END_OF_CENTRAL_DIRECTORY = 0x06054b50;
const CENTRAL_DIRECTORY_ENTRY = 0x02014b50;

/** Returns the files of a ZIP file: path → content. */
export function unzip(bytes) {
  const end = bytes.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  if (end < 0 || bytes.readUInt32LE(end) !== END_OF_CENTRAL_DIRECTORY) throw new Error("no ZIP file");
  const files = new Map();
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left -= 1) {
    if (bytes.readUInt32LE(at) !== CENTRAL_DIRECTORY_ENTRY) throw new Error(`no entry of a ZIP file at byte ${at}`);
    const [name, extra, comment] = [28, 30, 32].map((field) => bytes.readUInt16LE(at + field));
    const localHeader = bytes.readUInt32LE(at + 42);
    const start = localHeader + 30 + bytes.readUInt16LE(localHeader + 26) + bytes.readUInt16LE(localHeader + 28);
    const storedBytes = bytes.subarray(start, start + bytes.readUInt32LE(at + 20));
    const isDeflated = bytes.readUInt16LE(at + 10) === 8;
    files.set(bytes.toString("utf8", at + 46, at + 46 + name), isDeflated ? inflateRawSync(storedBytes) : storedBytes);
    at += 46 + name + extra + comment;
  }
  return files;
}
