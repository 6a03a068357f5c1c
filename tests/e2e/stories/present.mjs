// Presenting, sharing, an address that holds the session's state, and pipes in the console.
import { chooseFromMore } from "../actions.mjs";
import { expect, test } from "../test.mjs";

const openShareDialog = async (page, whatToShare) => {
  await page.getByRole("button", { name: /^Share/ }).click();
  const dialog = page.getByRole("dialog", { name: "Share" });
  if (whatToShare) await dialog.getByRole("group", { name: "What to share" }).getByRole("button", { name: whatToShare }).click();
  return dialog;
};

/** Waits until the address holds a link to the session's state that differs from `previous`. */
const waitForNewAddress = (page, previous) => page.waitForFunction((before) => location.hash.startsWith("#s1:") && location.href !== before, previous);

/** A manifest that makes a long link: a node with labels that cannot be compressed. */
const LABELLED_NODE = `apiVersion: v1
kind: Node
metadata:
  name: labelled
  labels:
${Array.from({ length: 60 }, (_, i) => `    key-${i}: v${(Math.imul(i + 1, 0x9E3779B1) >>> 0).toString(36)}${(Math.imul(i + 7, 0x85EBCA6B) >>> 0).toString(36)}\n`).join("")}status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}, conditions: [{type: Ready, status: "True"}]}
`;

/** Each square of a QR code covers a whole number of pixels: common readers fail if the squares differ in size. */
const expectWholePixels = async (t, code) => {
  const pixels = await code.evaluate((svg) => svg.getBoundingClientRect().width * devicePixelRatio / svg.viewBox.baseVal.width);
  expect(pixels >= 2 && Math.abs(pixels - Math.round(pixels)) < 0.01, `${pixels} pixels per square`).toBeTruthy();
};

// Shows: U-08
test("the QR code of a long link is sharp on a phone, black on white in both themes", async ({ t }) => {
  const page = await t.open("");
  await t.openFiles(page, { "labelled.yaml": LABELLED_NODE });
  await t.pause(page);
  for (const [width, height] of [[390, 844], [360, 640]]) {
    await t.resize(page, width, height);
    const dialog = await openShareDialog(page);
    await dialog.getByRole("button", { name: "QR code" }).click();
    const code = dialog.getByRole("img", { name: /QR code/ });
    await expect(code).toBeVisible();
    const moduleCount = await code.evaluate((svg) => svg.viewBox.baseVal.width);
    expect(moduleCount, `${moduleCount} squares`).toBeGreaterThan(117);
    await expectWholePixels(t, code);
    for (const theme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme: theme });
      const colours = await code.evaluate((svg) => [...svg.children].map((part) => getComputedStyle(part).fill).join());
      expect(colours, theme).toBe("rgb(255, 255, 255),rgb(0, 0, 0)");
    }
    await t.expectNoOverflow(page, `${width} px`);
    await code.scrollIntoViewIfNeeded();
    await t.checkLooks(page, `code-${width}`);
    await page.keyboard.press("Escape");
    await expect(dialog).toHaveCount(0);
  }
});

// Shows: U-08, E-15
test("the QR code of an unchanged lesson is small, and can be saved and shown large", async ({ t }) => {
  const page = await t.open("#lesson=first-pod");
  await expect(page.locator(".story")).toBeVisible();
  const dialog = await openShareDialog(page);
  await dialog.getByRole("button", { name: "QR code" }).click();
  const moduleCount = await dialog.getByRole("img", { name: /QR code/ }).evaluate((svg) => svg.viewBox.baseVal.width);
  expect(moduleCount, "the code holds the lesson's name, not the session").toBeLessThan(50);
  const { name, bytes } = await t.download(page, () => dialog.getByRole("button", { name: "Save the code" }).click());
  expect(name).toBe("podscope-qr.png");
  expect(bytes.subarray(1, 4).toString()).toBe("PNG");
  await dialog.getByRole("button", { name: "Show it large" }).click();
  await expect(page.locator(".page.present > .code")).toBeVisible();
});

