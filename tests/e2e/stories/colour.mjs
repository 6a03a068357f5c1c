// Without colour every state can still be distinguished: by shape, texture or a symbol. (tests/tests/all/palette.rs
// checks the colours for people with a colour-vision deficiency.)
import { chooseFromMore } from "../actions.mjs";
import { expect, test } from "../test.mjs";

/** Returns how many of a thousand pixels differ between two images by more than `threshold` in lightness. */
const perMilleOfDifferingPixels = (page, one, two, threshold) => page.evaluate(async ([one, two, threshold]) => {
  const greyPixels = async (png) => {
    const image = new Image();
    image.src = `data:image/png;base64,${png}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, canvas.width, canvas.height).data;
  };
  const [a, b] = await Promise.all([greyPixels(one), greyPixels(two)]);
  let differing = 0;
  for (let i = 0; i < Math.min(a.length, b.length); i += 4) differing += Math.abs(a[i] - b[i]) > threshold ? 1 : 0;
  return (differing * 4000) / Math.min(a.length, b.length);
}, [one, two, threshold]);

// Shows: U-08
test("the marks of pods can be distinguished without colour", async ({ t }) => {
  for (const theme of ["light", "dark"]) {
    const page = await t.open("", { theme });
    await t.pause(page);
    await t.openLegend(page);
    expect(await page.locator(".side > .marks li").count(), "the legend lists only the marks on the stage").toBeLessThan(5);
    await page.getByText("Marks that are not on the stage now").click();
    // Take out all colour, so that only lightness is left.
    await page.evaluate(() => { document.documentElement.style.filter = "grayscale(1)"; });
    const marks = [];
    for (const row of await page.locator(".marks li").all()) {
      const mark = row.locator(".pod");
      marks.push({ name: (await row.innerText()).trim(), png: (await mark.screenshot()).toString("base64") });
    }
    expect(marks.length, "the legend lists all states").toBeGreaterThanOrEqual(10);
    for (let i = 0; i < marks.length; i += 1) {
      for (let j = 0; j < i; j += 1) {
        const perMille = await perMilleOfDifferingPixels(page, marks[i].png, marks[j].png, 40);
        expect(perMille, `${theme}: "${marks[i].name}" and "${marks[j].name}" differ in ${perMille.toFixed(0)} ‰ of their pixels`).toBeGreaterThanOrEqual(30);
      }
    }
    await t.screenshot(page, `without-colour-${theme}`);
  }
});

// Shows: U-08, U-09
test("the overview of a large cluster takes the colours of the theme, also while time is paused", async ({ t }) => {
  const page = await t.open("", { theme: "light" });
  await t.pause(page);
  const scenarioText = "apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nmetadata: {name: big}\nspec:\n" +
    "  title: Two hundred nodes\n  cluster: {zones: [a, b], nodesPerZone: 100}\n";
  await chooseFromMore(page, "Files");
  await page.locator(".files input[type=file]").first().setInputFiles({ name: "big.yaml", mimeType: "text/plain", buffer: Buffer.from(scenarioText) });
  await expect(page.locator(".overview canvas")).toBeVisible();
  await t.seek(page, "0:05.0");
  // Returns the lightness of a point in the first zone's panel, where no node is drawn.
  const panelLightness = () => page.locator(".overview canvas").evaluate((canvas) => {
    const [r, g, b] = canvas.getContext("2d").getImageData(3, 3, 1, 1).data;
    return r + g + b;
  });
  const expectLightness = (what, [minimum, maximum]) => expect(async () => {
    const lightness = await panelLightness();
    expect(lightness, `${what}: the panel's lightness out of 765`).toBeGreaterThan(minimum);
    expect(lightness, `${what}: the panel's lightness out of 765`).toBeLessThan(maximum);
  }).toPass();
  const [bright, dim] = [[600, 766], [0, 200]];
  await expectLightness("a light system", bright);
  await page.emulateMedia({ colorScheme: "dark" });
  await expectLightness("a dark system", dim);
  // The menu stays open, so that the theme can be changed again.
  await chooseFromMore(page, /^Theme:/);
  await expectLightness("the page's own light theme", bright);
  const themeButton = page.getByRole("button", { name: /^Theme:/ });
  await themeButton.click();
  await expectLightness("the page's own dark theme", dim);
  await page.emulateMedia({ colorScheme: "light" });
  await themeButton.click();
  await expectLightness("a light system again", bright);
});
