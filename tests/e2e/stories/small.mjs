// Further display conditions: forced colours, the canvas, zoom, rows that wrap.
import { chooseFromMore } from "../actions.mjs";
import { expect, test } from "../test.mjs";

/** Lists the boxes of the control plane that overlap the previous box or reach beyond the stage. */
const misplacedMachines = (page) => page.locator(".run").evaluateAll((runs) => runs.flatMap((run) => {
  const runBox = run.getBoundingClientRect();
  const boxes = [...run.querySelectorAll(".machine")].map((box) => [box.className, box.getBoundingClientRect()]);
  return boxes.filter(([, r], nth) => r.right > runBox.right + 1 || nth > 0 && r.left < boxes[nth - 1][1].right - 1).map(([name]) => name);
}));

const LARGE_CLUSTER = "apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nmetadata: {name: big}\nspec:\n" +
  "  title: Two hundred nodes\n  seed: 4\n  cluster: {zones: [a, b], nodesPerZone: 100}\n---\n" +
  "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 300\n  selector: {matchLabels: {app: web}}\n" +
  "  template:\n    metadata: {labels: {app: web}}\n    spec: {containers: [{name: c, image: \"app:1\", resources: {requests: {cpu: 100m}}}]}\n";

/** Stores the current pixels of the canvas. */
const storeCanvasPixels = (page) => page.locator(".overview canvas").evaluate((canvas) => {
  window.before = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
});

/** Returns how many colour values of the canvas differ from the stored pixels. */
const countChangedValues = (page) => page.locator(".overview canvas").evaluate((canvas) => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  return data.reduce((sum, value, i) => sum + (value !== window.before[i] ? 1 : 0), 0);
});

// Shows: U-08
test("every pod, bar and dot is visible with forced colours", async ({ t }) => {
  const page = await t.open("#new");
  await t.seek(page, "0:30.0");
  await t.command(page, "fault partition a-1");
  await t.command(page, "kubectl cordon b-1");
  await t.seek(page, "1:30.0");
  await page.emulateMedia({ forcedColors: "active" });
  await page.locator("[data-node] [data-pod]").first().click();
  // With forced colours the browser removes fills, so every pod, meter, bar and dot needs a border or a system colour.
  const invisible = await page.evaluate(() => {
    const isVisible = (e, pseudo) => {
      const s = getComputedStyle(e, pseudo);
      const paper = getComputedStyle(document.body).backgroundColor;
      const edge = ["Top", "Left", "Bottom", "Right"].some((side) => parseFloat(s[`border${side}Width`]) > 0 && s[`border${side}Style`] !== "none");
      const fill = s.backgroundColor !== paper && s.backgroundColor !== "rgba(0, 0, 0, 0)";
      return edge || fill || s.backgroundImage !== "none" || parseFloat(s.outlineWidth) > 0 && s.outlineStyle !== "none";
    };
    const selectors = [".node .pod .face", ".capacity i", ".dot", ".lane .span", ".lane .ev", ".now", ".node", ".chip", ".steps i"];
    return selectors.flatMap((what) => [...document.querySelectorAll(what)].filter((e) => e.offsetParent !== null && !isVisible(e) && !isVisible(e, "::before") && !isVisible(e, "::after")).slice(0, 1).map(() => what));
  });
  expect(invisible.join(), "invisible elements").toBe("");
  for (const theme of ["light", "dark"]) {
    await page.emulateMedia({ forcedColors: "active", colorScheme: theme });
    await t.screenshot(page, `forced-colours-${theme}`);
  }
  // (axe would use the colours of the style sheet instead of the forced ones, so it is not run here.)
});

