import { describe, expect, it } from "vitest";
import { openPage, startBrowser } from "../../../../test/support/browser.ts";
import { idle } from "../../../../test/support/idle.ts";
import { servedTrainer } from "../support/served-trainer.ts";

const browser = await startBrowser();
const WAIT = 20_000;

describe.skipIf(browser === undefined)("the trainer's progress", { timeout: 120_000 }, () => {
  const server = servedTrainer(browser);

  it("X2 draws the weeks and the muscles, shows them as a table too, and updates when a workout is logged", async () => {
    const { page, close } = await openPage(browser!, { viewport: { width: 1280, height: 900 } });
    const loaded: string[] = [];
    const problems: string[] = [];
    page.on("request", (request) => loaded.push(new URL(request.url()).pathname));
    page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
    await page.goto(server().url);
    await page.getByTestId("agent-trainer").waitFor({ timeout: WAIT });
    // The charts are not loaded before the panel is opened.
    expect(loaded.filter((path) => path.includes("charts"))).toEqual([]);
    await page.getByTestId("agent-trainer").click();
    await page
      .getByRole("img", { name: "Volume of 10 weeks, most lately 4,100 kg" })
      .waitFor({ timeout: WAIT });
    expect(loaded.filter((path) => path.includes("charts"))).toHaveLength(1);
    const volume = page.locator("figure", { hasText: "Volume" });
    const last = volume.getByTestId("chart-bar").last();
    const height = async () => Number(await last.getAttribute("height"));
    const before = await height();
    await volume.getByText("As a table").click();
    expect(await volume.getByRole("row").last().textContent()).toContain("4,100 kg");
    expect(await page.getByRole("img", { name: "Muscles, most of all Chest, Back" }).count()).toBe(1);

    await page.getByTestId("composer").fill("A workout, please");
    await page.keyboard.press("Enter");
    await page.getByTestId("workout").waitFor({ timeout: WAIT });
    await idle(page);
    await page.getByTestId("log-workout").click({ timeout: WAIT });
    await page.getByTestId("workout-logged").waitFor({ timeout: WAIT });
    await expect.poll(() => last.getAttribute("data-value"), { timeout: WAIT }).toBe("6700");
    expect(await height()).toBeGreaterThan(before);
    expect(await page.getByTestId("this-week").textContent()).toContain("6,700 kg");
    expect(problems).toEqual([]);

    // Back to the coach, and again to the same conversation.
    const address = page.url();
    expect(address).toMatch(/#trainer\/.+/);
    await page.getByTestId("agent-coach").click();
    await page.getByRole("main", { name: "Conversation with Sage" }).waitFor({ timeout: WAIT });
    expect(await page.getByTestId("workout").count()).toBe(0);
    await page.goBack();
    await page.getByTestId("workout-logged").waitFor({ timeout: WAIT });
    expect(page.url()).toBe(address);
    await close();
  });

  it("X2 is a panel over the page on a phone, and nothing in it is wider", async () => {
    const { page, close } = await openPage(browser!, { viewport: { width: 320, height: 640 } });
    await page.goto(`${server().url}/#trainer`);
    await page.getByRole("button", { name: "Progress" }).click({ timeout: WAIT });
    await page.getByTestId("chart-bar").first().waitFor({ timeout: WAIT });
    const widths =
      "[...document.querySelectorAll('html, .log-scroll')].map((e) => e.scrollWidth - e.clientWidth)";
    expect(await page.evaluate<number[]>(widths)).toEqual([0, 0]);
    await page.keyboard.press("Escape");
    await page.getByTestId("progress").waitFor({ state: "detached", timeout: WAIT });
    await close();
  });
});
