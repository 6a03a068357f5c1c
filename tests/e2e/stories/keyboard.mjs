// The page is used by keyboard alone, without a mouse.
import { chooseFromMore } from "../actions.mjs";
import { expect, test } from "../test.mjs";

const DUMP = `apiVersion: v1
kind: List
items:
${["a-1", "b-1"].map((name) => `- apiVersion: v1
  kind: Node
  metadata: {name: ${name}, uid: 0000-${name}, labels: {kubernetes.io/hostname: ${name}}}
  status: {capacity: {cpu: "4", memory: 8Gi, pods: "110"}, allocatable: {cpu: "4", memory: 8Gi, pods: "110"}, conditions: [{type: Ready, status: "True"}]}
`).join("")}- apiVersion: v1
  kind: Pod
  metadata: {name: huge, namespace: default, uid: 0000-huge}
  spec: {containers: [{name: c, image: app, resources: {requests: {cpu: "40"}}}]}
  status: {phase: Pending}
`;

/** Presses Tab until an element of that name has the focus, and expects the focus to be visible. */
async function tabTo(page, name, within = "body") {
  const otherLabels = [];
  for (let presses = 0; presses < 150; presses += 1) {
    await page.keyboard.press("Tab");
    const [found, shown] = await page.evaluate(([name, flags, within]) => {
      const e = document.activeElement;
      const label = (e.getAttribute("aria-label") ?? e.labels?.[0]?.innerText ?? e.innerText ?? "").trim();
      const style = getComputedStyle(e);
      const isMatch = new RegExp(name, flags).test(label) && e.closest(within) !== null;
      return [isMatch, isMatch ? style.outlineStyle !== "none" || style.boxShadow !== "none" : label];
    }, [name.source, name.flags, within]);
    if (found && !shown) throw new Error(`${name} has the focus and does not show it`);
    if (found) return;
    otherLabels.push(shown);
  }
  throw new Error(`no ${name} within ${within} among ${[...new Set(otherLabels)].slice(0, 60).join(" | ")}`);
}

// Shows: U-11
test("a lesson followed by keyboard keeps the focus in its story", async ({ t }) => {
  const page = await t.open("");
  const expectFocusIn = (selector) => page.waitForFunction((selector) => document.activeElement.closest(selector) !== null, selector);
  await page.locator(".start").getByRole("button", { name: /Start the course/ }).press("Enter");
  const story = page.getByRole("complementary", { name: "Story" });
  await expect(story.getByRole("heading", { name: "Your first pod" })).toBeVisible();
  await expectFocusIn(".story .scroll");
  const tabToButton = async (words) => {
    for (let i = 0; i < 12 && !(await page.evaluate((words) => document.activeElement.matches("button") && document.activeElement.textContent.includes(words), words)); i += 1) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
  };
  await tabToButton("kubectl run");
  // Time is paused until the question of the third step is answered; the second step can be read before it.
  await expect(page.locator("[data-forward]")).toHaveAttribute("data-forward", "answer");
  const next = story.getByRole("button", { name: "Next", disabled: false });
  for (const step of ["2 of 4", "3 of 4"]) {
    await next.press("Enter");
    await expect(story.getByText(step)).toBeVisible();
  }
  await expectFocusIn(".ask");
  await page.keyboard.press("Tab");
  expect(await page.evaluate(() => document.activeElement.textContent), "Tab reaches the first answer").toBe("0");
  await page.keyboard.press("Enter");
  await expectFocusIn(".asked");
});

