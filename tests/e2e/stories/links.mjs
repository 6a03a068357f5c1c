// A link holds the whole session; a malicious link does no harm; another page may frame panels.
// Shows: U-08
import { chooseFromMore } from "../actions.mjs";
import { expect, test } from "../test.mjs";

/** Opens the share dialog; returns it with its link. */
const openShareDialog = async (t, page) => {
  await page.getByRole("button", { name: /^Share/ }).click();
  const dialog = page.getByRole("dialog", { name: "Share" });
  const field = dialog.getByLabel("Link");
  await expect(field).toBeVisible();
  // The link is built anew when the dialog opens.
  await t.waitUntilSettled(page);
  const link = await field.inputValue();
  return { dialog, link };
};

const MALICIOUS = `apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: evil}
spec:
  title: "<img src=x onerror=window.harmed=1> \\u202Egnp.exe"
  seed: 1
  cluster: {zones: ["<script>window.harmed=1</script>"], nodesPerZone: 1}
  steps:
  - text: "# <script>window.harmed=1</script>\\n\\n[click](javascript:window.harmed=1) **bold** <svg onload=window.harmed=1>"
    try: "kubectl get pods"
---
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {kubernetes.io/hostname: n1, topology.kubernetes.io/zone: z, "evil": "x"}}
status: {capacity: {cpu: "4", memory: 8Gi, pods: "110"}, allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}
---
apiVersion: v1
kind: Pod
metadata:
  name: web
  annotations: {note: "<script>window.harmed=1</script><a href='javascript:window.harmed=1'>x</a> \\u202Etxt.js"}
spec:
  containers: [{name: c, image: "javascript:alert(1)"}]
`;

// Shows: T-03
test("a link restores the same screen in another browser", async ({ t }) => {
  const page = await t.open("");
  await t.seek(page, "0:30.0");
  await t.command(page, "fault partition a-1");
  await t.seek(page, "1:20.0");
  await page.locator('[data-node] [data-pod="default/db-0"]').click();
  await page.getByRole("tab", { name: "Events" }).click();
  await expect(page.locator(".events li").first()).toBeVisible();
  const marksBefore = await page.locator("[data-node] [data-pod]").evaluateAll((all) => all.map((p) => p.dataset.pod + p.className).sort().join());
  const { dialog, link } = await openShareDialog(t, page);
  await t.checkLooks(page, "share");
  expect(link.length, `${link.length} characters`).toBeLessThan(2000);
  expect((await dialog.locator(".length").innerText()).startsWith(String(link.length).slice(0, 1)), "the link's length is shown").toBeTruthy();

  const other = await t.open(`#${link.split("#")[1]}`);
  await expect(other.locator('.page[data-now="1:20.0"]')).toBeVisible();
  await expect(other.locator('.side[data-subject="db-0"]')).toBeVisible();
  await expect(other.getByRole("tab", { name: "Events" }), "the open tab is restored").toHaveAttribute("aria-selected", "true");
  await expect(other.locator('.node.cut[data-node="a-1"]')).toBeVisible();
  const marksAfter = await other.locator("[data-node] [data-pod]").evaluateAll((all) => all.map((p) => p.dataset.pod + p.className).sort().join());
  expect(marksAfter, "pods and their marks").toBe(marksBefore);
  // A reload continues the session, which the address names.
  await other.waitForFunction(() => localStorage.getItem("podscope:/any/sub-path/sessions"));
  await other.waitForFunction(() => location.hash.startsWith("#s1:"));
  await other.reload();
  await expect(other.locator('.page[data-now="1:20.0"]')).toBeVisible();
  expect(await other.evaluate(() => localStorage.getItem("podscope:/any/sub-path/sessions").split("\n").length), "no second session").toBe(1);
});