// Shows: T-03
test("the address holds the session's state, and Back restores it", async ({ t }) => {
  const page = await t.open("#new");
  await t.seek(page, "0:30.0");
  await waitForNewAddress(page, "");
  await t.waitUntilSaved(page);
  const firstAddress = page.url();
  expect(firstAddress.length, `${firstAddress.length} characters`).toBeLessThan(2000);
  await t.seek(page, "1:00.0");
  await waitForNewAddress(page, firstAddress);
  await t.waitUntilSaved(page);
  const entries = await page.evaluate(() => history.length);
  // A selection adds no history entry.
  await page.locator("[data-node] [data-pod]").first().click();
  await waitForNewAddress(page, page.url());
  expect(await page.evaluate(() => history.length), "no new history entry").toBe(entries);
  await page.goBack();
  await expect(page.locator('.page[data-now="0:30.0"]')).toBeVisible();
  await page.goForward();
  await expect(page.locator('.page[data-now="1:00.0"]')).toBeVisible();

  // Opening another session adds an entry to the browser's history.
  await page.evaluate(() => { location.hash = "#lesson=first-pod"; });
  await expect(page.locator(".story")).toBeVisible();
  await t.waitUntilSaved(page);
  await waitForNewAddress(page, "");
  expect(await page.title(), await page.title()).toMatch(/first pod/i);
  await page.goBack();
  await expect(page.locator('.page[data-now="1:00.0"]')).toBeVisible();
  expect(await page.title(), "the previous cluster").toMatch(/Free play/);

  // A bookmark opens in a browser without saved data.
  const other = await t.open(firstAddress.slice(firstAddress.indexOf("#")));
  await expect(other.locator('.page[data-now="0:30.0"]')).toBeVisible();

  // A link that cannot be opened does not stay in the address.
  await t.waitUntilSaved(other);
  await other.evaluate(() => { location.hash = "#s1:AAAA"; });
  await expect(other.getByRole("dialog", { name: "This cannot be opened" })).toBeVisible();
  expect(other.url(), "the invalid link is removed").not.toContain("AAAA");
});

// Shows: U-08
test("presentation mode shows only the cluster, the story and the clock", async ({ t }) => {
  const page = await t.open("#lesson=first-pod");
  await expect(page.locator(".story")).toBeVisible();
  await t.pause(page);
  await (await openShareDialog(page)).getByRole("button", { name: "Present it here" }).click();
  await expect(page.locator(".page.present")).toBeVisible();
  await expect(page.locator(".side:visible, .con:visible, .time:visible, .tools:visible"), "other parts are hidden").toHaveCount(0);
  const size = await page.locator(".story .prose p").first().evaluate((p) => parseFloat(getComputedStyle(p).fontSize));
  expect(size, `${size} px`).toBeGreaterThanOrEqual(22);
  await t.expectNoOverflow(page, "presenting");
  await t.checkLooks(page, "present");
  for (const [width, height] of [[1280, 800], [768, 1024]]) {
    await t.resize(page, width, height);
    const foot = await page.locator(".story-foot").boundingBox();
    const keys = await page.locator(".presenting").boundingBox();
    expect(foot.y + foot.height, `${width}: the keys do not cover the story's buttons`).toBeLessThanOrEqual(keys.y + 1);
  }
  // The smallest text is large enough too, even on a large screen.
  const smallestFontSize = () => page.locator(":is(.story, .cluster, .presenting) *").evaluateAll((all) => Math.min(...all.filter((e) => e.checkVisibility({ visibilityProperty: true })
    && !e.closest(".sr") && [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim())).map((e) => parseFloat(getComputedStyle(e).fontSize))));
  for (const [width, height, least] of [[1920, 1080, 22], [2560, 1440, 22], [3840, 2160, 32]]) {
    await t.resize(page, width, height);
    const px = await smallestFontSize();
    expect(px, `${width}: ${px} px`).toBeGreaterThanOrEqual(least);
    await t.expectNoOverflow(page, `presenting at ${width}`);
    await t.screenshot(page, `present-${width}`);
  }
  await t.resize(page, 1440, 900);
  await page.keyboard.press("x");
  await page.mouse.move(500, 400);
  await expect(page.locator(".spotlight")).toBeVisible();
  expect(await page.locator(".spotlight").evaluate((s) => getComputedStyle(s).getPropertyValue("--x")), "the spotlight follows the pointer").toBe("500px");
  await t.screenshot(page, "spotlight");
  await page.keyboard.press("x");
  await expect(page.locator(".spotlight")).toHaveCount(0);
  await page.keyboard.press("q");
  const code = page.getByRole("img", { name: /QR code/ });
  await expect(code).toBeVisible();
  const presentedModuleCount = await code.evaluate((svg) => svg.viewBox.baseVal.width);
  expect((presentedModuleCount - 8 - 17) % 4 === 0 && presentedModuleCount > 60, `${presentedModuleCount} squares`).toBeTruthy();
  await expectWholePixels(t, code);
  await t.checkLooks(page, "present-code");
  await page.keyboard.press("q");
  // The keys of a remote control move only between steps that the run has reached.
  await page.keyboard.press("PageUp");
  await page.keyboard.press("Escape");
  await expect(page.locator(".page.present")).toHaveCount(0);
  for (const part of [".tools", ".time", ".con"]) await expect(page.locator(part)).toBeVisible();
});

