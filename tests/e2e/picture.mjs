// `cargo xtask picture`: takes the screenshots of the README, light and dark. They show a node that was cut off and
// whose database pod was force-deleted, so that the API server's view and the machine differ.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { THEMES } from "./looks.mjs";
import { serve } from "./site.mjs";
import { ROOT, launch } from "./tools.mjs";
import { visit } from "./visit.mjs";

const SCENARIO = readFileSync(join(ROOT, "tests/e2e/picture.yaml"), "utf8");
const PICTURED_INSTANT = "9:00.0";

const site = await serve();
const browser = await launch();
const t = visit(browser, site);
for (const theme of THEMES) {
  const page = await t.open("?scenario=picture.yaml", {
    theme,
    before: (page) => page.route("**/picture.yaml", (route) => route.fulfill({ contentType: "text/plain", body: SCENARIO })),
  });
  await page.setViewportSize({ width: 1280, height: 920 });
  await page.locator("[data-zone] [data-node]").first().waitFor();
  const pause = page.getByRole("button", { name: "Pause" });
  if (await pause.count() > 0) await pause.click();
  const clock = page.getByLabel("Clock: type an instant to go there");
  await clock.fill(PICTURED_INSTANT);
  await clock.press("Enter");
  await page.locator(`.page[data-now="${PICTURED_INSTANT}"]`).waitFor();
  await page.locator('[data-ghost="true"]').first().click();
  await page.getByText(/^attempt \d+ of \d+/i).waitFor(); // the explanation is shown
  await page.screenshot({ path: join(ROOT, `.github/page-${theme}.png`), animations: "disabled" });
}
await t.end();
await browser.close();
site.close();
