// Questions before their outcome: answered on the picture, by an option, by keys alone. E-06, E-07.

const lesson = async (t, name, options) => {
  const page = await t.open(`#lesson=${name}`, options);
  const story = page.getByRole("complementary", { name: "Story" });
  const question = story.getByRole("region", { name: "A question" });
  return { page, story, question };
};

const WHICH = `apiVersion: podscope.dev/v1alpha1
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

export const stories = {
  async "a lesson that begins with a question says nothing of it, and goes on with the answer (E-06)"(t) {
    const { page, story, question } = await lesson(t, "requests-not-usage");
    await question.getByText("Time waits").waitFor();
    t.equal(await page.locator(".toast").count(), 0, "complaints");
    await question.getByRole("button", { name: "3", exact: true }).click();
    await page.locator('.page[data-playing="true"]').waitFor();
    await page.waitForFunction(() => document.querySelector(".page").dataset.now !== "0:00.0");
    await story.getByText(/You said 3/).waitFor();
  },

  async "a click on a node answers, and the decision says what separates it from the one chosen"(t) {
    const { page, story, question } = await lesson(t, "two-constraints");
    await page.getByLabel("Speed").fill("6");
    await question.getByText("Time waits").waitFor();
    await page.locator('[data-node="a-3"]').click({ position: { x: 12, y: 12 } });
    await question.locator(".mine", { hasText: "a-3" }).waitFor();
    await t.look(page, "question-by-click");
    await question.getByRole("button", { name: "a-3" }).click();
    const starter = story.getByLabel("Manifest");
    t.check(await story.getByRole("button", { name: "Apply" }).isDisabled(), "gaps are left");
    const text = await starter.inputValue();
    await starter.fill(text.replace("___", "topology.kubernetes.io/zone").replace("___", "kubernetes.io/hostname"));
    await story.getByRole("button", { name: "Apply" }).click();
    await story.getByText("You said a-3.").waitFor();
    await story.getByText("It is b-2").waitFor();
    await story.locator(".separates").getByText("a-3:").waitFor();
    await t.look(page, "question-answered");
  },

  async "keys alone answer a question"(t) {
    const { page, story, question } = await lesson(t, "spread-by-zone");
    await question.getByText("Time waits").waitFor();
    await question.getByRole("button", { name: "b-2" }).focus();
    await page.keyboard.press("Enter");
    await story.getByText("You said b-2").waitFor();
    t.check(await page.getByRole("region", { name: "A question" }).count() === 0, "it is asked no more");
  },

  async "a pod is an answer too, and is marked as one"(t) {
    const page = await t.open("");
    await t.openFiles(page, { "which.yaml": WHICH });
    const story = page.getByRole("complementary", { name: "Story" });
    const question = story.getByRole("region", { name: "A question" });
    await question.getByText("Click a node or pod").waitFor();
    await page.locator('[data-pod="default/one"]').click();
    await page.locator('[data-pod="default/one"].told-mine').waitFor();
    await t.look(page, "question-by-pod");
    await question.getByRole("button", { name: "My answer: one" }).click();
    await page.getByLabel("Speed").fill("6");
    await story.getByText("It is two").waitFor();
    await page.locator('[data-pod="default/one"].told-wrong').waitFor();
    await page.locator('[data-pod="default/two"].told-real').waitFor();
    t.check(/so it is/.test(await page.locator('[data-pod="default/two"]').getAttribute("aria-label")), "it is said, too");
    await t.look(page, "question-by-pod-answered");
  },
};
