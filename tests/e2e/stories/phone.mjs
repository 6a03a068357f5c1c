// One thumb, 390 × 844 and 360 × 640; and a wall of 3840 × 2160. U-08.

const middle = async (locator) => {
  const box = await locator.boundingBox();
  return [box.x + box.width / 2, box.y + box.height / 2];
};

export const stories = {
  async "nothing of the text below looks out under the button that stays in sight (U-08)"(t) {
    const page = await t.open("#lesson=first-pod", { size: "phone" });
    await page.setViewportSize({ width: 320, height: 568 });
    const button = page.locator(".story .try button");
    await button.waitFor();
    const [box, foot] = [await button.boundingBox(), await page.locator(".story-foot").boundingBox()];
    const y = Math.ceil(box.y + box.height) + 1;
    const strip = await page.screenshot({ clip: { x: 0, y, width: 320, height: Math.floor(foot.y) - y } });
    const colours = await page.evaluate(async (bytes) => {
      const image = await createImageBitmap(new Blob([new Uint8Array(bytes)]));
      const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
      canvas.drawImage(image, 0, 0);
      return new Set(new Uint32Array(canvas.getImageData(0, 0, image.width, image.height).data.buffer)).size;
    }, [...strip]);
    t.equal(colours, 1, "colours of the strip");
  },

  async "a phone: cluster first, the rest as sheets, transport in reach (U-08)"(t) {
    const page = await t.open("", { size: "phone" });
    await page.locator("[data-zone] [data-node] [data-pod]").first().waitFor();
    await t.fits(page, "phone");
    const play = await page.locator(".transport .play").boundingBox();
    t.check(play.y > 844 / 2, "play is at the thumb's side");
    const dock = page.getByRole("navigation", { name: "Panels" });
    // The sentence and its button are on the first screen.
    await page.locator(".story .try button").waitFor();
    await dock.getByRole("button", { name: "Story" }).click();
    await page.locator(".story").waitFor({ state: "hidden" });
    for (const [name, region] of [["Story", ".story"], ["Details", ".side"], ["Timeline", ".time"], ["Console", ".con"]]) {
      await dock.getByRole("button", { name }).click();
      await page.locator(region).waitFor();
      await t.look(page, `phone-${name.toLowerCase()}`);
      await dock.getByRole("button", { name }).click();
      await page.locator(region).waitFor({ state: "hidden" });
    }
    await page.locator("[data-node] [data-pod]").first().tap();
    await page.locator(".side").getByText(/Attempt|Life/).first().waitFor();
    await t.fits(page, "phone with a decision");
    // Targets of at least 24 pixels (WCAG 2.5.8).
    const small = await page.locator("button:visible, select:visible").evaluateAll((all) => all
      .map((b) => [b.getAttribute("aria-label") ?? b.innerText, b.getBoundingClientRect()])
      .filter(([, r]) => r.width > 0 && (r.width < 24 || r.height < 24)).map(([name, r]) => `${name} ${r.width}×${r.height}`));
    t.equal(small.join("; "), "", "small targets");
  },

  async "a finger rests on a pod and drags it to the bin (U-03)"(t) {
    const page = await t.open("", { size: "phone" });
    await t.seek(page, "0:40.0");
    const touch = await t.finger(page);
    const pod = page.locator('[data-pod^="default/web-"].m-ready').first();
    const name = await pod.getAttribute("data-pod");
    const [x, y] = await middle(pod);

    // A finger that moves at once scrolls.
    await touch.down(x, y);
    await touch.move(x, y - 40);
    await touch.move(x, y - 80);
    t.equal(await page.locator(".flying").count(), 0, "no drag");
    await touch.up();
    await page.waitForTimeout(800);
    await pod.scrollIntoViewIfNeeded();
    await page.waitForTimeout(200);

    // One that rests is asked what it wants.
    const [x1, y1] = await middle(pod);
    await touch.down(x1, y1);
    await page.locator(".flying").waitFor();
    await touch.up();
    const menu = page.getByRole("dialog", { name });
    await menu.getByRole("button", { name: /^Delete/ }).waitFor();
    await page.waitForTimeout(300);
    t.equal(await page.getByRole("dialog").count(), 1, "lifting the finger clicks nothing in the menu");
    t.equal(await page.locator(`[data-pod="${name}"].m-ready`).count(), 1, "nothing happened yet");
    await t.screenshot(page, "phone-menu");
    await menu.getByRole("button", { name: "Close" }).click();

    await touch.down(x1, y1);
    await page.locator(".flying").waitFor();
    await touch.move(x1 + 12, y1 + 12);
    await page.locator(".bin").waitFor();
    const [bx, by] = await middle(page.locator(".bin"));
    await touch.move(bx, by - 20);
    await touch.move(bx, by);
    await page.locator(".bin.over").waitFor();
    await t.screenshot(page, "phone-bin");
    await touch.up();
    await page.locator(`[data-pod="${name}"].m-term`).waitFor();
  },

  async "a table keeps its columns in a phone's console (K-01, U-08)"(t) {
    const page = await t.open("#new", { size: "phone" });
    await t.seek(page, "0:20.0");
    await page.getByRole("navigation", { name: "Panels" }).getByRole("button", { name: "Console" }).click();
    const field = page.getByLabel("Command", { exact: true });
    const log = page.getByRole("log");
    for (const line of ["kubectl get pods -o wide", "kubectl describe node a-1"]) {
      await field.fill("clear");
      await field.press("Enter");
      await field.fill(line);
      await field.press("Enter");
      await log.locator("p.output").first().waitFor();
      await page.waitForTimeout(200);
      const high = await log.locator("p.output .text").evaluateAll((all) => Math.max(...all.map((e) => e.getBoundingClientRect().height / parseFloat(getComputedStyle(e).lineHeight))));
      t.check(high < 1.5, `${line}: a line takes ${high} lines`);
      await t.fits(page, line);
      const room = await log.evaluate((e) => e.scrollWidth - e.clientWidth);
      t.check(room > 100, `${line}: ${room} px to scroll`);
      await t.look(page, `phone-console-${line.split(" ")[1]}`);
    }
    // By keys as well; the next command is read from its first column.
    await log.focus();
    for (let i = 0; i < 3; i += 1) await page.keyboard.press("ArrowRight");
    await page.waitForFunction(() => document.querySelector(".con .log").scrollLeft > 40);
    await page.waitForTimeout(400); // until it rests
    await field.fill("kubectl get nodes");
    await field.press("Enter");
    await page.waitForFunction(() => document.querySelector(".con .log").scrollLeft === 0);
  },

  async "on a small phone a lesson is read before its button is pressed, and what that does is seen (U-08, E-01)"(t) {
    for (const [width, height] of [[320, 568], [360, 640], [390, 844]]) {
      const page = await t.open("#lesson=first-pod", { size: "phone", before: (page) => page.setViewportSize({ width, height }) });
      const story = page.locator(".story");
      const press = story.locator(".try button");
      await press.waitFor();
      const [text, button, foot] = await Promise.all([story.locator(".prose p").nth(1), press, story.locator(".story-foot")].map((what) => what.boundingBox()));
      t.check(text.y + text.height <= button.y + 1, `${width} px: the second paragraph ends at ${text.y + text.height}, the button is at ${button.y}`);
      t.check(button.y + button.height <= foot.y + 1, `${width} px: the button is in sight`);
      await t.look(page, `lesson-${width}`);
      await press.tap();
      const pod = page.locator('[data-node] [data-pod="default/hello"]');
      await pod.waitFor();
      await page.waitForTimeout(500);
      const [mark, below, dock] = await Promise.all([pod, story, page.locator(".dock")].map((what) => what.boundingBox()));
      t.check(mark.y >= below.y + below.height - 1 && mark.y + mark.height <= dock.y + 1, `${width} px: the pod is at ${mark.y}, between ${below.y + below.height} and ${dock.y}`);
      await page.context().close();
    }
  },

  async "the narrowest phone and the widest wall (U-08)"(t) {
    for (const size of ["narrow", "wall"]) {
      const page = await t.open("", { size });
      await page.locator("[data-zone] [data-node] [data-pod]").first().waitFor();
      await t.seek(page, "0:20.0");
      await t.fits(page, size);
      await t.look(page, `first-visit-${size}`);
      if (size === "wall") {
        const empty = await page.locator(".zones").evaluate((zones) => {
          const nodes = [...zones.querySelectorAll(".node")].map((n) => n.getBoundingClientRect());
          const bottom = Math.max(...nodes.map((n) => n.bottom));
          const all = zones.getBoundingClientRect();
          return (all.bottom - bottom) / all.height;
        });
        t.check(empty < 0.5, `${Math.round(empty * 100)} % of the zones' height is empty`);
      }
    }
  },
};
