import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { StoredEvent } from "@pawl/core";
import { searchRules } from "@pawl/example-enterprise-search";
import { type MessagesApi, messagesApi } from "@pawl/testing";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { agentsIn, makeAgent } from "./support/agent-dialog.ts";
import { closePages, startBrowser } from "./support/browser.ts";
import { OUTSIDE, SEEN } from "./support/in-view.ts";
import { assertSoundLog, ofType } from "./support/invariants.ts";
import { Gate } from "./support/model-gate.ts";
import { type PlaygroundProcess, playgroundProcess } from "./support/playground-process.ts";

const browser = await startBrowser();
const WAIT = { timeout: 20_000 };
const CHEN = "alex.chen@harborline.example";
const RIVERA = "alex.rivera@harborline.example";

describe.skipIf(browser === undefined)("the enterprise search in a browser", { timeout: 120_000 }, () => {
  const gate = new Gate();
  let api: MessagesApi;
  let server: PlaygroundProcess;
  let context: BrowserContext;
  let page: Page;
  /** Whether the model writes slowly, so that the test can act in the middle of an answer. */
  let slow = false;

  beforeAll(async () => {
    const built = join(import.meta.dirname, "..", "examples", "playground", "dist", "web", "index.html");
    if (!existsSync(built)) throw new Error("The page is not built: npm run build");
    api = await messagesApi({
      rules: async (request, given) => {
        const only = request.tools?.length === 1 ? request.tools[0]?.name : undefined;
        await gate.pass(only === "write_plan" ? "plan" : only === "review" ? "review" : "turn");
        const reply = await searchRules({ speed: 20 })(request, given);
        return slow ? { ...reply, delayPerEventMs: 100 } : reply;
      },
    });
    server = await playgroundProcess(api.url, { SEARCH_DOCUMENTS: "1000" });
    await server.start();
    context = await browser!.newContext({ viewport: { width: 1280, height: 900 } });
    page = await opened(context);
  }, 120_000);

  afterAll(async () => {
    await closePages(browser);
    await server?.remove();
    await api?.close();
  });

  afterEach(() => {
    gate.open();
    slow = false;
  });

  const opened = async (of: BrowserContext) => {
    const one = await of.newPage();
    one.on("pageerror", (error) => expect.unreachable(`the page threw: ${error.message}`));
    return one;
  };
  const say = async (text: string) => {
    await page.getByTestId("composer").fill(text);
    await page.keyboard.press("Enter");
  };
  const phase = (name: string) => page.locator(`main[data-phase="${name}"]`).waitFor(WAIT);
  const answer = () => page.getByTestId("message-assistant").last();
  const tasks = (): Promise<string[]> =>
    page.evaluate("[...document.querySelectorAll('[data-testid=es-task]')].map((one) => one.dataset.state)");
  const focused = (): Promise<string> =>
    page.evaluate("document.activeElement.getAttribute('data-testid') ?? document.activeElement.tagName");
  const isSource = (title: string) =>
    expect.poll(() => page.getByTestId("es-view-title").textContent(), WAIT).toBe(title);
  const logOf = async (): Promise<StoredEvent[]> => {
    const id = new URL(page.url()).hash.replace("#search/", "");
    const found = await page.request.get(`${server.url}/api/search/sessions/${id}/events?limit=1000`);
    return ((await found.json()) as { events: StoredEvent[] }).events;
  };
  const become = async (email: string) => {
    await page.getByTestId("es-person-select").selectOption(email);
    await expect.poll(() => page.url(), WAIT).toBe(`${server.url}/#search`);
    await page.getByTestId("starter").first().waitFor(WAIT);
    expect(await page.locator("select[aria-busy=false]").inputValue()).toBe(email);
  };

  it("X4 X5 W4 builds the index at the first visit, also over a kill of the server, and keeps a question until then", async () => {
    const kept = async () => (await readdir(server.dir)).filter((name) => name.startsWith("company-"));
    expect(await kept()).toEqual([]);
    await page.goto(`${server.url}/#search`);
    const progress = page.getByTestId("es-index");
    await progress.getByRole("progressbar").waitFor(WAIT);
    const questions = ["Where does the Q4 pipeline stand?", "What do we know about Norvik Marine?"];
    for (const question of questions) {
      await say(question);
      await page.getByTestId("es-queued").getByText(question).waitFor(WAIT);
    }
    const seen = new Set<string>();
    const look = async () => {
      const text = await progress
        .locator(".es-index-percent")
        .textContent({ timeout: 200 })
        .catch(() => "");
      if (text) seen.add(text);
      return await progress.count();
    };
    const part = async () => {
      await look();
      return ((await (await page.request.get(`${server.url}/api/search/index`)).json()) as { done: number })
        .done;
    };
    await expect.poll(part, { timeout: 60_000, interval: 5 }).toBeGreaterThan(0.2);
    await server.kill();
    await server.start();
    await expect.poll(look, { timeout: 60_000, interval: 50 }).toBe(0);
    expect(seen.size).toBeGreaterThan(1);
    expect(await kept()).toHaveLength(1);
    await page.getByText("$7.2 million in 31 deals").waitFor(WAIT);
    await expect.poll(() => page.getByTestId("message-assistant").count(), WAIT).toBe(2);
    await phase("idle");
    expect(await page.getByTestId("es-queued").count()).toBe(0);
    const said = await page.getByTestId("message-user").allTextContents();
    expect(said).toEqual(questions.map((question) => `You: ${question}`));
    expect(ofType(await logOf(), "run_ended")).toHaveLength(2);
  });

  it("X4 W4 M1 M2 M3 M5 tells the story of the two Alexes by the keyboard, with a reload in every step", async () => {
    await page.goto(`${server.url}/#search/new`);
    await page.goto(`${server.url}/#search`);
    await page.getByTestId("starter").first().waitFor(WAIT);
    const sent = api.requests.length;

    // Planning.
    gate.hold("plan");
    await page.evaluate("document.activeElement.blur()");
    await page.keyboard.press("/");
    expect(await focused()).toBe("composer");
    await page.keyboard.type("What does Alex say about Q4?");
    await page.keyboard.press("Enter");
    await page.getByTestId("es-planning").waitFor(WAIT);
    await page.reload();
    await page.getByTestId("es-planning").waitFor(WAIT);
    gate.release("plan");

    // The question is asked once. Its choices are people with their initials and teams.
    const choices = page.getByTestId("es-choice");
    await choices.first().waitFor(WAIT);
    await page.reload();
    await choices.first().waitFor(WAIT);
    expect(await choices.count()).toBe(2);
    expect(await choices.nth(0).textContent()).toMatch(/AC.*Alex Chen.*Planning/);
    expect(await choices.nth(1).textContent()).toMatch(/AR.*Alex Rivera.*Enterprise/);
    // Nothing expensive has run.
    expect(ofType(await logOf(), "tool_started")).toEqual([]);

    // The answer.
    gate.hold("plan");
    await page.evaluate("document.activeElement.blur()");
    await page.keyboard.press("/");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("2");
    expect(await page.evaluate("document.activeElement.textContent")).toContain("Alex Rivera");
    await page.keyboard.press("Enter");
    await page.getByTestId("es-answer").waitFor(WAIT);
    await page.reload();
    expect(await page.getByTestId("es-answer").textContent(WAIT)).toContain("Alex Rivera");
    expect(await choices.count()).toBe(0);

    // The plan, before anything is searched.
    gate.hold("turn");
    gate.release("plan");
    await page.getByTestId("es-tasks").waitFor(WAIT);
    await page.reload();
    await page.getByTestId("es-tasks").waitFor(WAIT);
    expect(await tasks()).toEqual(["next", "next", "waiting"]);

    // Both sources are searched, and the review is in progress.
    gate.hold("review");
    gate.release("turn");
    await expect.poll(tasks, WAIT).toEqual(["done", "done", "running"]);
    await page.reload();
    await expect.poll(tasks, WAIT).toEqual(["done", "done", "running"]);

    // The answer, while it is written.
    slow = true;
    gate.release("review");
    const text = answer().locator(".prose").last();
    const length = async () => ((await text.textContent().catch(() => "")) ?? "").length;
    await expect.poll(length, { ...WAIT, interval: 20 }).toBeGreaterThan(30);
    await phase("streaming");
    const half = await length();
    await page.reload();
    await expect.poll(length, { ...WAIT, interval: 20 }).toBeGreaterThan(half);
    await phase("idle");
    slow = false;
    await expect.poll(() => text.textContent(), WAIT).toContain("Where the Q4 pipeline stands, Alex Rivera");
    expect(await text.textContent()).not.toContain("gmail-");

    // Citations, by the keyboard: the source with its words, and back.
    await page.evaluate("document.activeElement.blur()");
    await page.keyboard.press("/");
    await page.keyboard.press("ArrowUp");
    expect(await focused()).toBe("es-cite");
    await page.keyboard.press("Enter");
    await isSource("Where the Q4 pipeline stands");
    await expect
      .poll(() => page.locator("[data-testid=es-view-text] mark").allTextContents())
      .toContain("Q4");
    await page.keyboard.press("Escape");
    await page.getByTestId("es-view").waitFor({ state: "detached", ...WAIT });
    expect(await focused()).toBe("es-cite");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await isSource("#sales");
    await page.reload();
    await answer().getByTestId("es-cite").nth(1).click(WAIT);
    await isSource("#sales");
    await page.keyboard.press("Escape");
    await page.getByTestId("es-panel").waitFor(WAIT);

    // Each step happened once.
    const log = await logOf();
    assertSoundLog(log);
    expect(ofType(log, "run_started")).toHaveLength(1);
    expect(
      ofType(log, "tool_started")
        .map(({ data }) => data.tool_name)
        .sort(),
    ).toEqual(["search_gmail", "search_slack"]);
    expect(log.filter(({ type }) => type === "planning.clarification")).toHaveLength(1);
    // Two plans, the searches, a review and the answer.
    expect(api.requests.length - sent).toBe(5);
    expect(api.rejected).toEqual([]);
  });

  it("X4 F17 searches as the chosen person: somebody else finds, opens and continues nothing of it", async () => {
    const question = "How large is the Q4 bonus pool?";
    const nothing = "I have found nothing about this that you may see.";
    await page.goto(`${server.url}/#search`);
    await say(question);
    await answer().getByText(nothing).waitFor(WAIT);
    await phase("idle");

    await become(CHEN);
    await say(question);
    await answer().getByText("the Q4 bonus pool is $1.35 million").waitFor(WAIT);
    await phase("idle");
    await answer().getByTestId("es-cite").first().click();
    await isSource("Q4 bonus pool, confidential");
    const id = await answer().getByTestId("es-cite").first().getAttribute("data-cite");
    const address = page.url();
    const read = async () => (await page.request.get(`${server.url}/api/search/documents/${id}`)).status();
    expect(await read()).toBe(200);

    await become(RIVERA);
    expect(await page.getByTestId("es-view").count()).toBe(0);
    expect(await page.getByTestId("past-session").count()).toBe(0);
    expect(await read()).toBe(404);
    await say(question);
    await answer().getByText(nothing).waitFor(WAIT);
    await phase("idle");
    await page.goto(address);
    await page.getByTestId("error").waitFor(WAIT);
    expect(await page.locator("main").textContent()).not.toContain("1.35");

    // Another tab chooses: this one follows when the user comes back to it.
    const other = await opened(context);
    await other.goto(`${server.url}/#search`);
    await other.getByTestId("es-person-select").selectOption(CHEN);
    const chosen = async () =>
      (
        (await (await other.request.get(`${server.url}/api/search/me`)).json()) as {
          person: { email: string };
        }
      ).person;
    await expect.poll(chosen, WAIT).toMatchObject({ email: CHEN });
    await other.close();
    await page.evaluate("window.dispatchEvent(new Event('focus'))");
    await expect.poll(() => page.getByTestId("es-person-select").inputValue(), WAIT).toBe(CHEN);
    await expect.poll(() => page.url(), WAIT).toBe(`${server.url}/#search`);

    // The conversation is there for the person that it belongs to.
    await page.getByTestId("past-session").filter({ hasText: question }).click();
    await answer().getByText("the Q4 bonus pool is $1.35 million").waitFor(WAIT);
  });

  it("X4 F17 makes an agent, asks it, and shows it to nobody else", async () => {
    await become(RIVERA);
    await makeAgent(page, "Pipeline figures");
    await say("Pipeline figures: where does the Q4 pipeline stand?");
    await answer().getByText("$7.2 million in 31 deals").waitFor(WAIT);
    const asked = ofType(await logOf(), "tool_call").map(({ data: { arguments: given } }) => given);
    expect(asked).toMatchObject([{ agent_id: expect.stringMatching(/^pipeline-figures-/) }]);
    await become(CHEN);
    expect(await agentsIn(page)).not.toContain("Pipeline figures");
  });

  it("X4 F17 never searches as somebody else than the page shows, when another tab has chosen", async () => {
    const question = "How large is the Q4 bonus pool?";
    const other = await opened(context);
    await other.goto(`${server.url}/#search`);
    const shown = () => page.getByTestId("es-person-select").inputValue();

    // The other tab's choice arrives without the focus.
    await page.goto(`${server.url}/#search`);
    await page.getByTestId("starter").first().waitFor(WAIT);
    await become(RIVERA);
    await expect.poll(() => other.getByTestId("es-person-select").inputValue(), WAIT).toBe(RIVERA);
    await other.getByTestId("es-person-select").selectOption(CHEN);
    await expect.poll(shown, WAIT).toBe(CHEN);
    await page.getByText("You now search as Alex Chen.").waitFor(WAIT);

    // A choice that the page has not heard of: a new conversation is refused, and the text stays.
    await page.getByTestId("starter").first().waitFor(WAIT);
    await page.request.put(`${server.url}/api/search/me`, { data: { email: RIVERA } });
    await say(question);
    await page.getByText("You now search as Alex Rivera, whom you chose in another tab.").waitFor(WAIT);
    await expect.poll(shown, WAIT).toBe(RIVERA);
    expect(await page.getByTestId("composer").inputValue()).toBe(question);
    await page.getByTestId("retry").click();
    await answer().getByText("I have found nothing about this that you may see.").waitFor(WAIT);
    await phase("idle");

    // The same in an open conversation, which is left.
    await page.request.put(`${server.url}/api/search/me`, { data: { email: CHEN } });
    await say(question);
    await page.getByText("You now search as Alex Chen.").waitFor(WAIT);
    await expect.poll(() => page.url(), WAIT).toBe(`${server.url}/#search`);
    expect(await page.getByTestId("composer").inputValue()).toBe(question);
    expect(await page.locator("main").textContent()).not.toContain("1.35");
    await other.close();
  });

  it("X4 W4 shows a question from its top on a low window, and says why Enter sends nothing during a run", async () => {
    await page.setViewportSize({ width: 640, height: 450 });
    onTestFinished(() => page.setViewportSize({ width: 1280, height: 900 }));
    await page.goto(`${server.url}/#search/new`);
    await page.getByText("It may belong to another browser or another person.").waitFor(WAIT);
    await page.goto(`${server.url}/#search`);
    await page.getByTestId("starter").first().waitFor(WAIT);
    gate.hold("plan");
    await say("What does Alex say about Q4?");
    await phase("streaming");
    await say("And Robin?");
    await page.getByText("Beacon is working. You can send once it is done").waitFor(WAIT);
    expect(await page.getByTestId("composer").inputValue()).toBe("And Robin?");
    await page.getByTestId("composer").fill("");
    gate.release("plan");
    const isSeen = async () => {
      await page.locator(".es-choice:focus").waitFor(WAIT);
      return await page.evaluate(SEEN);
    };
    await expect.poll(isSeen, WAIT).toEqual([true, true]);
    await page.reload();
    await expect.poll(isSeen, WAIT).toEqual([true, true]);
  });

  it("X4 W4 opens the kept index after a kill, and builds nothing again", async () => {
    await server.kill();
    await server.start();
    await page.goto(`${server.url}/#search`);
    await page.reload();
    const stages = new Set<string>();
    const look = async () => {
      const state = await page.request.get(`${server.url}/api/search/index`);
      const { status, stage = "" } = (await state.json()) as { status: string; stage?: string };
      stages.add(stage);
      return status;
    };
    await expect.poll(look, { ...WAIT, interval: 20 }).toBe("ready");
    expect([...stages].filter((stage) => ["draw", "documents", "words"].includes(stage))).toEqual([]);
    await page.getByTestId("es-index").waitFor({ state: "detached", ...WAIT });
    await say("How large is the Q4 bonus pool?");
    await answer().getByText("$1.35 million").waitFor(WAIT);
  });

  it.each([
    { width: 320, colorScheme: "light" },
    { width: 390, colorScheme: "dark" },
  ] as const)("X4 fits a phone $width wide, $colorScheme", async ({ width, colorScheme }) => {
    const phone = await browser!.newContext({ viewport: { width, height: 700 }, colorScheme });
    onTestFinished(() => phone.close());
    const large = page;
    onTestFinished(() => {
      page = large;
    });
    page = await opened(phone);
    await page.goto(`${server.url}/#search`);
    await say("What do we know about Norvik Marine?");
    await page.getByTestId("es-sources").waitFor(WAIT);
    await phase("idle");
    expect(await page.evaluate(OUTSIDE)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
    await page.getByTestId("es-source-row").first().click();
    await page.getByTestId("es-view-text").waitFor(WAIT);
    expect(await page.evaluate(OUTSIDE)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByTestId("es-view").waitFor({ state: "detached", ...WAIT });
  });
});
