// `podscope serve --site`: the page shows changes that programs make through the API, and they see changes of the page.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { podscope } from "../binary.mjs";
import { expect, test } from "../test.mjs";
import { DIST } from "../tools.mjs";
import { visit } from "../visit.mjs";

const PODS_PATH = "api/v1/namespaces/default/pods";

/** Starts `podscope serve`, which runs until `stop` is called. */
async function startServer(program, port = 0) {
  const args = ["serve", "--site", DIST, "--speed", "10", "--port", String(port)];
  const server = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(createInterface(server.stdout), "line");
  const url = `${/^serving (\S+)$/.exec(line)[1]}/`;
  const fetchJson = async (path, options) => (await fetch(url + path, options)).json();
  return {
    url,
    port: Number(new URL(url).port),
    restore() {}, // nothing of the site is changed
    status: async (path) => (await fetch(url + path)).status,
    time: async () => (await fetchJson("podscope/v1/time")).t,
    createPod: (name) => fetchJson(PODS_PATH, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ metadata: { name }, spec: { containers: [{ name: "c", image: "nginx" }] } }),
    }),
    async stop() {
      if (server.exitCode !== null || server.signalCode !== null) return;
      server.kill();
      await once(server, "exit");
    },
  };
}

const podOnNode = (page, name) => page.locator(`[data-node] [data-pod="default/${name}"]`);
const serverBar = (page) => page.locator("#served");

let podscopePath;
test.beforeAll(() => { podscopePath = podscope(); });

const storyWithServer = test.extend({
  server: async ({}, use) => {
    const server = await startServer(podscopePath);
    await use(server);
    await server.stop();
  },
  t: async ({ browser, server }, use) => {
    const t = visit(browser, server);
    await use(t);
    await t.end();
  },
});

// Shows: P-11
storyWithServer("a page and API clients share one cluster, and a second page is read-only", async ({ server, t }) => {
  const page = await t.open();
  await expect(page.locator('html[data-served="leads"]')).toBeAttached();
  expect(page.workers(), "the server is the engine").toHaveLength(0);
  await expect(page.locator(".start"), "the cluster is not that of a first visit").toHaveCount(0);
  await server.createPod("from-http");
  await expect(podOnNode(page, "from-http")).toBeVisible();

  await t.command(page, "kubectl run from-page --image=nginx");
  await expect.poll(() => server.status(`${PODS_PATH}/from-page`)).toBe(200);
  await t.pause(page);
  const timeWhenPaused = await server.time();
  await page.getByRole("button", { name: "Play" }).click();
  await expect.poll(() => server.time(), "the button moves the server's clock").toBeGreaterThan(timeWhenPaused + 1);

  const secondPage = await t.open();
  await expect(serverBar(secondPage)).toContainText("another page leads");
  await page.reload();
  await expect(page.locator('html[data-served="leads"]'), "a reloaded page leads again").toBeAttached();
  await expect(podOnNode(secondPage, "from-http")).toBeVisible();
  await expect(serverBar(secondPage)).toContainText("another page leads");
  await t.command(secondPage, "kubectl delete pod from-http");
  await expect(secondPage.getByText("this page watches").first()).toBeAttached();
  expect(await server.status(`${PODS_PATH}/from-http`), "the watching page changes nothing").toBe(200);
  await podOnNode(secondPage, "from-page").click();
  await expect(secondPage.locator(".side"), "it selects for itself").toContainText("from-page");

  await serverBar(secondPage).getByRole("button", { name: "Take over" }).click();
  await expect(serverBar(secondPage)).toHaveCount(0);
  await expect(serverBar(page)).toContainText("another page leads");
  await t.command(secondPage, "kubectl run from-second --image=nginx");
  await expect(podOnNode(page, "from-second")).toBeVisible();
  await secondPage.context().close();
  await expect(serverBar(page), "the page that remains leads").toHaveCount(0);
});

// Shows: P-11
storyWithServer("a page reports that the server has ended, and reconnects to the next server", async ({ server, t }) => {
  t.allowComplaint(/WebSocket connection/);
  const page = await t.open();
  await server.createPod("before");
  await expect(podOnNode(page, "before")).toBeVisible();
  await server.stop();
  await expect(serverBar(page)).toContainText("podscope serve has ended");
  await serverBar(page).getByRole("button", { name: "Reconnect" }).click();
  await expect(serverBar(page)).toContainText("still does not answer");
  const nextServer = await startServer(podscopePath, server.port);
  await serverBar(page).getByRole("button", { name: "Try again" }).click();
  await expect(page.locator('html[data-served="leads"]')).toBeAttached();
  await nextServer.createPod("after");
  await expect(podOnNode(page, "after")).toBeVisible();
  await expect(podOnNode(page, "before"), "it is another cluster").toHaveCount(0);
  await nextServer.stop();
});
