// A course as a SCORM package, which reports to a learning platform through the SCORM API.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { podscope } from "../binary.mjs";
import { TYPES } from "../site.mjs";
import { expect, test } from "../test.mjs";
import { DIST, SCORM_AGAIN } from "../tools.mjs";
import { unzip } from "../zip.mjs";

const COURSE = `apiVersion: podscope.dev/v1alpha1
kind: Course
metadata: {name: two-tasks}
spec:
  title: Two tasks
  lessons: [{practice: which-node, seed: 5, level: 1}, {practice: which-node, seed: 7, level: 2}]
`;

/** The page of a learning platform: it provides the API, restores saved data, and shows the package in a frame. */
const PLATFORM_PAGE = `<!doctype html><title>A learning platform</title>
<style>html,body,iframe{margin:0;border:0;width:100%;height:100%;display:block}</style>
<script src="scorm12.js"></script>
<script>
  window.API = new Scorm12API({ autocommit: false });
  const kept = sessionStorage.getItem("cmi");
  if (kept) API.loadFromJSON(JSON.parse(kept), "");
  API.on("LMSCommit", () => sessionStorage.setItem("cmi", JSON.stringify(API.renderCMIToJSONObject().cmi)));
</script>
<iframe title="The course" src="package/launch.html"></iframe>`;

/** Returns the files of the package that `podscope scorm` creates from the course and the built site. */
function packageFiles() {
  const folder = mkdtempSync(join(tmpdir(), "podscope-scorm-"));
  const [course, output] = [join(folder, "course.yaml"), join(folder, "course.zip")];
  writeFileSync(course, COURSE);
  execFileSync(podscope(), ["scorm", course, "--site", DIST, "-o", output]);
  return unzip(readFileSync(output));
}

async function servePlatform() {
  const files = new Map([...packageFiles()].map(([path, body]) => [`/package/${path}`, body]));
  files.set("/", PLATFORM_PAGE).set("/scorm12.js", SCORM_AGAIN);
  const server = createServer((request, response) => {
    const path = new URL(request.url, "http://x").pathname;
    const body = files.get(path);
    if (body === undefined) response.writeHead(404).end();
    else response.writeHead(200, { "Content-Type": TYPES[extname(path)] ?? TYPES[".html"] }).end(body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

// Shows: E-14
test("a SCORM course reports its score to the learning platform, and resumes where it was left", async ({ t }) => {
  const server = await servePlatform();
  t.allowComplaint(/another origin/);
  const page = await t.open("#new");
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  const lmsValue = (name) => page.evaluate((name) => window.API.LMSGetValue(name), name);
  const site = page.frameLocator("iframe").frameLocator("iframe");
  const course = site.getByRole("dialog", { name: "Two tasks" });
  await course.locator('[data-item="0"]').click();
  expect(await lmsValue("cmi.core.lesson_status")).toBe("incomplete");
  const story = site.getByRole("complementary", { name: "Story" });
  const answerWithNode = (node) => story.getByRole("region", { name: "A question" }).getByRole("button", { name: node }).click();
  await answerWithNode("b-1");
  await expect.poll(() => lmsValue("cmi.core.score.raw"), "the only answer so far was wrong").toBe("0");
  expect(await lmsValue("cmi.core.lesson_status")).toBe("incomplete");

  await page.reload();
  expect(await lmsValue("cmi.suspend_data"), "the platform restores what it kept").toBe("[[1,0]]");
  await course.locator('[data-item="1"]').click();
  await answerWithNode("a-1");
  await expect.poll(() => lmsValue("cmi.core.lesson_status")).toBe("completed");
  await expect.poll(() => lmsValue("cmi.core.score.raw"), "one of two tasks was answered rightly").toBe("50");
  expect(await page.evaluate(() => window.API.LMSGetLastError()), "no call of the API was refused").toBe("0");
  server.close();
});
