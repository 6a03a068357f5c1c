// The site on hosts of all sorts: it must not care where it lies, nor how it is served. P-01.
import { on } from "../harness.mjs";

const HOSTS = {
  "at the root": { base: "/" },
  "deep below, with odd names": { base: "/~someone/a b/v1.2/" },
  "by a host that knows no media type of wasm": { base: "/x/", types: { ".wasm": "application/octet-stream", ".webmanifest": "text/plain" } },
};

const alive = (page) => page.locator("[data-zone] [data-node] [data-pod]").first().waitFor();

export const stories = Object.fromEntries(Object.entries(HOSTS).map(([name, host]) => [
  `it runs ${name}, and offline afterwards (P-01)`,
  on(host, async (t) => {
    const page = await t.open("", { offlineCopy: true });
    await alive(page);
    await t.keptOffline(page);
    await page.context().setOffline(true);
    await page.reload();
    await alive(page);
  }),
]));

stories["opened by the name of its file it works offline as well (P-01)"] = async (t) => {
  const page = await t.open("index.html", { offlineCopy: true });
  await alive(page);
  await t.keptOffline(page);
  await page.context().setOffline(true);
  await page.reload();
  await alive(page);
};

stories["it runs on a host without directory indexes, which keeps no copy (P-01)"] =
  on({ base: "/files/", index: false }, async (t) => {
    const page = await t.open("index.html", { offlineCopy: true });
    await alive(page);
  });