// Shows: U-09, U-14
test("the overview of a large cluster can be filtered, and shows the API's or the machines' view", async ({ t }) => {
  const page = await t.open("#new");
  await chooseFromMore(page, "Files");
  await page.locator(".files input[type=file]").first().setInputFiles({ name: "big.yaml", mimeType: "text/plain", buffer: Buffer.from(LARGE_CLUSTER) });
  await expect(page.locator(".overview canvas")).toBeVisible();
  await t.seek(page, "0:30.0");
  await t.command(page, "fault partition a-1");
  await t.seek(page, "0:32.0");
  // Opens the search and finds a node; the canvas is repainted with the frame around the node.
  const openFindAndSearch = async () => {
    await page.locator("#stage").focus();
    await page.keyboard.press("/");
    await page.locator(".find input").fill("a-1");
  };
  await openFindAndSearch();
  await expect(page.locator('.beside [data-node="a-1"]')).toBeVisible();
  await page.locator(".find input").press("Escape");
  await expect(page.locator(".find")).toHaveCount(0);
  await t.waitForDrawing(page);
  await storeCanvasPixels(page);
  await openFindAndSearch();
  await expect.poll(() => countChangedValues(page), "nodes that do not match are dimmed").toBeGreaterThan(2_000);
  await t.checkLooks(page, "find-big");
  await page.locator(".find input").press("Escape");
  await expect.poll(() => countChangedValues(page), "the canvas is painted as before").toBe(0);
  await t.openView(page);
  const viewSwitch = page.getByRole("group", { name: "Whose picture" });
  await viewSwitch.getByRole("button", { name: "API" }).click();
  await expect.poll(() => countChangedValues(page), "the API's view does not show the cut yet").toBeGreaterThan(0);
  await storeCanvasPixels(page);
  await viewSwitch.getByRole("button", { name: "machine" }).click();
  await expect.poll(() => countChangedValues(page), "the machines' view shows the cut").toBeGreaterThan(0);
});

// Shows: U-09, T-04
test("differences between two runs of a large cluster are outlined in both overviews and in the tray", async ({ t }) => {
  const page = await t.open("#new");
  await chooseFromMore(page, "Files");
  await page.locator(".files input[type=file]").first().setInputFiles({ name: "big.yaml", mimeType: "text/plain", buffer: Buffer.from(LARGE_CLUSTER) });
  await expect(page.locator(".overview canvas")).toBeVisible();
  await t.seek(page, "0:30.0");
  await t.command(page, `kubectl run huge --image=app --overrides='{"spec":{"nodeSelector":{"size":"huge"}}}'`);
  await t.command(page, "kubectl create deployment wide --image=app --replicas=20");
  await t.seek(page, "0:50.0");
  await page.getByRole("group", { name: "Branches" }).getByRole("button", { name: "Compare with no commands" }).click();
  const overviews = page.locator(".runs .overview canvas");
  await expect(overviews.nth(1)).toBeVisible();
  await expect(page.getByText(/pods differ now/)).toBeVisible();
  // Counts pixels in the colour of the outline of differing pods. The zones' names have this colour in both overviews,
  // so the test compares the two counts.
  const outlinePixels = (canvas) => canvas.evaluate((canvas) => {
    const probe = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d");
    const coloured = document.body.appendChild(document.createElement("i"));
    coloured.className = "chip on";
    coloured.style.setProperty("color", "var(--ink)");
    probe.fillStyle = getComputedStyle(coloured).color;
    coloured.remove();
    probe.fillRect(0, 0, 1, 1);
    const [r, g, b] = probe.getImageData(0, 0, 1, 1).data;
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let pixelCount = 0;
    for (let i = 0; i < data.length; i += 4) if (Math.abs(data[i] - r) + Math.abs(data[i + 1] - g) + Math.abs(data[i + 2] - b) < 12) pixelCount += 1;
    return pixelCount;
  });
  const surplusOutlinePixels = async () => await outlinePixels(overviews.first()) - await outlinePixels(overviews.nth(1));
  await expect.poll(surplusOutlinePixels, "outline pixels of twenty additional pods in this run").toBeGreaterThan(40);
  await expect(page.locator('.side-a .queue .pod.differs[data-pod="default/huge"]'), "the pending pod is outlined").toHaveCount(1);
  await t.checkLooks(page, "compared-big");
});

