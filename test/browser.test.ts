import { existsSync } from "node:fs";
import { join } from "node:path";
import type { StoredEvent } from "@pawl/core";
import { coachRules } from "@pawl/example-coach";
import { type MessagesApi, messagesApi } from "@pawl/testing";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { closePages, openPage, startBrowser } from "./support/browser.ts";
import { frames } from "./support/frames.ts";
import { assertSoundLog, ofType } from "./support/invariants.ts";
import { paced } from "./support/paced.ts";
import { type PlaygroundProcess, playgroundProcess } from "./support/playground-process.ts";

const browser = await startBrowser();
const WAIT = 20_000;

/** Returns a page's session as the server has it. */
async function serverView(page: Page): Promise<{ log: StoredEvent[]; texts: string[] }> {
  const get = async <T>(path: string): Promise<T> =>
    await (await page.request.get(new URL(path, page.url()).href)).json();
  const { sessions } = await get<{ sessions: { id: string }[] }>("/api/coach/sessions");
  const base = `/api/coach/sessions/${sessions[0]?.id}`;
  const { events } = await get<{ events: StoredEvent[] }>(`${base}/events`);
  const { messages } = await get<{ messages: { text: string }[] }>(base);
  return { log: events, texts: messages.map(({ text }) => text) };
}

async function say(page: Page, text: string): Promise<void> {
  await page.getByTestId("composer").fill(text);
  await page.keyboard.press("Enter");
}

/** Sends a greeting, and waits for the coach's options. */
async function untilOptions(page: Page): Promise<void> {
  await say(page, "Good morning");
  await page.getByTestId("option-pill").first().waitFor({ timeout: WAIT });
}

async function untilIdle(page: Page): Promise<void> {
  await page.getByTestId("stop").waitFor({ state: "detached", timeout: WAIT });
}

/** Waits until a part of the answer is shown, while more is arriving. */
async function untilWriting(page: Page): Promise<void> {
  await expect
    .poll(async () => (await assistant(page).textContent())?.length ?? 0, { timeout: WAIT, interval: 20 })
    .toBeGreaterThan(12);
}

const assistant = (page: Page) => page.getByTestId("message-assistant").last();