// Shows: U-03
test("the cluster can be used by keyboard alone", async ({ t }) => {
  const page = await t.open("");
  await expect(page.locator("[data-node] .m-ready").nth(3)).toBeVisible();
  const press = (key) => page.keyboard.press(key);
  const describeFocus = () => page.evaluate(() => {
    const e = document.activeElement;
    return { pod: e.dataset.pod, node: e.closest("[data-node]")?.dataset.node, outline: getComputedStyle(e).outlineStyle, tag: e.tagName };
  });

  // The first tab stop leads to the cluster; arrow keys move from element to element.
  await press("Tab");
  expect(await page.evaluate(() => document.activeElement.className), "skip link").toBe("skip");
  await press("Enter");
  // Wait until time runs. Before that, Space would start time instead of pausing it.
  await expect(page.locator('.page[data-playing="true"]')).toBeVisible();
  await press("Space");
  await expect(page.locator('.page[data-playing="false"]')).toBeVisible();
  await press("ArrowDown");
  await press("ArrowDown");
  let focused = await describeFocus();
  expect(focused.node, "an arrow reaches a node").not.toBe(undefined);
  expect(focused.outline, "the focus is visible").not.toBe("none");
  for (let i = 0; i < 6 && !(await describeFocus()).pod; i += 1) await press("ArrowDown");
  focused = await describeFocus();
  expect(focused.pod, "arrows reach a pod").not.toBe(undefined);
  await press("Enter");
  await expect(page.locator(`.side[data-subject="${focused.pod.split("/")[1]}"]`)).toBeVisible();
  await t.screenshot(page, "keyboard-pod");

  // One key opens the menu of actions, each with its command.
  await press("m");
  const menu = page.getByRole("dialog", { name: focused.pod });
  await expect(menu.getByText(/kubectl delete pod/).first()).toBeVisible();
  await t.checkLooks(page, "menu");
  await press("Escape");
  await expect(menu).toBeHidden();

  await press("o");
  await expect(page.locator(`[data-node="${focused.node}"]`).getByText("cordoned", { exact: true })).toBeVisible();
  await press("c");
  await expect(page.locator(`.node.cut[data-node="${focused.node}"]`)).toBeVisible();
  await press("c");
  await expect(page.locator(`.node:not(.cut)[data-node="${focused.node}"]`)).toBeVisible();
  await press("Shift+Delete");
  await expect(page.getByRole("dialog", { name: "Are you sure?" })).toBeVisible();
  expect(await page.evaluate(() => document.activeElement.innerText), "the harmless answer has the focus").toBe("Leave it");
  await t.checkLooks(page, "consequence");
  await press("Escape");
  await expect(page.getByRole("dialog", { name: "Are you sure?" })).toBeHidden();

  // Keys that move the simulated time.
  const before = await t.now(page);
  // Several events may happen at one instant, so one step may not change the time.
  for (let presses = 0; presses < 20 && await t.now(page) === before; presses += 1) {
    await press(".");
    await page.waitForFunction((then) => document.querySelector(".page").dataset.now !== then, before, { timeout: 2_000 }).catch(() => {});
  }
  expect(await t.now(page), "steps advance the time").not.toBe(before);
  await press("]");
  const speed = page.getByLabel("Speed").locator("option:checked");
  await expect(speed).toHaveText("2×");
  await press("]");
  await expect(speed).toHaveText("5×");
  await press("Space");
  await expect(page.locator('.page[data-playing="true"]')).toBeVisible();
  await press("Space");
  await expect(page.locator('.page[data-playing="false"]')).toBeVisible();

  // When a dialog closes, the focus returns to the element that had it before.
  await press("?");
  await expect(page.getByRole("dialog", { name: "Help and shortcuts" })).toBeVisible();
  await t.checkLooks(page, "shortcuts");
  await press("Escape");
  await expect(page.getByRole("dialog")).toBeHidden();
  await press("l");
  await expect(page.getByRole("dialog", { name: "Lessons and scenarios" })).toBeVisible();
  await t.checkLooks(page, "lessons");
  await press("Escape");
  await expect(page.getByRole("dialog")).toBeHidden();
  await press("`");
  await page.keyboard.type("kubectl get no");
  await expect(page.locator("#choices").getByText("nodes", { exact: true }).first()).toBeVisible();
  await press("Tab");
  await press("Enter");
  await expect(page.locator(".con .log").getByText(/NAME\s+STATUS/)).toBeVisible();
  await t.checkLooks(page, "console");
  await press("Escape");
  await press("t");
  expect(await page.evaluate(() => document.documentElement.dataset.theme), "theme").toBe("light");
});

// Shows: U-03
test("the focus returns to its origin after a dialog, or moves to the search result", async ({ t }) => {
  const page = await t.open("#new");
  await t.seek(page, "0:30.0");
  const press = (key) => page.keyboard.press(key);
  const expectFocusAt = async (what) => {
    await page.waitForFunction((what) => document.activeElement.closest(what) !== null, what).catch(async () => {
      throw new Error(`${what} has no focus: ${await page.evaluate(() => document.activeElement.outerHTML.slice(0, 120))}`);
    });
  };
  const pod = page.locator("[data-node] [data-pod]").first();
  const podSelector = `[data-pod="${await pod.getAttribute("data-pod")}"]`;
  await pod.focus();
  // The user closes the search without typing: the focus returns to where it was.
  await press("/");
  await expectFocusAt(".find input");
  await press("Escape");
  await expectFocusAt(podSelector);
  await press("`");
  await expectFocusAt(".con input");
  await press("Escape");
  await expectFocusAt(podSelector);
  await expect(page.locator(".con .log")).toHaveCount(0);
  // A second Enter moves the focus into the details, Escape back to the pod.
  await press("Enter");
  await expect(page.locator(`.pod.sel${podSelector}`)).toBeVisible();
  await press("Enter");
  await expectFocusAt(".side");
  await press("Escape");
  await expectFocusAt(podSelector);
  await expect(page.locator(".pod.sel"), "no pod is selected").toHaveCount(0);
  // The focus also returns if one dialog was opened from another.
  await press("m");
  await page.getByRole("dialog", { name: "default/" }).getByRole("button", { name: /Force delete/ }).focus();
  await press("Enter");
  await expect(page.getByRole("dialog", { name: "Are you sure?" })).toBeVisible();
  expect(await page.evaluate(() => document.activeElement.innerText), "the harmless answer has the focus").toBe("Leave it");
  await press("Escape");
  await expectFocusAt(podSelector);
  // If the search found something, the match gets the focus.
  await press("/");
  await page.keyboard.type("db-0");
  await expect(page.locator(".find .found").getByText("1 pod,")).toBeVisible();
  await press("Enter");
  await expect(page.locator('.pod.sel[data-pod="default/db-0"]')).toBeVisible();
  await press("Escape");
  await expectFocusAt('[data-pod="default/db-0"]');
  // Passing the console with Tab does not open it.
  await tabTo(page, /^Command$/, ".con");
  await press("Tab");
  await expect(page.locator(".con .log"), "the console stays closed").toHaveCount(0);
});