// Shows: Q-06
test("the names of objects can be removed from a link", async ({ t }) => {
  const page = await t.open("");
  await t.openFiles(page, { "secret.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: topsecret, namespace: default}\nspec: {containers: [{name: c, image: \"registry.corp.example/secret:1\"}]}\n" });
  await page.locator('[data-pod="default/topsecret"]').click(); // the link also holds the name of the selected pod
  const { dialog } = await openShareDialog(t, page);
  await dialog.getByLabel(/Rename objects first/).check();
  await expect(dialog.getByLabel("Link")).toBeVisible();
  // Saving the session meanwhile uses a link with names: the dialog must keep showing the link without them.
  await t.waitUntilSaved(page);
  await t.waitUntilSettled(page);
  const link = await dialog.getByLabel("Link").inputValue();
  const other = await t.open(`#${link.split("#")[1]}`);
  await t.seek(other, "0:10.0");
  await expect(other.locator("[data-pod]").first()).toBeVisible();
  const text = await other.locator("body").innerText();
  expect(text, "no original name is left").not.toMatch(/topsecret|corp\.example/);
});

// Shows: Q-03
test("an invalid link is refused, and the page shows the cluster of a first visit", async ({ t }) => {
  for (const hostile of ["s1:AAAA", "s1:%00%ff", "s999:abc", `s1:${"A".repeat(60_000)}`, "s1:<script>window.harmed=1</script>"]) {
    const page = await t.open(`#${hostile}`);
    await expect(page.getByRole("dialog", { name: "This cannot be opened" })).toBeVisible();
    await expect(page.locator("[data-zone] [data-node]").first()).toBeVisible();
    expect(await page.evaluate(() => window.harmed), "no script of the link ran").toBe(undefined);
    if (hostile === "s999:abc") await t.checkLooks(page, "refused-link");
    await page.context().close();
  }
});

// Shows: Q-04
test("markup in names and texts is shown as text", async ({ t }) => {
  const page = await t.open("");
  const executedMarkup = () => [window.harmed, document.querySelectorAll("img, script, a[href^=javascript]").length].join();
  const initialState = await page.evaluate(executedMarkup);
  await chooseFromMore(page, "Files");
  await page.locator(".files input[type=file]").first().setInputFiles({ name: "<b>evil</b>.yaml", mimeType: "text/plain", buffer: Buffer.from(MALICIOUS) });
  // Whether the file is refused or opened, none of it may become markup.
  await expect(page.getByText(/<script>|<img|<b>evil/).first()).toBeVisible();
  expect(await page.evaluate(executedMarkup), "no markup was executed").toBe(initialState);
  expect(initialState.startsWith(","), "no script ran before").toBeTruthy();
  await t.screenshot(page, "hostile-manifest");
  await page.keyboard.press("Escape");
  const validManifest = MALICIOUS.replace('zones: ["<script>window.harmed=1</script>"], nodesPerZone: 1', "zones: []");
  await t.openFiles(page, { "evil.yaml": validManifest });
  await t.seek(page, "0:10.0");
  await page.locator('[data-pod="default/web"]').click();
  for (const tab of ["Life", "Events", "YAML"]) {
    await page.getByRole("tab", { name: tab }).click();
    await expect(page.getByRole("tab", { name: tab })).toHaveAttribute("aria-selected", "true");
  }
  await expect(page.locator(".yaml").getByText("<script>").first()).toBeVisible();
  const link = (await openShareDialog(t, page)).link;
  const other = await t.open(`#${link.split("#")[1]}`);
  await expect(other.locator('[data-pod="default/web"]')).toBeVisible();
  for (const one of [page, other]) {
    expect(await one.evaluate(() => [window.harmed, document.querySelectorAll("a[href^=javascript], .story script, .story img, .story svg[onload]").length].join()), "no markup was executed").toBe(",0");
  }
  await expect(other.locator(".story a"), "a javascript link in a story is shown as text").toHaveCount(0);
  await t.screenshot(other, "hostile-link");
});

// Shows: E-03
test("an embedded frame shows only the panels that its address selects", async ({ t }) => {
  const page = await t.open("#lesson=spread-by-zone&embed=cluster,timeline&theme=dark");
  await expect(page.locator("[data-zone] [data-node]").first()).toBeVisible();
  await expect(page.locator(".side, .con, .story"), "panels that were not requested are hidden").toHaveCount(0);
  await expect(page.locator(".time"), "the requested timeline is shown").toHaveCount(1);
  expect(await page.evaluate(() => document.documentElement.dataset.theme), "theme").toBe("dark");
  await t.resize(page, 720, 480);
  await t.expectNoOverflow(page, "frame");
  await t.expectAccessible(page);
  await t.screenshot(page, "embedded");
  expect(await page.evaluate(() => localStorage.getItem("podscope:/any/sub-path/sessions")), "a frame does not change the visitor's session").toBe(null);
});

