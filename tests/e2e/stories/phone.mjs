// Phones of 390 × 844 and 360 × 640 pixels, and a screen of 3840 × 2160.
import { chooseFromMore } from "../actions.mjs";
import { expect, test } from "../test.mjs";

const centreOf = async (locator) => {
  const box = await locator.boundingBox();
  return [box.x + box.width / 2, box.y + box.height / 2];
};

// Shows: U-08
test("no story text is visible between the sticky button and the footer", async ({ t }) => {
  const page = await t.open("#lesson=first-pod", { size: "phone" });
  await t.resize(page, 320, 568);
  const button = page.locator(".story .try button");
  await expect(button).toBeVisible();
  const [box, foot] = [await button.boundingBox(), await page.locator(".story-foot").boundingBox()];
  const below = { from: Math.ceil(box.y + box.height), to: Math.floor(foot.y) };
  const visiblePoints = await page.evaluate(({ from, to }) => {
    const pointsOnStoryText = [];
    for (let y = from; y < to; y += 1) {
      for (let x = 0; x < innerWidth; x += 8) {
        if (document.elementFromPoint(x, y)?.closest(".story .scroll")) pointsOnStoryText.push(`${x}, ${y}`);
      }
    }
    return pointsOnStoryText.join("; ");
  }, below);
  expect(visiblePoints, "points below the button that show story text").toBe("");
});

// Shows: U-08
test("a phone shows the cluster first, other parts as sheets, and Play in reach of the thumb", async ({ t }) => {
  const page = await t.open("", { size: "phone" });
  await expect(page.locator("[data-zone] [data-node] [data-pod]").first()).toBeVisible();
  await t.expectNoOverflow(page, "phone");
  const play = await page.locator(".transport .play").boundingBox();
  expect(play.y, "play is in the lower half").toBeGreaterThan(844 / 2);
  // The first sentence of the introduction, its buttons and the timeline are visible without scrolling.
  await expect(page.getByRole("button", { name: "Cut a node off" })).toBeInViewport({ ratio: 1 });
  await expect(page.locator(".time")).toBeInViewport({ ratio: 1 });
  for (const [name, region] of [[/^Legend/, ".side"], [/^Console/, ".con"]]) {
    await chooseFromMore(page, name);
    await expect(page.locator(region)).toBeVisible();
    await t.checkLooks(page, `phone${region}`);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await expect(page.locator(region)).toBeHidden();
  }
  await page.locator("[data-node] [data-pod]").first().tap();
  await expect(page.locator(".side").getByText(/Attempt|Life/).first()).toBeVisible();
  await t.expectNoOverflow(page, "phone with a decision");
  // Touch targets have at least 24 pixels (WCAG 2.5.8).
  const smallTargets = await page.locator("button:visible, select:visible").evaluateAll((all) => all
    .map((b) => [b.getAttribute("aria-label") ?? b.innerText, b.getBoundingClientRect()])
    .filter(([, r]) => r.width > 0 && (r.width < 24 || r.height < 24)).map(([name, r]) => `${name} ${r.width}×${r.height}`));
  expect(smallTargets.join("; "), "small targets").toBe("");
});

// Shows: U-03
test("a long press on a pod opens its menu or drags it to the bin", async ({ t }) => {
  const page = await t.open("", { size: "phone" });
  await t.seek(page, "0:40.0");
  const touch = await t.touchscreen(page);
  const pod = page.locator('[data-pod^="default/web-"].m-ready').first();
  const name = await pod.getAttribute("data-pod");
  const [x, y] = await centreOf(pod);

  // A touch that moves at once scrolls the page instead of dragging the pod.
  await touch.down(x, y);
  await touch.move(x, y - 40);
  await touch.move(x, y - 80);
  await expect(page.locator(".flying"), "no drag").toHaveCount(0);
  await touch.up();
  await t.waitUntilStill(pod);
  await pod.scrollIntoViewIfNeeded();
  await t.waitUntilStill(pod);

  // A long press without movement opens the menu.
  const [x1, y1] = await centreOf(pod);
  await touch.down(x1, y1);
  await expect(page.locator(".flying")).toBeVisible();
  await touch.up();
  const menu = page.getByRole("dialog", { name });
  await expect(menu.getByRole("button", { name: /^Delete/ })).toBeVisible();
  await t.screenshot(page, "phone-menu");
  await t.waitUntilSettled(page);
  await expect(page.getByRole("dialog"), "lifting the finger does not click in the menu").toHaveCount(1);
  await expect(page.locator(`[data-pod="${name}"].m-ready`), "nothing happened yet").toHaveCount(1);
  await menu.getByRole("button", { name: "Close" }).click();

  await touch.down(x1, y1);
  await expect(page.locator(".flying")).toBeVisible();
  await touch.move(x1 + 12, y1 + 12);
  await expect(page.locator(".bin")).toBeVisible();
  const [bx, by] = await centreOf(page.locator(".bin"));
  await touch.move(bx, by - 20);
  await touch.move(bx, by);
  await expect(page.locator(".bin.over")).toBeVisible();
  await t.screenshot(page, "phone-bin");
  await touch.up();
  await expect(page.locator(`[data-pod="${name}"].m-term`)).toBeVisible();
});

