// Opens a Podscope course in a frame and reports it to the SCORM 1.2 API of the learning management system.
"use strict";

/** Finds the API object in the parent or opener windows, as SCORM 1.2 requires. */
function findApi(from) {
  for (let at = from, depth = 0; at && depth < 8; depth += 1) {
    try {
      if (at.API) return at.API;
    } catch {
      return null; // the window has another origin
    }
    if (at.parent === at) return at.opener ? findApi(at.opener) : null;
    at = at.parent;
  }
  return null;
}

const frame = document.getElementById("course");
const api = findApi(window);
const items = Number(frame.dataset.items);
const began = Date.now();
const finished = new Map();

const set = (name, value) => api?.LMSSetValue(name, String(value));

/** Returns the elapsed time in the form HHHH:MM:SS. */
function sessionTime() {
  const seconds = Math.floor((Date.now() - began) / 1000);
  const part = (value, digits) => String(value).padStart(digits, "0");
  return `${part(Math.floor(seconds / 3600), 4)}:${part(Math.floor(seconds / 60) % 60, 2)}:${part(seconds % 60, 2)}`;
}

function store() {
  const total = [...finished.values()].reduce((sum, score) => sum + score, 0);
  const percent = Math.round((100 * total) / Math.max(items, 1));
  set("cmi.core.score.min", 0);
  set("cmi.core.score.max", 100);
  set("cmi.core.score.raw", Math.min(percent, 100));
  set("cmi.core.lesson_status", finished.size >= items ? "completed" : "incomplete");
  set("cmi.suspend_data", JSON.stringify([...finished]).slice(0, 4096));
  set("cmi.core.session_time", sessionTime());
  api?.LMSCommit("");
}

api?.LMSInitialize("");
try {
  for (const [task, score] of JSON.parse(api?.LMSGetValue("cmi.suspend_data") || "[]")) finished.set(task, score);
} catch {
  // The stored data is of another package: start from the beginning.
}
if (api && finished.size === 0) set("cmi.core.lesson_status", "incomplete");

window.addEventListener("message", (event) => {
  if (event.source !== frame.contentWindow || event.origin !== location.origin) return;
  const message = event.data;
  if (message?.podscope !== 1 || message.type !== "finished") return;
  // Tasks of one family have the same name, so the number of the item is used if there is one.
  const task = message.item ?? message.lesson;
  finished.set(task, Math.max(finished.get(task) ?? 0, Number(message.score) || 0));
  store();
});
window.addEventListener("pagehide", () => {
  store();
  api?.LMSFinish("");
});

frame.src = `site/index.html?course=course.yaml#post=${encodeURIComponent(location.origin)}${frame.dataset.fragment}`;
