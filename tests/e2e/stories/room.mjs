// Where there is little room: phones with a browser's bars, zoomed tablets, low windows, frames of any part, names as
// clouds make them, many causes at once.
import { controlsOutsideWindow } from "../looks.mjs";
import { expect, test } from "../test.mjs";

const OWNER = "checkout-service-with-a-rather-long-release-canary";
const node = (name, more = "") => `---
apiVersion: v1
kind: Node
metadata: {name: ${name}, labels: {topology.kubernetes.io/zone: eu-central-1${"abc"[name.length % 3]}, zone: z}}
${more}status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}, conditions: [{type: Ready, status: "True"}, {type: MemoryPressure, status: "False", reason: KubeletHasSufficientMemory, message: kubelet has sufficient memory available}]}
`;
const pod = (name, spec) => `---
apiVersion: v1
kind: Pod
metadata: {name: ${name}}
spec: {${spec}}
`;
const asks = (what, count) => `containers: [{name: c, image: x, resources: {requests: {${what}: "${count}"}, limits: {${what}: "${count}"}}}]`;
const many = (count, name, spec) => Array.from({ length: count }, (_, i) => pod(`${name}-${i}`, spec)).join("");
const CLOUD = `apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: cloud}
spec: {title: Cloud, seed: 3, cluster: {nodesPerZone: 0}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: ${OWNER}}
spec:
  replicas: 4
  selector: {matchLabels: {app: co}}
  template:
    metadata: {labels: {app: co}}
    spec:
      topologySpreadConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {app: co}}}]
      ${asks("cpu", "100m")}
${Array.from({ length: 22 }, (_, i) => node(`ip-10-0-${i}${"0".repeat(i % 3)}-17.eu-central-1.compute.internal`, i % 7 === 6 ? "spec: {taints: [{key: example.com/a-key-of-a-taint-that-goes-on-and-on, value: dedicated-to-somebody, effect: NoSchedule}]}\n" : "")).join("")}${
  many(30, "cpu", asks("cpu", 64))}${many(3, "memory", asks("memory", "640Gi"))}${many(2, "gpu", asks("example.com/gpu", 1))}${
  many(2, "ssd", `nodeSelector: {disk: ssd}, ${asks("cpu", 1)}`)}${many(2, "held", `schedulingGates: [{name: example.com/wait}], ${asks("cpu", 1)}`)}${pod("ledger-1", asks("ephemeral-storage", "900Gi"))}`;

const PROMISED = `apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: promised}
spec:
  title: Promised
  seed: 3
  cluster: {zones: [a], nodesPerZone: 1}
  timeline:
  - at: 10s
    apply: |
      apiVersion: v1
      kind: Pod
      metadata: {name: high}
      spec: {priorityClassName: high, ${asks("cpu", 3)}}
---
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 1000000}
---
apiVersion: v1
kind: Pod
metadata: {name: low, annotations: {behavior.podscope.dev/c: "sigterm=ignore"}}
spec: {terminationGracePeriodSeconds: 60, ${asks("cpu", 3)}}
`;

const cloud = async (t) => {
  const page = await t.open("#new");
  await t.openFiles(page, { "cloud.yaml": CLOUD });
  await t.seek(page, "0:05.0");
  return page;
};

/** The boxes of what is seen of a selector. */
const boxes = (page, where) => page.locator(where).evaluateAll((all) => all.filter((e) => e.checkVisibility({ visibilityProperty: true })).map((e) => {
  const { left, right, top, bottom, width, height } = e.getBoundingClientRect();
  return { name: e.getAttribute("aria-label") ?? e.innerText ?? e.className, left, right, top, bottom, width, height };
}));

// Shows: U-13
test("a phone with its browser's bars, and a zoomed tablet, are phones", async ({ t }) => {
  const page = await t.open("", { size: "phone" });
  await expect(page.locator("[data-zone] [data-node]").first()).toBeVisible();
  for (const [width, height] of [[320, 454], [360, 512], [384, 512], [512, 384], [320, 568], [390, 844]]) {
    const at = `${width}×${height}`;
    await t.resize(page, width, height);
    await t.expectNoOverflow(page, at);
    expect((await controlsOutsideWindow(page)).join("; "), `${at}: outside`).toBe("");
    for (const part of [".clock", ".speed select", ".start .primary"]) {
      const [box] = await boxes(page, part);
      expect(box && box.left >= 0 && box.right <= width && box.bottom <= height, `${at}: ${part} is in sight`).toBeTruthy();
      expect(box.height, `${at}: ${part} is ${box.height} px high`).toBeGreaterThanOrEqual(43.5);
    }
    // All ways in are there.
    expect((await boxes(page, ".start li button")).length, `${at}: ways in`).toBe(3);
    await t.checkLooks(page, `room-${at}`);
  }
});

