// The page's wasm has two parts. A first visit begins without the second one (the rest), which is loaded when the
// engine has answered.
import { expect, test } from "../test.mjs";

const REST_OF_PAGE = /podscope-web-\w+_rest\.wasm$/;

/** Aborts the early request (fetch) for the rest of the page, so that the rest is loaded only when it is needed. */
const abortEarlyLoad = (page) => page.route(REST_OF_PAGE, (route) => route.request().resourceType() === "fetch" ? route.abort() : route.continue());

/** Collects the resource types of the requests for the rest of the page. */
const requestTypesOfRest = (page) => {
  const requestTypes = [];
  page.on("request", (request) => { if (REST_OF_PAGE.test(request.url())) requestTypes.push(request.resourceType()); });
  return requestTypes;
};

// Shows: Q-05
test("a first visit watches the cluster and selects a pod without the rest of the page", async ({ t }) => {
  t.allowComplaint(/ERR_FAILED/);
  let requestTypes;
  const page = await t.open("", { before: async (page) => {
    requestTypes = requestTypesOfRest(page);
    await abortEarlyLoad(page);
  } });
  await expect(page.locator("[data-pod]")).toHaveCount(7);
  await expect(page.locator(".page")).toHaveAttribute("data-now", /^0:1\d/);
  await page.locator("[data-pod]").first().click();
  await expect(page.locator(".side h2").first()).toBeVisible();
  expect(requestTypes, "nothing so far needs the rest").toEqual(["fetch"]);
  await page.getByRole("button", { name: "More", exact: true }).click();
  await expect(page.getByRole("dialog", { name: "More" })).toBeVisible();
  expect(requestTypes, "what is needed is loaded at once").toEqual(["fetch", "xhr"]);
});

/** First visits that begin without a synchronous request for the rest of the page. */
const FIRST_VISITS = [
  ["on a desktop", {}],
  ["on a phone", { size: "phone" }],
  ["with motion, in the dark theme", { motion: "no-preference", theme: "dark" }],
  ["in another language", {}, "?lang=zh"],
];
for (const [where, options, address = ""] of FIRST_VISITS) {
  test(`a first visit ${where} loads the rest of the page once, without a synchronous request`, async ({ t }) => {
    let requestTypes;
    const page = await t.open(address, { ...options, before: (page) => { requestTypes = requestTypesOfRest(page); } });
    await expect(page.locator("[data-pod]")).toHaveCount(7);
    await expect(page.locator(".page")).toHaveAttribute("data-now", /^0:1[5-9]/);
    expect(requestTypes).toEqual(["fetch"]);
  });
}

test("a page in a frame loads its rest before it is drawn", async ({ t }) => {
  const page = await t.open("#new");
  const requestTypes = requestTypesOfRest(page);
  await page.evaluate(() => {
    const frame = document.createElement("iframe");
    frame.src = "./";
    document.body.append(frame);
  });
  await expect(page.frameLocator("iframe").locator("[data-pod]").first()).toBeAttached();
  expect(requestTypes).toEqual(["fetch"]);
});

test("a button that needs the rest of the page loads it at once, also during the early request", async ({ t }) => {
  t.allowComplaint(/ERR_ABORTED/);
  let requestTypes;
  const page = await t.open("", { before: async (page) => {
    requestTypes = requestTypesOfRest(page);
    await page.route(REST_OF_PAGE, (route) => route.request().resourceType() === "fetch" ? undefined : route.continue());
  } });
  await expect.poll(() => requestTypes).toEqual(["fetch"]);
  await page.getByRole("button", { name: "More", exact: true }).click();
  await expect(page.getByRole("dialog", { name: "More" })).toBeVisible();
  expect(requestTypes).toEqual(["fetch", "xhr"]);
});

test("the rest of the page is loaded once, ahead of its use", async ({ t }) => {
  for (const address of ["", "#lesson=anti-affinity-across-nodes"]) {
    let requestTypes;
    const page = await t.open(address, { before: (page) => { requestTypes = requestTypesOfRest(page); } });
    await expect.poll(() => requestTypes, address).toEqual(["fetch"]);
    await page.waitForLoadState("networkidle");
    await page.getByRole("button", { name: "More", exact: true }).click();
    await expect(page.getByRole("dialog", { name: "More" })).toBeVisible();
    expect(requestTypes, address).toEqual(["fetch"]);
  }
});

test("a page whose rest cannot be loaded says so, and a reload helps", async ({ t }) => {
  t.allowComplaint(/Failed to load resource|ERR_FAILED|did not load/);
  const page = await t.open("", { before: (page) => page.route(REST_OF_PAGE, (route) => route.abort()) });
  await expect(page.locator("[data-pod]")).toHaveCount(7);
  await page.getByRole("button", { name: "More", exact: true }).click();
  const alert = page.getByRole("alert").filter({ hasText: "A part of the page could not be loaded" });
  await expect(alert).toBeVisible();
  await t.checkLooks(page, "rest-of-page-lost");
  await page.unroute(REST_OF_PAGE);
  await alert.getByRole("button", { name: "Reload" }).click();
  await t.waitUntilReady(page);
  await expect(alert).toHaveCount(0);
  await page.getByRole("button", { name: "More", exact: true }).click();
  await expect(page.getByRole("dialog", { name: "More" })).toBeVisible();
});
