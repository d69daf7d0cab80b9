import { existsSync } from "node:fs";
import { join } from "node:path";
import type { StoredEvent } from "@pawl/core";
import { rocketLeagueRules } from "@pawl/example-rocket-league-coach";
import { type MessagesApi, messagesApi } from "@pawl/testing";
import type { BrowserContext, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { closePages, startBrowser } from "./support/browser.ts";
import { frames } from "./support/frames.ts";
import { assertSoundLog, ofType } from "./support/invariants.ts";
import { paced } from "./support/paced.ts";
import { type PlaygroundProcess, playgroundProcess } from "./support/playground-process.ts";

const browser = await startBrowser();
const WAIT = { timeout: 20_000 };
const BUDGET = 60_000;
/** A script that returns the names of buttons which are not wholly inside the window. */
const OUTSIDE = `[...document.querySelectorAll("button, textarea, summary")].flatMap((one) => {
  const { left, right, width } = one.getBoundingClientRect();
  return width > 0 && (left < 0 || right > innerWidth) ? [one.getAttribute("aria-label") ?? one.textContent] : [];
})`;
/** Milliseconds before each piece of an answer. With SLOW, the test acts during it, even on a busy machine. */
const [FAST, SLOW] = [1, 100];

describe.skipIf(browser === undefined)("the Rocket League coach in a browser", { timeout: 180_000 }, () => {
  let api: MessagesApi;
  let server: PlaygroundProcess;
  let context: BrowserContext;
  /** The pause of the answer after the first look. */
  let pause = FAST;
  /** Whether the model refuses every request. */
  let fails = false;

  beforeAll(async () => {
    const built = join(import.meta.dirname, "..", "examples", "playground", "dist", "web", "index.html");
    if (!existsSync(built)) throw new Error("The page is not built: npm run build");
    const rules = rocketLeagueRules();
    api = await messagesApi({
      rules: async (request, given) =>
        fails
          ? { fault: { status: 400 } }
          : paced(await rules(request, given), () => (given.turn === 0 ? FAST : pause)),
    });
    server = await playgroundProcess(api.url, { COACH_TOKEN_BUDGET: String(BUDGET) });
    await server.start();
    // The first question creates the public sample, which takes long on a busy machine.
    const body = JSON.stringify({ input: "How is my boost?" });
    const headers = { "content-type": "application/json" };
    const prepared = await fetch(`${server.url}/api/rocket-league/runs`, { method: "POST", headers, body });
    expect(await prepared.text()).toContain('"type":"run_ended"');
    context = await browser!.newContext({ viewport: { width: 1280, height: 900 } });
  }, 120_000);

  afterAll(async () => {
    await closePages(browser);
    await server?.remove();
    await api?.close();
  });

  const phase = (page: Page, name: string) => page.locator(`main[data-phase="${name}"]`).waitFor(WAIT);
  const say = async (page: Page, text: string) => {
    await page.getByTestId("composer").fill(text);
    await page.keyboard.press("Enter");
  };
  const answer = (page: Page) => page.getByTestId("message-assistant").last();
  const lengthOf = async (text: Locator) => ((await text.textContent()) ?? "").length;
  /** Waits until the text of an answer is shown, while more of it is arriving. */
  const untilWriting = async (page: Page) => {
    const text = answer(page).locator(".prose").last();
    await expect.poll(() => lengthOf(text), { ...WAIT, interval: 20 }).toBeGreaterThan(12);
    await phase(page, "streaming");
    return text;
  };
  const left = (page: Page) => page.getByTestId("panel").locator(".rl-budget-left");
  const get = async <T>(page: Page, path: string): Promise<T> =>
    (await (await page.request.get(`${server.url}/api/rocket-league/${path}`)).json()) as T;
  const logOf = async (page: Page): Promise<StoredEvent[]> => {
    const id = new URL(page.url()).hash.replace("#rocket-league/", "");
    return (await get<{ events: StoredEvent[] }>(page, `sessions/${id}/events?limit=1000`)).events;
  };
  /** Compares the budget with the log, and the meter with the budget. */
  const isCharged = async (page: Page) => {
    const log = await logOf(page);
    const used = ofType(log, "run_ended").reduce((sum, { data }) => sum + data.tokens.total, 0);
    await expect.poll(() => get(page, "budget"), WAIT).toMatchObject({ used, held: 0 });
    const rest = `${(BUDGET - used).toLocaleString("en")} tokens left`;
    await expect.poll(() => left(page).textContent(), WAIT).toBe(rest);
    return log;
  };

  it("X3 W4 L9 L10 E10 F17 F18 from a question to charts, through a reload, a stop and a kill, until the budget is spent", async () => {
    const page = await context.newPage();
    page.on("pageerror", (error) => expect.unreachable(`the page threw: ${error.message}`));
    await page.goto(`${server.url}/#rocket-league`);
    await expect.poll(() => left(page).textContent(), WAIT).toBe("60,000 tokens left");

    // Thinking is folded, has its length, and is opened by the keyboard. The tools' results are charts.
    pause = SLOW;
    await say(page, "How is my boost?");
    const thinking = page.getByTestId("rl-thinking").first();
    await thinking.locator("summary").focus(WAIT);
    await page.keyboard.press("Enter");
    const thought = () => thinking.locator("p").textContent();
    await expect.poll(thought, WAIT).toContain("beside that of their rank");
    await thinking.getByText("Thought").waitFor(WAIT);
    expect(await thinking.locator("p").isVisible()).toBe(true);
    await page.getByTestId("rl-boost").waitFor(WAIT);
    await page.getByTestId("rl-benchmarks").waitFor(WAIT);
    expect(await page.getByTestId("rl-call").count()).toBe(2);

    // The meter moves with the text, and says what is set aside.
    const shown = await lengthOf(await untilWriting(page));
    await page.getByText("Set aside for this answer").waitFor(WAIT);
    const before = await left(page).textContent();
    await expect.poll(() => left(page).textContent(), WAIT).not.toBe(before);

    // A reload in the middle: the same conversation, and the text goes on.
    await page.reload();
    await page.getByTestId("rl-boost").waitFor(WAIT);
    const text = answer(page).locator(".prose").last();
    await expect.poll(() => lengthOf(text), WAIT).toBeGreaterThan(shown);
    pause = FAST;
    await phase(page, "idle");
    expect(await page.getByTestId("message-user").allTextContents()).toEqual(["You: How is my boost?"]);
    expect(await text.textContent()).toContain("small pads");
    await isCharged(page);

    // A stop keeps what was written, and charges it.
    pause = SLOW;
    await say(page, "Am I rotating well?");
    await page.getByTestId("rl-rotations").waitFor(WAIT);
    const half = await untilWriting(page);
    await page.keyboard.press("Escape");
    await page.getByTestId("again").waitFor(WAIT);
    const kept = (await half.textContent()) ?? "";
    expect(kept.length).toBeGreaterThan(12);
    expect(kept).not.toContain("corner");
    expect(ofType(await isCharged(page), "run_ended").at(-1)?.data.stop.type).toBe("aborted");
    pause = FAST;
    await page.getByTestId("again").click();
    await answer(page).getByText("return through your own corner").waitFor(WAIT);
    await phase(page, "idle");
    await isCharged(page);

    // A match of the last sessions is opened by the keyboard, and the coach reads it.
    await say(page, "How did my last session go?");
    const match = page.getByTestId("rl-match").nth(1);
    await match.waitFor(WAIT);
    await phase(page, "idle");
    await match.focus();
    await page.keyboard.press("Enter");
    expect(await match.getAttribute("aria-pressed")).toBe("true");
    const name = (await match.getAttribute("aria-label"))?.replace("Look at ", "");
    expect(await page.getByTestId("rl-attached").textContent()).toContain(name);

    // The server is killed in the middle of the answer about it. The page reconnects, and the run goes on.
    pause = SLOW;
    await say(page, "What happened in this match?");
    await page.getByTestId("rl-replay").waitFor(WAIT);
    await untilWriting(page);
    await server.kill();
    pause = FAST;
    await server.start();
    await answer(page).getByText("return through your own corner").waitFor(WAIT);
    await phase(page, "idle");
    const log = await isCharged(page);
    assertSoundLog(log);
    expect(ofType(log, "run_recovered")).toHaveLength(1);
    expect(await page.getByTestId("rl-resumed").count()).toBe(1);
    // Neither of the two runtimes misses the other one's agents.
    expect(server.output).not.toContain("has no agent");
    expect(ofType(log, "tool_result").filter(({ data }) => !data.success)).toEqual([]);

    // The match is closed by the keyboard, which goes on in the text field.
    await page.getByRole("button", { name: "Close this match" }).focus();
    await page.keyboard.press("Enter");
    await page.getByTestId("rl-attached").waitFor({ state: "detached", ...WAIT });
    expect(await page.evaluate("document.activeElement.tagName")).toBe("TEXTAREA");

    // Until the budget is spent: then a message is refused before anything is stored.
    const failure = page.getByTestId("error").filter({ hasText: "You have no tokens left." });
    const stop = page.getByTestId("stop");
    const messages = page.getByTestId("message-user");
    for (let round = 0; round < 12 && !(await failure.isVisible()); round += 1) {
      const sent = await messages.count();
      await say(page, "Is there progress?");
      const isOver = async () => (await messages.count()) > sent && (await stop.count()) === 0;
      await expect.poll(async () => (await failure.isVisible()) || (await isOver()), WAIT).toBe(true);
    }
    expect(await failure.getByRole("button").allTextContents()).toEqual(["Dismiss"]);
    expect(await page.getByTestId("composer").inputValue()).toBe("Is there progress?");
    const stored = await logOf(page);
    expect(ofType(stored, "user_message")).toHaveLength(await messages.count());
    const { held } = await get<{ held: number }>(page, "budget");
    expect(held).toBe(0);
    await page.keyboard.press("Enter");
    await frames(page);
    expect(await logOf(page)).toHaveLength(stored.length);
    expect(api.rejected).toEqual([]);
  });

  it.each([
    { width: 320, colorScheme: "light" },
    { width: 390, colorScheme: "dark" },
  ] as const)(
    "X3 L12 fits a phone $width wide, $colorScheme, and tries again after a failure",
    async (screen) => {
      pause = FAST;
      fails = true;
      const { width, colorScheme } = screen;
      const phone = await browser!.newContext({ viewport: { width, height: 700 }, colorScheme });
      onTestFinished(() => phone.close());
      const page = await phone.newPage();
      page.on("pageerror", (error) => expect.unreachable(`the page threw: ${error.message}`));
      await page.goto(`${server.url}/#rocket-league`);
      // The head has the meter once the page has heard from its server.
      await page.getByRole("meter", { name: "Token budget" }).waitFor({ state: "attached", ...WAIT });
      await say(page, "How did my last session go?");
      await page.getByTestId("message-user").waitFor(WAIT);
      const failure = page.getByTestId("error");
      await failure.waitFor(WAIT);
      expect(await failure.textContent()).toContain("Your message is saved.");
      fails = false;
      await page.getByTestId("retry").click();
      await page.getByTestId("rl-sessions").waitFor(WAIT);
      await phase(page, "idle");
      expect(await failure.count()).toBe(0);
      await page.getByTestId("rl-match").first().click();
      await page.getByTestId("rl-attached").waitFor(WAIT);
      expect(await page.evaluate(OUTSIDE)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
      // The meter is the lower edge of the page's head, with the same words for screen readers.
      const meter = page.getByRole("meter", { name: "Token budget" });
      await expect
        .poll(() => meter.getAttribute("aria-valuetext"), WAIT)
        .toMatch(/^[1-9][\d,]+ of 60,000 tokens used/);
      await page.getByTestId("panel-toggle").click();
      await left(page).waitFor(WAIT);
      await page.keyboard.press("Escape");
      await left(page).waitFor({ state: "detached", ...WAIT });
    },
  );
});
