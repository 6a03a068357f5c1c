// Layout with little space: phones with visible browser bars, zoomed tablets, low windows, frames of any part of the
// page, long names as cloud providers generate them, many causes at once.
import { controlsOutsideWindow } from "../looks.mjs";
import { expect, test } from "../test.mjs";

const LONG_OWNER_NAME = "checkout-service-with-a-rather-long-release-canary";
const node = (name, extraYaml = "") => `---
apiVersion: v1
kind: Node
metadata: {name: ${name}, labels: {topology.kubernetes.io/zone: eu-central-1${"abc"[name.length % 3]}, zone: z}}
${extraYaml}status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}, conditions: [{type: Ready, status: "True"}, {type: MemoryPressure, status: "False", reason: KubeletHasSufficientMemory, message: kubelet has sufficient memory available}]}
`;
const pod = (name, spec) => `---
apiVersion: v1
kind: Pod
metadata: {name: ${name}}
spec: {${spec}}
`;
const specRequesting = (resource, count) => `containers: [{name: c, image: x, resources: {requests: {${resource}: "${count}"}, limits: {${resource}: "${count}"}}}]`;
const manyPods = (count, name, spec) => Array.from({ length: count }, (_, i) => pod(`${name}-${i}`, spec)).join("");
const CLUSTER_WITH_LONG_NAMES = `apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: cloud}
spec: {title: Cloud, seed: 3, cluster: {nodesPerZone: 0}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: ${LONG_OWNER_NAME}}
spec:
  replicas: 4
  selector: {matchLabels: {app: co}}
  template:
    metadata: {labels: {app: co}}
    spec:
      topologySpreadConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {app: co}}}]
      ${specRequesting("cpu", "100m")}
${Array.from({ length: 22 }, (_, i) => node(`ip-10-0-${i}${"0".repeat(i % 3)}-17.eu-central-1.compute.internal`, i % 7 === 6 ? "spec: {taints: [{key: example.com/a-key-of-a-taint-that-goes-on-and-on, value: dedicated-to-somebody, effect: NoSchedule}]}\n" : "")).join("")}${
  manyPods(30, "cpu", specRequesting("cpu", 64))}${manyPods(3, "memory", specRequesting("memory", "640Gi"))}${manyPods(2, "gpu", specRequesting("example.com/gpu", 1))}${
  manyPods(2, "ssd", `nodeSelector: {disk: ssd}, ${specRequesting("cpu", 1)}`)}${manyPods(2, "held", `schedulingGates: [{name: example.com/wait}], ${specRequesting("cpu", 1)}`)}${pod("ledger-1", specRequesting("ephemeral-storage", "900Gi"))}`;

const CLUSTER_WITH_NOMINATED_POD = `apiVersion: podscope.dev/v1alpha1
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
      spec: {priorityClassName: high, ${specRequesting("cpu", 3)}}
---
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 1000000}
---
apiVersion: v1
kind: Pod
metadata: {name: low, annotations: {behavior.podscope.dev/c: "sigterm=ignore"}}
spec: {terminationGracePeriodSeconds: 60, ${specRequesting("cpu", 3)}}
`;

const openClusterWithLongNames = async (t) => {
  const page = await t.open("#new");
  await t.openFiles(page, { "cloud.yaml": CLUSTER_WITH_LONG_NAMES });
  await t.seek(page, "0:05.0");
  return page;
};

/** Returns the bounding boxes of the visible elements that match a selector. */
const visibleBoxes = (page, where) => page.locator(where).evaluateAll((all) => all.filter((e) => e.checkVisibility({ visibilityProperty: true })).map((e) => {
  const { left, right, top, bottom, width, height } = e.getBoundingClientRect();
  return { name: e.getAttribute("aria-label") ?? e.innerText ?? e.className, left, right, top, bottom, width, height };
}));