// Shows: U-08, U-18
test("a first lesson with a question can be finished by keyboard alone", async ({ t }) => {
  const page = await t.open("");
  await expect(page.locator(".start")).toBeVisible();
  await tabTo(page, /Start the course/);
  await page.keyboard.press("Enter");
  await expect(page.locator(".start")).toHaveCount(0);
  await expect(page.locator('.page[data-playing="true"], .page[data-playing="false"]')).toBeVisible();
  const story = page.locator(".story");
  await expect(story.locator(".try button")).toBeVisible();
  // Presses Tab until the step's button has the focus, then Enter.
  const pressTry = async () => {
    await tabTo(page, /kubectl/, ".try");
    await page.keyboard.press("Enter");
  };
  await pressTry();
  await expect(page.locator('[data-node] [data-pod="default/hello"]')).toBeVisible();
  // The question belongs to the step after the next one; time is paused until it is answered.
  await expect(page.locator("[data-forward]")).toHaveAttribute("data-forward", "answer");
  for (const step of ["2 of 4", "3 of 4"]) {
    await expect(story.locator(".next:enabled")).toBeVisible();
    await tabTo(page, /^Next/, ".story");
    await page.keyboard.press("Enter");
    await expect(story.getByText(step)).toBeVisible();
  }
  await expect(page.getByRole("region", { name: "A question" })).toBeVisible();
  await tabTo(page, /^0$/, ".story");
  await page.keyboard.press("Enter");
  await expect(page.getByText(/You said 0\. Watch/)).toBeVisible();
  // A screen reader finds the question and its answer in one named region, which is announced when they change.
  const snapshot = await page.getByRole("region", { name: "Your prediction" }).ariaSnapshot();
  expect(snapshot, snapshot).toMatch(/How many pods named/);
  await pressTry();
  const confirm = page.getByRole("button", { name: "I understand, do it" });
  if (await confirm.isVisible().catch(() => false)) {
    await tabTo(page, /I understand/);
    await page.keyboard.press("Enter");
  }
  await expect(page.getByText(/and so it is/)).toBeVisible();
  await tabTo(page, /^Next/, ".story");
  await page.keyboard.press("Enter");
  await expect(story.getByText("4 of 4")).toBeVisible();
  await t.checkLooks(page, "keys-answered");
});

// Shows: P-09, U-08
test("a pasted dump can be explained and shared by keyboard alone", async ({ t }) => {
  const page = await t.open("");
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await expect(page.locator(".start")).toBeVisible();
  await tabTo(page, /My pod is Pending/);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: "My pod is Pending" })).toBeVisible();
  await tabTo(page, /Paste your cluster here/);
  await page.evaluate((text) => navigator.clipboard.writeText(text), DUMP);
  await page.keyboard.press("Control+v");
  await expect(page.locator('.queue [data-pod="default/huge"]')).toBeVisible();
  // The stage is one tab stop; arrow keys move up from its node to the scheduler's queue.
  await tabTo(page, /^a-1/, "[data-node]");
  const huge = page.locator('.queue [data-pod="default/huge"]');
  for (let presses = 0; presses < 6 && !await huge.evaluate((pod) => pod === document.activeElement); presses += 1) {
    await page.keyboard.press(presses === 0 ? "ArrowUp" : "ArrowRight");
  }
  await expect(huge).toBeFocused();
  await page.keyboard.press("Enter");
  const side = page.locator('.side[data-subject="huge"]');
  await expect(side.getByText(/none of 2 nodes can take it/)).toBeVisible();
  // A screen reader finds the panel by its name; the panel contains the reason why the pod is pending.
  const snapshot = await page.getByRole("complementary", { name: "Details" }).first().ariaSnapshot();
  expect(snapshot, snapshot).toMatch(/too full for its requests/);
  await tabTo(page, /^What would help/, ".side");
  await page.keyboard.press("Enter");
  await expect(side.locator(".help li").first()).toBeVisible();
  await page.keyboard.press("s");
  const dialog = page.getByRole("dialog", { name: "Share" });
  await expect(dialog).toBeVisible();
  await tabTo(page, /^Copy/);
  await page.keyboard.press("Enter");
  await expect(page.getByText(/Copied/i).first()).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
});

test("single-key shortcuts can be switched off (WCAG 2.1.4)", async ({ t }) => {
  const page = await t.open("");
  await t.pause(page);
  await chooseFromMore(page, "Help and shortcuts");
  await page.getByLabel("Single keys act").uncheck();
  await page.keyboard.press("Escape");
  await page.keyboard.press("l");
  await t.waitForDrawing(page);
  await expect(page.getByRole("dialog"), "no dialog").toHaveCount(0);
});
