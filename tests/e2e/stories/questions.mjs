// Questions before their outcome: answered on the picture, by an option, by keys alone. E-06, E-07.

const lesson = async (t, name, options) => {
  const page = await t.open(`#lesson=${name}`, options);
  const story = page.getByRole("complementary", { name: "Story" });
  const question = story.getByRole("region", { name: "A question" });
  return { page, story, question };
};

export const stories = {
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
};