// Shows: U-13
test("a phone with visible browser bars and a zoomed tablet get the phone layout", async ({ t }) => {
  const page = await t.open("", { size: "phone" });
  await expect(page.locator("[data-zone] [data-node]").first()).toBeVisible();
  for (const [width, height] of [[320, 454], [360, 512], [384, 512], [512, 384], [320, 568], [390, 844]]) {
    const at = `${width}×${height}`;
    await t.resize(page, width, height);
    await t.expectNoOverflow(page, at);
    expect((await controlsOutsideWindow(page)).join("; "), `${at}: outside`).toBe("");
    for (const part of [".clock", ".speed select", ".start .primary"]) {
      const [box] = await visibleBoxes(page, part);
      expect(box && box.left >= 0 && box.right <= width && box.bottom <= height, `${at}: ${part} is visible`).toBeTruthy();
      expect(box.height, `${at}: ${part} is ${box.height} px high`).toBeGreaterThanOrEqual(43.5);
    }
    // All entry points of the introduction are shown.
    expect((await visibleBoxes(page, ".start li button")).length, `${at}: choices`).toBe(3);
    await t.checkLooks(page, `room-${at}`);
  }
});

// Shows: U-13
test("the timeline shrinks in a low window in favour of the story and the cluster", async ({ t }) => {
  const page = await t.open("#lesson=first-pod");
  await expect(page.locator("[data-zone] [data-node]").first()).toBeVisible();
  await t.resize(page, 960, 540);
  const [[story], [time]] = [await visibleBoxes(page, ".story"), await visibleBoxes(page, ".time")];
  expect(story.height, `the story is ${story.height} px high`).toBeGreaterThan(250);
  expect(time.height, `the timeline is ${time.height} px high`).toBeLessThan(60);
  expect((await controlsOutsideWindow(page)).join("; "), "outside").toBe("");
  await t.checkLooks(page, "room-960");
});

// Shows: U-13, U-14
test("nodes keep enough space beside long names and many causes of pending pods", async ({ t }) => {
  const page = await openClusterWithLongNames(t);
  for (const [width, height] of [[1440, 900], [1024, 768], [768, 1024], [390, 844]]) {
    const at = `${width} px`;
    await t.resize(page, width, height);
    const overflow = await page.locator(".cluster").evaluate((e) => e.scrollWidth - e.clientWidth);
    expect(overflow, `${at}: ${overflow} px of horizontal overflow`).toBeLessThanOrEqual(0);
    for (const zone of await page.locator("section.zone").all()) {
      const [zoneBox, counts] = [await zone.boundingBox(), await zone.locator(".skew").evaluateAll((all) => all.map((e) => e.getBoundingClientRect().right))];
      expect(counts.every((right) => right <= zoneBox.x + zoneBox.width + 1), `${at}: every count lies within its zone`).toBeTruthy();
      const clippedCounts = await zone.locator(".skew > span").evaluateAll((all) => all.filter((e) => e.scrollWidth > e.clientWidth + 1).length);
      expect(clippedCounts, `${at}: clipped counts`).toBe(0);
    }
    const [card] = await visibleBoxes(page, "article.node");
    const [region] = await visibleBoxes(page, ".cluster");
    expect(card.top, `${at}: a node's card is visible without scrolling`).toBeLessThan(region.bottom);
    // A card has one line of taints: a clipped taint ends in an ellipsis and has its full text as a title.
    const clippedTaints = await page.locator(".node .chip").evaluateAll((all) => all.filter((e) => e.scrollWidth > e.clientWidth + 1)
      .filter((e) => getComputedStyle(e).display !== "block" || getComputedStyle(e).textOverflow !== "ellipsis" || !e.title.includes(e.innerText)).map((e) => e.innerText));
    expect(clippedTaints, `${at}: clipped taints without ellipsis or title`).toEqual([]);
    await t.checkLooks(page, `room-cloud-${width}`);
  }
  await t.resize(page, 1440, 900);
  // Two label keys with the same last part are distinguished by their suffix.
  await t.openView(page);
  const groupings = await page.getByLabel("Group nodes by label").locator("option").allInnerTexts();
  expect(groupings.some((name) => name.startsWith("zone (topology")) && groupings.includes("zone (label)"), groupings.join()).toBeTruthy();
  // The reasons of all nodes are grouped into a few lines.
  await page.locator('[data-pod="default/cpu-0"]').first().click();
  const side = page.locator(".side");
  await expect(side.getByText(/^\d+ nodes$/).first()).toBeVisible();
  expect(await side.locator("[role=tabpanel] details:has(.refused)").count(), "groups of nodes").toBeLessThanOrEqual(3);
  await side.locator("details:has(.refused)").first().locator("summary").click();
  const [name] = await visibleBoxes(page, ".refused b");
  expect(name.width, `a node's name has ${name.width} px`).toBeGreaterThan(150);
  await t.checkLooks(page, "room-refused");
  await page.locator('[data-select-node^="ip-"]').first().click();
  await side.getByRole("tab", { name: "Life" }).click();
  const rowHeights = await side.locator(".conditions th").evaluateAll((all) => all.map((e) => e.getBoundingClientRect().height));
  expect(rowHeights.every((height) => height < 40), `conditions wrap: ${rowHeights}`).toBeTruthy();
  await t.checkLooks(page, "room-conditions");
});