// Shows: U-13
test("in a low window the timeline gives way to the story and the cluster", async ({ t }) => {
  const page = await t.open("#lesson=first-pod");
  await expect(page.locator("[data-zone] [data-node]").first()).toBeVisible();
  await t.resize(page, 960, 540);
  const [[story], [time]] = [await boxes(page, ".story"), await boxes(page, ".time")];
  expect(story.height, `the story is ${story.height} px high`).toBeGreaterThan(250);
  expect(time.height, `the timeline is ${time.height} px high`).toBeLessThan(60);
  expect((await controlsOutsideWindow(page)).join("; "), "outside").toBe("");
  await t.checkLooks(page, "room-960");
});

// Shows: U-13, U-14
test("names as clouds make them, and many causes at once, leave room for the nodes", async ({ t }) => {
  const page = await cloud(t);
  for (const [width, height] of [[1440, 900], [1024, 768], [768, 1024], [390, 844]]) {
    const at = `${width} px`;
    await t.resize(page, width, height);
    const wide = await page.locator(".cluster").evaluate((e) => e.scrollWidth - e.clientWidth);
    expect(wide, `${at}: ${wide} px of the cluster stick out`).toBeLessThanOrEqual(0);
    for (const zone of await page.locator("section.zone").all()) {
      const [own, counts] = [await zone.boundingBox(), await zone.locator(".skew").evaluateAll((all) => all.map((e) => e.getBoundingClientRect().right))];
      expect(counts.every((right) => right <= own.x + own.width + 1), `${at}: a count leaves its zone`).toBeTruthy();
      const hidden = await zone.locator(".skew > span").evaluateAll((all) => all.filter((e) => e.scrollWidth > e.clientWidth + 1).length);
      expect(hidden, `${at}: counts out of sight`).toBe(0);
    }
    const [card] = await boxes(page, "article.node");
    const [region] = await boxes(page, ".cluster");
    expect(card.top, `${at}: a node's card is on the first screen`).toBeLessThan(region.bottom);
    // A card has one line for them: what is cut says so, and has its whole text as a title.
    const cut = await page.locator(".node .chip").evaluateAll((all) => all.filter((e) => e.scrollWidth > e.clientWidth + 1)
      .filter((e) => getComputedStyle(e).display !== "block" || getComputedStyle(e).textOverflow !== "ellipsis" || !e.title.includes(e.innerText)).map((e) => e.innerText));
    expect(cut, `${at}: taints that are cut without a word`).toEqual([]);
    await t.checkLooks(page, `room-cloud-${width}`);
  }
  await t.resize(page, 1440, 900);
  // What differs in nothing but its domain is told apart.
  await t.openView(page);
  const by = await page.getByLabel("Group nodes by label").locator("option").allInnerTexts();
  expect(by.some((name) => name.startsWith("zone (topology")) && by.includes("zone (label)"), by.join()).toBeTruthy();
  // The reasons of all nodes are a few lines.
  await page.locator('[data-pod="default/cpu-0"]').first().click();
  const side = page.locator(".side");
  await expect(side.getByText(/^\d+ nodes$/).first()).toBeVisible();
  expect(await side.locator("[role=tabpanel] details:has(.refused)").count(), "groups of nodes").toBeLessThanOrEqual(3);
  await side.locator("details:has(.refused)").first().locator("summary").click();
  const [name] = await boxes(page, ".refused b");
  expect(name.width, `a node's name has ${name.width} px`).toBeGreaterThan(150);
  await t.checkLooks(page, "room-refused");
  await page.locator('[data-select-node^="ip-"]').first().click();
  await side.getByRole("tab", { name: "Life" }).click();
  const kinds = await side.locator(".conditions th").evaluateAll((all) => all.map((e) => e.getBoundingClientRect().height));
  expect(kinds.every((height) => height < 40), `conditions break: ${kinds}`).toBeTruthy();
  await t.checkLooks(page, "room-conditions");
});

