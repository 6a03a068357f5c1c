// The page in its five languages, chosen by the address, the menu or the browser; lessons, search and layout in each.
// Shows: E-16
import { readdirSync } from "node:fs";
import { expect, test } from "../test.mjs";
import { DIST } from "../tools.mjs";

const LANGUAGES = {
  es: { name: "Español", lesson: "Tu primer Pod", query: "presupuesto" },
  id: { name: "Bahasa Indonesia", lesson: "Pod pertama Anda", query: "bujet" },
  uk: { name: "Українська", lesson: "Ваш перший Pod", query: "Бюджет" },
  zh: { name: "中文", lesson: "你的第一个 Pod", query: "预算" },
};

const pageLanguage = (page) => page.evaluate(() => document.documentElement.lang);

/** Lists texts that are not translated: consecutive English words outside of code, names and texts of Kubernetes. */
const untranslatedTexts = (page) => page.evaluate(() => {
  const isKubernetesText = (element) => element.closest("code, kbd, pre, textarea, .mono, [translate=no], [lang=en]:not(html)");
  const isPlainEnglish = (text) => /[a-z]{2,} [a-z]{2,}/.test(text) && !/[áéíóúýçñšžÁÉÍÓÚÇÑŠŝ]/.test(text);
  const untranslated = new Set();
  const textNodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = textNodes.nextNode());) {
    const story = node.parentElement.closest(".story .prose, .ask");
    // A text in a `bdi` may consist of several elements, such as names; the text of the whole `bdi` is checked.
    const text = (node.parentElement.closest("bdi") ?? node).textContent;
    if (!story && !isKubernetesText(node.parentElement) && isPlainEnglish(text)) untranslated.add(text.trim());
  }
  for (const name of ["aria-label", "title", "placeholder", "aria-valuetext"]) {
    for (const element of document.querySelectorAll(`[${name}]`)) {
      const text = element.getAttribute(name);
      // A tooltip may be the command of its button.
      const isCommand = /^(kubectl|fault|app) /.test(text);
      if (!isCommand && !isKubernetesText(element) && isPlainEnglish(text)) untranslated.add(`${name}: ${text}`);
    }
  }
  return [...untranslated];
});

/** Lists labels whose text is wider than their element. */
const clippedLabels = (page) => page.evaluate(() => [...document.querySelectorAll("button, label, .btn, h1, h2, h3, th, dt")]
  .filter((element) => element.checkVisibility() && !element.closest(".mono, .scene, #stage"))
  .filter((element) => element.clientWidth > 1 && element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).overflow !== "visible" && getComputedStyle(element).textOverflow !== "ellipsis")
  .map((element) => `${element.textContent.trim().slice(0, 60)}: ${element.scrollWidth} in ${element.clientWidth}`));

test("the menu changes the language without ending the run, and the choice survives a reload", async ({ t }) => {
  const page = await t.open("#new");
  await t.command(page, "kubectl cordon a-1");
  await t.seek(page, "0:05.0");
  const prompt = page.locator("input[role=combobox]").first();
  await prompt.fill("kubectl get po");
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByLabel("Language").selectOption("es");
  await expect.poll(() => pageLanguage(page)).toBe("es");
  // The menu stays open in the new language, and the simulated time does not change.
  await expect(page.getByLabel("Idioma")).toHaveValue("es");
  await expect(page.locator(".page")).toHaveAttribute("data-now", "0:05.0");
  await page.keyboard.press("Escape");
  await expect(prompt).toHaveValue("kubectl get po");
  await expect(page.locator('[data-node="a-1"]')).toContainText("acordonado");
  await t.waitUntilSaved(page);
  await page.reload();
  await t.waitUntilReady(page);
  expect(await pageLanguage(page)).toBe("es");
});

