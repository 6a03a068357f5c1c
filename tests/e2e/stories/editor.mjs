// The editor completes fields from the schema that `kubectl explain` lists. U-07.

const DEPLOYMENT = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: typed}\nspec:\n";

/** Takes what is offered; a list that has just come up does not take a key that was meant for the text. */
const take = async (page) => {
  await page.waitForTimeout(200);
  await page.keyboard.press("Enter");
};

/** Types the beginning of a field and takes the choice that is meant. */
const field = async (page, choices, beginning, choice) => {
  await page.keyboard.type(beginning);
  await choices.filter({ hasText: choice }).waitFor();
  await take(page);
};

export const stories = {
  async "fields complete as they are typed, by keys alone, with their types and words (U-07)"(t) {
    const page = await t.open("#new");
    await t.pause(page);
    await page.getByRole("button", { name: "Editor" }).click();
    const editor = page.getByRole("dialog", { name: "Editor" });
    await t.write(editor, DEPLOYMENT);
    await page.keyboard.press("Control+End");
    await page.keyboard.type("  rep");
    const choices = editor.locator(".cm-tooltip-autocomplete [role=option]");
    await choices.filter({ hasText: "replicas" }).waitFor();
    t.equal(await choices.filter({ hasText: "image" }).count(), 0, "a Deployment's fields, not a container's");
    await t.look(page, "editor-fields");
    await take(page);
    await page.keyboard.type("2");
    await page.keyboard.press("Enter");
    await field(page, choices, "templ", "template");
    await field(page, choices, "spe", /^spec/);
    await field(page, choices, "contain", /^containers/);
    await page.keyboard.type("imag");
    // In a list's first element the fields are a container's, each with its words.
    await choices.filter({ hasText: /^image\s*string/ }).waitFor();
    await editor.getByText("The image; pulled if the node does not have it.").waitFor();
    await take(page);
    await page.keyboard.type("app");
    const text = await editor.locator(".cm-content").innerText();
    const lines = text.split("\n").map((line) => line.trimEnd()).filter(Boolean).slice(3);
    t.equal(lines.join("/"), "spec:/  replicas: 2/  template:/    spec:/      containers:/      - image: app", "the text");
    // What is asked for with nothing typed yet, too; Escape leaves.
    await page.keyboard.press("Enter");
    await page.keyboard.press("Control+Space");
    await choices.filter({ hasText: "resources" }).first().waitFor();
    await page.keyboard.press("Escape");
    await choices.first().waitFor({ state: "detached" });
  },

  async "a scenario's own fields complete, and values where only some are taken (U-07, U-17)"(t) {
    const page = await t.open("#new");
    await t.pause(page);
    await page.getByRole("button", { name: "Editor" }).click();
    const editor = page.getByRole("dialog", { name: "Editor" });
    const choices = editor.locator(".cm-tooltip-autocomplete [role=option]");
    const offered = async (text) => {
      await choices.filter({ hasText: text }).first().waitFor();
      return choices.allInnerTexts();
    };
    await t.write(editor, "apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nspec:\n  title: Mine\n");
    await page.keyboard.press("Control+End");
    await page.keyboard.type("  ste");
    await offered(/^steps/);
    await take(page);
    await page.keyboard.type("pre");
    await offered(/^predict/);
    await t.look(page, "editor-scenario");
    await take(page);
    await page.keyboard.type("as");
    await offered(/^ask/);
    await editor.getByText("The question.").waitFor();
    await page.keyboard.press("Escape");
    // A value: offered as soon as its field is taken.
    await t.write(editor, "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n");
    await page.keyboard.press("Control+End");
    await page.keyboard.type("  restartP");
    await offered(/^restartPolicy/);
    await take(page);
    t.equal((await offered("OnFailure")).join(" "), "Always Never OnFailure", "values");
    await page.keyboard.type("Nev");
    await choices.filter({ hasText: "Always" }).waitFor({ state: "detached" });
    await take(page);
    await page.keyboard.press("Enter");
    await page.keyboard.type("tolerations:");
    await page.keyboard.press("Enter");
    await page.keyboard.type("- effect: ");
    t.equal((await offered("NoExecute")).length, 3, "effects");
    await page.keyboard.type("NoE");
    await take(page);
    const text = await editor.locator(".cm-content").innerText();
    t.check(/restartPolicy: Never\s+tolerations:\s+- effect: NoExecute/.test(text), text);
  },

  async "in flow style fields complete as in block style, and a scenario is one (U-07, U-17)"(t) {
    const page = await t.open("#new");
    await t.pause(page);
    await page.getByRole("button", { name: "Editor" }).click();
    const editor = page.getByRole("dialog", { name: "Editor" });
    const choices = editor.locator(".cm-tooltip-autocomplete [role=option]");
    await t.write(editor, "{apiVersion: v1, kind: Pod, metadata: {name: typed}, ");
    await page.keyboard.press("Control+End");
    await field(page, choices, "spe", /^spec/);
    await field(page, choices, "contain", /^containers/);
    await page.keyboard.type("name: a, imag");
    await choices.filter({ hasText: /^image\s*string/ }).waitFor();
    await t.look(page, "editor-flow");
    await take(page);
    await page.keyboard.type("app:1");
    await page.keyboard.press("Control+End");
    await page.keyboard.type("}");
    t.equal((await editor.locator(".cm-content").innerText()).trim(),
      "{apiVersion: v1, kind: Pod, metadata: {name: typed}, spec: {containers: [{name: a, image: app:1}]}}", "the text");
    await editor.getByText("No problems.").waitFor();
    const apply = editor.getByRole("button", { name: "Apply to the running cluster" });
    t.check(await apply.isEnabled(), "manifests are applied");
    await t.write(editor, "{apiVersion: podscope.dev/v1alpha1, kind: Scenario, metadata: {name: mine}, spec: {title: Mine, cluster: {zones: [a], nodesPerZone: 1}}}");
    await page.waitForFunction(() => [...document.querySelectorAll(".editor button")].find((b) => /^Apply/.test(b.innerText))?.disabled);
    t.check(await editor.getByRole("button", { name: "Start anew with this" }).isEnabled(), "a scenario is opened");
  },

  async "what is pasted is told by what it says: on the page, in the console (U-07, K-01)"(t) {
    const paste = (page, selector, text) => page.evaluate(([selector, text]) => {
      const data = new DataTransfer();
      data.setData("text/plain", text);
      document.querySelector(selector).dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true, composed: true }));
    }, [selector, text]);
    const page = await t.open("#new");
    await page.locator("[data-node]").first().waitFor();
    const heading = page.locator("h1");
    await paste(page, "body", "what is apiVersion: v1?");
    await paste(page, "body", "kubectl get pods\nkind: Pod");
    await paste(page, "body", "{apiVersion: podscope.dev/v1alpha1, kind: Scenario, metadata: {name: one}, spec: {title: In one line, cluster: {zones: [a], nodesPerZone: 1}}}");
    await heading.getByText("In one line").waitFor({ state: "attached" });
    t.equal(await page.locator("dialog").count(), 0, "other texts are left alone");
    await page.locator("[data-node]").first().waitFor();
    const field = page.getByLabel("Command", { exact: true });
    await field.click();
    await paste(page, ".con .line input", "{apiVersion: v1, kind: Namespace, metadata: {name: pasted}}");
    await page.getByText("Manifests: Enter applies them").waitFor();
    await field.press("Enter");
    await page.locator(".con .log").getByText("namespace/pasted created").waitFor();
    await paste(page, ".con .line input", "{apiVersion: podscope.dev/v1alpha1, kind: Scenario, metadata: {name: two}, spec: {title: From the console, cluster: {zones: [a], nodesPerZone: 2}}}");
    await page.getByText("A scenario: Enter opens it").waitFor();
    await t.look(page, "console-scenario");
    await field.press("Enter");
    await heading.getByText("From the console").waitFor({ state: "attached" });
    await page.locator("[data-node]").nth(1).waitFor();
  },
};
