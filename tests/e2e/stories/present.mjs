// Presenting, sharing, an address that keeps what is seen, and the console's pipes. T-03, U-08, K-01.

const shared = async (page, what) => {
  await page.getByRole("button", { name: /^Share/ }).click();
  const dialog = page.getByRole("dialog", { name: "Share" });
  if (what) await dialog.getByRole("group", { name: "What to share" }).getByRole("button", { name: what }).click();
  return dialog;
};

/** The address keeps a link to that instant. */
const keeps = (page, change) => page.waitForFunction((before) => location.hash.startsWith("#s1:") && location.href !== before, change);

/** A long link: a node whose labels no packer shortens. */
const LABELLED = `apiVersion: v1
kind: Node
metadata:
  name: labelled
  labels:
${Array.from({ length: 60 }, (_, i) => `    key-${i}: v${(Math.imul(i + 1, 0x9E3779B1) >>> 0).toString(36)}${(Math.imul(i + 7, 0x85EBCA6B) >>> 0).toString(36)}\n`).join("")}status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}, conditions: [{type: Ready, status: "True"}]}
`;

/** Each square of a code takes a whole number of dots: common readers find none in one whose squares differ. */
const wholeDots = async (t, code) => {
  const dots = await code.evaluate((svg) => svg.getBoundingClientRect().width * devicePixelRatio / svg.viewBox.baseVal.width);
  t.check(dots >= 2 && Math.abs(dots - Math.round(dots)) < 0.01, `${dots} dots a square`);
};

