// What comes next by itself: told, outlined in the future, and a press away. U-05, E-05.

const CUT = `apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: cut}
spec:
  title: A cut
  cluster: {zones: [a, b], nodesPerZone: 1}
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec: {nodeName: a-1, containers: [{name: app, image: "app:1"}]}
`;

export const stories = {
  async "a skip goes to what is due next, and says what came (T-07)"(t) {
    const page = await t.open("");
    await t.openFiles(page, { "cut.yaml": CUT });
    await t.pause(page);
    await t.seek(page, "0:10.0");
    await t.command(page, "fault partition a-1");
    const due = page.getByRole("region", { name: "What comes next" });
    await due.getByText("a-1 becomes NotReady").waitFor();
    await due.getByText("web is evicted").waitFor();
    await page.locator('[data-due="NotReady"]').waitFor({ state: "attached" });
    await t.look(page, "due");
    await due.getByRole("button", { name: "Skip ahead" }).click();
    await due.getByText("a-1 became NotReady.").waitFor();
    t.check(await page.getByRole("button", { name: "Play" }).isVisible(), "it stops there");
    await due.getByText("web is evicted").waitFor();
    await t.look(page, "skipped");
  },

  async "a skip to what the scenario does goes there in one press, where several things happen at one instant (T-07)"(t) {
    const page = await t.open("#lesson=why-not-running");
    await t.seek(page, "0:00.0");
    const due = page.getByRole("region", { name: "What comes next" });
    await due.getByText("the scenario goes on").waitFor();
    await due.getByRole("button", { name: "Skip ahead" }).click();
    await page.getByRole("complementary", { name: "Story" }).getByText("Here are four").waitFor();
  },
};
