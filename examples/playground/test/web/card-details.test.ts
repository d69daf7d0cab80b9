import { describe, expect, it } from "vitest";
import { startBrowser } from "../../../../test/support/browser.ts";
import { servedTrainer } from "../support/served-trainer.ts";
import { openTrainer, WAIT } from "../support/trainer-page.ts";

const browser = await startBrowser();

describe.skipIf(browser === undefined)("the trainer's card in detail", { timeout: 120_000 }, () => {
  const server = servedTrainer(browser);

  const open = (width = 1280, height = 800) => openTrainer(browser!, server().url, { width, height });

  it.each([390, 1280])("X2 draws the whole frame of a superset inside the card, %d wide", async (width) => {
    const { page, problems, say, close } = await open(width);
    await say("A workout, please");
    const frame = page.getByTestId("exercise-group").first().locator("ol");
    const widths = await page.evaluate(`(() => {
      const frame = document.querySelector("[data-testid=exercise-group] ol");
      const { borderLeftWidth, borderRightWidth } = getComputedStyle(frame);
      return [borderLeftWidth, borderRightWidth];
    })()`);
    expect(widths).toEqual(["2px", "2px"]);
    const [inner, card] = [await frame.boundingBox(), await page.getByTestId("workout").boundingBox()];
    expect(inner!.x).toBeGreaterThan(card!.x + 4);
    expect(inner!.x + inner!.width).toBeLessThan(card!.x + card!.width - 4);
    expect(problems).toEqual([]);
    await close();
  });

  it("X2 closes the reasons for a swap when the workout is logged", async () => {
    const { page, say, sent, close } = await open();
    await say("A workout, please");
    await page.getByRole("button", { name: "Swap Bench press" }).click();
    expect(await page.getByTestId("swap-reason").count()).toBe(3);
    await page.getByRole("button", { name: "Why? Plank" }).click();
    await page.getByTestId("log-workout").click();
    await sent("log this");
    await page.getByTestId("workout-logged").waitFor({ timeout: WAIT });
    expect(await page.getByTestId("swap-reason").count()).toBe(0);
    expect(await page.locator(".why").count()).toBe(1);
    await close();
  });

  it("covers and moves nothing with the button that leads to the latest message", async () => {
    const { page, say, close } = await open(390, 640);
    await say("A workout, please");
    const latest = page.getByTestId("to-end");
    await latest.waitFor({ timeout: WAIT });
    const thread = (await page.getByTestId("thread").boundingBox())!;
    expect((await latest.boundingBox())!.y).toBeGreaterThanOrEqual(thread.y + thread.height);
    await latest.click();
    await latest.waitFor({ state: "detached", timeout: WAIT });
    expect(await page.getByTestId("thread").boundingBox()).toEqual(thread);
    await close();
  });
});
