import type { StoredEvent } from "@pawl/core";
import { hitRateOf, spendingsOf, sumOf, timelineOf } from "@pawl/core/inspect";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closePages, openPage, startBrowser } from "../../../../test/support/browser.ts";
import { type PlaygroundProcess, playgroundProcess } from "../../../../test/support/playground-process.ts";
import { money, share } from "../../web/inspector/words.ts";
import { checkPageIsBuilt } from "../support/built-page.ts";

const browser = await startBrowser();
const WAIT = 20_000;

async function logOf(page: Page): Promise<StoredEvent[]> {
  const get = async (path: string) => await (await page.request.get(new URL(path, page.url()).href)).json();
  const { sessions } = await get("/api/coach/sessions");
  return (await get(`/api/coach/sessions/${sessions[0]?.id}/events`)).events;
}

describe.skipIf(browser === undefined)("the playground's inspector", { timeout: 120_000 }, () => {
  let server: PlaygroundProcess;

  /** Opens a conversation with a question in the middle that was answered. */
  const open = async (phone = false) => {
    const { page, close } = await openPage(
      browser!,
      phone
        ? { viewport: { width: 390, height: 740 }, isMobile: true, hasTouch: true }
        : { viewport: { width: 1360, height: 820 } },
    );
    await page.goto(server.url);
    await page.getByTestId("composer").fill("Good morning");
    await page.keyboard.press("Enter");
    await page.getByTestId("option-pill").first().click({ timeout: WAIT });
    await page.getByTestId("stop").waitFor({ state: "detached", timeout: WAIT });
    const toggle = page.getByTestId("log-toggle");
    await (phone ? toggle.tap() : toggle.click());
    return { page, close };
  };

  beforeAll(async () => {
    checkPageIsBuilt();
    server = await playgroundProcess(undefined);
    await server.start();
  }, 60_000);
  afterAll(async () => {
    await closePages(browser);
    await server?.remove();
  });

  it("O4 shows the cost of each turn, what was new in its request, and separately the time spent waiting for the user", async () => {
    const { page, close } = await open();
    await page.getByTestId("log-timeline").click();
    expect(await page.getByTestId("turn").count()).toBe(2);
    const runs = timelineOf(await logOf(page));
    const { tokens, costUsd } = sumOf(runs.flatMap(spendingsOf));
    const totals = (await page.getByTestId("totals").textContent()) ?? "";
    expect(totals).toContain(`Cost${money(costUsd)}`);
    expect(totals).toContain(`From the cache${share(hitRateOf(tokens))}`);
    expect(await page.getByTestId("difference").allTextContents()).toEqual([
      "New from messages[1].content[0]; everything before is unchanged",
    ]);
    expect(await page.getByTestId("turn").first().textContent()).toMatch(
      /show_options: done.*waiting for you/,
    );
    await close();
  });

  it("O4 replays the log by keyboard, with the page's own fold, and changes nothing", async () => {
    const { page, close } = await open();
    const now = await page.getByTestId("thread").textContent();
    const before = await logOf(page);
    await page.getByTestId("replay").focus();
    await page.keyboard.press("Enter");
    const range = page.getByTestId("scrubber-range");
    expect(await page.getByTestId("replayed").textContent()).toBe(now);
    await expect.poll(() => page.evaluate("document.activeElement.dataset.testid")).toBe("scrubber-range");
    await page.keyboard.press("Home");
    expect(await page.getByTestId("replayed").textContent()).toBe("No messages yet.");
    expect(await range.getAttribute("aria-valuetext")).toBe(`1 of ${before.length}: ${before[0]?.type}`);
    const asked = before.find(({ type }) => type === "tool_suspended")?.seq ?? 0;
    for (let seq = 1; seq < asked; seq += 1) await page.keyboard.press("ArrowRight");
    await page.getByTestId("log-events").click();
    expect(await page.locator("[aria-current=true]").getAttribute("data-type")).toBe("tool_suspended");
    // The question appears as it was open, and cannot be answered again.
    expect(await page.getByTestId("option-pill").first().isDisabled()).toBe(true);
    await page.getByTestId("replay-end").focus();
    await page.keyboard.press("Enter");
    await page.getByTestId("composer").waitFor({ timeout: WAIT });
    await expect.poll(() => page.evaluate("document.activeElement.dataset.testid ?? ''")).toBe("composer");
    expect(await page.getByTestId("thread").textContent()).toBe(now);
    expect(await logOf(page)).toEqual(before);
    await close();
  });

  it("O4 leaves a replay on Escape, and follows the conversation again", async () => {
    const { page, close } = await open();
    await page.setViewportSize({ width: 1360, height: 420 });
    await page.getByTestId("replay").click();
    await page.getByTestId("scrubber-range").press("Escape");
    await page.getByTestId("composer").fill("Tell me everything about a whole week");
    await page.keyboard.press("Enter");
    await page.getByTestId("message-user").nth(1).waitFor({ timeout: WAIT });
    await page.getByTestId("stop").waitFor({ state: "detached", timeout: WAIT });
    const left = `(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight)(document.querySelector(".thread"))`;
    await expect.poll(() => page.evaluate(left), { timeout: WAIT }).toBeLessThan(5);
    await close();
  });

  it("O4 goes from a turn to the conversation as it was then, on a phone too, where nothing is wider than the page", async () => {
    const { page, close } = await open(true);
    await page.getByTestId("log-timeline").tap();
    await page.getByRole("button", { name: "Turn 1" }).tap();
    await page.getByTestId("scrubber").waitFor({ timeout: WAIT });
    expect(await page.getByTestId("message-user").count()).toBe(1);
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    await close();
  });
});