// Shows: U-13
test("nothing overlaps or overflows at 200 % zoom, on a wide screen and on a small phone", async ({ t }) => {
  const page = await t.open("#new");
  await t.seek(page, "0:30.0");
  // The boxes of the control plane do not overlap.
  for (const width of [1280, 1440, 1920]) {
    await t.resize(page, width, 900);
    expect(await misplacedMachines(page), `${width}: overlapping machines of the control plane`).toEqual([]);
  }
  // Windows of 1 280 and 1 440 pixels at 200 % zoom, and a phone in landscape: the cluster is visible.
  for (const [width, height] of [[844, 390], [720, 450], [640, 400]]) {
    await t.resize(page, width, height);
    await t.expectNoOverflow(page, `${width} × ${height}`);
    const [room, node, transport] = await Promise.all([".room", "[data-node]", ".transport"].map((what) => page.locator(what).first().boundingBox()));
    expect(node.y, `${width}: the first node`).toBeLessThan(room.y);
    expect(transport.y + transport.height, `${width}: the transport is visible`).toBeLessThanOrEqual(height + 1);
  }
  for (const name of ["Play", /^Share/, "More"]) await expect(page.getByRole("button", { name }).first(), `${name} is visible`).toBeVisible();
  await t.checkLooks(page, "zoom-200");
  // On a first visit with a small phone, the introduction leaves space for the cluster.
  const phone = await t.open("", { before: (page) => page.setViewportSize({ width: 360, height: 640 }) });
  await expect(phone.locator(".start")).toBeVisible();
  await expect(phone.locator("[data-node]").first()).toBeVisible();
  await t.waitUntilStill(phone.locator("[data-node]").first());
  const node = await phone.locator("[data-node]").first().boundingBox();
  const room = await phone.locator(".room").boundingBox();
  expect(node.y + 60, `the first node is at ${node.y}, the room at ${room.y}`).toBeLessThan(room.y);
  await t.checkLooks(phone, "start-360");
});

// Shows: U-05, E-04
test("a double click runs its command once; a broken guarantee is explained", async ({ t }) => {
  const page = await t.open("#guarantees");
  await page.locator('[data-guarantee="at-most-one"]').getByRole("link", { name: /See it/ }).click();
  const side = page.locator('.side[data-subject="at-most-one"]');
  await expect(side.getByText("at most one has live processes")).toBeVisible();
  await expect(side.getByText(/A forced delete, a false out-of-service taint/)).toBeVisible();
  const other = await t.open("#new");
  await t.seek(other, "0:30.0");
  await t.command(other, "fault partition c-2");
  // The node is NotReady, so the pod's replacement is bound to another node.
  await t.seek(other, "1:30.0");
  await t.confirmCommand(other, "kubectl delete pod db-0 --grace-period=0 --force");
  await t.seek(other, "2:30.0");
  await other.locator("[data-broken]").getByRole("button", { name: /close/ }).click();
  const broken = other.locator(".rail .chip.bad:visible").first();
  await broken.click();
  const ways = other.locator(".ways-back");
  await expect(ways.getByRole("button", { name: /^Back to/ })).toBeVisible();
  await t.checkLooks(other, "broken");
  // The details distinguish two pods of the same name by node and start time.
  await other.locator(".side .promise").getByRole("button", { name: "at-most-one" }).or(other.locator('.side[data-subject="at-most-one"] h3')).first().click();
  await expect(other.locator(".side").getByText(/processes of two pods default\/db-0 run: on c-2 since 0:0\d\.\d and on [ab]-\d since \d:\d\d\.\d/)).toBeVisible();
  await ways.getByRole("button", { name: "Heal c-2" }).dblclick();
  await other.getByLabel("Command", { exact: true }).click();
  await expect(other.locator(".con .log p.input").filter({ hasText: "fault heal c-2" }), "the command ran once").toHaveCount(1);
  await other.keyboard.press("Escape");
  await chooseFromMore(other, /^Branch/);
  const branches = other.getByRole("group", { name: "Branches" });
  await expect(branches).toBeVisible();
  await t.waitUntilSettled(other);
  await expect(branches.locator("[aria-pressed]"), "one branch was added").toHaveCount(2);
  // The button that stops a fast run is at the same position as the button that starts it.
  await t.command(other, "fault heal c-2");
  await t.seek(other, "2:45.0");
  await t.command(other, "fault partition b-1");
  const skip = await other.locator("[data-forward]").boundingBox();
  // The page itself dispatches both clicks: on a busy machine, clicks that are sent from outside may be further apart
  // than a double click.
  await other.evaluate(async ([x, y]) => {
    document.elementFromPoint(x, y).closest("button").click();
    await new Promise((resolve) => { setTimeout(resolve, 100); });
    document.elementFromPoint(x, y).closest("button").click();
  }, [skip.x + skip.width / 2, skip.y + skip.height / 2]);
  await expect(other.locator(".ended:not(:empty)")).toBeVisible();
});

