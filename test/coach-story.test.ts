import { existsSync } from "node:fs";
import { join } from "node:path";
import type { StoredEvent } from "@pawl/core";
import { coachRules } from "@pawl/example-coach";
import { type MessagesApi, messagesApi } from "@pawl/testing";
import type { BrowserContext, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { closePages, startBrowser } from "./support/browser.ts";
import { check } from "./support/check-box.ts";
import { idle } from "./support/idle.ts";
import { assertSoundLog } from "./support/invariants.ts";
import { type PlaygroundProcess, playgroundProcess } from "./support/playground-process.ts";

const browser = await startBrowser();
const WAIT = 20_000;

describe.skipIf(browser === undefined)("the coach in a browser", { timeout: 120_000 }, () => {
  let api: MessagesApi;
  let server: PlaygroundProcess;

  beforeAll(async () => {
    const built = join(import.meta.dirname, "..", "examples", "playground", "dist", "web", "index.html");
    if (!existsSync(built)) throw new Error("The page is not built: npm run build");
    api = await messagesApi({ rules: coachRules({ speed: 8 }) });
    server = await playgroundProcess(api.url);
    await server.start();
  });

  afterAll(async () => {
    await closePages(browser);
    await server?.remove();
    await api?.close();
  });

  const person = async (): Promise<BrowserContext> => {
    const context = await browser!.newContext({ viewport: { width: 1280, height: 900 } });
    onTestFinished(() => context.close());
    return context;
  };
  const visit = async (context: BrowserContext, hash = ""): Promise<Page> => {
    const page = await context.newPage();
    page.on("pageerror", (error) => expect.unreachable(`the page threw: ${error.message}`));
    await page.goto(`${server.url}/${hash}`);
    return page;
  };
  const waits = (page: Page) => page.locator('main[data-phase="suspended"]').waitFor({ timeout: WAIT });
  const say = async (page: Page, text: string) => {
    await page.getByTestId("composer").fill(text);
    await page.keyboard.press("Enter");
    await page.getByTestId("message-user").filter({ hasText: text }).waitFor({ timeout: WAIT });
  };
  const heard = (page: Page, words: string) =>
    page.getByTestId("message-assistant").getByText(words).waitFor({ timeout: WAIT });
  const begin = async (page: Page, type: string, text: string) => {
    await page.getByRole("radio", { name: type }).focus();
    await page.keyboard.press("Space");
    await page.getByRole("button", { name: text, exact: true }).click();
  };
  const attributes = async (all: Locator, name: string) =>
    await Promise.all((await all.all()).map((one) => one.getAttribute(name)));
  const note = (page: Page, folder: string) => page.locator(`[data-testid="file"][data-path^="${folder}/"]`);
  const label = (page: Page) => page.getByTestId("session-label").textContent({ timeout: WAIT });
  const logOf = async (page: Page): Promise<StoredEvent[]> => {
    const id = new URL(page.url()).hash.replace("#s/", "");
    const answer = await page.request.get(`${server.url}/api/coach/sessions/${id}/events`);
    return ((await answer.json()) as { events: StoredEvent[] }).events;
  };

  it("X1 C5 K6 P2 a morning, from the greeting over a plan to the pulse check by keyboard, reloaded at every step", async () => {
    const context = await person();
    const page = await visit(context);
    await begin(page, "Morning", "Good morning");
    await waits(page);
    expect(await label(page)).toBe("Morning");

    await page.reload();
    await page.getByRole("button", { name: "Plan my day" }).click({ timeout: WAIT });
    await idle(page);
    await page.reload();
    await page.getByTestId("choice").waitFor({ timeout: WAIT });
    await say(page, "Write the report, call Mum at 5pm, go for a run");
    await waits(page);
    // The panel shows saved files without a reload.
    await note(page, "day-plans").getByText("5pm · Call Mum").waitFor({ timeout: WAIT });
    expect(await page.getByTestId("at-work").count()).toBe(0);

    await page.reload();
    const pulse = page.getByTestId("pulse-check");
    await pulse.waitFor({ timeout: WAIT });
    expect(await label(page)).toBe("Morning");
    // Uses only the keyboard: Tab enters a group, and the arrow keys move along its scale.
    await page.getByRole("radio", { name: "1, Hard" }).first().focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    await page.keyboard.press("ArrowLeft");
    const rated = pulse.getByRole("radio", { checked: true });
    expect(await attributes(rated, "aria-label")).toEqual(["3, Okay", "5, Thriving"]);
    const other = await visit(context, new URL(page.url()).hash);
    await other.getByTestId("pulse-check").waitFor({ timeout: WAIT });
    await page.keyboard.press("Enter");
    const result = page.getByTestId("pulse-result");
    await result.waitFor({ timeout: WAIT });
    await idle(page);
    expect(await result.getByRole("listitem").allTextContents()).toEqual(["Workis at 3", "Moneyis at 5"]);
    // Another tab shows why the question is closed.
    await other.getByText("Answered on another device").waitFor({ timeout: WAIT });
    expect(await page.getByText("Answered on another device").count()).toBe(0);

    await page.reload();
    await result.waitFor({ timeout: WAIT });
    expect(await pulse.count()).toBe(0);
    await note(page, "pulse-checks").waitFor({ timeout: WAIT });
    const folders = (await attributes(page.getByTestId("file"), "data-path")).map(
      (path) => path?.split("/")[0],
    );
    expect(folders.sort()).toEqual(["day-plans", "pulse-checks", "sage"]);
    const log = await logOf(page);
    assertSoundLog(log);
    expect(log.filter(({ type }) => type === "tool_answered")).toHaveLength(2);
    expect(api.rejected).toEqual([]);
  });

  it("X1 P4 L17 an evening: the day into the journal, a change, and the session complete, reloaded in between", async () => {
    const context = await person();
    const page = await visit(context);
    await begin(page, "Evening", "Good evening");
    await heard(page, "Which moment of today");
    await idle(page);

    await page.reload();
    await heard(page, "Which moment of today");
    await say(page, "The walk with my sister along the river was good, work was tiring");
    await heard(page, "Does this fit");
    await idle(page);
    const journal = note(page, "daily-logs");
    await journal.getByText("along the river").waitFor({ timeout: WAIT });
    // The front matter of a file is not shown.
    expect(await journal.textContent()).not.toContain("mood_signal");

    await page.reload();
    await journal.getByText("along the river").waitFor({ timeout: WAIT });
    await say(page, "Please add that we laughed about the heron the whole way back");
    await journal.getByText("laughed about the heron").waitFor({ timeout: WAIT });
    await idle(page);
    expect(await journal.count()).toBe(1);

    await page.reload();
    await page.getByTestId("tool-chip").nth(1).waitFor({ timeout: WAIT });
    await say(page, "Yes, that fits");
    await page.getByTestId("session-mark").filter({ hasText: "Session complete" }).waitFor({ timeout: WAIT });
    await idle(page);

    await page.reload();
    await heard(page, "Take good care of yourself");
    expect(await label(page)).toBe("Evening");
    await expect
      .poll(() => page.getByTestId("past-session").first().textContent(), { timeout: WAIT })
      .toContain("complete");
    await note(page, "session-summaries").waitFor({ timeout: WAIT });
    assertSoundLog(await logOf(page));
    expect(api.rejected).toEqual([]);
  });

  it("P2 T5 an arc in an open conversation is said above it, and the pulse check shows what it was before", async () => {
    const page = await visit(await person());
    await say(page, "A pulse check, please");
    await page.getByTestId("pulse-check").waitFor({ timeout: WAIT });
    // The form is drawn again when the run comes to wait: a click before that may be lost.
    await waits(page);
    await page.getByTestId("pulse-submit").click();
    await page.getByText("Rate at least one area").waitFor({ timeout: WAIT });
    await check(page.getByRole("group", { name: "Health" }).getByRole("radio", { name: "2, Shaky" }));
    await page.getByTestId("pulse-submit").dblclick();
    await page.getByTestId("pulse-result").waitFor({ timeout: WAIT });
    await idle(page);
    await say(page, "Let us do the weekly check-in");
    await page.getByTestId("pulse-check").waitFor({ timeout: WAIT });
    expect(await label(page)).toBe("Open conversationWeekly check-in");
    await page.reload();
    await check(page.getByRole("group", { name: "Health" }).getByRole("radio", { name: "4, Good" }));
    await page.getByTestId("pulse-submit").click();
    const after = page.getByTestId("pulse-result").nth(1);
    await after.getByText("→").waitFor({ timeout: WAIT });
    expect(await after.getByRole("listitem").textContent()).toBe("Healthwas at 2 → , is at 4");
    await idle(page);
    await say(page, "It went well");
    await page.getByTestId("session-mark").nth(1).waitFor({ timeout: WAIT });
    await idle(page);
    expect(await label(page)).toBe("Open conversation");
    const log = await logOf(page);
    expect(log.filter(({ type }) => type === "tool_answered")).toHaveLength(2);
    expect(api.rejected).toEqual([]);
  });
});
