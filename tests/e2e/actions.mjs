// Actions of a story on a page: typing commands, opening files, controlling the clock.
import { readFileSync } from "node:fs";
import { TIMEOUT, playwright } from "./tools.mjs";

const { expect } = playwright;

/** Waits until the page has replaced the loading screen (the shell). */
export async function waitUntilReady(page) {
  await page.waitForFunction(() => !document.getElementById("boot-status"));
}

/** Waits until the offline copy is complete and serves this page. */
export async function waitForOfflineCopy(page) {
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    if (!navigator.serviceWorker.controller) {
      await new Promise((done) => navigator.serviceWorker.addEventListener("controllerchange", done));
    }
  });
}

/** Makes the browser check for a new version; returns the final state of its installation. */
export async function checkForUpdate(page) {
  return page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration();
    const installed = new Promise((resolve) => {
      registration.addEventListener("updatefound", () => {
        const { installing } = registration;
        installing.addEventListener("statechange", () => resolve(installing.state));
      }, { once: true });
    });
    await registration.update();
    return installed;
  });
}

/** Clicks a button of the dialog "More" in the bar. */
export async function chooseFromMore(page, name) {
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("dialog", { name: "More" }).getByRole("button", { name }).click();
}

/** Opens texts as files with the dialog "Files". */
export async function openFiles(page, files) {
  await chooseFromMore(page, "Files");
  await page.locator(".files input[type=file]").first().setInputFiles(
    Object.entries(files).map(([name, text]) => ({ name, mimeType: "application/yaml", buffer: Buffer.from(text) })));
  // The dialog closes before the engine has opened the files.
  await page.locator(".files").waitFor({ state: "detached" });
  await waitUntilSettled(page);
  // The overview of a large cluster has no elements for nodes, but a list of its zones.
  await page.locator("[data-zone] [data-node], .overview [data-zone]").first().waitFor();
}

/** Opens the list of pending pods, which is attached to the scheduler. */
export async function unfoldPending(page) {
  const button = page.locator(".queue .waits-for").first();
  await button.waitFor();
  if (await button.getAttribute("aria-expanded") !== "true") await button.click();
  await page.locator(".tray").first().waitFor();
}

/** Opens the legend, which also lists the latest changes. */
export async function openLegend(page) {
  const button = page.locator(".legend-open");
  if (await button.getAttribute("aria-expanded") !== "true") await button.click();
  await page.getByRole("complementary", { name: "Legend" }).waitFor();
}

/** Opens the menu that selects whose state the stage draws: the API server's, the machines', or both. */
export async function openView(page) {
  if (!await page.locator("details.view").evaluate((view) => view.open)) await page.locator("details.view > summary").click();
}

/** Simulates touches of one finger. */
export async function touchscreen(page) {
  const devtools = await page.context().newCDPSession(page);
  const send = (type, points) => devtools.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y]) => ({ x, y })) });
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

/** Types a command that asks for confirmation, and confirms it. */
export async function confirmCommand(page, line) {
  const field = page.getByLabel("Command", { exact: true });
  await field.fill(line);
  await field.press("Enter");
  await page.getByRole("button", { name: "I understand, do it" }).click();
  await field.press("Escape");
}

/** Replaces the editor's text. */
export async function replaceText(editor, text) {
  await editor.locator(".cm-content").fill(text);
}

/** Waits until everything is saved: a reload would continue from this state. */
export async function waitUntilSaved(page) {
  await page.locator('.page[data-kept="true"]').waitFor();
}

/** Pauses the simulation, once a session is open. */
export async function pause(page) {
  await page.locator(".page[data-playing]").waitFor();
  await page.getByText("Starting the cluster…").waitFor({ state: "detached" });
  await waitUntilSettled(page);
  const paused = page.locator('.page[data-playing="false"]');
  // Time may pause by itself (at the end or at a question) before the click arrives; then there is no Pause button.
  await expect(async () => {
    if (await paused.count() === 0) await page.getByRole("button", { name: "Pause" }).click({ timeout: 10_000 });
    await waitUntilSettled(page);
    expect(await paused.count(), "time is paused").toBe(1);
  }).toPass({ timeout: TIMEOUT });
}

/** Seeks to an instant with the clock field; time is paused there. `patience`: timeout in milliseconds. */
export async function seek(page, instant, patience = TIMEOUT) {
  await page.locator("[data-zone]").first().waitFor();
  await pause(page);
  const clock = page.getByLabel("Clock: type an instant to go there");
  await clock.fill(instant);
  await clock.press("Enter");
  await page.locator(`.page[data-playing="false"][data-now="${instant}"]`).waitFor({ timeout: patience });
  await waitUntilSettled(page);
}

/** Returns the current simulated time as the page shows it. */
export async function now(page) {
  return page.locator(".page").getAttribute("data-now");
}

/** Returns the name and the bytes of the download that a click starts. */
export async function download(page, click) {
  const [download] = await Promise.all([page.waitForEvent("download"), click()]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

/** Waits until the page shows the result of every request to the engine. */
export async function waitUntilSettled(page) {
  await page.locator('html[data-settled="true"]').waitFor();
}

/** Waits for three animation frames: the layout is complete after a resize or a scroll. */
export async function waitForDrawing(page) {
  await page.evaluate(async () => {
    for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
  });
}

/** Resizes the window and waits for the layout. */
export async function resize(page, width, height) {
  await page.setViewportSize({ width, height });
  await waitForDrawing(page);
}

/** Waits until an element has kept its position for three frames. */
export async function waitUntilStill(locator) {
  await locator.evaluate(async (element) => {
    const box = () => JSON.stringify(element.getBoundingClientRect());
    for (let [frames, last] = [0, box()]; frames < 3;) {
      await new Promise(requestAnimationFrame);
      frames = box() === last ? frames + 1 : 0;
      last = box();
    }
  });
}
