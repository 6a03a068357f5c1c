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
const itemCount = Number(frame.dataset.items);
const startMillis = Date.now();
/** Score (0 to 1) of each finished task. */
const scores = new Map();

const setValue = (name, value) => api?.LMSSetValue(name, String(value));

/** Returns the time since the page was opened as HHHH:MM:SS. */
function sessionTime() {
  const seconds = Math.floor((Date.now() - startMillis) / 1000);
  const padded = (value, digits) => String(value).padStart(digits, "0");
  return `${padded(Math.floor(seconds / 3600), 4)}:${padded(Math.floor(seconds / 60) % 60, 2)}:${padded(seconds % 60, 2)}`;
}

/** Sends score, status, state and session time to the learning management system. */
function sendResults() {
  const total = [...scores.values()].reduce((sum, score) => sum + score, 0);
  const percent = Math.round((100 * total) / Math.max(itemCount, 1));
  setValue("cmi.core.score.min", 0);
  setValue("cmi.core.score.max", 100);
  setValue("cmi.core.score.raw", Math.min(percent, 100));
  setValue("cmi.core.lesson_status", scores.size >= itemCount ? "completed" : "incomplete");
  setValue("cmi.suspend_data", JSON.stringify([...scores]).slice(0, 4096));
  setValue("cmi.core.session_time", sessionTime());
  api?.LMSCommit("");
}

api?.LMSInitialize("");
try {
  for (const [task, score] of JSON.parse(api?.LMSGetValue("cmi.suspend_data") || "[]")) scores.set(task, score);
} catch {
  // The stored data is not readable, for example because it was cut off, so no task counts as finished.
}
if (api && scores.size === 0) setValue("cmi.core.lesson_status", "incomplete");

window.addEventListener("message", (event) => {
  if (event.source !== frame.contentWindow || event.origin !== location.origin) return;
  const message = event.data;
  if (message?.podscope !== 1 || message.type !== "finished") return;
  // The number of the course item identifies the task, because the tasks of one practice family have the same name. A
  // message without that number is identified by the name of the lesson.
  const task = message.item ?? message.lesson;
  scores.set(task, Math.max(scores.get(task) ?? 0, Number(message.score) || 0));
  sendResults();
});
window.addEventListener("pagehide", () => {
  sendResults();
  api?.LMSFinish("");
});

frame.src = `site/index.html?course=course.yaml#post=${encodeURIComponent(location.origin)}${frame.dataset.fragment}`;
