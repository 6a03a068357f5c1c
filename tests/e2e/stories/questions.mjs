// Questions about an outcome that is not known yet: answered by a click in the cluster, with an option, or by keyboard.
// Shows: E-07
import { expect, test } from "../test.mjs";

const openLesson = async (t, name, options) => {
  const page = await t.open(`#lesson=${name}`, options);
  const story = page.getByRole("complementary", { name: "Story" });
  const question = story.getByRole("region", { name: "A question" });
  return { page, story, question };
};

const LESSON_ASKING_WHICH_POD = `apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: which}
spec:
  title: Who gets the traffic?
  cluster: {zones: [a, b], nodesPerZone: 1}
  timeline:
  - at: 1s
    apply: |
      {apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: {app: web}, ports: [{port: 80}]}}
      ---
      apiVersion: v1
      kind: Pod
      metadata: {name: one, labels: {app: web}, annotations: {behavior.podscope.dev/web: "readiness=fail@20s..1h"}}
      spec: {containers: [{name: web, image: "web:1", readinessProbe: {httpGet: {path: /, port: 80}, periodSeconds: 5}}]}
      ---
      apiVersion: v1
      kind: Pod
      metadata: {name: two, labels: {app: web}}
      spec: {containers: [{name: web, image: "web:1", readinessProbe: {httpGet: {path: /, port: 80}, periodSeconds: 5}}]}
  steps:
  - text: One of the two will fail its probe.
    when: {count: "pods -l app=web --field-selector=status.phase=Running", equals: 2}
    predict:
      ask: Who gets the traffic a minute later?
      is: {object: Endpoints default/web, path: ".subsets[0].addresses[*].targetRef.name", at: 60s}
      why: {one: "Its probe fails.", two: "Its probe succeeds."}
    goal: {count: pods, equals: 3}
`;

// Shows: E-06
test("a lesson that begins with a question shows no error and continues after the answer", async ({ t }) => {
  const { page, story, question } = await openLesson(t, "requests-not-usage");
  await expect(question.getByText("Time waits")).toBeVisible();
  await expect(page.locator(".toast"), "error messages").toHaveCount(0);
  await question.getByRole("button", { name: "3", exact: true }).click();
  await expect(page.locator('.page[data-playing="true"]')).toBeVisible();
  await page.waitForFunction(() => document.querySelector(".page").dataset.now !== "0:00.0");
  await expect(story.getByText(/You said 3/)).toBeVisible();
});

test("a click on a node answers the question, and the scheduler's other choice is explained", async ({ t }) => {
  const { page, story, question } = await openLesson(t, "two-constraints");
  await page.getByLabel("Speed").selectOption("6");
  await expect(question.getByText("Time waits")).toBeVisible();
  await page.locator('[data-node="a-3"]').click({ position: { x: 12, y: 12 } });
  await expect(question.locator(".mine", { hasText: "a-3" })).toBeVisible();
  await t.checkLooks(page, "question-by-click");
  await question.getByRole("button", { name: "a-3" }).click();
  const manifestField = story.getByLabel("Manifest");
  await expect(story.getByRole("button", { name: "Apply" }), "a manifest with gaps cannot be applied").toBeDisabled();
  const text = await manifestField.inputValue();
  await manifestField.fill(text.replace("___", "topology.kubernetes.io/zone").replace("___", "kubernetes.io/hostname"));
  await story.getByRole("button", { name: "Apply" }).click();
  await expect(story.locator(".starter"), "the server's answer stands below the manifest").toContainText(/created|configured/);
  await expect(story.getByText("You said a-3.")).toBeVisible();
  await expect(story.getByText("The answer was b-2")).toBeVisible();
  await expect(story.locator(".separates").getByText("a-3:")).toBeVisible();
  await t.checkLooks(page, "question-answered");
});

test("a question can be answered by keyboard alone", async ({ t }) => {
  const { page, story, question } = await openLesson(t, "spread-by-zone");
  await expect(question.getByText("Time waits")).toBeVisible();
  await question.getByRole("button", { name: "b-2" }).focus();
  await page.keyboard.press("Enter");
  await expect(story.getByText("You said b-2")).toBeVisible();
  await expect(page.getByRole("region", { name: "A question" }), "the question is closed").toHaveCount(0);
});

test("a clicked pod answers a question, and the right pod is marked afterwards", async ({ t }) => {
  const page = await t.open("");
  await t.openFiles(page, { "which.yaml": LESSON_ASKING_WHICH_POD });
  const story = page.getByRole("complementary", { name: "Story" });
  const question = story.getByRole("region", { name: "A question" });
  await expect(question.getByText("Click a node or pod")).toBeVisible();
  await page.locator('[data-pod="default/one"]').click();
  await expect(page.locator('[data-pod="default/one"].told-mine')).toBeVisible();
  await t.checkLooks(page, "question-by-pod");
  await question.getByRole("button", { name: "My answer: one" }).click();
  await page.getByLabel("Speed").selectOption("6");
  await expect(story.getByText("The answer was two")).toBeVisible();
  await expect(page.locator('[data-pod="default/one"].told-wrong')).toBeVisible();
  await expect(page.locator('[data-pod="default/two"].told-real')).toBeVisible();
  await expect(page.locator('[data-pod="default/two"]'), "the accessible name includes the outcome").toHaveAccessibleName(/so it is/);
  await t.checkLooks(page, "question-by-pod-answered");
});