// Shows: E-03
test("an embedded frame of any size shows a node and the story's button", async ({ t }) => {
  const page = await t.open("#lesson=first-pod&embed=story,cluster,timeline");
  const [node, button] = [page.locator("[data-node]").first(), page.locator(".story .try button")];
  await expect(node).toBeVisible();
  for (const [width, height] of [[960, 640], [720, 480], [1280, 720], [420, 720]]) {
    const at = `${width} × ${height}`;
    await t.resize(page, width, height);
    const cluster = await page.locator(".cluster").boundingBox();
    const card = await node.boundingBox();
    expect(card.y + 60, `${at}: a node at ${card.y}, the cluster ends at ${cluster.y + cluster.height}`).toBeLessThanOrEqual(cluster.y + cluster.height);
    const [box, foot] = [await button.boundingBox(), await page.locator(".story-foot").boundingBox()];
    // A wide frame has a column for its story, which scrolls.
    if (width < 1000) expect(box.y + box.height, `${at}: the button at ${box.y}, the foot at ${foot.y}`).toBeLessThanOrEqual(foot.y);
    const overflowing = await page.locator(".node .capacity").evaluateAll((all) => all.filter((e) => e.getBoundingClientRect().right > e.closest(".node").getBoundingClientRect().right + 1).length);
    expect(overflowing, `${at}: capacity bars outside their card`).toBe(0);
    await t.expectNoOverflow(page, at);
    await t.checkLooks(page, `frame-${width}`);
  }
});

