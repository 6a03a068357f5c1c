// Without any colour every state is still told apart: shape, texture or a sign carries it too. U-08.
// (What the colours are to people with a colour-vision deficiency: tests/tests/palette.rs.)

/** How many pixels of two pictures differ by more than `least` in grey, in thousandths. */
const differ = (page, one, two, least) => page.evaluate(async ([one, two, least]) => {
  const grey = async (png) => {
    const image = new Image();
    image.src = `data:image/png;base64,${png}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, canvas.width, canvas.height).data;
  };
  const [a, b] = await Promise.all([grey(one), grey(two)]);
  let count = 0;
  for (let i = 0; i < Math.min(a.length, b.length); i += 4) count += Math.abs(a[i] - b[i]) > least ? 1 : 0;
  return (count * 4000) / Math.min(a.length, b.length);
}, [one, two, least]);

export const stories = {
  async "marks are told apart without colour (U-08)"(t) {
    for (const theme of ["light", "dark"]) {
      const page = await t.open("", { theme });
      await page.locator(".marks li").first().waitFor();
      await t.pause(page);
      // Lightness says nothing of a hue: all colour is taken out, and only light against dark is left.
      await page.evaluate(() => { document.documentElement.style.filter = "grayscale(1)"; });
      const marks = [];
      for (const row of await page.locator(".marks li").all()) {
        const mark = row.locator(".pod");
        marks.push({ name: (await row.innerText()).trim(), png: (await mark.screenshot()).toString("base64") });
      }
      t.check(marks.length >= 10, "all states have a row in the legend");
      for (let i = 0; i < marks.length; i += 1) {
        for (let j = 0; j < i; j += 1) {
          const share = await differ(page, marks[i].png, marks[j].png, 40);
          t.check(share >= 30, `${theme}: "${marks[i].name}" and "${marks[j].name}" differ in ${share.toFixed(0)} ‰ of their pixels`);
        }
      }
      await t.screenshot(page, `without-colour-${theme}`);
    }
  },
};
