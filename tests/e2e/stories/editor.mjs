// The editor completes fields from the schema that `kubectl explain` lists.
import { chooseFromMore } from "../actions.mjs";
import { expect, test } from "../test.mjs";

const DEPLOYMENT = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: typed}\nspec:\n";

/** Accepts the selected completion. A list that has just opened ignores keys, so the page's clock advances first. */
const acceptCompletion = async (page) => {
  await page.clock.fastForward(200);
  await page.keyboard.press("Enter");
};

/** Types the beginning of a field and accepts the completion `choice`. */
const completeField = async (page, completions, beginning, choice) => {
  await page.keyboard.type(beginning);
  await expect(completions.filter({ hasText: choice })).toBeVisible();
  await acceptCompletion(page);
};

// Shows: U-07
test("the editor completes fields by keyboard, with their types and descriptions", async ({ t }) => {
  const page = await t.open("#new", { before: (page) => page.clock.install() });
  await t.pause(page);
  await chooseFromMore(page, "Editor");
  const editor = page.getByRole("dialog", { name: "Editor" });
  await t.replaceText(editor, DEPLOYMENT);
  await page.keyboard.press("Control+End");
  await page.keyboard.type("  rep");
  const completions = editor.locator(".cm-tooltip-autocomplete [role=option]");
  await expect(completions.filter({ hasText: "replicas" })).toBeVisible();
  await expect(completions.filter({ hasText: "image" }), "a Deployment's fields, not a container's").toHaveCount(0);
  await t.checkLooks(page, "editor-fields");
  await acceptCompletion(page);
  await page.keyboard.type("2");
  await page.keyboard.press("Enter");
  await completeField(page, completions, "templ", "template");
  await completeField(page, completions, "spe", /^spec/);
  await completeField(page, completions, "contain", /^containers/);
  await page.keyboard.type("imag");
  // In an element of a list the fields of a container are offered, each with its description.
  await expect(completions.filter({ hasText: /^image\s*string/ })).toBeVisible();
  await expect(editor.getByText("The image; pulled if the node does not have it.")).toBeVisible();
  await acceptCompletion(page);
  await page.keyboard.type("app");
  const text = await editor.locator(".cm-content").innerText();
  const lines = text.split("\n").map((line) => line.trimEnd()).filter(Boolean).slice(3);
  expect(lines.join("/"), "the text").toBe("spec:/  replicas: 2/  template:/    spec:/      containers:/      - image: app");
  // Ctrl+Space offers fields before anything is typed; Escape closes the list.
  await page.keyboard.press("Enter");
  await page.keyboard.press("Control+Space");
  await expect(completions.filter({ hasText: "resources" }).first()).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(completions.first()).toHaveCount(0);
});

// Shows: U-07, U-17
test("the editor completes the fields of a scenario, and the values of enumerations", async ({ t }) => {
  const page = await t.open("#new", { before: (page) => page.clock.install() });
  await t.pause(page);
  await chooseFromMore(page, "Editor");
  const editor = page.getByRole("dialog", { name: "Editor" });
  const completions = editor.locator(".cm-tooltip-autocomplete [role=option]");
  const offeredCompletions = async (text) => {
    await expect(completions.filter({ hasText: text }).first()).toBeVisible();
    return completions.allInnerTexts();
  };
  await t.replaceText(editor, "apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nspec:\n  title: Mine\n");
  await page.keyboard.press("Control+End");
  await page.keyboard.type("  ste");
  await offeredCompletions(/^steps/);
  await acceptCompletion(page);
  await page.keyboard.type("pre");
  await offeredCompletions(/^predict/);
  await t.checkLooks(page, "editor-scenario");
  await acceptCompletion(page);
  await page.keyboard.type("as");
  await offeredCompletions(/^ask/);
  await expect(editor.getByText("The question.")).toBeVisible();
  await page.keyboard.press("Escape");
  // Values are offered as soon as their field is accepted.
  await t.replaceText(editor, "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n");
  await page.keyboard.press("Control+End");
  await page.keyboard.type("  restartP");
  await offeredCompletions(/^restartPolicy/);
  await acceptCompletion(page);
  expect((await offeredCompletions("OnFailure")).join(" "), "values").toBe("Always Never OnFailure");
  await page.keyboard.type("Nev");
  await expect(completions.filter({ hasText: "Always" })).toHaveCount(0);
  await acceptCompletion(page);
  await page.keyboard.press("Enter");
  await page.keyboard.type("tolerations:");
  await page.keyboard.press("Enter");
  await page.keyboard.type("- effect: ");
  expect((await offeredCompletions("NoExecute")).length, "effects").toBe(3);
  await page.keyboard.type("NoE");
  await acceptCompletion(page);
  const text = await editor.locator(".cm-content").innerText();
  expect(text, text).toMatch(/restartPolicy: Never\s+tolerations:\s+- effect: NoExecute/);
});

