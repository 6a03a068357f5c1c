// Records a film as a video: WebM, or MP4 where the browser has only that. Loaded when it is first used.
//
// A film is an SVG whose groups are shown and hidden by `<animate>` (crates/session/src/film.rs). A canvas may only get the
// first frame of an animated image, so each frame is made here, as a drawing without animation.

const FRAMES_PER_SECOND = 8; // as in the film
const TYPES = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm", "video/mp4"];

/** Returns the value of a discrete animation at a fraction of its duration, from 0 to 1. */
const valueAt = (part, values, times) => values.split(";")[times.split(";").filter((time) => Number(time) <= part).length - 1];

/** Returns the drawing that a film shows at a fraction of its duration, as an SVG without animation. */
const frameAt = (film, part) => film
  .replace(/<g visibility="\w+"><animate [^>]* values="([^"]*)" keyTimes="([^"]*)"\/>/g, (_, values, times) => `<g visibility="${valueAt(part, values, times)}">`)
  .replace(/width="(\d+)"( height="4"[^>]*>)<animate [^>]* keyTimes="0;([\d.]+);1"[^>]*\/>/, (_, width, rest, end) => `width="${Math.min(part / end, 1) * width}"${rest}`);

/** Decodes an SVG drawing to an image. */
async function decoded(drawing) {
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([drawing], { type: "image/svg+xml" }));
  try {
    await image.decode();
  } finally {
    URL.revokeObjectURL(image.src);
  }
  return image;
}

/** Records a film once, in real time. Returns the video; throws if the browser records none. */
export async function record(film) {
  const mimeType = TYPES.find((type) => MediaRecorder.isTypeSupported(type));
  if (!mimeType) throw new Error("no format of video");
  const frames = Number(/ dur="(\d+)s"/.exec(film)[1]) * FRAMES_PER_SECOND;
  const canvas = document.createElement("canvas");
  const first = await decoded(frameAt(film, 0));
  // Codecs want even sizes.
  [canvas.width, canvas.height] = [first.naturalWidth & ~1, first.naturalHeight & ~1];
  const context = canvas.getContext("2d");
  context.drawImage(first, 0, 0);
  const recorder = new MediaRecorder(canvas.captureStream(FRAMES_PER_SECOND), { mimeType, videoBitsPerSecond: 4_000_000 });
  const parts = [];
  recorder.ondataavailable = ({ data }) => parts.push(data);
  const stopped = new Promise((resolve, reject) => { recorder.onstop = resolve; recorder.onerror = ({ error }) => reject(error); });
  recorder.start();
  const began = performance.now();
  for (let frame = 0; frame < frames; frame += 1) {
    context.drawImage(await decoded(frameAt(film, (frame + 0.5) / frames)), 0, 0);
    const due = began + ((frame + 1) * 1000) / FRAMES_PER_SECOND;
    await new Promise((resolve) => setTimeout(resolve, due - performance.now()));
  }
  recorder.stop();
  await stopped;
  return new Blob(parts, { type: mimeType.split(";")[0] });
}
