// The site on hosts of all sorts: it must not care where it lies, nor how it is served.
import { expect, test } from "../test.mjs";

const HOSTS = {
  "at the root": { base: "/" },
  "deep below, with odd names": { base: "/~someone/a b/v1.2/" },
  "by a host that knows no media type of wasm": { base: "/x/", types: { ".wasm": "application/octet-stream", ".webmanifest": "text/plain" } },
};

const alive = (page) => expect(page.locator("[data-zone] [data-node] [data-pod]").first()).toBeVisible();

const alsoOffline = async (t, path = "") => {
  const page = await t.open(path, { offlineCopy: true });
  await alive(page);
  await t.waitForOfflineCopy(page);
  await page.context().setOffline(true);
  await page.reload();
  await alive(page);
};

for (const [name, host] of Object.entries(HOSTS)) {
  test.describe(() => {
    test.use({ host });

    // Shows: P-01
    test(`it runs ${name}, and offline afterwards`, async ({ t }) => {
      await alsoOffline(t);
    });
  });
}

// Shows: P-01
test("opened by the name of its file it works offline as well", async ({ t }) => {
  await alsoOffline(t, "index.html");
});

test.describe(() => {
  test.use({ host: { base: "/files/", index: false } });

  // Shows: P-01
  test("it runs on a host without directory indexes, which keeps no copy", async ({ t }) => {
    const page = await t.open("index.html", { offlineCopy: true });
    await alive(page);
  });
});
