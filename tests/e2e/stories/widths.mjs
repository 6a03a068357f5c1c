// The page at every width: the story in one press, nothing clipped, no way to scroll sideways, targets for a finger.
// U-13.

export const SIZES = [[360, 640], [390, 844], [768, 1024], [820, 1180], [1024, 768], [1280, 800], [1440, 900], [1920, 1080], [3840, 2160]];

/** What sticks out of the window to the side or lies outside it, of what can be pressed. */
export const outside = (page) => page.evaluate(() => [...document.querySelectorAll("button, select, input, .story, .bar, .cluster")]
  .filter((e) => e.checkVisibility({ visibilityProperty: true }) && !e.closest(".plane, .scroll, .log, .skip, .sr"))
  .map((e) => [e.getAttribute("aria-label") ?? e.className ?? e.innerText, e.getBoundingClientRect()])
  .filter(([, r]) => r.width > 0 && r.height > 0 && (r.left < -1 || r.right > innerWidth + 1))
  .map(([name, r]) => `${name}: ${Math.round(r.left)}–${Math.round(r.right)}`));

/** Buttons that are too small for a finger; words in a sentence are as large as it is. */
const small = (page) => page.evaluate(() => [...document.querySelectorAll(".bar button, .bar .btn, .dock button, .transport button, .transport input, .story button, .start button, .plane button, .tray button, .node button, .side button, .time button")]
  .filter((e) => e.checkVisibility() && !e.closest(".lanes, .term"))
  .map((e) => [e.getAttribute("aria-label") ?? e.innerText, e.getBoundingClientRect()])
  .filter(([, r]) => r.width > 0 && (r.width < 43.5 || r.height < 43.5))
  .map(([name, r]) => `${name} ${Math.round(r.width)}×${Math.round(r.height)}`));

