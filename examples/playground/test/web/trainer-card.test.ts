import type { Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { startBrowser } from "../../../../test/support/browser.ts";
import { check } from "../../../../test/support/check-box.ts";
import { servedTrainer } from "../support/served-trainer.ts";
import { openTrainer, WAIT } from "../support/trainer-page.ts";

const browser = await startBrowser();

describe.skipIf(browser === undefined)("the trainer's page", { timeout: 120_000 }, () => {
  const server = servedTrainer(browser);

  const open = (width = 1280, height = 800) => openTrainer(browser!, server().url, { width, height });
  const exercise = (page: Page, name: string) =>
    page.getByTestId("workout").getByTestId("exercise").filter({ hasText: name });

  it("X2 K1 asks with buttons that the keyboard reaches, shows its status, and shows the answer", async () => {
    const { page, problems, say, sent, close } = await open();
    await say("What should I train today?");
    const question = page.getByRole("group", { name: "How much time do you have?" });
    await question.getByRole("button", { name: "45 minutes" }).focus();
    const goOn = server().hold("generate_workout");
    onTestFinished(goOn);
    await page.keyboard.press("Enter");
    await page.getByTestId("working").getByText("Putting your workout together…").waitFor({ timeout: WAIT });
    goOn();
    await sent("45 minutes");
    expect(await question.getByRole("button", { pressed: true }).allTextContents()).toEqual(["45 minutes"]);
    expect(await question.getByRole("button", { name: "20 minutes" }).isDisabled()).toBe(true);
    expect(await page.getByTestId("tool-chip").allTextContents()).toEqual(["Context ready", "Workout ready"]);
    const heard = page.getByTestId("announcer");
    await expect.poll(() => heard.textContent(), { timeout: WAIT }).toContain("push day for 45 minutes");
    // A typed answer stands beside its question, also after a reload.
    await say("Or train today in the park?");
    await say("An hour");
    await page.reload();
    await page.getByText("You answered: An hour").waitFor({ timeout: WAIT });
    expect(await page.getByTestId("workout").count()).toBe(1);
    expect(problems).toEqual([]);
    await close();
  });

  it("X2 E5 shows the current workout, and sends its progress with the next message", async () => {
    const { page, problems, say, sent, close } = await open();
    await say("A workout, please");
    expect(await page.getByTestId("workout").getByRole("heading").allTextContents()).toEqual([
      "Push day",
      ...["Bench press", "Incline press", "Plank", "Rowing machine sprints", "Easy run", "Chest stretch"],
    ]);
    expect(await page.getByTestId("dose").allTextContents()).toEqual([
      "4 × 860 kg2 min rest",
      "3 × 10 / 8 / 620 / 22.5 / 25 kg90 s rest",
      "3 × 45 s hold",
      "8 rounds20 s work10 s rest",
      "12 min2 km6:00 /km",
      "2 × 30 s hold",
    ]);
    expect(await page.getByTestId("exercise-group").first().textContent()).toContain(
      "Superset: Press and hold3 rounds · 60 s rest between rounds",
    );
    await check(exercise(page, "Bench press").getByRole("checkbox").first());
    await check(exercise(page, "Bench press").getByRole("checkbox", { name: "Set 2 of 4: 8 reps, 60 kg" }));
    await check(exercise(page, "Easy run").getByRole("checkbox"));

    await page.getByRole("button", { name: "Swap Incline press" }).click();
    await page.getByRole("button", { name: "no equipment" }).click();
    await sent("Please swap exercise 2 (Incline press): no equipment");
    const { currentWorkout } = server().received.at(-1) as { currentWorkout: { exercises: unknown[] } };
    expect(currentWorkout).toMatchObject({ artifact_id: expect.stringMatching(/^art_/) });
    expect(currentWorkout.exercises).toMatchObject([
      { exercise_name: "Bench press", exercise_type: "reps", completed_sets: 2 },
      { exercise_name: "Incline press", completed_sets: 0 },
      { exercise_name: "Plank" },
      { exercise_type: "intervals", completed_rounds: 0 },
      { exercise_type: "duration", completed: true },
      { exercise_name: "Chest stretch" },
    ]);
    expect(await exercise(page, "Cable fly").getAttribute("data-mark")).toBe("swapped");
    expect(await page.getByTestId("change").textContent()).toContain("Incline press → Cable fly");
    await page.getByRole("button", { name: "Show" }).click();
    await page.waitForFunction("document.activeElement.textContent.includes('Cable fly')", undefined, {
      timeout: WAIT,
    });

    await page.getByRole("button", { name: "Adjust Bench press" }).click();
    const form = page.getByTestId("adjust-form");
    await form.getByLabel("Load").fill("65");
    await form.getByLabel("Sets").press("Escape");
    await form.waitFor({ state: "detached", timeout: WAIT });
    await page.getByRole("button", { name: "Adjust Bench press" }).press("Enter");
    await form.getByLabel("Load").fill("65");
    await page.keyboard.press("Enter");
    await sent("Please adjust exercise 1 (Bench press): load 65 kg");
    expect(await exercise(page, "Bench press").getByTestId("dose").textContent()).toBe(
      "4 × 865 kg2 min rest",
    );
    await page.getByRole("button", { name: "Remove Easy run" }).click();
    await sent("Please remove exercise 5 (Easy run)");
    expect(await exercise(page, "Easy run").count()).toBe(0);

    // The state does not depend on the page's memory.
    await page.reload();
    await page.getByTestId("workout").waitFor({ timeout: WAIT });
    expect(await page.getByTestId("workout-done").textContent()).toBe("2 of 20 sets done");
    expect(await exercise(page, "Bench press").getByRole("checkbox", { checked: true }).count()).toBe(2);
    expect(await exercise(page, "Bench press").getAttribute("data-mark")).toBe("adjusted");
    expect(problems).toEqual([]);
    await close();
  });

  it("X2 K6 shares ticks between tabs, and logs all of them", async () => {
    const { page, problems, say, sent, close } = await open();
    await say("A workout, please");
    const other = await page.context().newPage();
    await other.goto(page.url());
    const done = (tab: Page) => tab.getByTestId("workout-done").textContent({ timeout: WAIT });
    await check(exercise(page, "Bench press").getByRole("checkbox").first());
    await expect.poll(() => done(other), { timeout: WAIT }).toMatch(/^1 of /);
    await check(exercise(other, "Bench press").getByRole("checkbox").nth(1));
    await expect.poll(() => done(page), { timeout: WAIT }).toMatch(/^2 of /);
    await exercise(page, "Bench press").getByRole("checkbox").first().uncheck();
    await expect.poll(() => done(other), { timeout: WAIT }).toMatch(/^1 of /);
    await check(exercise(page, "Bench press").getByRole("checkbox").nth(2));
    await page.getByRole("button", { name: "Log workout" }).click();
    await sent("Please log this workout: 1 (Bench press) 2 of 4 sets; the rest I skipped");
    expect(problems).toEqual([]);
    await close();
  });

  it("X2 ends a workout when it is logged, collapses it for a newer one, and shows that a change failed", async () => {
    const { page, say, sent, close } = await open(320);
    await say("A workout, please");
    const sideways = () =>
      page.evaluate(
        "Math.max(...[...document.querySelectorAll('html, .thread')].map((e) => e.scrollWidth - e.clientWidth))",
      );
    for (const name of ["Swap Bench press", "Adjust Plank", "Why? Easy run"])
      await page.getByRole("button", { name }).click();
    expect(await page.getByText("Easy run fits what you want").count()).toBe(1);
    expect(await sideways()).toBe(0);
    await say("break it");
    expect(await page.getByTestId("change").textContent()).toBe("The exercise could not be removed");
    await check(exercise(page, "Bench press").getByRole("checkbox").first());
    await page.getByTestId("log-workout").click();
    await sent("Please log this workout: 1 (Bench press) 1 of 4 sets; the rest I skipped");
    expect(await page.getByTestId("workout-logged").textContent()).toBe("Logged: 2 of 6 exercises");
    expect(await page.getByTestId("exercise-swap").count()).toBe(0);
    const before = server().received.length;
    await say("Another one, please");
    expect(server().received.length).toBe(before);
    expect(await page.getByTestId("workout-old").locator("summary").textContent()).toBe(
      "Push day6 exercises, logged",
    );
    expect(await page.getByTestId("workout").count()).toBe(1);
    expect(await sideways()).toBe(0);
    await close();
  });

  /**
   * Measures the card's top and bottom from the top of the visible conversation, and the height of that. In
   * pixels.
   */
  const seen = (page: Page) =>
    page.evaluate<{ top: number; bottom: number; height: number; end: number }>(`(() => {
      const thread = document.querySelector("[data-testid=thread]");
      const { top, bottom } = document.querySelector("[data-testid=workout]").getBoundingClientRect();
      const from = thread.getBoundingClientRect().top;
      const end = thread.scrollHeight - thread.scrollTop - thread.clientHeight;
      return { top: top - from, bottom: bottom - from, height: thread.clientHeight, end };
    })()`);

  it.each([390, 1280])("X2 shows a workout longer than the view from its top, %i wide", async (width) => {
    const { page, say, close } = await open(width);
    await say("A workout, please");
    const fromTop = async () => {
      const { top, bottom, height } = await seen(page);
      expect(bottom - top).toBeGreaterThan(height);
      await expect.poll(async () => (await seen(page)).top, { timeout: WAIT }).toBeGreaterThan(0);
      expect((await seen(page)).top).toBeLessThan(height / 2);
    };
    const atEnd = () => expect.poll(async () => (await seen(page)).end, { timeout: WAIT }).toBeLessThan(2);
    await fromTop();
    // The message that delivers the workout is above its card.
    const words = page.getByTestId("message-assistant").getByText("Here is a push day");
    const box = await page.getByTestId("thread").boundingBox();
    expect((await words.boundingBox())?.y).toBeGreaterThan(box?.y ?? Number.NaN);
    await page.getByTestId("to-end").click();
    await atEnd();
    await page.getByTestId("to-end").waitFor({ state: "detached", timeout: WAIT });
    // Back at the end, the page follows new content again.
    await say("break it");
    await atEnd();
    await page.reload();
    await page.getByTestId("change").waitFor({ timeout: WAIT });
    await atEnd();
    // The page scrolls to the top of a new workout, also after a reload.
    await say("Another one, please");
    await fromTop();
    await page.reload();
    await page.getByTestId("workout").waitFor({ timeout: WAIT });
    await fromTop();
    await close();
  });

  it("X2 scrolls to the end of a workout that fits, and does not scroll while somebody reads above", async () => {
    const high = await open(1280, 2_400);
    await high.say("A workout, please");
    const { bottom, height, end } = await seen(high.page);
    expect([end < 2, bottom < height]).toEqual([true, true]);
    await high.close();
    const { page, say, idle, close } = await open();
    await say("A workout, please");
    const goOn = server().hold("message_notify_user");
    onTestFinished(goOn);
    await page.getByTestId("composer").fill("Another one, please");
    await page.keyboard.press("Enter");
    await page.getByTestId("tool-chip").nth(3).waitFor({ timeout: WAIT });
    await page.evaluate("document.querySelector('[data-testid=thread]').scrollTo(0, 40)");
    await page.getByTestId("to-end").waitFor({ timeout: WAIT });
    goOn();
    await page.getByTestId("workout-old").waitFor({ timeout: WAIT });
    await idle();
    expect(await page.evaluate("document.querySelector('[data-testid=thread]').scrollTop")).toBe(40);
    await close();
  });
});