// Shows: U-07, U-17
test("the editor completes fields in YAML flow style, and recognises a scenario in flow style", async ({ t }) => {
  const page = await t.open("#new", { before: (page) => page.clock.install() });
  await t.pause(page);
  await chooseFromMore(page, "Editor");
  const editor = page.getByRole("dialog", { name: "Editor" });
  const completions = editor.locator(".cm-tooltip-autocomplete [role=option]");
  await t.replaceText(editor, "{apiVersion: v1, kind: Pod, metadata: {name: typed}, ");
  await page.keyboard.press("Control+End");
  await completeField(page, completions, "spe", /^spec/);
  await completeField(page, completions, "contain", /^containers/);
  await page.keyboard.type("name: a, imag");
  await expect(completions.filter({ hasText: /^image\s*string/ })).toBeVisible();
  await t.checkLooks(page, "editor-flow");
  await acceptCompletion(page);
  await page.keyboard.type("app:1");
  await page.keyboard.press("Control+End");
  await page.keyboard.type("}");
  expect((await editor.locator(".cm-content").innerText()).trim(), "the text").toBe("{apiVersion: v1, kind: Pod, metadata: {name: typed}, spec: {containers: [{name: a, image: app:1}]}}");
  await expect(editor.getByText("No problems.")).toBeVisible();
  const applyButton = editor.getByRole("button", { name: "Apply to the running cluster" });
  await expect(applyButton, "manifests can be applied").toBeEnabled();
  await t.replaceText(editor, "{apiVersion: podscope.dev/v1alpha1, kind: Scenario, metadata: {name: mine}, spec: {title: Mine, cluster: {zones: [a], nodesPerZone: 1}}}");
  await page.waitForFunction(() => [...document.querySelectorAll(".editor button")].find((b) => /^Apply/.test(b.innerText))?.disabled);
  await expect(editor.getByRole("button", { name: "Start anew with this" }), "a scenario can be opened").toBeEnabled();
});

// Shows: U-07, K-01
test("pasted text is recognised by its content, both on the page and in the console", async ({ t }) => {
  const paste = (page, selector, text) => page.evaluate(([selector, text]) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    document.querySelector(selector).dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true, composed: true }));
  }, [selector, text]);
  const page = await t.open("#new", { before: (page) => page.clock.install() });
  await expect(page.locator("[data-node]").first()).toBeVisible();
  const heading = page.locator("h1");
  await paste(page, "body", "what is apiVersion: v1?");
  await paste(page, "body", "kubectl get pods\nkind: Pod");
  await paste(page, "body", "{apiVersion: podscope.dev/v1alpha1, kind: Scenario, metadata: {name: one}, spec: {title: In one line, cluster: {zones: [a], nodesPerZone: 1}}}");
  await expect(heading.getByText("In one line")).toBeAttached();
  await expect(page.locator("dialog"), "other pasted texts are ignored").toHaveCount(0);
  await expect(page.locator("[data-node]").first()).toBeVisible();
  const commandField = page.getByLabel("Command", { exact: true });
  await commandField.click();
  await paste(page, ".con .line input", "{apiVersion: v1, kind: Namespace, metadata: {name: pasted}}");
  await expect(page.getByText("Manifests: Enter applies them")).toBeVisible();
  await commandField.press("Enter");
  await expect(page.locator(".con .log").getByText("namespace/pasted created")).toBeVisible();
  await paste(page, ".con .line input", "{apiVersion: podscope.dev/v1alpha1, kind: Scenario, metadata: {name: two}, spec: {title: From the console, cluster: {zones: [a], nodesPerZone: 2}}}");
  await expect(page.getByText("A scenario: Enter opens it")).toBeVisible();
  await t.checkLooks(page, "console-scenario");
  await commandField.press("Enter");
  await expect(heading.getByText("From the console")).toBeAttached();
  await expect(page.locator("[data-node]").nth(1)).toBeVisible();
});