// Shows: S-12, U-13
test("a nominated pod shows at every size which pod it waits for", async ({ t }) => {
  const page = await t.open("#new");
  await t.openFiles(page, { "promised.yaml": CLUSTER_WITH_NOMINATED_POD });
  await t.seek(page, "0:15.0");
  for (const [width, height] of [[1440, 900], [1366, 768], [1024, 768], [390, 844]]) {
    await t.resize(page, width, height);
    await t.unfoldPending(page);
    await expect(page.locator(".tray").getByText(/waits until low is gone from a-1, \d+ s/), `${width} px: what it waits for`).toBeVisible();
  }
  await t.checkLooks(page, "room-promised");
});

// Shows: U-14
test("one click lists further causes of pending pods, and a found pod stays selected", async ({ t }) => {
  const page = await openClusterWithLongNames(t);
  await t.unfoldPending(page);
  const tray = page.locator(".tray");
  await tray.getByRole("button", { name: /^and \d+ more pods for other causes$/ }).press("Enter");
  await expect(tray.getByRole("button", { name: "Show fewer causes" })).toBeVisible();
  expect(await tray.locator("[data-cause]").count(), "all causes are listed").toBeGreaterThanOrEqual(5);
  await tray.getByRole("button", { name: "Show fewer causes" }).click();
  expect(await tray.locator('[data-pod="default/cpu-29"]').count() + await tray.locator('[data-pod="default/cpu-9"]').count(), "one of the two pods is hidden").toBe(1);
  await tray.getByRole("button", { name: "+6" }).click();
  await expect(tray.locator('[data-pod^="default/cpu-"]'), "all pods of the cause are listed").toHaveCount(30);
  await page.locator("#stage").focus();
  await page.keyboard.press("/");
  await page.locator(".find input").fill("ledger-1");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => document.activeElement?.getAttribute("data-pod") === "default/ledger-1");
  // The search also finds the texts of the tray, and "notready" does not match ready.
  await page.keyboard.press("/");
  for (const [text, pods] of [["Insufficient memory", 3], ["scheduling gate", 2], ["namespace=default,app=co", 4], [`Deployment/${LONG_OWNER_NAME}`, 4], ["notready", 0]]) {
    await page.locator(".find input").fill(text);
    await expect(page.getByText(new RegExp(`^${pods} pods?, `))).toBeVisible();
  }
});