// Shows: E-03
test("an embedded frame shows the selected parts, and the dialog previews it", async ({ t }) => {
  const page = await t.open("#lesson=first-pod");
  await expect(page.locator(".story")).toBeVisible();
  const dialog = await openShareDialog(page, "Frame");
  const field = dialog.getByLabel("Frame", { exact: true });
  await expect(field).toBeVisible();
  expect(await field.inputValue(), "the frame includes the story").toContain("&embed=story,cluster,timeline\"");
  // The select elements show the initial choices.
  expect(await dialog.getByLabel("Size").locator("option:checked").innerText(), "the initial size").toBe("960 × 640");
  expect(await dialog.getByLabel("Theme").locator("option:checked").innerText(), "the initial theme").toBe("the visitor's");
  await dialog.getByLabel("Timeline").uncheck();
  await dialog.getByLabel("Size").selectOption({ label: "720 × 480" });
  await dialog.getByLabel("Theme").selectOption("dark");
  expect(await field.inputValue(), "the selected parts, theme and size").toMatch(/&embed=story,cluster&theme=dark" width="720" height="480"/);
  await dialog.getByRole("button", { name: "Preview" }).click();
  const frame = page.frameLocator(".share iframe");
  await expect(frame.locator(".story")).toBeVisible();
  await expect(frame.locator("[data-node]").first()).toBeVisible();
  await expect(frame.locator(".time"), "the timeline is excluded").toHaveCount(0);
  expect(await frame.locator(":root").evaluate(() => innerWidth), "the preview has the frame's width").toBe(720);
  await t.screenshot(page, "share-frame-preview");
  await dialog.getByRole("button", { name: "End the preview" }).click();
  await t.checkLooks(page, "share-frame");
});

// Shows: E-02, E-15
test("a lesson of this site has a short link and a small QR code until a command is run", async ({ t }) => {
  const lesson = `apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: mine}
spec: {title: A lesson of my own, cluster: {zones: [a], nodesPerZone: 1}, steps: [{text: "Create a pod.", goal: {count: pods, equals: 1}}]}
`;
  const page = await t.open("?scenario=lessons/my%20own.yaml", {
    before: (page) => page.route("**/lessons/my%20own.yaml", (route) => route.fulfill({ body: lesson, contentType: "application/yaml" })),
  });
  await expect(page).toHaveTitle(/^A lesson of my own/);
  const dialog = await openShareDialog(page);
  await expect(dialog.getByLabel("Link", { exact: true })).toHaveValue(/\/\?scenario=lessons\/my%20own\.yaml$/);
  await dialog.getByRole("button", { name: "QR code" }).click();
  const moduleCount = await dialog.getByRole("img", { name: /QR code/ }).evaluate((svg) => svg.viewBox.baseVal.width);
  expect(moduleCount).toBeLessThan(50);
  await expect(dialog.getByRole("button", { name: "Save the code" })).toBeVisible();
  await expect(dialog.getByRole("button", { name: "Show it large" })).toBeVisible();
  await page.keyboard.press("Escape");
  await t.command(page, "kubectl run x --image=a");
  const again = await openShareDialog(page);
  await expect(again.getByLabel("Link", { exact: true })).toHaveValue(/#s1:/);
});

// Shows: T-06
test("a span of the timeline can be saved as a film", async ({ t }) => {
  const page = await t.open("#new");
  await t.seek(page, "0:10.0");
  await t.command(page, "kubectl run actor --image=app");
  await t.seek(page, "0:30.0");
  const dialog = await openShareDialog(page, "Film");
  await dialog.getByLabel("From").fill("5s");
  await dialog.getByLabel("to", { exact: true }).fill("25s");
  await dialog.getByRole("combobox").selectOption("6");
  await dialog.getByRole("button", { name: "Make the film" }).click();
  const film = dialog.getByRole("img", { name: "The film" });
  await expect(film).toBeVisible({ timeout: 60_000 });
  expect(await film.evaluate(async (image) => { await image.decode(); return image.naturalWidth > 800; }), "the film is an image").toBeTruthy();
  await t.checkLooks(page, "share-film");
  const file = await t.download(page, () => dialog.getByRole("button", { name: "Save the film" }).click());
  expect(file.name).toBe("podscope-film.svg");
  const text = file.bytes.toString();
  expect(text.includes("default/actor Running") && text.includes("<animate "), "the film shows the pod's creation").toBeTruthy();
  expect(file.bytes.length, `${file.bytes.length} bytes`).toBeLessThan(400_000);
  // The same film as a video lasts as long, and its images differ over time.
  const video = await t.download(page, () => dialog.getByRole("button", { name: "Save as video" }).click());
  expect(video.name).toBe("podscope-film.webm");
  const player = await t.browser.newPage();
  const played = await player.evaluate(async (bytes) => {
    const video = document.createElement("video");
    const canvas = document.createElement("canvas");
    const framePixels = () => {
      [canvas.width, canvas.height] = [video.videoWidth, video.videoHeight];
      canvas.getContext("2d").drawImage(video, 0, 0);
      return canvas.toDataURL();
    };
    video.muted = true;
    video.src = `data:video/webm;base64,${bytes}`;
    await new Promise((resolve, reject) => { video.onloadeddata = resolve; video.onerror = () => reject(new Error(video.error.message)); });
    const firstFrame = framePixels();
    await video.play();
    await new Promise((resolve) => { video.onended = resolve; });
    return { width: video.videoWidth, seconds: video.currentTime, changes: framePixels() !== firstFrame };
  }, video.bytes.toString("base64"));
  await player.close();
  expect(played.width).toBeGreaterThan(800);
  expect(played.changes, "the last picture differs from the first").toBe(true);
  expect(played.seconds, "a film of 6 s").toBeGreaterThan(5);
  expect(await t.now(page), "the session's time is unchanged").toBe("0:30.0");
  // If the span is invalid, the dialog focuses the invalid field and shows the error.
  const [from, to, alert] = [dialog.getByLabel("From"), dialog.getByLabel("to", { exact: true }), dialog.getByRole("alert")];
  for (const [start, end, reason] of [["2h", "3h", "What was played ends at 0:30.0."], ["5s", "ten seconds", "An instant looks like 90s, 1:30 or 5m."], ["5s", "", "An instant looks like 90s, 1:30 or 5m."], ["9s", "5s", "A film's end lies after its beginning."]]) {
    await from.fill(start);
    await to.fill(end);
    await expect(alert, "the previous error is cleared").toHaveCount(0);
    await dialog.getByRole("button", { name: "Make the film" }).click();
    await expect(alert.getByText(reason, { exact: true })).toBeVisible();
    await expect(page.locator(".share input[aria-invalid=true]:focus")).toBeVisible();
    expect(await to.getAttribute("aria-describedby"), end).toBe(await alert.getAttribute("id"));
  }
  await expect(page.locator(".toast"), "no message appears behind the dialog").toHaveCount(0);
  await t.checkLooks(page, "share-film-wrong");
});

// Shows: K-01
test("the console supports pipes, the alias k, pasted lines and clear", async ({ t }) => {
  const page = await t.open("#new");
  await t.seek(page, "0:20.0");
  const field = page.getByLabel("Command", { exact: true });
  const log = page.locator(".con .log");
  const enterCommand = async (line) => { await field.fill(line); await field.press("Enter"); };
  await enterCommand("clear");
  await expect(field, "the placeholder is not shown as a command").toHaveAttribute("placeholder", /^Type a command/);
  await enterCommand("k get nodes | grep ^a- | wc -l");
  await expect(log.locator("p.output").getByText("2", { exact: true })).toBeVisible();
  await enterCommand("kubectl get nodes | head -1");
  await expect(log.locator("p.output").getByText(/^NAME\s+STATUS/)).toBeVisible();
  await enterCommand("kubectl get pods | jq .");
  await expect(log.getByText("jq: a pipe leads to")).toBeVisible();
  // The instant is shown once per command.
  expect(await log.locator("p.output .when").allInnerTexts().then((all) => all.join("")), "output lines have no instant").toBe("");
  await enterCommand("clear");
  await expect(log.locator("p.input").first()).toHaveCount(0);

  // Several pasted lines are shown first and run with Enter.
  const text = "# two things\nkubectl apply -f - <<EOF\napiVersion: v1\nkind: Pod\nmetadata: {name: pasted}\nspec: {containers: [{name: c, image: \"app:1\"}]}\nEOF\nkubectl label node a-1 looked=yes\n";
  await field.focus();
  await page.evaluate((text) => {
    const data = new DataTransfer();
    data.setData("text/plain", text);
    document.activeElement.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  }, text);
  await expect(page.locator(".con .block").getByText("Enter runs these 2 commands")).toBeVisible();
  await t.checkLooks(page, "console-paste");
  await field.press("Enter");
  await expect(log.getByText("pod/pasted created")).toBeVisible();
  await expect(log.getByText("node/a-1 labeled")).toBeVisible();

  // A here-document typed line by line.
  for (const line of ["kubectl apply -f - <<EOF", "apiVersion: v1", "kind: Namespace", "metadata:", "  name: typed", "EOF"]) await enterCommand(line);
  await expect(log.getByText("namespace/typed created")).toBeVisible();

  // The output lines of a watch stay together.
  await enterCommand("clear");
  await enterCommand("kubectl get pods -w");
  await expect(log.getByText(/^NAME/).first()).toBeVisible();
  await enterCommand("kubectl get nodes | tail -1");
  await enterCommand("kubectl delete pod pasted --now");
  await expect(log.locator("p .text").filter({ hasText: /pasted.*Terminating/ }).first()).toBeVisible();
  await enterCommand("stop");
  await t.waitUntilSettled(page);
  const lines = await log.locator("p .text").allInnerTexts();
  const lineIndex = (what) => lines.findIndex((line) => line.includes(what));
  expect(lines.slice(0, lineIndex("› kubectl get nodes")).some((line) => line.includes("pasted") && line.includes("Terminating")), "the watch's lines stay below the watch").toBeTruthy();
  await t.checkLooks(page, "console-watch");
});

// Shows: U-07, U-17
test("a manifest can be edited beside the cluster, and is applied when typing pauses", async ({ t }) => {
  const page = await t.open("#new");
  await t.seek(page, "0:20.0");
  await chooseFromMore(page, "Editor");
  await page.getByRole("dialog", { name: "Editor" }).getByRole("button", { name: "Beside the cluster" }).click();
  const editor = page.getByRole("complementary", { name: "Editor beside the cluster" });
  await expect(editor.locator(".cm-content")).toBeVisible();
  const [code, cluster] = [await editor.boundingBox(), await page.locator("[data-node]").first().boundingBox()];
  expect(cluster.x + cluster.width, "the editor is beside the cluster").toBeLessThanOrEqual(code.x);
  const pod = (image) => `apiVersion: v1\nkind: Pod\nmetadata: {name: typed}\nspec:\n  containers:\n  - {name: c, image: ${image}}\n`;
  await t.replaceText(editor, pod("___"));
  await expect(editor.getByText("1 gap is left")).toBeVisible();
  await expect(editor.getByRole("button", { name: "Apply", exact: true }), "a manifest with a gap cannot be applied").toBeDisabled();
  // An unknown field is reported as by the server, with a hint.
  await t.replaceText(editor, pod("\"app:1\", imagePolicy: Always"));
  await expect(editor.getByText(/unknown field .*imagePolicy/)).toBeVisible();
  await expect(editor.getByText(/look at its spelling/)).toBeVisible();
  await t.checkLooks(page, "code-beside-problem");
  await editor.getByLabel("Apply as I type").check();
  await t.replaceText(editor, pod("\"app:1\""));
  await expect(page.locator('[data-pod="default/typed"]')).toBeVisible();
  await expect(editor.getByText("pod/typed created")).toBeVisible();
  await t.checkLooks(page, "code-beside");
  await t.resize(page, 390, 844);
  await t.expectNoOverflow(page, "beside, on a phone");
  await t.resize(page, 1440, 900);
  await editor.getByRole("button", { name: "Close the editor" }).click();
  await expect(editor).toHaveCount(0);
});

// Shows: U-08, E-15
test("presentation mode has keys for timeline, timer and console; a question waits for the class", async ({ t }) => {
  const page = await t.open("#lesson=five-minutes");
  const story = page.getByRole("complementary", { name: "Story" });
  await expect(story.getByRole("region", { name: "A question" })).toBeVisible();
  await page.keyboard.press("Shift+P");
  await expect(page.locator(".page.present")).toBeVisible();
  await page.keyboard.press("v");
  await expect(page.locator(".time")).toBeVisible();
  await page.keyboard.press("v");
  await expect(page.locator(".time")).toHaveCount(0);
  await page.keyboard.press("z");
  await expect(page.getByRole("timer"), "it counts down").toHaveText("4:58");
  await page.getByRole("button", { name: "A minute more" }).click();
  await expect(page.getByRole("timer")).toHaveText(/^5:5/);
  for (let i = 0; i < 6; i++) await page.getByRole("button", { name: "A minute less" }).click();
  await expect(page.getByRole("timer")).toHaveText("0:00");
  await page.keyboard.press("r");
  const question = page.getByRole("region", { name: "A question for the class" });
  await expect(question.getByRole("listitem").first()).toBeVisible();
  await t.expectNoOverflow(page, "a question for the class");
  await t.checkLooks(page, "present-question");
  await page.keyboard.press("Escape");
  await expect(question).toHaveCount(0);
  await expect(page.locator(".page.present"), "Escape closes the question first").toBeVisible();
  await page.keyboard.press("r");
  await page.keyboard.press("r");
  await expect(question).toHaveCount(0);
  await expect(story.getByRole("region", { name: "Your prediction" })).toBeVisible();
  await page.keyboard.press("`");
  await expect(page.getByLabel("Command", { exact: true })).toBeFocused();
});
