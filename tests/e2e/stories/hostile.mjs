// Names, titles and texts in files may contain marks that change the writing direction, control characters, and letters
// that are written from right to left. The page makes such characters visible and isolates such texts.
import { chooseFromMore } from "../actions.mjs";
import { expect, test } from "../test.mjs";

const HIDDEN_CHARACTERS = "[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb]";
const RTL = "\u05e2\u05d1\u05e8"; // three Hebrew letters

/** A text with hidden characters and direction changes; `what` names the field that contains it. */
const hostileName = (what) => `${what} \\u202Egnp.exe\\e[2J \\u2066${RTL}\\u200B`;

const HOSTILE_SCENARIO = `apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: hostile}
spec:
  title: "${hostileName("title")}"
  seed: 1
  cluster: {zones: [a], nodesPerZone: 1}
  timeline:
  - {at: 2s, run: "kubectl annotate node a-1 note='${hostileName("note")}'"}
  - {at: 3s, run: "fault partition a-1"}
  steps:
  - text: "# ${hostileName("heading")}\\n\\n${hostileName("step")} \`${RTL} code\`\\n\\n- ${hostileName("item")}"
    try: "kubectl annotate pod web note='${hostileName("try")}' --overwrite"
    hints: ["${hostileName("hint")}"]
    goal: {count: pods, least: 9, say: "${hostileName("goal")}"}
  - text: "${hostileName("second")}"
    when: {count: pods, least: 9, say: "${hostileName("when")}"}
---
apiVersion: v1
kind: Pod
metadata: {name: web, annotations: {note: "${hostileName("annotation")}"}}
spec: {containers: [{name: c, image: "${hostileName("image")}"}]}
---
apiVersion: v1
kind: Node
metadata: {name: old, uid: 11111111-1111-1111-1111-111111111111}
spec: {taints: [{key: k, value: v, effect: NoSchedule}]}
status:
  capacity: {cpu: "4", memory: 8Gi, pods: "110"}
  allocatable: {cpu: "4", memory: 8Gi, pods: "110"}
  conditions: [{type: Ready, status: "False", reason: "${hostileName("reason")}", message: "${hostileName("message")}"}]
---
apiVersion: v1
kind: Pod
metadata: {name: imported, namespace: default, uid: 22222222-2222-2222-2222-222222222222}
spec: {nodeName: old, tolerations: [{operator: Exists}], containers: [{name: c, image: c}]}
status:
  phase: Running
  reason: "${hostileName("podreason")}"
  containerStatuses: [{name: c, image: c, imageID: "", ready: false, restartCount: 3, state: {waiting: {reason: "${hostileName("waiting")}", message: "${hostileName("words")}"}}}]
---
apiVersion: v1
kind: Event
metadata: {name: e, namespace: default, uid: 33333333-3333-3333-3333-333333333333}
involvedObject: {kind: Pod, namespace: default, name: imported, uid: 22222222-2222-2222-2222-222222222222}
reason: "${hostileName("eventreason")}"
message: "${hostileName("eventmessage")}"
type: Warning
`;

/** Lists shown texts with hidden characters, and right-to-left texts that change the order of the words around them. */
const hostileTexts = (page) => page.evaluate(({ hidden, rtl }) => {
  const hiddenCharacters = new RegExp(hidden, "u");
  const hostile = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { data, parentElement } = walker.currentNode;
    if (parentElement.closest("script, style, .cm-editor")) continue; // the editor shows such characters in its own way
    if (hiddenCharacters.test(data)) hostile.push(`hidden in <${parentElement.tagName} class=${parentElement.className}>: ${JSON.stringify(data)}`);
    // A block element does not change the direction of other texts; the text of an inline element must be isolated.
    const isWholeTextOfBlock = (element) => !/^inline/.test(getComputedStyle(element).display) && element.textContent.trim() === data.trim();
    if (data.includes(rtl) && !parentElement.closest("bdi, option, textarea, p, li, h2, h3, pre") && !isWholeTextOfBlock(parentElement)) {
      hostile.push(`turns what is around it in <${parentElement.tagName} class=${parentElement.className}>: ${JSON.stringify(data)}`);
    }
  }
  for (const element of document.querySelectorAll("[title], [aria-label], [aria-valuetext]")) {
    for (const name of ["title", "aria-label", "aria-valuetext"]) {
      if (hiddenCharacters.test(element.getAttribute(name) ?? "")) hostile.push(`hidden in ${name} of <${element.tagName} class=${element.className}>: ${JSON.stringify(element.getAttribute(name))}`);
    }
  }
  if (hiddenCharacters.test(document.title)) hostile.push(`hidden in the page's title: ${JSON.stringify(document.title)}`);
  return [...new Set(hostile)].join("\n");
}, { hidden: HIDDEN_CHARACTERS, rtl: RTL });