describe.skipIf(browser === undefined)("the playground in a browser", { timeout: 120_000 }, () => {
  let api: MessagesApi;
  /** Milliseconds before each piece of an answer. With SLOW, tests act during it, even on a busy machine. */
  const [FAST, SLOW] = [10, 200];
  let pause = FAST;
  let server: PlaygroundProcess;

  const fresh = async (pace = FAST, options: Parameters<typeof openPage>[1] = {}): Promise<Page> => {
    pause = pace;
    const { page, close } = await openPage(browser!, { reducedMotion: "reduce", ...options });
    onTestFinished(close);
    page.on("pageerror", (error) => expect.unreachable(`the page threw: ${error.message}`));
    await page.goto(server.url);
    return page;
  };

  beforeAll(async () => {
    const built = join(import.meta.dirname, "..", "examples", "playground", "dist", "web", "index.html");
    if (!existsSync(built)) throw new Error("The page is not built: npm run build");
    const rules = coachRules();
    api = await messagesApi({
      rules: async (request, context) => paced(await rules(request, context), () => pause),
    });
    server = await playgroundProcess(api.url);
    await server.start();
  }, 60_000);
  afterAll(async () => {
    await closePages(browser);
    await server?.remove();
    await api?.close();
  });

  it("X1 K1 T4 holds a conversation with tools and options, and every request is valid", async () => {
    const page = await fresh();
    await untilOptions(page);
    await page.getByTestId("option-pill").first().click();
    await untilIdle(page);
    await say(page, "I want to write for an hour, go for a walk and call my sister.");
    await page.locator('[data-testid="tool-chip"][data-tool="save_file"]').first().waitFor({ timeout: WAIT });
    await untilIdle(page);
    const { log, texts } = await serverView(page);
    assertSoundLog(log);
    expect(
      ofType(log, "tool_result").filter(({ data }) => data.tool_name === "save_file" && data.success),
    ).not.toHaveLength(0);
    expect(texts.length).toBeGreaterThanOrEqual(4);
    expect(await page.getByTestId("message-user").count()).toBe(2);
    await page.getByTestId("log-toggle").click();
    expect(await page.getByTestId("log-event").count()).toBeGreaterThan(10);
    expect(api.rejected).toEqual([]);
  });

  it("L10 W4 completes a text when the page is reloaded in the middle of it", async () => {
    const page = await fresh(SLOW);
    await say(page, "Good morning");
    await untilWriting(page);
    await page.reload();
    await untilWriting(page);
    pause = FAST;
    await page.getByTestId("option-pill").first().waitFor({ timeout: WAIT });
    const { log, texts } = await serverView(page);
    assertSoundLog(log);
    expect(ofType(log, "run_recovered")).toEqual([]);
    const shown = (await assistant(page).textContent()) ?? "";
    for (const word of (texts[1] ?? "").match(/[a-z]{4,}/gi) ?? []) expect(shown).toContain(word);
  });

  it("P1 K6 shows an open question again after a reload, and accepts the answer by keyboard", async () => {
    const page = await fresh();
    await untilOptions(page);
    await page.reload();
    const pill = page.getByTestId("option-pill").nth(1);
    await pill.waitFor({ timeout: WAIT });
    const label = (await pill.textContent()) ?? "";
    await pill.focus();
    await page.keyboard.press("Enter");
    await untilIdle(page);
    const { log } = await serverView(page);
    const [answered] = ofType(log, "tool_result");
    expect(JSON.stringify(answered?.data.result)).toContain(label.trim());
    expect(await page.getByTestId("option-pill").count()).toBe(0);
  });

  it("P4 K3 counts exactly one of two tabs that answer the same question", async () => {
    const first = await fresh();
    await untilOptions(first);
    const second = await first.context().newPage();
    await second.goto(first.url());
    await second.getByTestId("option-pill").first().waitFor({ timeout: WAIT });
    const press = (page: Page, n: number) =>
      page
        .getByTestId("option-pill")
        .nth(n)
        .click({ timeout: 5_000 })
        .catch(() => undefined);
    await Promise.all([press(first, 0), press(second, 1)]);
    await Promise.all([untilIdle(first), untilIdle(second)]);
    await expect.poll(() => second.getByTestId("option-pill").count(), { timeout: WAIT }).toBe(0);
    const { log } = await serverView(first);
    assertSoundLog(log);
    expect(ofType(log, "tool_answered")).toHaveLength(1);
    expect(await assistant(first).textContent()).toBe(await assistant(second).textContent());
    expect(api.rejected).toEqual([]);
  });

  it("L9 stops at once when the stop button is pressed, and the conversation goes on", async () => {
    const page = await fresh(SLOW);
    await say(page, "Good morning");
    await untilWriting(page);
    await page.getByTestId("stop").click();
    await untilIdle(page);
    const { log } = await serverView(page);
    expect(ofType(log, "run_ended").at(-1)?.data.stop.type).toBe("aborted");
    pause = FAST;
    await say(page, "Hello again");
    await expect
      .poll(() => page.getByTestId("message-assistant").count(), { timeout: WAIT })
      .toBeGreaterThan(1);
    expect(api.rejected).toEqual([]);
  });

  it("P1 W4 survives a kill -9 of the server in the middle of a text, in the open page", async () => {
    const page = await fresh(SLOW);
    await say(page, "Good morning");
    await untilWriting(page);
    await server.kill();
    await server.start();
    await page.locator('[data-testid="connection"][data-state="open"]').waitFor({ timeout: WAIT });
    pause = FAST;
    await page.getByTestId("option-pill").first().waitFor({ timeout: WAIT });
    const { log, texts } = await serverView(page);
    assertSoundLog(log);
    expect(ofType(log, "run_recovered")).toHaveLength(1);
    const shown = (await assistant(page).textContent()) ?? "";
    const [first] = (texts[1] ?? "").match(/[A-Z][a-z]{3,}/) ?? [""];
    expect(shown.split(first).length - 1, "the text stands twice").toBe(
      (texts[1] ?? "").split(first).length - 1,
    );
    expect(api.rejected).toEqual([]);
  });

  it("C7 renders no HTML of the user's or the model's", async () => {
    const page = await fresh();
    await say(
      page,
      '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script> [x](javascript:alert(1))',
    );
    await assistant(page).waitFor({ timeout: WAIT });
    await frames(page);
    expect(await page.evaluate("window.hacked")).toBeUndefined();
    expect(await page.locator('[data-testid="thread"] img, a[href^="javascript"]').count()).toBe(0);
  });

  it("fits a phone, light and dark", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      const page = await fresh(FAST, { viewport: { width: 360, height: 740 }, colorScheme });
      await untilOptions(page);
      const width = await page.evaluate("document.documentElement.scrollWidth");
      expect(width).toBeLessThanOrEqual(360);
    }
  });
});
