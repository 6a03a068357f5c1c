// The API server's view and reality: a partition, a forced deletion, two processes with one name.
// Shows: F-04, L-13
import { expect, test } from "../test.mjs";

// Shows: U-02
test("two processes named web-0 are shown after a partition and a forced deletion", async ({ t }) => {
  const page = await t.open("#lesson=partition-statefulset");
  const pod = page.locator('[data-pod="default/web-0"]');
  await expect(pod.first()).toBeVisible();
  const node = await pod.locator("xpath=ancestor::*[@data-node]").getAttribute("data-node");

  // Cut the link between node and control plane by a click; the button names its command.
  const link = page.locator(`[data-wire="${node}"]`);
  if (!(await link.getAttribute("aria-label")).includes("heal")) await link.click();
  await expect(page.locator(`.node.cut[data-node="${node}"]`)).toBeVisible();
  await page.getByLabel("Speed").selectOption("7");
  await expect(page.locator(`[data-node="${node}"]`).getByText(/cut off, no heartbeat for|cut off, last heard/)).toBeVisible();
  await expect(page.locator(`[data-node="${node}"] .m-unsure, [data-node="${node}"] .m-term`).first()).toBeVisible();
  // Until the node gets its taint, the scheduler would still choose the unreachable node.
  const nodeCard = page.locator(`[data-node="${node}"]`);
  await expect(nodeCard.getByText(/evicts in/).or(nodeCard.locator(".m-term")).first()).toBeVisible();

  // The dialog shows the consequence and the command before anything is executed.
  await pod.first().click();
  await page.locator(".doings").getByRole("button", { name: "Force delete" }).click();
  const confirm = page.getByRole("dialog", { name: "Are you sure?" });
  await expect(confirm.getByText(/--grace-period=0 --force/)).toBeVisible();
  await expect(confirm.getByText(/two/)).toBeVisible();
  await confirm.getByRole("button", { name: "I understand, do it" }).click();

  const ghost = page.locator('[data-ghost="true"][data-pod="default/web-0"]');
  const replacementPod = page.locator('[data-ghost="false"][data-pod="default/web-0"]');
  await expect(ghost).toBeVisible();
  await expect(replacementPod.and(page.locator(".m-ready, .m-starting"))).toBeVisible();
  await t.pause(page);
  await expect(ghost.locator("xpath=ancestor::*[@data-node]"), "the ghost's node").toHaveAttribute("data-node", node);
  expect(await replacementPod.locator("xpath=ancestor::*[@data-node]").getAttribute("data-node"), "the replacement is on another node").not.toBe(node);
  await expect(page.locator(`[data-node="${node}"] .truth`).getByText(/web-0/)).toBeVisible();
  // The notice covers the stage until it is closed.
  await page.locator("[data-broken]").getByRole("button", { name: /close/ }).click();
  await page.locator(".rail .chip.bad:visible").click();
  await expect(page.locator(".side").getByText(/Broken as well/)).toBeVisible();
  await page.locator(".side .promise").getByRole("button", { name: "at-most-one" }).or(page.locator('.side[data-subject="at-most-one"]')).first().click();
  await expect(page.locator(".side").getByText("at most one has live processes")).toBeVisible();
  await expect(page.locator(".side").getByText(/at-most-one/).first()).toBeVisible();
  await ghost.click();
  await expect(page.locator(".side").getByText(/the API has forgotten it/).first()).toBeVisible();
  // The details show the scheduling decision of the ghost (the process of the deleted pod), not of its replacement.
  await expect(page.locator(".side .lead").getByText(node).first()).toBeVisible();
  expect(await page.locator(".side .attempt").innerText(), "the ghost had one attempt").toMatch(/1 of 1/i);
  await replacementPod.click();
  await expect(page.locator(".side .lead").getByText(node).first()).toHaveCount(0);
  await ghost.click();
  await expect(page.locator(".side .lead").getByText(node).first()).toBeVisible();
  await t.checkLooks(page, "two-truths");
});

test("a command takes effect at once while time is paused, and a message mentions the pause", async ({ t }) => {
  const page = await t.open("");
  await t.seek(page, "0:30.0");
  const web = page.locator('[data-pod^="default/web-"].m-ready').first();
  const name = await web.getAttribute("data-pod");
  await web.focus();
  await page.keyboard.press("Delete");
  await expect(page.locator(`[data-pod="${name}"].m-term`)).toBeVisible();
  await expect(page.getByText("Time stands still: play or step to see what follows.").first()).toBeVisible();
  expect((await t.now(page)).startsWith("0:30."), "the time hardly changed").toBeTruthy();
  await page.locator('[data-node="b-1"] [data-wire]').click();
  await expect(page.locator('.node.cut[data-node="b-1"]')).toBeVisible();
});

// Shows: U-03, U-12
test("a pod dragged to the bin is deleted; dragging it to a node is refused", async ({ t }) => {
  const page = await t.open("");
  await t.seek(page, "0:40.0");
  const pod = page.locator('[data-pod^="default/web-"].m-ready').first();
  const name = await pod.getAttribute("data-pod");
  const node = await pod.locator("xpath=ancestor::*[@data-node]").getAttribute("data-node");
  const centreOf = async (locator) => {
    const box = await locator.boundingBox();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  const other = page.locator(`[data-node]:not([data-node="${node}"]) h3`).first();
  await page.mouse.move(...(await centreOf(pod)));
  await page.mouse.down();
  await page.mouse.move(...(await centreOf(other)), { steps: 8 });
  await page.mouse.up();
  await expect(page.locator(".toast").getByText(/there is no live migration|not rescheduled/i)).toBeVisible();
  await expect(page.locator(`[data-node="${node}"] [data-pod="${name}"]`), "the pod stays on its node").toHaveCount(1);

  await page.mouse.move(...(await centreOf(pod)));
  await page.mouse.down();
  await page.mouse.move(600, 500, { steps: 5 });
  await expect(page.locator(".bin")).toBeVisible();
  await t.screenshot(page, "bin");
  await page.mouse.move(...(await centreOf(page.locator(".bin"))), { steps: 5 });
  await page.mouse.up();
  await expect(page.locator(`[data-pod="${name}"].m-term`)).toBeVisible();
  // The command of the drag is the last one in the console.
  await page.getByLabel("Command", { exact: true }).click();
  await expect(page.getByLabel("Command", { exact: true }).and(page.locator('[placeholder*="kubectl delete pod"]'))).toBeVisible();
});
