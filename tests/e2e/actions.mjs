// What a story does on a page: typed commands, opened files, the clock.
import { readFileSync } from "node:fs";
import { PATIENCE, playwright } from "./tools.mjs";

const { expect } = playwright;

/** The page has replaced the shell. */
export async function ready(page) {
  await page.waitForFunction(() => !document.getElementById("boot-status"));
}

/** The offline copy is complete and serves this page. */
export async function keptOffline(page) {
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    if (!navigator.serviceWorker.controller) {
      await new Promise((done) => navigator.serviceWorker.addEventListener("controllerchange", done));
    }
  });
}

/** Has the browser look for a new version; returns the state in which its installation ended. */
export async function update(page) {
  return page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration();
    const found = new Promise((resolve) => {
      registration.addEventListener("updatefound", () => {
        const { installing } = registration;
        installing.addEventListener("statechange", () => resolve(installing.state));
      }, { once: true });
    });
    await registration.update();
    return found;
  });
}

/** Presses what stands behind "More" in the bar. */
export async function more(page, name) {
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("dialog", { name: "More" }).getByRole("button", { name }).click();
}

/** Opens texts as files, as the dialog does. */
export async function openFiles(page, files) {
  await more(page, "Files");
  await page.locator(".files input[type=file]").first().setInputFiles(
    Object.entries(files).map(([name, text]) => ({ name, mimeType: "application/yaml", buffer: Buffer.from(text) })));
  // The dialog closes before the engine has opened them.
  await page.locator(".files").waitFor({ state: "detached" });
  await settled(page);
  // The overview of a large cluster lists its zones.
  await page.locator("[data-zone] [data-node], .overview [data-zone]").first().waitFor();
}

/** Opens the list of pending pods, which hangs from the scheduler. */
export async function unfoldPending(page) {
  const button = page.locator(".queue .waits-for").first();
  await button.waitFor();
  if (await button.getAttribute("aria-expanded") !== "true") await button.click();
  await page.locator(".tray").first().waitFor();
}

/** Opens the legend, with what has just happened. */
export async function openLegend(page) {
  const button = page.locator(".legend-open");
  if (await button.getAttribute("aria-expanded") !== "true") await button.click();
  await page.getByRole("complementary", { name: "Legend" }).waitFor();
}

/** Opens the choice of what the stage draws. */
export async function openView(page) {
  if (!await page.locator("details.view").evaluate((view) => view.open)) await page.locator("details.view > summary").click();
}

/** Touches as a finger makes them. */
export async function finger(page) {
  const wire = await page.context().newCDPSession(page);
  const send = (type, points) => wire.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y]) => ({ x, y })) });
  return {
    down: (x, y) => send("touchStart", [[x, y]]),
    move: (x, y) => send("touchMove", [[x, y]]),
    up: () => send("touchEnd", []),
  };
}

/** Types a command on the console and closes it again. */
export async function command(page, line) {
  const field = page.getByLabel("Command", { exact: true });
  await field.fill(line);
  await field.press("Enter");
  await field.press("Escape");
}

/** Types a command that asks back, and confirms it. */
export async function insist(page, line) {
  const field = page.getByLabel("Command", { exact: true });
  await field.fill(line);
  await field.press("Enter");
  await page.getByRole("button", { name: "I understand, do it" }).click();
  await field.press("Escape");
}

/** Replaces the editor's text. */
export async function write(editor, text) {
  await editor.locator(".cm-content").fill(text);
}

/** Everything that was done is saved: a reload goes on here. */
export async function kept(page) {
  await page.locator('.page[data-kept="true"]').waitFor();
}

/** Stops time, once a session is there. */
export async function pause(page) {
  await page.locator(".page[data-playing]").waitFor();
  await page.getByText("Starting the cluster…").waitFor({ state: "detached" });
  await settled(page);
  const stands = page.locator('.page[data-playing="false"]');
  // Time may reach its end, or a question, while the press is on its way: then there is no such button.
  await expect(async () => {
    if (await stands.count() === 0) await page.getByRole("button", { name: "Pause" }).click({ timeout: 10_000 });
    await settled(page);
    expect(await stands.count(), "time stands still").toBe(1);
  }).toPass({ timeout: PATIENCE });
}

/** Goes to an instant by the clock; time stands there. `patience`: milliseconds that a large cluster may take. */
export async function seek(page, instant, patience = PATIENCE) {
  await page.locator("[data-zone]").first().waitFor();
  await pause(page);
  const clock = page.getByLabel("Clock: type an instant to go there");
  await clock.fill(instant);
  await clock.press("Enter");
  await page.locator(`.page[data-playing="false"][data-now="${instant}"]`).waitFor({ timeout: patience });
  await settled(page);
}

/** The clock's instant, as the page writes it. */
export async function now(page) {
  return page.locator(".page").getAttribute("data-now");
}

/** Name and bytes of the download that a click starts. */
export async function download(page, click) {
  const [download] = await Promise.all([page.waitForEvent("download"), click()]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

/** The page shows the outcome of everything that was requested of the engine. */
export async function settled(page) {
  await page.locator('html[data-settled="true"]').waitFor();
}

/** The page has drawn three frames, so that it is laid out after a resize or a scroll. */
export async function drawn(page) {
  await page.evaluate(async () => {
    for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
  });
}

/** Gives the window another size, and the page its layout. */
export async function resize(page, width, height) {
  await page.setViewportSize({ width, height });
  await drawn(page);
}

/** An element has stood at one place for three frames. */
export async function rests(locator) {
  await locator.evaluate(async (element) => {
    const place = () => JSON.stringify(element.getBoundingClientRect());
    for (let [frames, last] = [0, place()]; frames < 3;) {
      await new Promise(requestAnimationFrame);
      frames = place() === last ? frames + 1 : 0;
      last = place();
    }
  });
}
