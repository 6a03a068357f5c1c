// Records a film as a video: WebM, or MP4 where the browser has only that. Loaded when it is first used.
//
// A film is an SVG whose groups are shown and hidden by `<animate>` (crates/session/src/film.rs). A canvas may only get the
// first frame of an animated image, so each frame is made here, as a drawing without animation.

const FRAMES_PER_SECOND = 8; // as in the film
const VIDEO_TYPES = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm", "video/mp4"];

/** Returns the value of a discrete animation at a fraction of its duration, from 0 to 1. */
const animationValueAt = (fraction, values, times) => values.split(";")[times.split(";").filter((time) => Number(time) <= fraction).length - 1];

/** Returns the drawing that a film shows at a fraction of its duration, as an SVG without animation. */
const drawingAt = (film, fraction) => film
  .replace(/<g visibility="\w+"><animate [^>]* values="([^"]*)" keyTimes="([^"]*)"\/>/g, (_, values, times) => `<g visibility="${animationValueAt(fraction, values, times)}">`)
  .replace(/width="(\d+)"( height="4"[^>]*>)<animate [^>]* keyTimes="0;([\d.]+);1"[^>]*\/>/, (_, width, rest, end) => `width="${Math.min(fraction / end, 1) * width}"${rest}`);

/** Decodes an SVG drawing to an image. */
async function decodedImage(drawing) {
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([drawing], { type: "image/svg+xml" }));
  try {
    await image.decode();
  } finally {
    URL.revokeObjectURL(image.src);
  }
  return image;
}

/** Records a film once, in real time. Returns the video as a Blob; throws if the browser cannot record video. */
export async function record(film) {
  const mimeType = VIDEO_TYPES.find((type) => MediaRecorder.isTypeSupported(type));
  if (!mimeType) throw new Error("no format of video");
  const frameCount = Number(/ dur="(\d+)s"/.exec(film)[1]) * FRAMES_PER_SECOND;
  const canvas = document.createElement("canvas");
  const firstFrame = await decodedImage(drawingAt(film, 0));
  // Video codecs require an even width and height.
  [canvas.width, canvas.height] = [firstFrame.naturalWidth & ~1, firstFrame.naturalHeight & ~1];
  const context = canvas.getContext("2d");
  context.drawImage(firstFrame, 0, 0);
  const recorder = new MediaRecorder(canvas.captureStream(FRAMES_PER_SECOND), { mimeType, videoBitsPerSecond: 4_000_000 });
  const videoChunks = [];
  recorder.ondataavailable = ({ data }) => videoChunks.push(data);
  const recorderStopped = new Promise((resolve, reject) => { recorder.onstop = resolve; recorder.onerror = ({ error }) => reject(error); });
  recorder.start();
  const recordingStart = performance.now();
  for (let frame = 0; frame < frameCount; frame += 1) {
    context.drawImage(await decodedImage(drawingAt(film, (frame + 0.5) / frameCount)), 0, 0);
    const frameEnd = recordingStart + ((frame + 1) * 1000) / FRAMES_PER_SECOND;
    await new Promise((resolve) => setTimeout(resolve, frameEnd - performance.now()));
  }
  recorder.stop();
  await recorderStopped;
  return new Blob(videoChunks, { type: mimeType.split(";")[0] });
}