// Shows: Q-04
test("control characters in names are shown as escapes and do not change the text direction", async ({ t }) => {
  const page = await t.open("");
  await t.openFiles(page, { "a\u202Elmay.yaml": HOSTILE_SCENARIO });
  await t.seek(page, "0:30.0");
  const hostilePlaces = [];
  const expectNoHostileText = async (where) => {
    const texts = await hostileTexts(page);
    if (texts) hostilePlaces.push(`${where}: ${texts}`);
  };
  await expect(page.locator(".story").getByText("title \\u202e").or(page.locator(".story").getByText("heading \\u202e")).first()).toBeVisible();
  await expectNoHostileText("the cluster and the story");
  await t.screenshot(page, "hostile-names");
  for (const subject of ['[data-pod="default/imported"]', '[data-pod="default/web"]', '[data-select-node="old"]', '[data-select-node="a-1"]']) {
    await page.locator(subject).first().click();
    for (const tab of ["Life", "Events", "YAML"]) {
      await page.getByRole("tab", { name: tab }).click();
      await expect(page.locator("#tabpanel")).toBeVisible();
      await expectNoHostileText(`${subject}, ${tab}`);
    }
    await t.screenshot(page, "hostile-yaml");
    // The details may cover the object that is clicked next.
    await page.getByRole("button", { name: "Close the details" }).click();
  }
  await t.command(page, `kubectl get events -A -o jsonpath='{.items[*].message}'`);
  await page.getByLabel("Command", { exact: true }).focus();
  await expectNoHostileText("the console");
  await page.keyboard.press("Escape");
  await t.waitUntilSaved(page);
  for (const name of ["Files", "Share"]) {
    if (name === "Files") await chooseFromMore(page, name);
    else await page.getByRole("button", { name }).click();
    await expect(page.locator("dialog[open]")).toBeVisible();
    await expectNoHostileText(name);
    await page.keyboard.press("Escape");
    await expect(page.locator("dialog[open]")).toHaveCount(0);
  }
  for (const lane of ["Faults", "Commands", "Decisions", "Terminations", "Guarantees"]) {
    await page.getByRole("button", { name: /The lanes as lists/ }).click();
    await page.getByRole("dialog").getByRole("group", { name: "Lanes" }).getByRole("button", { name: lane }).click();
    await expectNoHostileText(`the list of ${lane}`);
    await page.keyboard.press("Escape");
    await expect(page.locator("dialog[open]")).toHaveCount(0);
  }
  // The message about a refused file quotes the file's text.
  await chooseFromMore(page, "Files");
  await page.locator(".files input[type=file]").first().setInputFiles({ name: "b\u202Elmay.yaml", mimeType: "text/plain", buffer: Buffer.from(`apiVersion: v1\nkind: Pod\nmetadata: {name: "${hostileName("name")}"}\nspec: {containers: []}\n`) });
  await expect(page.getByRole("dialog", { name: "This cannot be opened" })).toBeVisible();
  await expectNoHostileText("a refusal");
  expect(hostilePlaces.join("\n"), "what hides or turns").toBe("");
});