export const stories = {
  async "fingers find large targets on large screens too, and lanes that are low have one name (U-08, U-13)"(t) {
    const page = await t.open("#lesson=spread-by-zone", { touch: true });
    for (const [width, height, low] of [[1024, 768, true], [1280, 800, true], [1366, 1024, false], [1920, 1080, false]]) {
      const at = `${width} px`;
      await page.setViewportSize({ width, height });
      await page.waitForTimeout(150);
      await t.fits(page, at);
      t.equal((await small(page)).join("; "), "", `${at}: small targets`);
      t.equal(await page.getByRole("button", { name: /The lanes as lists/ }).isVisible(), low, `${at}: one name for all lanes`);
      t.equal(await page.getByRole("button", { name: "Decisions", exact: true }).isVisible(), !low, `${at}: each lane's own`);
    }
    await page.setViewportSize({ width: 1024, height: 768 });
    await page.getByRole("button", { name: /The lanes as lists/ }).click();
    // The list of one lane leads to the others.
    const lanes = page.getByRole("dialog").getByRole("group", { name: "Lanes" });
    await lanes.getByRole("button", { name: "Commands" }).click();
    await page.getByRole("dialog", { name: "Commands" }).waitFor();
    t.equal(await lanes.locator("[aria-pressed=true]").innerText(), "Commands", "the one that is shown");
    await t.look(page, "lanes-as-lists");
  },

  async "the story is there at every width (U-13)"(t) {
    const page = await t.open("");
    await page.locator("[data-zone] [data-node] [data-pod]").first().waitFor();
    for (const [width, height] of [[320, 568], ...SIZES]) {
      const at = `${width} px`;
      await page.setViewportSize({ width, height });
      await page.waitForTimeout(150);
      await t.fits(page, at);
      t.equal((await outside(page)).join("; "), "", `${at}: outside`);
      const story = page.locator(".story");
      t.check(await story.isVisible(), `${at}: the story is on the first screen`);
      const button = await story.locator(".try button").boundingBox();
      t.check(button && button.y > 0 && button.y + button.height <= height, `${at}: its button is on the first screen`);
      const sentence = await story.locator(".prose p").first().boundingBox();
      t.check(sentence && sentence.y > 0 && sentence.y + sentence.height <= button.y + 1, `${at}: its sentence is, to its end`);
      const strip = await page.locator(".plane").first().evaluate((e) => e.scrollWidth - e.clientWidth);
      t.check(strip <= 0, `${at}: ${strip} px of the control plane are out of sight`);
      if (width < 1280) t.equal((await small(page)).join("; "), "", `${at}: small targets`);
      // Lanes are as high as a finger where the window is high enough.
      const lanes = await page.locator(".names > button").evaluateAll((all) => all.filter((e) => e.checkVisibility()).map((e) => e.getBoundingClientRect().height));
      if (width < 1280) t.check(lanes.every((high) => high >= (height < 900 ? 23.5 : 43.5)), `${at}: lanes ${lanes}`);
      if (width === 1920) {
        t.check(await page.evaluate(() => parseFloat(getComputedStyle(document.querySelector(".prose")).fontSize) >= 16), "16 px at 1920");
      }
      await t.look(page, `width-${width}`);
    }
  },

  async "in a low window and in front of a room nothing covers the text of a step (U-13, U-08)"(t) {
    const page = await t.open("#lesson=first-pod");
    await page.locator(".story .try").waitFor();
    await t.pause(page);
    // Each paragraph, brought to the end of the room that it is read in.
    const covered = () => page.locator(".story .prose p").evaluateAll((all) => all.filter((p) => {
      p.scrollIntoView({ block: "end" });
      const box = p.getBoundingClientRect();
      return !p.contains(document.elementFromPoint(box.left + 4, box.bottom - 4));
    }).length);
    for (const [width, height] of [[640, 360], [720, 450], [1440, 560]]) {
      await page.setViewportSize({ width, height });
      t.equal(await covered(), 0, `${width} × ${height}: paragraphs that are covered`);
      await t.screenshot(page, `low-${width}`);
    }
    await page.setViewportSize({ width: 1920, height: 1080 });
    await page.locator("#stage").focus();
    await page.keyboard.press("Shift+P");
    await page.locator(".page.present").waitFor();
    t.equal(await covered(), 0, "presented: paragraphs that are covered");
  },

  async "where there is no room for a column the details are a sheet (U-13)"(t) {
    for (const [width, height] of [[820, 1180], [1024, 768]]) {
      const page = await t.open("#lesson=first-pod");
      await page.setViewportSize({ width, height });
      await page.locator("[data-node]").first().waitFor();
      t.check(await page.locator(".story").isVisible(), "the lesson");
      t.check(!(await page.locator(".side").isVisible()), "no panel over the cluster unasked");
      await page.getByRole("button", { name: "Details" }).first().click();
      await page.locator(".side").waitFor();
      await t.fits(page, `${width} px with details`);
      await page.getByRole("button", { name: "Details" }).first().click();
      await page.locator(".side").waitFor({ state: "hidden" });
      await page.getByRole("button", { name: "More" }).click();
      await page.getByRole("dialog", { name: "More" }).getByRole("button", { name: "Editor" }).click();
      await page.getByRole("dialog", { name: /Editor/ }).waitFor();
    }
  },

  async "the start says what this is, and never stands in the way of a link (U-18)"(t) {
    const page = await t.open("");
    const start = page.locator(".start");
    await start.waitFor();
    // A cluster lives behind it.
    await page.locator("[data-node] [data-pod]").first().waitFor();
    await start.getByRole("button", { name: /My pod is Pending/ }).click();
    const dialog = page.getByRole("dialog", { name: "My pod is Pending" });
    await dialog.getByText("kubectl get nodes,pods -A -o yaml").waitFor();
    await t.look(page, "pending");
    await page.setViewportSize({ width: 360, height: 640 });
    const wide = await dialog.locator(".inner").evaluate((e) => e.scrollWidth - e.clientWidth);
    t.check(wide <= 0, `on a phone ${wide} px of it stick out`);
    await page.setViewportSize({ width: 1440, height: 900 });
    // What comes into the field by another way than a paste waits for a press.
    t.equal(await dialog.getByRole("button", { name: "Open it" }).count(), 0, "nothing to open yet");
    await dialog.getByLabel("Paste your cluster here").fill("apiVersion: v1\nkind: Node\nmetadata: {name: typed-1}\n");
    await dialog.getByRole("button", { name: "Open it" }).waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    await start.getByRole("button", { name: /Start the course/ }).click();
    await start.waitFor({ state: "detached" });
    const other = await t.open("#lesson=drain-with-pdb");
    await other.locator("[data-node]").first().waitFor();
    t.equal(await other.locator(".start").count(), 0, "a link goes where it leads");
  },

  async "lessons are found by a symptom (U-18)"(t) {
    const page = await t.open("#lesson=first-pod");
    await page.locator("[data-node]").first().waitFor();
    await page.keyboard.press("l");
    const dialog = page.getByRole("dialog", { name: "Lessons and scenarios" });
    await dialog.getByRole("button", { name: "It runs twice" }).click();
    await dialog.locator('[data-lesson="force-delete-split-brain"]').waitFor();
    t.equal(await dialog.locator('[data-lesson="first-pod"]').count(), 0, "others are left out");
    await t.look(page, "symptoms");
  },
};
