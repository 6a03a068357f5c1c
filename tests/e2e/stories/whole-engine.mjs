// The whole engine (with all capabilities) is loaded when the smaller engine of a first visit cannot execute something;
// it continues the same session.
import { readFileSync } from "node:fs";
import { expect, test } from "../test.mjs";

const DEVICES = readFileSync(new URL("../../fixtures/device-claim.yaml", import.meta.url), "utf8");
const WHOLE_ENGINE = /podscope-whole/;

/** Runs a command on the console. A here-document is pasted. */
const run = async (page, text) => {
  const field = page.getByLabel("Command", { exact: true });
  if (text.includes("\n")) {
    await field.focus();
    await page.evaluate((text) => {
      const data = new DataTransfer();
      data.setData("text/plain", text);
      document.activeElement.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
    }, text);
  } else {
    await field.fill(text);
  }
  await field.press("Enter");
};

/** Counts the requests for the files of the whole engine. */
const countRequests = async (page) => {
  const requests = [];
  await page.route(WHOLE_ENGINE, (route) => {
    requests.push(route.request().url());
    return route.continue();
  });
  return requests;
};

const ALLOCATED = "kubectl get resourceclaim big-gpu -o jsonpath='{.status.allocation.devices.results[0].device}'";

// `device_claim_is_allocated_by_selector` (crates/session) expects the same device of the native engine.
// Shows: T-01, T-03, Q-05
test("the whole engine is loaded on demand, keeps the session and allocates the native engine's device", async ({ t }) => {
  let requests;
  const page = await t.open("#new", { before: async (page) => { requests = await countRequests(page); } });
  const field = page.getByLabel("Command", { exact: true });
  const log = page.locator(".con .log");
  await t.seek(page, "0:30.0");
  await run(page, "kubectl cordon a-2");
  await expect(log.getByText("node/a-2 cordoned")).toBeVisible();
  expect(requests, "nothing so far needs the whole engine").toEqual([]);

  await run(page, `kubectl apply -f - <<'EOF'\n${DEVICES}EOF`);
  await expect(log.getByText("pod/trainer created")).toHaveCount(1);
  expect(requests.length, requests.join(" ")).toBe(2);
  await t.seek(page, "0:40.0");
  await run(page, ALLOCATED);
  await expect(log.getByText("gpu-1", { exact: true }).last()).toBeVisible();
  await expect(page.locator('[data-node="b-1"] [data-pod*="trainer"]').first()).toBeVisible();

  // The console, its history and the effects of earlier commands are still there, and no output was printed twice.
  await expect(log.getByText("node/a-2 cordoned")).toHaveCount(1);
  await field.press("Escape");
  for (let line = 0; line < 3; line++) await field.press("ArrowUp");
  await expect(field).toHaveValue("kubectl cordon a-2");
  await field.fill("");

  // A reload opens the stored link in the small engine of a first visit, which again lets the whole engine take over.
  await t.waitUntilSaved(page);
  await page.reload();
  await t.waitUntilReady(page);
  await t.waitUntilSettled(page);
  await run(page, ALLOCATED);
  await expect(log.getByText("gpu-1", { exact: true }).last()).toBeVisible();
});

// Shows: Q-05
test("a failure to load the whole engine is reported, and repeating the command loads it again", async ({ t }) => {
  const page = await t.open("#new");
  t.allowComplaint(/Failed to load resource|ERR_FAILED|dynamically imported module/);
  const log = page.locator(".con .log");
  await t.seek(page, "0:30.0");
  await page.route(WHOLE_ENGINE, (route) => route.abort());
  await run(page, "kubectl describe node a-1");
  await expect(log.getByText(/the rest of the engine did not load/)).toBeVisible();
  await page.unroute(WHOLE_ENGINE);
  await run(page, "kubectl describe node a-1");
  await expect(log.getByText(/^Name:\s+a-1/)).toBeVisible();
});
