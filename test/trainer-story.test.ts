import { existsSync } from "node:fs";
import { join } from "node:path";
import { trainerRules } from "@pawl/example-trainer";
import { type MessagesApi, messagesApi } from "@pawl/testing";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closePages, startBrowser } from "./support/browser.ts";
import { idle } from "./support/idle.ts";
import { type PlaygroundProcess, playgroundProcess } from "./support/playground-process.ts";

const browser = await startBrowser();
const WAIT = 20_000;

describe.skipIf(browser === undefined)("the trainer in a browser", { timeout: 120_000 }, () => {
  let api: MessagesApi;
  let server: PlaygroundProcess;
  let context: BrowserContext;

  beforeAll(async () => {
    const built = join(import.meta.dirname, "..", "examples", "playground", "dist", "web", "index.html");
    if (!existsSync(built)) throw new Error("The page is not built: npm run build");
    api = await messagesApi({ rules: trainerRules({ speed: 8 }) });
    server = await playgroundProcess(api.url);
    await server.start();
    context = await browser!.newContext({ viewport: { width: 1280, height: 900 } });
  });

  afterAll(async () => {
    await closePages(browser);
    await server?.remove();
    await api?.close();
  });

  const say = async (page: Page, text: string) => {
    await page.getByTestId("composer").fill(text);
    await page.keyboard.press("Enter");
    await page.getByTestId("message-user").filter({ hasText: text }).waitFor({ timeout: WAIT });
    await idle(page);
  };
  const names = (page: Page) =>
    page.getByTestId("workout").getByTestId("exercise").getByRole("heading").allTextContents();
  const setsThisWeek = async (page: Page): Promise<number> => {
    const answer = await page.request.get(`${server.url}/api/trainer/progress`);
    return ((await answer.json()) as { weeks: { sets: number }[] }).weeks.at(-1)?.sets ?? 0;
  };

  it("X2 E5 K6 from a question to a logged workout, reloaded at every step and over a kill of the server", async () => {
    const page = await context.newPage();
    page.on("pageerror", (error) => expect.unreachable(`the page threw: ${error.message}`));
    await page.goto(`${server.url}/#trainer`);

    await say(page, "Give me a workout");
    await page.reload();
    await page.getByRole("button", { name: "Chest and arms" }).click({ timeout: WAIT });
    await page.getByTestId("workout").waitFor({ timeout: WAIT });
    await idle(page);
    const planned = await names(page);
    expect(planned.length).toBeGreaterThan(3);

    await page.reload();
    await page.getByTestId("workout").waitFor({ timeout: WAIT });
    expect(await names(page)).toEqual(planned);

    const first = page.getByTestId("workout").getByTestId("exercise").first();
    await first.getByRole("button", { name: /^Swap/ }).click();
    await page
      .getByRole("button", { name: /different/i })
      .first()
      .click();
    await expect.poll(async () => (await names(page))[0], { timeout: WAIT }).not.toBe(planned[0]);
    await idle(page);
    const swapped = await names(page);
    expect(swapped.slice(1)).toEqual(planned.slice(1));

    await server.kill();
    await server.start();
    await page.reload();
    await page.getByTestId("workout").waitFor({ timeout: WAIT });
    expect(await names(page)).toEqual(swapped);

    await say(page, "Please adjust exercise 2: sets 5");
    await expect
      .poll(() => page.getByTestId("workout").getByTestId("exercise").nth(1).textContent(), { timeout: WAIT })
      .toMatch(/5 ×/);

    const before = await setsThisWeek(page);
    await page.getByRole("button", { name: /Log all as done/ }).click();
    await expect.poll(() => setsThisWeek(page), { timeout: WAIT }).toBeGreaterThan(before);
    await idle(page);
    await page.reload();
    await page.getByTestId("message-assistant").last().waitFor({ timeout: WAIT });
    expect(await page.getByRole("button", { name: /Log all as done/ }).count()).toBe(0);
    expect(api.rejected).toEqual([]);
  });
});