// Shows: U-03, U-13
test("the control plane strip stays one row, and its button heals all cuts at once", async ({ t }) => {
  const page = await t.open("#new");
  await t.seek(page, "0:30.0");
  await t.command(page, "fault partition c-2");
  await expect(page.locator(".rail .heal"), "there is no button to heal all for a single cut").toHaveCount(0);
  await t.command(page, "fault partition a-1");
  await t.seek(page, "1:30.0");
  await t.confirmCommand(page, "kubectl delete pod db-0 --grace-period=0 --force");
  await t.seek(page, "2:30.0");
  // After a resize the page measures its stage and draws it again.
  const expectNoOverlap = (at) => expect.poll(() => misplacedMachines(page), `${at}: overlapping machines`).toEqual([]);
  await page.locator("[data-broken]").getByRole("button", { name: /close/ }).click();
  for (const [width, height] of [[768, 1024], [820, 1180], [1024, 768], [1280, 800], [1440, 900], [1920, 1080], [3840, 2160], [320, 568], [360, 640], [390, 844]]) {
    await t.resize(page, width, height);
    await expectNoOverlap(`${width} px`);
    await expect(page.locator(".rail .bad:visible"), `${width} px: the broken guarantee is shown`).toHaveCount(1);
  }
  await t.checkLooks(page, "strip-390");
  await page.locator("details.view > summary").click();
  await page.locator(".rail").getByRole("button", { name: "Control plane" }).click();
  await page.getByRole("dialog", { name: "Control plane" }).getByRole("button", { name: /^scheduler: Crash it/ }).click();
  await expect(page.locator(".rail .c.down").first()).toBeAttached();
  await t.resize(page, 1280, 800);
  await chooseFromMore(page, "Editor");
  await page.getByRole("button", { name: "Beside the cluster" }).click();
  await expect(page.locator(".code-beside .cm-content")).toBeVisible();
  await expectNoOverlap("beside the editor");
  await t.checkLooks(page, "strip-beside");
  await page.getByRole("button", { name: "Close the editor" }).click();
  await page.getByRole("button", { name: "Compare with no commands" }).click();
  await expect(page.locator(".runs .run").nth(1)).toBeVisible();
  await expectNoOverlap("in a comparison");
  await t.checkLooks(page, "strip-compared");
  await page.getByRole("button", { name: "End the comparison" }).click();
  await page.locator(".rail").getByRole("button", { name: "Heal everything" }).click();
  await expect(page.locator(".node.cut").first()).toHaveCount(0);
  await expect(page.locator(".rail .heal"), "the button to heal all is gone").toHaveCount(0);
});

// Shows: T-01
test("a command entered during a seek runs when the target is reached", async ({ t }) => {
  const page = await t.open("#new");
  await t.pause(page);
  const clock = page.getByLabel("Clock: type an instant to go there");
  await clock.fill("9:00");
  await clock.press("Enter");
  await t.command(page, "kubectl cordon b-1");
  await expect(page.locator('[data-node="b-1"]').getByText("cordoned")).toBeVisible();
  await expect(page.locator('.page[data-now^="9:00"]')).toBeVisible();
  await page.getByLabel("Command", { exact: true }).click();
  expect(await page.locator(".con .log p.input").filter({ hasText: "kubectl cordon b-1" }).locator(".when").innerText(), "the command's instant is the seek's target").toBe("9:00.0");
});

// Shows: U-08
test("the refusal of a button's command is reported while the console is closed", async ({ t }) => {
  const page = await t.open("#new");
  await t.pause(page);
  await page.getByRole("button", { name: /^Undo/ }).click();
  await expect(page.getByText("there is no command to take back on this branch")).toBeVisible();
});