// Shows: S-12, U-13
test("a nominated pod says what it waits for at every size", async ({ t }) => {
  const page = await t.open("#new");
  await t.openFiles(page, { "promised.yaml": PROMISED });
  await t.seek(page, "0:15.0");
  for (const [width, height] of [[1440, 900], [1366, 768], [1024, 768], [390, 844]]) {
    await t.resize(page, width, height);
    await t.unfoldPending(page);
    await expect(page.locator(".tray").getByText(/waits until low is gone from a-1, \d+ s/), `${width} px: what it waits for`).toBeVisible();
  }
  await t.checkLooks(page, "room-promised");
});

// Shows: U-14
test("what the tray has no row for is a press away, and a found pod keeps its mark", async ({ t }) => {
  const page = await cloud(t);
  await t.unfoldPending(page);
  const tray = page.locator(".tray");
  await tray.getByRole("button", { name: /^and \d+ more pods for other causes$/ }).press("Enter");
  await expect(tray.getByRole("button", { name: "Show fewer causes" })).toBeVisible();
  expect(await tray.locator("[data-cause]").count(), "every cause").toBeGreaterThanOrEqual(5);
  await tray.getByRole("button", { name: "Show fewer causes" }).click();
  expect(await tray.locator('[data-pod="default/cpu-29"]').count() + await tray.locator('[data-pod="default/cpu-9"]').count(), "one of them is out of sight").toBe(1);
  await tray.getByRole("button", { name: "+6" }).click();
  await expect(tray.locator('[data-pod^="default/cpu-"]'), "every pod of the cause").toHaveCount(30);
  await page.locator("#stage").focus();
  await page.keyboard.press("/");
  await page.locator(".find input").fill("ledger-1");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => document.activeElement?.getAttribute("data-pod") === "default/ledger-1");
  // The tray's own words find what it says, and ready is not NotReady.
  await page.keyboard.press("/");
  for (const [text, pods] of [["Insufficient memory", 3], ["scheduling gate", 2], ["namespace=default,app=co", 4], [`Deployment/${OWNER}`, 4], ["notready", 0]]) {
    await page.locator(".find input").fill(text);
    await expect(page.getByText(new RegExp(`^${pods} pods?, `))).toBeVisible();
  }
});

// Shows: E-03, U-13
test("a frame shows any parts, at any size", async ({ t }) => {
  for (const parts of ["side", "timeline", "console", "story", "story,timeline", "side,timeline", "story,side", "story,console", "story,side,timeline,console"]) {
    // Free play has no story.
    const page = await t.open(parts.includes("story") ? `#lesson=first-pod&embed=${parts}` : `#embed=${parts}`);
    await expect(page.locator(".bar")).toBeVisible();
    if (parts.includes("story")) await expect(page.locator(".story-foot")).toBeVisible();
    // One row until something has happened, such as before the first command of a lesson; then a lane for it.
    if (parts.includes("timeline") && !parts.includes("story")) await expect(page.locator('[data-lane="decisions"]')).toBeVisible();
    for (const [width, height] of [[720, 480], [320, 400], [800, 500], [1440, 600]]) {
      const at = `${parts} at ${width}×${height}`;
      await t.resize(page, width, height);
      await t.expectNoOverflow(page, at);
      for (const part of parts.split(",")) {
        const where = { story: ".story", side: ".side", timeline: ".time", console: ".con" }[part];
        const [box] = await boxes(page, where);
        expect(box, `${at}: ${part} is there`).toBeTruthy();
        const least = parts.includes(",") ? 0.4 : 0.9;
        expect(box.width >= width * least && box.left >= 0 && box.right <= width + 1 && box.bottom <= height + 1, `${at}: ${part} is ${Math.round(box.left)}–${Math.round(box.right)}, to ${Math.round(box.bottom)}`).toBeTruthy();
        expect(box.height, `${at}: ${part} is ${Math.round(box.height)} px high`).toBeGreaterThanOrEqual(part === "console" ? 35 : part === "timeline" ? (parts.includes("story") ? 28 : 40) : parts.split(",").length > 2 ? 50 : 90);
      }
      if (width === 720) await t.screenshot(page, `frame-${parts.replaceAll(",", "-")}`);
    }
  }
});

