// The engine's wasm has two parts. The second one (the rest) is loaded when one of its functions is first called, and
// the session goes on.
import { readFileSync } from "node:fs";
import { expect, test } from "../test.mjs";

const DEVICE_SCENARIO = readFileSync(new URL("../../fixtures/device-claim.yaml", import.meta.url), "utf8");
const REST_OF_ENGINE = /\/rest\.wasm/;

/** Runs a command on the console. A here-document is pasted. */
const runOnConsole = async (page, text) => {
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

/** Collects the URLs of the requests for the rest of the engine. */
const collectRestRequests = async (page) => {
  const requestUrls = [];
  await page.route(REST_OF_ENGINE, (route) => {
    requestUrls.push(route.request().url());
    return route.continue();
  });
  return requestUrls;
};

const PRINT_ALLOCATED_DEVICE = "kubectl get resourceclaim big-gpu -o jsonpath='{.status.allocation.devices.results[0].device}'";

// The test `device_claim_is_allocated_by_selector` (crates/session) expects the same device from the native engine.
// Shows: T-01, T-03, Q-05
test("the rest of the engine is loaded once, on first use, and the session goes on", async ({ t }) => {
  let requestUrls;
  const page = await t.open("#new", { before: async (page) => { requestUrls = await collectRestRequests(page); } });
  const field = page.getByLabel("Command", { exact: true });
  const log = page.locator(".con .log");
  await t.seek(page, "0:30.0");
  await runOnConsole(page, "kubectl cordon a-2");
  await expect(log.getByText("node/a-2 cordoned")).toBeVisible();
  expect(requestUrls, "nothing so far needs the rest").toEqual([]);

  await runOnConsole(page, `kubectl apply -f - <<'EOF'\n${DEVICE_SCENARIO}EOF`);
  await expect(log.getByText("pod/trainer created")).toHaveCount(1);
  expect(requestUrls.length, requestUrls.join(" ")).toBe(1);
  await t.seek(page, "0:40.0");
  await runOnConsole(page, PRINT_ALLOCATED_DEVICE);
  await expect(log.getByText("gpu-1", { exact: true }).last()).toBeVisible();
  await expect(page.locator('[data-node="b-1"] [data-pod*="trainer"]').first()).toBeVisible();

  // The console, its history and earlier commands are still there, and nothing was printed twice.
  await expect(log.getByText("node/a-2 cordoned")).toHaveCount(1);
  await field.press("Escape");
  for (let line = 0; line < 3; line++) await field.press("ArrowUp");
  await expect(field).toHaveValue("kubectl cordon a-2");
  await field.fill("");

  // A reload opens the stored link, which needs the rest of the engine again.
  await t.waitUntilSaved(page);
  await page.reload();
  await t.waitUntilReady(page);
  await t.waitUntilSettled(page);
  await runOnConsole(page, PRINT_ALLOCATED_DEVICE);
  await expect(log.getByText("gpu-1", { exact: true }).last()).toBeVisible();
});

// Shows: Q-05
test("a failure to load the rest of the engine is reported, and the session is continued", async ({ t }) => {
  const page = await t.open("#new");
  t.allowComplaint(/Failed to load resource|ERR_FAILED|did not load/);
  const log = page.locator(".con .log");
  await t.seek(page, "0:30.0");
  await runOnConsole(page, "kubectl cordon a-2");
  await expect(log.getByText("node/a-2 cordoned")).toBeVisible();
  await t.waitUntilSaved(page);
  await page.route(REST_OF_ENGINE, (route) => route.abort());
  await runOnConsole(page, "kubectl describe node a-1");
  const dialog = page.getByRole("dialog", { name: "The engine stopped" });
  await expect(dialog.getByText(/the rest of the engine did not load/)).toBeVisible();
  await page.unroute(REST_OF_ENGINE);
  await dialog.getByRole("button", { name: "Go on with the saved session" }).click();
  await t.waitUntilReady(page);
  await t.waitUntilSettled(page);
  await runOnConsole(page, "kubectl describe node a-1");
  await expect(log.getByText(/^Name:\s+a-1/)).toBeVisible();
  await expect(log.getByText("node/a-2 cordoned")).toBeVisible();
});

// Shows: Q-05
test("storage that cannot be read does not stop the engine", async ({ t }) => {
  const page = await t.open("", { before: (page) => page.route(/worker\.js$/, async (route) => {
    const response = await route.fetch();
    const body = `globalThis.caches.match = () => Promise.reject(new Error("forbidden"));\n${await response.text()}`;
    await route.fulfill({ response, body });
  }) });
  await t.waitUntilSettled(page);
  await expect(page.locator("[data-pod]").first()).toBeVisible();
  await expect(page.getByRole("dialog")).toHaveCount(0);
});
