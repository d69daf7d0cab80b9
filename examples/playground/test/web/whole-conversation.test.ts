import { describe, expect, it } from "vitest";
import { startBrowser } from "../../../../test/support/browser.ts";
import { frames } from "../../../../test/support/frames.ts";
import { servedTrainer } from "../support/served-trainer.ts";
import { openTrainer, WAIT } from "../support/trainer-page.ts";

const browser = await startBrowser();

describe.skipIf(browser === undefined)("a long conversation with the trainer", { timeout: 120_000 }, () => {
  const server = servedTrainer(browser);

  it("R5 X2 derives the active workout from the whole conversation, of which only the end is shown", async () => {
    const { page, problems, say, idle, close } = await openTrainer(browser!, server().url);
    await say("A workout, please");
    // A failed call changes no workout. Each of these messages gets an answer.
    for (let n = 0; n < 26; n += 1) await say(`Now break number ${n}.`);
    const asked: string[] = [];
    page.on("request", (request) => request.url().includes("before=") && asked.push(request.url()));
    const log = page.waitForResponse((response) => response.url().endsWith("/events"));
    await page.reload();
    await page.getByText("Now break number 25.").waitFor({ timeout: WAIT });
    expect(await page.locator(".messages > .message").count()).toBe(50);
    expect(await page.getByTestId("workout").count()).toBe(0);
    // The page knows of the workout once the log has loaded.
    await (await log).finished();
    await frames(page);
    expect(await page.locator(".messages > .message").count()).toBe(50);
    const before = server().received.length;
    await say("Please swap the second exercise.");
    expect(asked).toEqual([]);
    const sent = server().received[before]?.currentWorkout as { exercises: unknown[] } | undefined;
    expect(sent?.exercises).toHaveLength(6);
    await idle();
    // The card is where the workout was delivered, with what has changed since.
    await expect
      .poll(
        async () => {
          await page.evaluate(`document.querySelector("[data-testid=thread]").scrollTo({ top: 0 })`);
          return await page.getByTestId("workout").count();
        },
        { timeout: WAIT },
      )
      .toBe(1);
    expect(await page.getByTestId("workout").textContent()).toContain("Cable fly");
    expect(problems).toEqual([]);
    await close();
  });
});
