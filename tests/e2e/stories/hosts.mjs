// The site works at any path and on any static host.
import { expect, test } from "../test.mjs";

/** For each tested host: the path of the site, and media types that replace the usual ones. */
const HOSTS = {
  "at the root": { base: "/" },
  "at a deep path with unusual characters": { base: "/~someone/a b/v1.2/" },
  "on a host without a media type for wasm": { base: "/x/", types: { ".wasm": "application/octet-stream", ".webmanifest": "text/plain" } },
};

const expectCluster = (page) => expect(page.locator("[data-zone] [data-node] [data-pod]").first()).toBeVisible();

const expectWorksOffline = async (t, path = "") => {
  const page = await t.open(path, { offlineCopy: true });
  await expectCluster(page);
  await t.waitForOfflineCopy(page);
  await page.context().setOffline(true);
  await page.reload();
  await expectCluster(page);
};

for (const [name, host] of Object.entries(HOSTS)) {
  test.describe(() => {
    test.use({ host });

    // Shows: P-01
    test(`the site runs ${name}, and offline afterwards`, async ({ t }) => {
      await expectWorksOffline(t);
    });
  });
}

// Shows: P-01
test("the site opened as index.html works offline as well", async ({ t }) => {
  await expectWorksOffline(t, "index.html");
});

test.describe(() => {
  test.use({ host: { base: "/files/", index: false } });

  // Shows: P-01
  test("the site runs without an offline copy on a host without directory indexes", async ({ t }) => {
    const page = await t.open("index.html", { offlineCopy: true });
    await expectCluster(page);
  });
});