test("the lang parameter of an address sets the language of one visit", async ({ t }) => {
  const page = await t.open("#lang=uk");
  expect(await pageLanguage(page)).toBe("uk");
  await expect(page.locator(".page")).toBeVisible();
  await page.evaluate(() => { location.hash = "#lesson=first-pod&lang=id"; });
  await expect.poll(() => pageLanguage(page)).toBe("id");
  await expect(page.locator(".story .title")).toHaveText("Pod pertama Anda");
  // A reload opens the link of the session and keeps the language of the tab; a new tab does not inherit this language.
  await t.waitUntilSaved(page);
  await page.reload();
  await expect(page.locator(".story .title")).toHaveText("Pod pertama Anda");
  expect(await pageLanguage(page)).toBe("id");
  const newTab = await t.tab(page.context());
  expect(await pageLanguage(newTab)).toBe("en");
});

test("a first visit uses the browser's language", async ({ t }) => {
  const context = await t.browser.newContext({ locale: "zh-CN" });
  const page = await t.tab(context);
  expect(await pageLanguage(page)).toBe("zh");
  await context.close();
});

test("the page stays in English if the language's file is missing", async ({ t }) => {
  t.allowComplaint(/zh\.txt/);
  t.allowComplaint(/404/);
  const localesFolder = readdirSync(DIST).find((name) => name.startsWith("locales-"));
  t.site.replaced.set(`${localesFolder}/zh.txt`, null);
  const page = await t.open("#lang=zh");
  expect(await pageLanguage(page)).toBe("en");
  await expect(page.getByRole("button", { name: "Share" })).toBeVisible();
});

for (const [code, { name, lesson, query }] of Object.entries(LANGUAGES)) {
  test(`${name}: a lesson and the lesson search are translated, and no label is clipped`, async ({ t }) => {
    const page = await t.open(`#lesson=first-pod&lang=${code}`);
    await expect(page.locator(".story .title")).toHaveText(lesson);
    await expect(page.locator(".story .notice")).toHaveCount(0);
    await t.checkLooks(page, `language-${code}-lesson`);
    expect(await clippedLabels(page)).toEqual([]);
    await page.keyboard.press("l");
    const dialog = page.locator("dialog[open]");
    await dialog.getByRole("searchbox").fill(query);
    await expect(dialog.locator("[data-lesson], .cards button").first()).toBeVisible();
    expect(await clippedLabels(page)).toEqual([]);
    await t.checkLooks(page, `language-${code}-lessons`);
  });

  test(`${name}: the page does not overflow on a laptop, a tablet and a phone`, async ({ t }) => {
    const page = await t.open(`#lang=${code}`);
    for (const [width, height] of [[1366, 650], [820, 1180], [390, 844]]) {
      await t.resize(page, width, height);
      await t.expectNoOverflow(page, `${width}×${height}`);
      expect(await t.controlsOutsideWindow(page), `${width}×${height}`).toEqual([]);
      expect(await clippedLabels(page), `${width}×${height}`).toEqual([]);
      await t.checkLooks(page, `language-${code}-${width}`);
    }
    // The footer of a story has buttons for a hint, the solution and the next step side by side.
    await page.evaluate((code) => { location.hash = `#lesson=scheduling-gates&lang=${code}`; }, code);
    await expect(page.locator(".story-foot .next")).toBeVisible();
    expect(await t.controlsOutsideWindow(page), "a lesson on a phone").toEqual([]);
  });
}

// Shows: Q-09
test("the pseudo-locale leaves no sentence of Podscope in plain English", async ({ t }) => {
  const page = await t.open("#lang=en-XA");
  expect(await pageLanguage(page)).toBe("en-XA");
  expect(await untranslatedTexts(page), "start").toEqual([]);
  await page.keyboard.press("Escape");
  for (const key of ["?", "l", "s"]) {
    await page.keyboard.press(key);
    await expect(page.locator("dialog[open]")).toBeVisible();
    expect(await untranslatedTexts(page), key).toEqual([]);
    expect(await clippedLabels(page), key).toEqual([]);
    await page.keyboard.press("Escape");
  }
  await page.locator("[data-pod]").first().click();
  await expect(page.locator(".side")).toBeVisible();
  expect(await untranslatedTexts(page), "a pod").toEqual([]);
  await page.goto(`${t.url}#guarantees&lang=en-XA`);
  await page.reload();
  await expect(page.locator("main h2").first()).toBeVisible();
  expect(await untranslatedTexts(page), "guarantees").toEqual([]);
});