// Shows: E-03, U-13
test("an embedded frame can show any parts at any size", async ({ t }) => {
  for (const parts of ["side", "timeline", "console", "story", "story,timeline", "side,timeline", "story,side", "story,console", "story,side,timeline,console"]) {
    // Free play has no story.
    const page = await t.open(parts.includes("story") ? `#lesson=first-pod&embed=${parts}` : `#embed=${parts}`);
    await expect(page.locator(".bar")).toBeVisible();
    if (parts.includes("story")) await expect(page.locator(".story-foot")).toBeVisible();
    // Until something has happened (for example before a lesson's first command), the timeline has one row; then it
    // gets lanes.
    if (parts.includes("timeline") && !parts.includes("story")) await expect(page.locator('[data-lane="decisions"]')).toBeVisible();
    for (const [width, height] of [[720, 480], [320, 400], [800, 500], [1440, 600]]) {
      const at = `${parts} at ${width}×${height}`;
      await t.resize(page, width, height);
      await t.expectNoOverflow(page, at);
      for (const part of parts.split(",")) {
        const selector = { story: ".story", side: ".side", timeline: ".time", console: ".con" }[part];
        const [box] = await visibleBoxes(page, selector);
        expect(box, `${at}: ${part} is shown`).toBeTruthy();
        const minWidthShare = parts.includes(",") ? 0.4 : 0.9;
        expect(box.width >= width * minWidthShare && box.left >= 0 && box.right <= width + 1 && box.bottom <= height + 1, `${at}: ${part} is ${Math.round(box.left)}–${Math.round(box.right)}, to ${Math.round(box.bottom)}`).toBeTruthy();
        expect(box.height, `${at}: ${part} is ${Math.round(box.height)} px high`).toBeGreaterThanOrEqual(part === "console" ? 35 : part === "timeline" ? (parts.includes("story") ? 28 : 40) : parts.split(",").length > 2 ? 50 : 90);
      }
      if (width === 720) await t.screenshot(page, `frame-${parts.replaceAll(",", "-")}`);
    }
  }
});

// Shows: E-04, U-13
test("the button 'See it' opens the details of a guarantee on a tablet and on a phone", async ({ t }) => {
  for (const width of [1024, 390]) {
    const page = await t.open("#guarantees", { touch: true });
    await t.resize(page, width, 800);
    const row = page.locator('[data-guarantee="daemon-one"]');
    const link = row.getByRole("link", { name: "See it: One on each node" });
    expect((await link.boundingBox()).height, "the link is a large enough touch target").toBeGreaterThanOrEqual(43.5);
    await link.click();
    await expect(page.locator('.side[data-subject="daemon-one"]')).toBeVisible();
    await expect(page.locator(".side"), `${width} px: the details are shown`).toBeVisible();
    await t.checkLooks(page, `room-see-it-${width}`);
  }
});

// Shows: U-08
test("a menu focuses its first action, and the details do not cover the focused pod", async ({ t }) => {
  const page = await t.open("#new");
  await t.seek(page, "0:30.0");
  await t.resize(page, 1024, 768);
  await page.getByRole("button", { name: "More" }).click();
  await expect(page.getByRole("dialog", { name: "More" }).getByRole("button", { name: /^Next event/ }), "the first action has the focus").toBeFocused();
  await page.keyboard.press("Escape");
  const pods = page.locator(".node [data-pod]");
  for (const pod of [pods.first(), pods.last()]) {
    await pod.press("Enter");
    await expect(page.locator(`.side[data-subject="${(await pod.getAttribute("data-pod")).split("/")[1]}"]`)).toBeVisible();
    const [[side], mark] = [await visibleBoxes(page, ".side"), await pod.boundingBox()];
    expect(mark.x + mark.width <= side.left + 1 || mark.x >= side.right - 1, "the details do not cover the pod").toBeTruthy();
  }
  await t.checkLooks(page, "room-details-1024");
});

