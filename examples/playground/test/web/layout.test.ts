import { coachRules } from "@pawl/example-coach";
import { type MessagesApi, messagesApi } from "@pawl/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closePages, openPage, startBrowser } from "../../../../test/support/browser.ts";
import { type PlaygroundProcess, playgroundProcess } from "../../../../test/support/playground-process.ts";
import { checkPageIsBuilt } from "../support/built-page.ts";

const browser = await startBrowser();
const WAIT = 20_000;

/**
 * A script that returns the names of buttons which are not wholly inside the window. The page hides overflow,
 * so its scroll width does not show them. Inside a scrolling box, a button may be above or below the visible
 * part, but not beside it.
 */
const OUTSIDE = `(() => {
  const scrolls = (element) => {
    for (let at = element.parentElement; at; at = at.parentElement)
      if (/auto|scroll/.test(getComputedStyle(at).overflowY)) return true;
    return false;
  };
  return [...document.querySelectorAll("button, textarea")].flatMap((button) => {
    const { left, right, top, bottom, width } = button.getBoundingClientRect();
    if (width === 0) return [];
    const beside = left < 0 || right > innerWidth;
    const aboveOrBelow = !scrolls(button) && (top < 0 || bottom > innerHeight);
    const name = button.getAttribute("aria-label") ?? button.textContent.trim();
    const box = [left, right, top, bottom].map(Math.round).join(" ");
    return beside || aboveOrBelow ? [name + ": " + box] : [];
  });
})()`;

describe.skipIf(browser === undefined)("the playground's layout", { timeout: 120_000 }, () => {
  let api: MessagesApi;
  let server: PlaygroundProcess;

  beforeAll(async () => {
    checkPageIsBuilt();
    api = await messagesApi({ rules: coachRules() });
    server = await playgroundProcess(api.url);
    await server.start();
  }, 60_000);
  afterAll(async () => {
    await closePages(browser);
    await server?.remove();
    await api?.close();
  });

  it.each([
    { width: 320, log: "closed" },
    { width: 320, log: "open" },
    { width: 390, log: "closed" },
    { width: 390, log: "open" },
    { width: 1280, log: "open" },
  ])(
    "keeps every button in the window while tools run, $width wide with the log $log",
    async ({ width, log }) => {
      const { page, close } = await openPage(browser!, { viewport: { width, height: 720 } });
      await page.goto(server.url);
      await page.getByTestId("starter").first().waitFor({ timeout: WAIT });
      expect(await page.evaluate(OUTSIDE), "before the first word").toEqual([]);

      const seen = new Set<unknown>();
      await page.getByTestId("composer").fill("Help me plan today: write, call Mum, go for a run");
      await page.keyboard.press("Enter");
      await page.getByTestId("stop").waitFor({ timeout: WAIT });
      if (log === "open" && !(await page.getByTestId("log").isVisible()))
        await page.getByTestId("log-toggle").click();
      while (await page.getByTestId("stop").isVisible()) {
        seen.add(log === "open" ? await page.getByTestId("log-live").textContent() : "");
        expect(await page.evaluate(OUTSIDE), [...seen].join("\n")).toEqual([]);
      }
      expect(await page.getByTestId("tool-chip").count()).toBe(2);
      if (log === "open") expect([...seen].join("\n")).toContain("tool_input_delta");
      await close();
    },
  );

  it.each([{ width: 390 }, { width: 1280 }])(
    "shows a new conversation from its top in a low window, $width wide, also after a long one",
    async ({ width }) => {
      const { page, close } = await openPage(browser!, { viewport: { width, height: 480 } });
      const fromTop = () => page.evaluate<number>(`document.querySelector("[data-testid=thread]").scrollTop`);
      await page.goto(server.url);
      await page.getByTestId("starter").first().waitFor({ timeout: WAIT });
      expect(await fromTop()).toBe(0);

      await page.getByTestId("composer").fill("Help me plan today: write, call Mum, go for a run");
      await page.keyboard.press("Enter");
      await expect.poll(fromTop, { timeout: WAIT }).toBeGreaterThan(0);
      await page.goto(`${server.url}#`);
      await page.getByTestId("starter").first().waitFor({ timeout: WAIT });
      expect(await fromTop()).toBe(0);
      await close();
    },
  );
});