// Shows: E-04
test("the guarantees have a page of their own", async ({ t }) => {
  const page = await t.open("#guarantees");
  await expect(page.getByRole("heading", { name: "What Kubernetes guarantees" })).toBeVisible();
  await expect(page.locator("[data-guarantee]").nth(20), "all guarantees are listed").toBeVisible();
  await expect(page.locator('[data-guarantee] a[href^="#lesson="]').first()).toBeVisible();
  await t.checkLooks(page, "guarantees");
  await page.locator('[data-guarantee] a[href^="#lesson="]').first().click();
  await expect(page.locator("[data-zone] [data-node]").first()).toBeVisible();
});

// Shows: T-03, T-04
test("the link of a comparison opens the same comparison for its receiver", async ({ t }) => {
  const page = await t.open("#new");
  await t.seek(page, "0:30.0");
  await t.command(page, "fault poweroff c-2");
  await t.seek(page, "0:20.0");
  await t.command(page, "fault partition a-1");
  await t.seek(page, "0:40.0");
  await page.getByRole("button", { name: "Compare with fault poweroff c-2: side by side, on one clock" }).click();
  await expect(page.locator(".side-b [data-node]")).toHaveCount(6);
  await page.getByRole("button", { name: "Share" }).click();
  const field = page.getByLabel("Link", { exact: true });
  await expect(field).toHaveValue(/#s1:/);
  const link = await field.inputValue();
  const receiver = await t.open(link.slice(link.indexOf("#")));
  const titles = receiver.locator("h2.versus");
  await expect(titles).toHaveCount(2, { timeout: 60_000 });
  await expect(titles.nth(0)).toContainText("fault partition a-1");
  await expect(titles.nth(1)).toContainText("fault poweroff c-2");
  await expect(receiver.locator('.side-b [data-node="c-2"]').getByText(/off/i).first()).toBeVisible();
  await expect(receiver.locator('.page[data-now="0:40.0"]')).toBeVisible();
});

// Shows: T-04
test("a comparison opened from a link says 'its commands', not 'your commands', and has one End button", async ({ t }) => {
  const page = await t.open("#new");
  await t.seek(page, "0:30.0");
  await t.command(page, "kubectl scale deployment web --replicas=4");
  await page.getByRole("button", { name: "Compare with no commands" }).click();
  await expect(page.getByText("with its commands")).toBeVisible();
  await t.waitUntilSettled(page);
  const { link } = await openShareDialog(t, page);
  const receiver = await t.open(link.slice(link.indexOf("#")));
  await expect(receiver.getByText("with its commands")).toBeVisible({ timeout: 60_000 });
  await expect(receiver.getByText("your commands")).toHaveCount(0);
  await expect(receiver.getByRole("button", { name: /^End/ })).toHaveCount(1);
});

// Shows: U-08
test("an entered address is opened although the page writes its own address meanwhile", async ({ t }) => {
  // On a busy machine `hashchange` may come late: the test holds the event back until `window.report` is called.
  const page = await t.open("#new", { before: (page) => page.addInitScript(() => {
    addEventListener("hashchange", (event) => {
      if (!event.isTrusted) return;
      event.stopImmediatePropagation();
      window.report = () => dispatchEvent(new HashChangeEvent("hashchange"));
    });
  }) });
  await t.seek(page, "0:20.0");
  await t.command(page, "kubectl cordon a-1");
  await t.waitUntilSaved(page);
  await expect(page).toHaveURL(/#s1:/);
  await page.evaluate(() => { location.hash = "#lesson=first-pod"; });
  await t.command(page, "kubectl cordon a-2");
  await t.waitUntilSaved(page);
  await page.evaluate(() => window.report());
  await expect(page.getByRole("heading", { name: "Your first pod", exact: true })).toBeVisible();
});