// Shows: K-01, U-08
test("tables keep their columns aligned in the console of a phone", async ({ t }) => {
  const page = await t.open("#new", { size: "phone" });
  await t.seek(page, "0:20.0");
  await chooseFromMore(page, /^Console/);
  const field = page.getByLabel("Command", { exact: true });
  const log = page.getByRole("log", { name: "What was commanded and printed" });
  for (const line of ["kubectl get pods -o wide", "kubectl describe node a-1"]) {
    await field.fill("clear");
    await field.press("Enter");
    await field.fill(line);
    await field.press("Enter");
    await expect(log.locator("p.output").first()).toBeVisible();
    await t.waitUntilSettled(page);
    const maxLineCount = await log.locator("p.output .text").evaluateAll((all) => Math.max(...all.map((e) => e.getBoundingClientRect().height / parseFloat(getComputedStyle(e).lineHeight))));
    expect(maxLineCount, `${line}: an output line takes ${maxLineCount} lines`).toBeLessThan(1.5);
    await t.expectNoOverflow(page, line);
    const scrollRange = await log.evaluate((e) => e.scrollWidth - e.clientWidth);
    expect(scrollRange, `${line}: ${scrollRange} px to scroll`).toBeGreaterThan(100);
    await t.checkLooks(page, `phone-console-${line.split(" ")[1]}`);
  }
  // Arrow keys scroll the log too; the next command scrolls it back to the first column.
  await log.focus();
  for (let i = 0; i < 3; i += 1) await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => document.querySelector(".con .log").scrollLeft > 40);
  await t.waitUntilStill(log.locator("p").first());
  await field.fill("kubectl get nodes");
  await field.press("Enter");
  await page.waitForFunction(() => document.querySelector(".con .log").scrollLeft === 0);
});

// Shows: U-08, E-01
test("a lesson's button and the pod that it creates are visible on a small phone", async ({ t }) => {
  for (const [width, height] of [[320, 568], [360, 640], [390, 844]]) {
    const page = await t.open("#lesson=first-pod", { size: "phone", before: (page) => page.setViewportSize({ width, height }) });
    const story = page.locator(".story");
    const tryButton = story.locator(".try button");
    await expect(tryButton).toBeVisible();
    const [text, button, foot] = await Promise.all([story.locator(".prose p").nth(1), tryButton, story.locator(".story-foot")].map((what) => what.boundingBox()));
    expect(text, `${width} px: there is a second paragraph`).not.toBeNull();
    expect(button.y + button.height, `${width} px: the button is visible`).toBeLessThanOrEqual(foot.y + 1);
    await t.checkLooks(page, `lesson-${width}`);
    await tryButton.tap();
    const pod = page.locator('[data-node] [data-pod="default/hello"]');
    await expect(pod).toBeVisible();
    await expect(async () => {
      const [mark, below, bar] = await Promise.all([pod, story, page.locator(".bar")].map((what) => what.boundingBox()));
      expect(mark.y >= bar.y + bar.height - 1 && mark.y + mark.height <= below.y + 1, `${width} px: the pod is at ${mark.y}, between ${bar.y + bar.height} and ${below.y}`).toBeTruthy();
    }).toPass();
    await page.context().close();
  }
});

// Shows: U-08
test("the page fits the narrowest phone and the widest screen", async ({ t }) => {
  for (const size of ["narrow", "wall"]) {
    const page = await t.open("", { size });
    await expect(page.locator("[data-zone] [data-node] [data-pod]").first()).toBeVisible();
    await t.seek(page, "0:20.0");
    await t.expectNoOverflow(page, size);
    await t.checkLooks(page, `first-visit-${size}`);
    if (size === "wall") {
      const emptyShare = await page.locator(".scenery").evaluate((zones) => {
        const nodes = [...zones.querySelectorAll(".node")].map((n) => n.getBoundingClientRect());
        const bottom = Math.max(...nodes.map((n) => n.bottom));
        const zonesBox = zones.getBoundingClientRect();
        return (zonesBox.bottom - bottom) / zonesBox.height;
      });
      expect(emptyShare, `${Math.round(emptyShare * 100)} % of the zones' height is empty`).toBeLessThan(0.5);
    }
  }
});
