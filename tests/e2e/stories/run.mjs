// The console and the stage show only the run that is open.
// Shows: K-01, U-04
import { chooseFromMore, command, confirmCommand, replaceText, waitUntilSettled } from "../actions.mjs";
import { expect, test } from "../test.mjs";

const enterCommand = async (page, line) => {
  const field = page.getByLabel("Command", { exact: true });
  await field.fill(line);
  await field.press("Enter");
};

test("a heading with the lesson's name separates the console lines of two runs", async ({ t }) => {
  const page = await t.open("#new");
  await t.seek(page, "0:20.0");
  await command(page, "kubectl get nodes");
  await page.evaluate(() => { location.hash = "#lesson=first-pod"; });
  await expect(page.getByRole("heading", { name: "Your first pod", exact: true })).toBeVisible();
  const log = page.locator(".con .log");
  await enterCommand(page, "kubectl get nodes");
  await expect(log.getByRole("heading")).toHaveText(["Your first pod"]);
  const headingsAndCommands = await log.locator("h3, p.input").allInnerTexts();
  expect(headingsAndCommands.map((text) => text.replace(/\s+/g, " ").replace(/^[\d:.]+ /, ""))).toEqual(["› kubectl get nodes", "Your first pod", "› kubectl get nodes"]);
  await t.checkLooks(page, "console-runs");
});

test("the console does not show an empty list as an error", async ({ t }) => {
  const page = await t.open("#new");
  await t.seek(page, "0:20.0");
  const log = page.locator(".con .log");
  for (const [line, text] of [
    ["kubectl get pods -n kube-public", "No resources found in kube-public namespace."],
    ["kubectl get ingresses", "No resources found"],
  ]) {
    await enterCommand(page, line);
    await expect(log.locator("p.notice").filter({ hasText: text }).last()).toBeVisible();
  }
  await expect(log.locator("p.error")).toHaveCount(0);
  await enterCommand(page, "kubectl get pod nobody");
  await expect(log.locator("p.error")).toContainText(["not found"]);
});

test("a command during a question prints one line: time waits for the answer", async ({ t }) => {
  const page = await t.open("#lesson=requests-not-usage");
  await expect(page.getByRole("region", { name: "A question" })).toBeVisible();
  for (let count = 1; count <= 2; count += 1) {
    await enterCommand(page, "kubectl cordon a-1");
    await expect(page.locator(".con .log p.notice").filter({ hasText: "Time waits for your answer" })).toHaveCount(count);
  }
  await expect(page.locator(".con .log").getByText("Time stands still")).toHaveCount(0);
});

for (const [size, width, height] of [["a laptop", 1366, 650], ["a tablet", 820, 1180], ["a phone", 390, 844], ["a low window", 844, 390]]) {
  test(`the open console does not cover the buttons Hint and Next on ${size}`, async ({ t }) => {
    const page = await t.open("#lesson=first-pod");
    await expect(page.getByRole("heading", { name: "Your first pod", exact: true })).toBeVisible();
    await t.resize(page, width, height);
    const more = page.getByRole("button", { name: "More", exact: true });
    if (await page.getByLabel("Command", { exact: true }).isVisible()) await page.keyboard.press("`");
    else { await more.click(); await page.getByRole("dialog", { name: "More" }).getByRole("button", { name: /^Console/ }).click(); }
    await enterCommand(page, "kubectl get nodes -o wide");
    await enterCommand(page, "help");
    await expect(page.locator(".con .log")).toBeVisible();
    await waitUntilSettled(page);
    for (const name of ["Hint", /^Next/]) {
      const covered = await page.locator(".story-foot").getByRole("button", { name }).evaluate((button) => {
        const { left, top, width, height } = button.getBoundingClientRect();
        const hit = document.elementFromPoint(left + width / 2, top + height / 2);
        return hit !== button && !button.contains(hit) ? hit?.outerHTML.slice(0, 80) ?? "outside the window" : "";
      });
      expect(covered, `${name} is covered at ${width}×${height}`).toBe("");
    }
    await page.getByRole("button", { name: "Close the console" }).click();
    await expect(page.locator(".con .log")).toHaveCount(0);
  });
}

test("the verdicts of a decision disappear when its pod is deleted", async ({ t }) => {
  const page = await t.open("#new");
  await t.seek(page, "0:20.0");
  await page.locator('[data-pod^="default/web-"]').first().click();
  await expect(page.locator(".node .verdict")).toHaveCount(6);
  const name = await page.locator(".side h2").innerText();
  await confirmCommand(page, `kubectl delete pod ${name} --grace-period=0 --force`);
  await page.getByRole("button", { name: "Play", exact: true }).click();
  await expect(page.locator(`[data-pod="default/${name}"]`)).toHaveCount(0);
  await expect(page.locator(".side h2"), "the details stay").toHaveText(name);
  await expect(page.locator(".node .verdict")).toHaveCount(0);
});

test("an error in YAML is reported at one position, with what is expected there", async ({ t }) => {
  const page = await t.open("#new");
  await chooseFromMore(page, "Editor");
  const editor = page.getByRole("dialog", { name: "Editor" });
  await expect(editor.locator(".cm-content")).toBeVisible();
  const pod = (rest) => `apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n${rest}`;
  for (const [text, position, needed] of [
    [pod("spec:\n  containers:\n  - name: c\n   image: x\n"), "8:4", "A key is needed here"],
    [pod("spec: {containers: [{name: c}\n"), /^\d+:\d+$/, "is still open"],
    [pod("spec:\n  restartPolicy: \"Always\n"), "6:18", "The quote that opens here"],
    [pod("spec:\n\trestartPolicy: Always\n"), /^6:\d$/, "Spaces are needed here"],
  ]) {
    await replaceText(editor, text);
    const problem = editor.locator(".problems li");
    await expect(problem.locator(".hint")).toContainText(needed);
    await expect(problem, "one problem with one position").toHaveCount(1);
    await expect(problem.locator(".where")).toHaveText(position);
  }
});