// Shows: E-04, U-13
test("See it opens the guarantee's own row where the details are a sheet", async ({ t }) => {
  for (const width of [1024, 390]) {
    const page = await t.open("#guarantees", { touch: true });
    await t.resize(page, width, 800);
    const row = page.locator('[data-guarantee="daemon-one"]');
    const link = row.getByRole("link", { name: "See it: One on each node" });
    expect((await link.boundingBox()).height, "a target for a finger").toBeGreaterThanOrEqual(43.5);
    await link.click();
    await expect(page.locator('.side[data-subject="daemon-one"]')).toBeVisible();
    await expect(page.locator(".side"), `${width} px: its row is there`).toBeVisible();
    await t.checkLooks(page, `room-see-it-${width}`);
  }
});

// Shows: U-08
test("a menu opens on its first action; details cover nothing that has the focus", async ({ t }) => {
  const page = await t.open("#new");
  await t.seek(page, "0:30.0");
  await t.resize(page, 1024, 768);
  await page.getByRole("button", { name: "More" }).click();
  await expect(page.getByRole("dialog", { name: "More" }).getByRole("button", { name: /^Next event/ }), "the focus").toBeFocused();
  await page.keyboard.press("Escape");
  const pods = page.locator(".node [data-pod]");
  for (const pod of [pods.first(), pods.last()]) {
    await pod.press("Enter");
    await expect(page.locator(`.side[data-subject="${(await pod.getAttribute("data-pod")).split("/")[1]}"]`)).toBeVisible();
    const [[side], mark] = [await boxes(page, ".side"), await pod.boundingBox()];
    expect(mark.x + mark.width <= side.left + 1 || mark.x >= side.right - 1, "the pod does not lie under its details").toBeTruthy();
  }
  await t.checkLooks(page, "room-details-1024");
});

// Shows: U-05, U-13
test("the clock shows all its digits, and a line of weeks its ticks", async ({ t }) => {
  const page = await t.open("#new");
  for (const [width, height] of [[1440, 900], [390, 844], [320, 568]]) {
    await t.resize(page, width, height);
    for (const instant of ["1:02:03.4", "27:46:40.0"]) {
      await t.seek(page, instant, 20_000);
      const wide = await page.locator(".clock").evaluate((e) => e.scrollWidth - e.clientWidth);
      expect(wide, `${width} px: ${wide} px of ${instant} are cut`).toBeLessThanOrEqual(1);
      expect((await controlsOutsideWindow(page)).join("; "), `${width} px at ${instant}`).toBe("");
    }
  }
});

// Shows: U-08, U-13
test("on a wall text is never small, and help has no link that leads nowhere", async ({ t }) => {
  const page = await t.open("#lesson=first-pod");
  await expect(page.locator("[data-node]").first()).toBeVisible();
  await t.resize(page, 1920, 1080);
  const small = await page.evaluate(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found = new Set();
    for (let text = walker.nextNode(); text; text = walker.nextNode()) {
      const at = text.parentElement;
      if (!text.data.trim() || !at.checkVisibility({ visibilityProperty: true }) || at.closest(".sr, option, .skip, script, style")) continue;
      const size = parseFloat(getComputedStyle(at).fontSize);
      if (size > 0 && size < 15.9) found.add(`${text.data.trim().slice(0, 20)} ${size}`);
    }
    return [...found];
  });
  expect(small.join("; "), "below 16 px").toBe("");
  await t.checkLooks(page, "room-1920");
  await t.resize(page, 390, 844);
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: "Help and shortcuts" })).toBeVisible();
  await page.locator("dialog .inner").evaluate((e) => e.scrollTo(0, 0));
  await t.expectAccessible(page);
});

// Shows: U-18
test("lessons are found by a whole complaint", async ({ t }) => {
  const page = await t.open("#lesson=first-pod");
  await expect(page.locator("[data-node]").first()).toBeVisible();
  await page.keyboard.press("l");
  const dialog = page.getByRole("dialog", { name: "Lessons and scenarios" });
  const field = dialog.getByLabel("Find a lesson");
  for (const [text, lesson] of [["Insufficient cpu", "first-pod"], ["pod wont start", "crashloopbackoff"], ["why is my pod killed", "graceful-termination"], ["SIGKILL 137", "graceful-termination"]]) {
    await field.fill(text);
    await expect(dialog.locator(`[data-lesson="${lesson}"]`)).toBeVisible();
    await expect(dialog.getByRole("status").filter({ hasText: /^\d+ lessons?$/ })).toBeVisible();
  }
  await field.fill("crashloopbackoff");
  await field.press("Enter");
  await expect(dialog).toHaveCount(0);
  await page.waitForFunction(() => document.title.includes("CrashLoopBackOff") || document.querySelector(".scenario").innerText.length > 0);
});
