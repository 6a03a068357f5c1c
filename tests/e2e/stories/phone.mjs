// One thumb, 390 × 844 and 360 × 640; and a wall of 3840 × 2160. U-08.

const middle = async (locator) => {
  const box = await locator.boundingBox();
  return [box.x + box.width / 2, box.y + box.height / 2];
};

export const stories = {
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
