// A link holds everything; a hostile one harms nobody; a page may be framed. T-03, E-03, Q-04, U-08.

/** The link of the share dialog. */
const shared = async (page) => {
  await page.getByRole("button", { name: /^Share/ }).click();
  const dialog = page.getByRole("dialog", { name: "Share" });
  const field = dialog.getByLabel("Link");
  await field.waitFor();
  // The link is made anew when the dialog opens.
  await page.waitForTimeout(400);
  const link = await field.inputValue();
  return { dialog, link };
};

const EVIL = `apiVersion: podscope.dev/v1alpha1
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

export const stories = {
  async "a link brings the same screen to somebody else (T-03)"(t) {
    const page = await t.open("");
    await t.seek(page, "0:30.0");
    await t.command(page, "fault partition a-1");
    await t.seek(page, "1:20.0");
    await page.locator('[data-node] [data-pod="default/db-0"]').click();
    await page.getByRole("tab", { name: "Events" }).click();
    await page.locator(".events li").first().waitFor();
    const marks = await page.locator("[data-node] [data-pod]").evaluateAll((all) => all.map((p) => p.dataset.pod + p.className).sort().join());
    const { dialog, link } = await shared(page);
    await t.look(page, "share");
    t.check(link.length < 2000, `${link.length} characters`);
    t.check((await dialog.locator(".length").innerText()).startsWith(String(link.length).slice(0, 1)), "its length is said");

    const other = await t.open(`#${link.split("#")[1]}`);
    await other.locator('.page[data-now="1:20.0"]').waitFor();
    await other.locator('.side[data-subject="db-0"]').waitFor();
    t.equal(await other.getByRole("tab", { name: "Events" }).getAttribute("aria-selected"), "true", "the open tab");
    await other.locator('.node.cut[data-node="a-1"]').waitFor();
    const again = await other.locator("[data-node] [data-pod]").evaluateAll((all) => all.map((p) => p.dataset.pod + p.className).sort().join());
    t.equal(again, marks, "pods and their marks");
    // A reload goes on with the session: it is the one that the address names.
    await other.waitForFunction(() => localStorage.getItem("podscope:/any/sub-path/sessions"));
    await other.waitForFunction(() => location.hash.startsWith("#s1:"));
    await other.reload();
    await other.locator('.page[data-now="1:20.0"]').waitFor();
    t.equal(await other.evaluate(() => localStorage.getItem("podscope:/any/sub-path/sessions").split("\n").length), 1, "no second session");
  },

  async "a link can leave names out (Q-06)"(t) {
    const page = await t.open("");
    await t.openFiles(page, { "secret.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: topsecret, namespace: default}\nspec: {containers: [{name: c, image: \"registry.corp.example/secret:1\"}]}\n" });
    await page.locator('[data-pod="default/topsecret"]').click(); // what is selected has a name too
    const { dialog } = await shared(page);
    await dialog.getByLabel(/Rename objects first/).check();
    await dialog.getByLabel("Link").waitFor();
    // The session is kept meanwhile, by a link with names: the dialog goes on showing the other one.
    await page.waitForTimeout(1500);
    const link = await dialog.getByLabel("Link").inputValue();
    const other = await t.open(`#${link.split("#")[1]}`);
    await t.seek(other, "0:10.0");
    await other.locator("[data-pod]").first().waitFor();
    const text = await other.locator("body").innerText();
    t.check(!/topsecret|corp\.example/.test(text), "names are gone");
  },

  async "a link that lies is refused, and the first visit takes its place (Q-03)"(t) {
    for (const hostile of ["s1:AAAA", "s1:%00%ff", "s999:abc", `s1:${"A".repeat(60_000)}`, "s1:<script>window.harmed=1</script>"]) {
      const page = await t.open(`#${hostile}`);
      await page.getByRole("dialog", { name: "This cannot be opened" }).waitFor();
      await page.locator("[data-zone] [data-node]").first().waitFor();
      t.equal(await page.evaluate(() => window.harmed), undefined, "nothing ran");
      if (hostile === "s999:abc") await t.look(page, "refused-link");
      await page.context().close();
    }
  },

  async "markup in names and texts stays text (Q-04)"(t) {
    const page = await t.open("");
    const markup = () => [window.harmed, document.querySelectorAll("img, script, a[href^=javascript]").length].join();
    const clean = await page.evaluate(markup);
    await page.getByRole("button", { name: "Files" }).click();
    await page.locator(".files input[type=file]").first().setInputFiles({ name: "<b>evil</b>.yaml", mimeType: "text/plain", buffer: Buffer.from(EVIL) });
    // Whether it is refused or opened, nothing of it is markup.
    await page.getByText(/<script>|<img|<b>evil/).first().waitFor();
    t.equal(await page.evaluate(markup), clean, "inert");
    t.check(clean.startsWith(","), "nothing was harmed before");
    await t.screenshot(page, "hostile-manifest");
    await page.keyboard.press("Escape");
    const tame = EVIL.replace('zones: ["<script>window.harmed=1</script>"], nodesPerZone: 1', "zones: []");
    await t.openFiles(page, { "evil.yaml": tame });
    await t.seek(page, "0:10.0");
    await page.locator('[data-pod="default/web"]').click();
    for (const tab of ["Life", "Events", "YAML"]) {
      await page.getByRole("tab", { name: tab }).click();
      await page.waitForTimeout(100);
    }
    await page.locator(".yaml").getByText("<script>").first().waitFor();
    const link = (await shared(page)).link;
    const other = await t.open(`#${link.split("#")[1]}`);
    await other.locator('[data-pod="default/web"]').waitFor();
    for (const one of [page, other]) {
      t.equal(await one.evaluate(() => [window.harmed, document.querySelectorAll("a[href^=javascript], .story script, .story img, .story svg[onload]").length].join()), ",0", "inert");
    }
    t.equal(await other.locator(".story a").count(), 0, "a link of a story is text");
    await t.screenshot(other, "hostile-link");
  },

  async "a page may frame chosen panels (E-03)"(t) {
    const page = await t.open("#lesson=spread-by-zone&embed=cluster,timeline&theme=dark");
    await page.locator("[data-zone] [data-node]").first().waitFor();
    t.equal(await page.locator(".side, .con, .story").count(), 0, "only what was asked for");
    t.equal(await page.locator(".time").count(), 1, "the timeline");
    t.equal(await page.locator(".dock button").allInnerTexts().then((all) => all.join()), "Timeline", "doors to what is there only");
    t.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark", "theme");
    await page.setViewportSize({ width: 720, height: 480 });
    await t.fits(page, "frame");
    await t.axe(page);
    await t.screenshot(page, "embedded");
    t.equal(await page.evaluate(() => localStorage.getItem("podscope:/any/sub-path/sessions")), null, "a frame leaves the visitor's session alone");
  },

  async "guarantees have a page of their own (E-04)"(t) {
    const page = await t.open("#guarantees");
    await page.getByRole("heading", { name: "What Kubernetes promises" }).waitFor();
    t.check(await page.locator("[data-guarantee]").count() > 20, "all of them");
    await page.locator('[data-guarantee] a[href^="#lesson="]').first().waitFor();
    await t.look(page, "guarantees");
    await page.locator('[data-guarantee] a[href^="#lesson="]').first().click();
    await page.locator("[data-zone] [data-node]").first().waitFor();
  },
};
