// Small things that were seen on other screens: forced colours, the canvas, zoom, rows that wrap. U-08, U-09, U-13.

const BIG = "apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nmetadata: {name: big}\nspec:\n" +
  "  title: Two hundred nodes\n  seed: 4\n  cluster: {zones: [a, b], nodesPerZone: 100}\n---\n" +
  "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 300\n  selector: {matchLabels: {app: web}}\n" +
  "  template:\n    metadata: {labels: {app: web}}\n    spec: {containers: [{name: c, image: \"app:1\", resources: {requests: {cpu: 100m}}}]}\n";

/** How many pixels of the canvas are not what they were, of those that are kept under `name`. */
const painted = (page) => page.locator(".overview canvas").evaluate((canvas) => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const changed = window.before ? data.reduce((sum, value, i) => sum + (value !== window.before[i] ? 1 : 0), 0) : 0;
  window.before = data;
  return changed;
});

export const stories = {
  async "forced colours show everything (U-08)"(t) {
    const page = await t.open("#new");
    await t.seek(page, "0:30.0");
    await t.command(page, "fault partition a-1");
    await t.command(page, "kubectl cordon b-1");
    await t.seek(page, "1:30.0");
    await page.emulateMedia({ forcedColors: "active" });
    await page.locator("[data-node] [data-pod]").first().click();
    // What is told by a fill alone would be gone: every mark, meter, bar and dot has an edge or a system colour.
    const blank = await page.evaluate(() => {
      const shows = (e, pseudo) => {
        const s = getComputedStyle(e, pseudo);
        const paper = getComputedStyle(document.body).backgroundColor;
        const edge = ["Top", "Left", "Bottom", "Right"].some((side) => parseFloat(s[`border${side}Width`]) > 0 && s[`border${side}Style`] !== "none");
        const fill = s.backgroundColor !== paper && s.backgroundColor !== "rgba(0, 0, 0, 0)";
        return edge || fill || s.backgroundImage !== "none" || parseFloat(s.outlineWidth) > 0 && s.outlineStyle !== "none";
      };
      const wanted = [".node .pod .face", ".meter i", ".dot", ".lane .span", ".lane .ev", ".now", ".node", ".chip", ".steps i"];
      return wanted.flatMap((what) => [...document.querySelectorAll(what)].filter((e) => e.offsetParent !== null && !shows(e) && !shows(e, "::before") && !shows(e, "::after")).slice(0, 1).map(() => what));
    });
    t.equal(blank.join(), "", "what cannot be seen");
    for (const theme of ["light", "dark"]) {
      await page.emulateMedia({ forcedColors: "active", colorScheme: theme });
      await t.screenshot(page, `forced-colours-${theme}`);
    }
    // (axe takes the colours of the style sheet for those that are seen: nothing to ask it here.)
  },

  async "the picture of a big cluster is filtered, and has both truths (U-09, U-14)"(t) {
    const page = await t.open("#new");
    await page.getByRole("button", { name: "Files" }).click();
    await page.locator(".files input[type=file]").first().setInputFiles({ name: "big.yaml", mimeType: "text/plain", buffer: Buffer.from(BIG) });
    await page.locator(".overview canvas").waitFor();
    await t.seek(page, "0:30.0");
    await t.command(page, "fault partition a-1");
    await t.seek(page, "0:32.0");
    await painted(page);
    await page.locator("#stage").focus();
    await page.keyboard.press("/");
    await page.locator(".find input").fill("a-1");
    await page.waitForTimeout(300);
    t.check(await painted(page) > 2_000, "what does not match is painted dimly");
    await t.look(page, "find-big");
    await page.locator(".find input").press("Escape");
    await page.waitForTimeout(300);
    await painted(page);
    const whose = page.getByRole("group", { name: "Whose picture" });
    await whose.getByRole("button", { name: "API" }).click();
    await page.waitForTimeout(300);
    t.check(await painted(page) > 0, "the API server does not know yet that the node is cut off");
    await whose.getByRole("button", { name: "machine" }).click();
    await page.waitForTimeout(300);
    t.check(await painted(page) > 0, "the machines know");
  },

  async "two runs of a big cluster: what differs is outlined in both pictures and in the tray (U-09, T-04)"(t) {
    const page = await t.open("#new");
    await page.getByRole("button", { name: "Files" }).click();
    await page.locator(".files input[type=file]").first().setInputFiles({ name: "big.yaml", mimeType: "text/plain", buffer: Buffer.from(BIG) });
    await page.locator(".overview canvas").waitFor();
    await t.seek(page, "0:30.0");
    await t.command(page, `kubectl run huge --image=app --overrides='{"spec":{"nodeSelector":{"size":"huge"}}}'`);
    await t.command(page, "kubectl create deployment wide --image=app --replicas=20");
    await t.seek(page, "0:50.0");
    await page.getByRole("group", { name: "Branches" }).getByRole("button", { name: "Compare with no commands" }).click();
    const pictures = page.locator(".runs .overview canvas");
    await pictures.nth(1).waitFor();
    await page.getByText(/pods differ now/).waitFor();
    await page.waitForTimeout(500);
    // The names of the zones are of the same colour, in both.
    const outlined = (canvas) => canvas.evaluate((canvas) => {
      const probe = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d");
      const coloured = document.body.appendChild(document.createElement("i"));
      coloured.className = "chip on";
      coloured.style.setProperty("color", "var(--ink)");
      probe.fillStyle = getComputedStyle(coloured).color;
      coloured.remove();
      probe.fillRect(0, 0, 1, 1);
      const [r, g, b] = probe.getImageData(0, 0, 1, 1).data;
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      let n = 0;
      for (let i = 0; i < data.length; i += 4) if (Math.abs(data[i] - r) + Math.abs(data[i + 1] - g) + Math.abs(data[i + 2] - b) < 12) n += 1;
      return n;
    });
    const [ours, other] = [await outlined(pictures.first()), await outlined(pictures.nth(1))];
    t.check(ours > other + 40, `twenty pods more are outlined in this run: ${ours} pixels against ${other}`);
    t.equal(await page.locator('.side-a .tray .pod.differs[data-pod="default/huge"]').count(), 1, "and the pending one");
    await t.look(page, "compared-big");
  },

  async "nothing is lost at 200 % zoom, in a wide row, on a small phone (U-13)"(t) {
    const page = await t.open("#new");
    await t.seek(page, "0:30.0");
    // The control plane's row stays one, also where something scrolls beside it.
    for (const width of [1280, 1440, 1920]) {
      await page.setViewportSize({ width, height: 900 });
      const rows = await page.locator(".plane").evaluate((plane) => {
        const seen = [...plane.querySelectorAll(".parts > *"), ...plane.children].filter((e) => e.offsetParent && getComputedStyle(e).position !== "absolute" && !e.matches(".gap, .parts"));
        const boxes = seen.map((e) => e.getBoundingClientRect());
        // A row more is what begins below the end of what came first.
        return 1 + boxes.filter((box) => box.top >= boxes[0].bottom - 2).length;
      });
      t.equal(rows, 1, `rows of the control plane at ${width}`);
    }
    // 1 280 and 1 440 pixels at 200 %, and a phone on its side: the story leaves room for the cluster.
    for (const [width, height] of [[844, 390], [720, 450], [640, 400]]) {
      await page.setViewportSize({ width, height });
      await page.waitForTimeout(150);
      await t.fits(page, `${width} × ${height}`);
      const [story, node, dock, transport] = await Promise.all([".story", "[data-node]", ".dock", ".transport"].map((what) => page.locator(what).first().boundingBox()));
      t.check(node.x >= story.x + story.width && node.y < dock.y, `${width}: the first node at ${node.x}, ${node.y}`);
      t.check(transport.x >= dock.x + dock.width - 1 && transport.y + transport.height <= height + 1, `${width}: tabs and transport share a row`);
    }
    for (const name of ["Play", /^Share/, "More"]) t.check(await page.getByRole("button", { name }).first().isVisible(), `${name} is there`);
    await t.look(page, "zoom-200");
    // The first visit on a small phone: the ways in leave room for the cluster.
    const phone = await t.open("", { before: (page) => page.setViewportSize({ width: 360, height: 640 }) });
    await phone.locator(".start").waitFor();
    await phone.locator("[data-node]").first().waitFor();
    await phone.waitForTimeout(300);
    const node = await phone.locator("[data-node]").first().boundingBox();
    const dock = await phone.locator(".dock").boundingBox();
    t.check(node.y + 60 < dock.y, `the first node is at ${node.y}, the dock at ${dock.y}`);
    await t.look(phone, "start-360");
  },

  async "a command that is pressed twice is given once; a break explains itself (U-05, E-04)"(t) {
    const page = await t.open("#guarantees");
    await page.locator('[data-guarantee="at-most-one"]').getByRole("link", { name: /See it/ }).click();
    const side = page.locator('.side[data-subject="at-most-one"]');
    await side.getByText("at most one has live processes").waitFor();
    await side.getByText(/A forced delete, a false out-of-service taint/).waitFor();
    const other = await t.open("#new");
    await t.seek(other, "0:30.0");
    await t.command(other, "fault partition c-2");
    await t.seek(other, "0:40.0");
    await t.insist(other, "kubectl delete pod db-0 --grace-period=0 --force");
    await t.seek(other, "1:40.0");
    const broken = other.locator(".plane .chip.bad:visible").first();
    await broken.click();
    const ways = other.locator(".ways-back");
    await ways.getByRole("button", { name: /^Back to/ }).waitFor();
    await t.look(other, "broken");
    await ways.getByRole("button", { name: "Heal c-2" }).dblclick();
    await other.locator(".con").getByRole("button", { name: /Console/ }).click();
    t.equal(await other.locator(".con .log p.input").filter({ hasText: "fault heal c-2" }).count(), 1, "given once");
    // Pods of one name are told apart as people tell them apart.
    await other.locator(".side .chip").filter({ hasText: "at-most-one" }).click();
    await other.locator(".side").getByText(/processes of two pods default\/db-0 run: on c-2 since 0:0\d\.\d and on [ab]-\d since \d:\d\d\.\d/).waitFor();
    await other.keyboard.press("Escape");
    await other.getByRole("button", { name: "Fork", exact: true }).dblclick();
    const branches = other.getByRole("group", { name: "Branches" });
    await branches.waitFor();
    await other.waitForTimeout(500);
    t.equal(await branches.locator("[aria-pressed]").count(), 2, "a fork that is pressed twice is one");
    // The button that stops a skip comes where the one that began it was.
    await t.command(other, "fault heal c-2");
    await t.seek(other, "1:45.0");
    await t.command(other, "fault partition b-1");
    const skip = await other.getByRole("button", { name: "Skip ahead" }).boundingBox();
    for (let i = 0; i < 2; i += 1) await other.mouse.click(skip.x + skip.width / 2, skip.y + skip.height / 2, { delay: 40 });
    await other.locator(".due .ended:not(:empty)").waitFor();
    // They have a row of their own.
    const [row, axis] = await Promise.all([branches.boundingBox(), other.locator(".axis").boundingBox()]);
    t.check(row.y >= axis.y + axis.height - 1, `branches at ${row.y}, the axis ends at ${axis.y + axis.height}`);
  },

  async "a sweep over the speed by keyboard costs nothing (U-08)"(t) {
    const page = await t.open("#new");
    await t.pause(page);
    const speed = page.getByLabel("Speed");
    const said = page.locator(".speed .set");
    await speed.focus();
    for (let i = 0; i < 6; i += 1) await page.keyboard.press("ArrowRight");
    t.equal(await said.innerText(), "100×", "what the keys chose is told");
    await page.keyboard.press("Escape");
    t.equal(await said.innerText(), "1×", "and taken back");
    await page.waitForTimeout(1000);
    t.equal(await said.innerText(), "1×", "for good");
    await page.keyboard.press("ArrowRight");
    await page.waitForTimeout(1000);
    t.equal(await said.innerText(), "2×", "what rests holds");
    // What a button is refused is said where the console is closed.
    await page.getByRole("button", { name: /^Undo/ }).click();
    await page.getByText("there is no command to take back on this branch").waitFor();
  },

  async "the strip is one row with all it has, and heals everything at once (U-03, U-13)"(t) {
    const page = await t.open("#new");
    await t.seek(page, "0:30.0");
    await t.command(page, "fault partition c-2");
    t.equal(await page.locator(".plane .heal").count(), 0, "one cut is healed where it is");
    await t.command(page, "fault partition a-1");
    await t.seek(page, "1:30.0");
    await t.insist(page, "kubectl delete pod db-0 --grace-period=0 --force");
    await t.seek(page, "2:30.0");
    const strip = async (at) => {
      const all = await page.locator(".plane").evaluateAll((strips) => strips.map((strip) => {
        const parts = [...strip.children].filter((e) => e.checkVisibility() && !e.matches("h2")).map((e) => e.getBoundingClientRect());
        const isOne = Math.max(...parts.map((r) => r.top)) < Math.min(...parts.map((r) => r.bottom));
        return { over: strip.scrollWidth - strip.clientWidth, rows: isOne ? 1 : "several" };
      }));
      for (const { over, rows } of all) t.check(over <= 0 && rows === 1, `${at}: ${rows} rows, ${over} px out of sight`);
    };
    for (const [width, height] of [[768, 1024], [820, 1180], [1024, 768], [1280, 800], [1440, 900], [1920, 1080], [3840, 2160]]) {
      await page.setViewportSize({ width, height });
      await page.waitForTimeout(150);
      await strip(`${width} px`);
    }
    // On a phone two at most; the components that are up are one button, which says what can be done to each.
    for (const [width, height] of [[320, 568], [360, 640], [390, 844]]) {
      await page.setViewportSize({ width, height });
      await page.waitForTimeout(150);
      const { rows, over } = await page.locator(".plane").evaluate((strip) => {
        const all = [...strip.querySelectorAll("button, select")].filter((e) => e.checkVisibility()).map((e) => e.getBoundingClientRect());
        const tops = all.map((r) => r.top).sort((a, b) => a - b);
        return { rows: 1 + tops.filter((top, i) => i > 0 && top - tops[i - 1] > 20).length, over: strip.scrollWidth - strip.clientWidth };
      });
      t.check(rows <= 2 && over <= 0, `${width} px: ${rows} rows, ${over} px out of sight`);
      t.check(await page.locator(".plane .bad:visible .n:visible").count() === 1, `${width} px: what is broken is said in words`);
      await t.look(page, `strip-${width}`);
    }
    await page.locator(".plane").getByRole("button", { name: "Control plane" }).click();
    await page.getByRole("dialog", { name: "Control plane" }).getByRole("button", { name: /^scheduler: Crash it/ }).click();
    await page.locator(".plane .c.down").getByText("scheduler").waitFor({ state: "attached" });
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole("button", { name: "Editor" }).click();
    await page.getByRole("button", { name: "Beside the cluster" }).click();
    await page.locator(".code-beside .cm-content").waitFor();
    await strip("beside the editor");
    await t.look(page, "strip-beside");
    await page.getByRole("button", { name: "Close the editor" }).click();
    await page.getByRole("button", { name: "Compare with no commands" }).click();
    await page.locator(".runs .run").nth(1).waitFor();
    await strip("in a comparison");
    await t.look(page, "strip-compared");
    await page.getByRole("button", { name: "End the comparison" }).click();
    await page.locator(".plane").getByRole("button", { name: "Heal everything" }).click();
    await page.locator(".node.cut").first().waitFor({ state: "detached" });
    t.equal(await page.locator(".plane .heal").count(), 0, "nothing is left to heal");
  },

  async "a command that is given on the way to an instant waits until it is reached (T-01)"(t) {
    const page = await t.open("#new");
    await t.pause(page);
    const clock = page.getByLabel("Clock: type an instant to go there");
    await clock.fill("9:00");
    await clock.press("Enter");
    await t.command(page, "kubectl cordon b-1");
    await page.locator('[data-node="b-1"]').getByText("cordoned").waitFor();
    await page.locator('.page[data-now^="9:00"]').waitFor();
    await page.locator(".con").getByRole("button", { name: /Console/ }).click();
    t.equal(await page.locator(".con .log p.input").filter({ hasText: "kubectl cordon b-1" }).locator(".when").innerText(), "9:00.0", "when it was given");
  },
};