export const stories = {
  async "the code of a long link is sharp on a phone, black on white in both themes (U-08)"(t) {
    const page = await t.open("");
    await t.openFiles(page, { "labelled.yaml": LABELLED });
    await t.pause(page);
    for (const [width, height] of [[390, 844], [360, 640]]) {
      await page.setViewportSize({ width, height });
      const dialog = await shared(page);
      await dialog.getByRole("button", { name: "QR code" }).click();
      const code = dialog.getByRole("img", { name: /QR code/ });
      await code.waitFor();
      const squares = await code.evaluate((svg) => svg.viewBox.baseVal.width);
      t.check(squares > 117, `${squares} squares`);
      await wholeDots(t, code);
      for (const theme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme: theme });
        const ink = await code.evaluate((svg) => [...svg.children].map((part) => getComputedStyle(part).fill).join());
        t.equal(ink, "rgb(255, 255, 255),rgb(0, 0, 0)", theme);
      }
      await t.fits(page, `${width} px`);
      await code.scrollIntoViewIfNeeded();
      await t.look(page, `code-${width}`);
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    }
  },

  async "the address keeps what is seen, and Back goes back (T-03)"(t) {
    const page = await t.open("#new");
    await t.seek(page, "0:30.0");
    await keeps(page, "");
    await t.kept(page);
    const first = page.url();
    t.check(first.length < 2000, `${first.length} characters`);
    await t.seek(page, "1:00.0");
    await keeps(page, first);
    await t.kept(page);
    const entries = await page.evaluate(() => history.length);
    // Selecting something is no journey: the same entry.
    await page.locator("[data-node] [data-pod]").first().click();
    await keeps(page, page.url());
    t.equal(await page.evaluate(() => history.length), entries, "no entry of its own");
    await page.goBack();
    await page.locator('.page[data-now="0:30.0"]').waitFor();
    await page.goForward();
    await page.locator('.page[data-now="1:00.0"]').waitFor();

    // Another session is one step further.
    await page.evaluate(() => { location.hash = "#lesson=first-pod"; });
    await page.locator(".story").waitFor();
    await t.kept(page);
    await keeps(page, "");
    t.check(/first pod/i.test(await page.title()), await page.title());
    await page.goBack();
    await page.locator('.page[data-now="1:00.0"]').waitFor();
    t.check(/living cluster/.test(await page.title()), "the cluster that was there");

    // A bookmark opens in a browser that has never been here.
    const other = await t.open(first.slice(first.indexOf("#")));
    await other.locator('.page[data-now="0:30.0"]').waitFor();

    // What a page cannot open is nothing that the address keeps.
    await t.kept(other);
    await other.evaluate(() => { location.hash = "#s1:AAAA"; });
    await other.getByRole("dialog", { name: "This cannot be opened" }).waitFor();
    t.check(!other.url().includes("AAAA"), "the bad link is gone");
  },

  async "a presenter has the cluster, the story and the clock alone (U-08)"(t) {
    const page = await t.open("#lesson=first-pod");
    await page.locator(".story").waitFor();
    await t.pause(page);
    await (await shared(page)).getByRole("button", { name: "Present it here" }).click();
    await page.locator(".page.present").waitFor();
    t.equal(await page.locator(".side:visible, .con:visible, .time:visible, .tools:visible").count(), 0, "nothing else");
    const size = await page.locator(".story .prose p").first().evaluate((p) => parseFloat(getComputedStyle(p).fontSize));
    t.check(size >= 22, `${size} px`);
    await t.fits(page, "presenting");
    await t.look(page, "present");
    // Also the smallest text, and on a wall as large a part of it.
    const smallest = () => page.locator(":is(.story, .cluster, .presenting) *").evaluateAll((all) => Math.min(...all.filter((e) => e.checkVisibility({ visibilityProperty: true })
      && !e.closest(".sr") && [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim())).map((e) => parseFloat(getComputedStyle(e).fontSize))));
    for (const [width, height, least] of [[1920, 1080, 22], [2560, 1440, 22], [3840, 2160, 32]]) {
      await page.setViewportSize({ width, height });
      const px = await smallest();
      t.check(px >= least, `${width}: ${px} px`);
      await t.fits(page, `presenting at ${width}`);
      await t.screenshot(page, `present-${width}`);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.keyboard.press("x");
    await page.mouse.move(500, 400);
    await page.locator(".spotlight").waitFor();
    t.equal(await page.locator(".spotlight").evaluate((s) => getComputedStyle(s).getPropertyValue("--x")), "500px", "it follows the pointer");
    await t.screenshot(page, "spotlight");
    await page.keyboard.press("x");
    await page.locator(".spotlight").waitFor({ state: "detached" });
    await page.keyboard.press("q");
    const code = page.getByRole("img", { name: /QR code/ });
    await code.waitFor();
    const modules = await code.evaluate((svg) => svg.viewBox.baseVal.width);
    t.check((modules - 8 - 17) % 4 === 0 && modules > 60, `${modules} squares`);
    await wholeDots(t, code);
    await t.look(page, "present-code");
    await page.keyboard.press("q");
    // A remote's keys turn the steps that have been reached, and no others.
    await page.keyboard.press("PageUp");
    await page.keyboard.press("Escape");
    await page.locator(".page.present").waitFor({ state: "detached" });
    await page.locator(".side").waitFor();
  },

  async "a frame of each size shows a node, and what its story asks for (E-03)"(t) {
    const page = await t.open("#lesson=first-pod&embed=story,cluster,timeline");
    const [node, button] = [page.locator("[data-node]").first(), page.locator(".story .try button")];
    await node.waitFor();
    for (const [width, height] of [[960, 640], [720, 480], [1280, 720], [420, 720]]) {
      const at = `${width} × ${height}`;
      await page.setViewportSize({ width, height });
      const cluster = await page.locator(".cluster").boundingBox();
      const card = await node.boundingBox();
      t.check(card.y + 60 <= cluster.y + cluster.height, `${at}: a node at ${card.y}, the cluster ends at ${cluster.y + cluster.height}`);
      const [box, foot] = [await button.boundingBox(), await page.locator(".story-foot").boundingBox()];
      // A wide one has a column for its story, which scrolls.
      if (width < 1000) t.check(box.y + box.height <= foot.y, `${at}: the button at ${box.y}, the foot at ${foot.y}`);
      const spilt = await page.locator(".meter").evaluateAll((all) => all.filter((e) => e.lastChild.getBoundingClientRect().right > e.closest(".node").getBoundingClientRect().right).length);
      t.equal(spilt, 0, `${at}: numbers beside their card`);
      await t.fits(page, at);
      await t.look(page, `frame-${width}`);
    }
  },

  async "a frame has chosen parts, and shows itself first (E-03)"(t) {
    const page = await t.open("#lesson=first-pod");
    await page.locator(".story").waitFor();
    const dialog = await shared(page, "Frame");
    const field = dialog.getByLabel("Frame", { exact: true });
    await field.waitFor();
    t.check((await field.inputValue()).includes("&embed=story,cluster,timeline\""), "the story is in it");
    // The choosers say what is chosen from the beginning.
    t.equal(await dialog.getByLabel("Size").locator("option:checked").innerText(), "960 × 640", "the size");
    t.equal(await dialog.getByLabel("Theme").locator("option:checked").innerText(), "the visitor's", "the theme");
    await dialog.getByLabel("Timeline").uncheck();
    await dialog.getByLabel("Size").selectOption({ label: "720 × 480" });
    await dialog.getByLabel("Theme").selectOption("dark");
    t.check(/&embed=story,cluster&theme=dark" width="720" height="480"/.test(await field.inputValue()), "what was chosen");
    await dialog.getByRole("button", { name: "Preview" }).click();
    const frame = page.frameLocator(".share iframe");
    await frame.locator(".story").waitFor();
    await frame.locator("[data-node]").first().waitFor();
    t.equal(await frame.locator(".time").count(), 0, "no timeline");
    t.equal(await frame.locator(":root").evaluate(() => innerWidth), 720, "it is as wide as it will be");
    await t.screenshot(page, "share-frame-preview");
    await dialog.getByRole("button", { name: "End the preview" }).click();
    await t.look(page, "share-frame");
  },

  async "a span of the timeline is a film (T-06)"(t) {
    const page = await t.open("#new");
    await t.seek(page, "0:10.0");
    await t.command(page, "kubectl run actor --image=app");
    await t.seek(page, "0:30.0");
    const dialog = await shared(page, "Film");
    await dialog.getByLabel("From").fill("5s");
    await dialog.getByLabel("to", { exact: true }).fill("25s");
    await dialog.getByRole("combobox").selectOption("6");
    await dialog.getByRole("button", { name: "Make the film" }).click();
    const film = dialog.getByRole("img", { name: "The film" });
    await film.waitFor({ timeout: 60_000 });
    t.check(await film.evaluate(async (image) => { await image.decode(); return image.naturalWidth > 800; }), "it is a picture");
    await t.look(page, "share-film");
    const file = await t.download(page, () => dialog.getByRole("button", { name: "Save the film" }).click());
    t.equal(file.name, "podscope-film.svg");
    const text = file.bytes.toString();
    t.check(text.includes("default/actor Running") && text.includes("<animate "), "the pod comes to it");
    t.check(file.bytes.length < 400_000, `${file.bytes.length} bytes`);
    t.equal(await t.now(page), "0:30.0", "the session stays where it is");
    // What is no span is said in the dialog, at its field.
    const [from, to, said] = [dialog.getByLabel("From"), dialog.getByLabel("to", { exact: true }), dialog.getByRole("alert")];
    for (const [start, end, why] of [["2h", "3h", "What was played ends at 0:30.0."], ["5s", "ten seconds", "An instant looks like 90s, 1:30 or 5m."], ["5s", "", "An instant looks like 90s, 1:30 or 5m."], ["9s", "5s", "A film's end lies after its beginning."]]) {
      await from.fill(start);
      await to.fill(end);
      t.equal(await said.count(), 0, "what was said before is gone");
      await dialog.getByRole("button", { name: "Make the film" }).click();
      await said.getByText(why, { exact: true }).waitFor();
      await page.locator(".share input[aria-invalid=true]:focus").waitFor();
      t.equal(await to.getAttribute("aria-describedby"), await said.getAttribute("id"), end);
    }
    t.equal(await page.locator(".toast").count(), 0, "nothing is said behind the dialog");
    await t.look(page, "share-film-wrong");
  },

  async "the console has pipes, k, pasted lines and clear (K-01)"(t) {
    const page = await t.open("#new");
    await t.seek(page, "0:20.0");
    const field = page.getByLabel("Command", { exact: true });
    const log = page.locator(".con .log");
    const give = async (line) => { await field.fill(line); await field.press("Enter"); };
    t.check(/^Type a command/.test(await field.getAttribute("placeholder")), "the placeholder is no command");
    await give("clear");
    await give("k get nodes | grep ^a- | wc -l");
    await log.locator("p.output").getByText("2", { exact: true }).waitFor();
    await give("kubectl get nodes | head -1");
    await log.locator("p.output").getByText(/^NAME\s+STATUS/).waitFor();
    await give("kubectl get pods | jq .");
    await log.getByText("jq: a pipe leads to").waitFor();
    // An instant is said once for each command.
    t.equal(await log.locator("p.output .when").allInnerTexts().then((all) => all.join("")), "", "not at its lines");
    await give("clear");
    await log.locator("p.input").first().waitFor({ state: "detached" });

    // Several lines wait for a look and an Enter.
    const text = "# two things\nkubectl apply -f - <<EOF\napiVersion: v1\nkind: Pod\nmetadata: {name: pasted}\nspec: {containers: [{name: c, image: \"app:1\"}]}\nEOF\nkubectl label node a-1 looked=yes\n";
    await field.focus();
    await page.evaluate((text) => {
      const data = new DataTransfer();
      data.setData("text/plain", text);
      document.activeElement.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
    }, text);
    await page.locator(".con .block").getByText("Enter runs these 2 commands").waitFor();
    await t.look(page, "console-paste");
    await field.press("Enter");
    await log.getByText("pod/pasted created").waitFor();
    await log.getByText("node/a-1 labeled").waitFor();

    // A here-document typed line by line.
    for (const line of ["kubectl apply -f - <<EOF", "apiVersion: v1", "kind: Namespace", "metadata:", "  name: typed", "EOF"]) await give(line);
    await log.getByText("namespace/typed created").waitFor();

    // A watch's lines stay together.
    await give("clear");
    await give("kubectl get pods -w");
    await log.getByText(/^NAME/).first().waitFor();
    await give("kubectl get nodes | tail -1");
    await give("kubectl delete pod pasted --now");
    await log.locator("p .text").filter({ hasText: /pasted.*Terminating/ }).first().waitFor();
    await give("stop");
    await page.waitForTimeout(300);
    const lines = await log.locator("p .text").allInnerTexts();
    const at = (what) => lines.findIndex((line) => line.includes(what));
    t.check(lines.slice(0, at("› kubectl get nodes")).some((line) => line.includes("pasted") && line.includes("Terminating")), "below the watch");
    await t.look(page, "console-watch");
  },

  async "code stands beside what it does, and is applied in a pause of the typing (U-07, U-17)"(t) {
    const page = await t.open("#new");
    await t.seek(page, "0:20.0");
    await page.getByRole("button", { name: "Editor" }).click();
    await page.getByRole("dialog", { name: "Editor" }).getByRole("button", { name: "Beside the cluster" }).click();
    const editor = page.getByRole("complementary", { name: "Editor beside the cluster" });
    await editor.locator(".cm-content").waitFor();
    const [code, cluster] = [await editor.boundingBox(), await page.locator("[data-node]").first().boundingBox()];
    t.check(cluster.x + cluster.width <= code.x, "side by side");
    const pod = (image) => `apiVersion: v1\nkind: Pod\nmetadata: {name: typed}\nspec:\n  containers:\n  - {name: c, image: ${image}}\n`;
    await t.write(editor, pod("___"));
    await editor.getByText("1 gap is left").waitFor();
    t.check(await editor.getByRole("button", { name: "Apply", exact: true }).isDisabled(), "a gap is not applied");
    // A field that the server does not know, in its words, and what they mean.
    await t.write(editor, pod("\"app:1\", imagePolicy: Always"));
    await editor.getByText(/unknown field .*imagePolicy/).waitFor();
    await editor.getByText(/look at its spelling/).waitFor();
    await t.look(page, "code-beside-problem");
    await editor.getByLabel("Apply as I type").check();
    await t.write(editor, pod("\"app:1\""));
    await page.locator('[data-pod="default/typed"]').waitFor();
    await editor.getByText("pod/typed created").waitFor();
    await t.look(page, "code-beside");
    await page.setViewportSize({ width: 390, height: 844 });
    await t.fits(page, "beside, on a phone");
    await page.setViewportSize({ width: 1440, height: 900 });
    await editor.getByRole("button", { name: "Close the editor" }).click();
    await editor.waitFor({ state: "detached" });
  },
};