// Shows: U-05, U-13
test("the clock shows all its digits, also for long times", async ({ t }) => {
  const page = await t.open("#new");
  for (const [width, height] of [[1440, 900], [390, 844], [320, 568]]) {
    await t.resize(page, width, height);
    for (const instant of ["1:02:03.4", "27:46:40.0"]) {
      await t.seek(page, instant, 20_000);
      const overflow = await page.locator(".clock").evaluate((e) => e.scrollWidth - e.clientWidth);
      expect(overflow, `${width} px: ${overflow} px of ${instant} are clipped`).toBeLessThanOrEqual(1);
      expect((await controlsOutsideWindow(page)).join("; "), `${width} px at ${instant}`).toBe("");
    }
  }
});

/** Lists visible texts with a font size below `minimum` pixels, each with its size. */
const textsSmallerThan = (page, minimum) => page.evaluate((minimum) => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const smallTexts = new Set();
  for (let text = walker.nextNode(); text; text = walker.nextNode()) {
    const element = text.parentElement;
    if (!text.data.trim() || !element.checkVisibility({ visibilityProperty: true }) || element.closest(".sr, option, .skip, script, style")) continue;
    const size = parseFloat(getComputedStyle(element).fontSize);
    if (size > 0 && size < minimum - .1) smallTexts.add(`${text.data.trim().slice(0, 20)} ${size}`);
  }
  return [...smallTexts];
}, minimum);

// Shows: U-08
test("text in the details and the editor has at least 12 px, also on a phone", async ({ t }) => {
  const page = await t.open("#new");
  for (const [width, height] of [[1366, 650], [320, 640]]) {
    await t.resize(page, width, height);
    for (const mark of ["[data-node] .name", "[data-node] [data-pod]"]) {
      await page.locator(mark).first().click();
      await expect(page.locator(".side h2").first()).toBeVisible();
      expect((await textsSmallerThan(page, 12)).join("; "), `${width} px, ${mark}`).toBe("");
      await page.keyboard.press("Escape");
    }
  }
  // The pod is in the right half of the stage, so a large screen shows its details on the left. Its YAML is wide.
  await page.locator('[data-pod="default/db-0"]').first().click();
  await page.getByRole("tab", { name: "YAML" }).click();
  const sheet = await page.locator(".side.left").boundingBox();
  expect([sheet.x, sheet.width], "the sheet is as wide as the phone").toEqual([0, 320]);
  await page.keyboard.press("Escape");
  await page.keyboard.press("e");
  const editor = page.getByRole("dialog", { name: "Editor" });
  const verdict = editor.getByText("No problems.");
  await expect(verdict).toBeVisible();
  // The longest texts of these elements are wider than the dialog; the elements must lie within it and not be clipped.
  for (const at of [verdict, editor.getByLabel("Examples")]) {
    const [box, room] = [await at.boundingBox(), await editor.boundingBox()];
    expect(box.x + box.width).toBeLessThanOrEqual(room.x + room.width);
    expect(await at.evaluate((e) => e.parentElement.clientHeight >= e.offsetHeight)).toBe(true);
  }
  expect((await textsSmallerThan(page, 12)).join("; "), "editor").toBe("");
});

// Shows: U-08, U-13
test("text is large enough on a large screen, and the help is accessible on a phone", async ({ t }) => {
  const page = await t.open("#lesson=first-pod");
  await expect(page.locator("[data-node]").first()).toBeVisible();
  await t.resize(page, 1920, 1080);
  expect((await textsSmallerThan(page, 16)).join("; "), "texts below 16 px").toBe("");
  await t.checkLooks(page, "room-1920");
  await t.resize(page, 390, 844);
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: "Help and shortcuts" })).toBeVisible();
  expect(await page.locator("dialog .inner").evaluate((e) => e.scrollTop), "the help opens at its title").toBe(0);
  await t.expectAccessible(page);
});

// Shows: U-18
test("lessons are found by the text of an error or a question", async ({ t }) => {
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
