import type { Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { startBrowser } from "../../../../test/support/browser.ts";
import { servedTrainer } from "../support/served-trainer.ts";

const browser = await startBrowser();
const WAIT = 20_000;

describe.skipIf(browser === undefined)("what the page loads", { timeout: 120_000 }, () => {
  const server = servedTrainer(browser);

  /** Opens a page, and records the scripts and styles that it requests, by their names without hashes. */
  const open = async (
    hash = "",
    { width = 1280, before = async (_: Page): Promise<unknown> => undefined } = {},
  ) => {
    const context = await browser!.newContext({ viewport: { width, height: 800 } });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const asked = new Set<string>();
    const strangers: string[] = [];
    page.on("request", (request) => {
      const { origin, pathname } = new URL(request.url());
      if (origin !== server().url) strangers.push(request.url());
      const [, name] = /^\/assets\/(.+)-[\w-]{8}\.\w+$/.exec(pathname) ?? [];
      if (name !== undefined) asked.add(name);
    });
    await page.addInitScript(`
      window.shifts = [];
      // The top bar is left out: its content arrives when the server has answered.
      const isBelow = ({ node }) => node?.parentElement?.closest(".top") === null;
      const told = ({ node, previousRect: { top }, currentRect }) =>
        \`\${node.nodeName} \${node.className} from \${top} to \${currentRect.top}\`;
      new PerformanceObserver((list) => {
        for (const { sources } of list.getEntries()) window.shifts.push(...sources.filter(isBelow).map(told));
      }).observe({ type: "layout-shift", buffered: true });
    `);
    await before(page);
    await page.goto(`${server().url}/${hash}`);
    return { page, asked, strangers };
  };
  const begun = (page: Page) => page.getByTestId("starter").first().waitFor({ timeout: WAIT });
  const say = async (page: Page, text: string) => {
    await page.getByTestId("composer").fill(text);
    await page.keyboard.press("Enter");
    await page.getByTestId("message-user").filter({ hasText: text }).waitFor({ timeout: WAIT });
    await page.locator('main[data-phase="idle"]').waitFor({ timeout: WAIT });
  };
  const missing = (page: Page) => page.getByTestId("not-shown");
  const lose = (page: Page, name: string) =>
    page.route(`**/assets/${name}-*.js`, (route) => route.fulfill({ status: 404, body: "gone" }));
  const again = (page: Page) => page.getByRole("button", { name: "Load the page again" }).click();

  it("K1 loads only the code of the agent that is shown, and nothing from other hosts", async () => {
    const coach = await open("", { width: 390 });
    await begun(coach.page);
    await say(coach.page, "Good morning");
    // `later` has what the client needs once the conversation is shown, and for the list of conversations.
    await expect.poll(() => [...coach.asked].sort()).toEqual(["coach", "index", "later", "markdown-view"]);
    const trainer = await open("#trainer", { width: 390 });
    await begun(trainer.page);
    // `web` has the tables of charts, which several agents share.
    await expect
      .poll(() => [...trainer.asked].sort())
      .toEqual(["index", "later", "markdown-view", "trainer", "web"]);
    await say(trainer.page, "A workout, please");
    await trainer.page.getByTestId("panel-toggle").click();
    await trainer.page.getByTestId("this-week").waitFor({ timeout: WAIT });
    await expect.poll(() => [...trainer.asked]).toContain("charts");
    expect(trainer.asked).not.toContain("coach");
    expect([...coach.strangers, ...trainer.strangers]).toEqual([]);
  });

  it("keeps the other agent's page in place while an agent is loading", async () => {
    const held = Promise.withResolvers<void>();
    onTestFinished(() => held.resolve());
    const { page } = await open("", {
      before: (page) =>
        page.route("**/assets/trainer-*.js", async (route) => {
          await held.promise;
          await route.continue();
        }),
    });
    await begun(page);
    await page.getByTestId("composer").fill("Half a thou");
    await page.getByTestId("agent-trainer").click();
    await page.locator('[data-testid="agent-trainer"][aria-current="page"]').waitFor({ timeout: WAIT });
    expect(await page.getByTestId("composer").inputValue()).toBe("Half a thou");
    expect(await page.getByRole("main", { name: "Conversation with Sage" }).count()).toBe(1);
    held.resolve();
    await page.getByRole("main", { name: "Conversation with Rowan" }).waitFor({ timeout: WAIT });
    await begun(page);
    expect(await page.evaluate("window.shifts")).toEqual([]);
  });

  it("opens a conversation only when its text can be rendered in its final form", async () => {
    const held = Promise.withResolvers<void>();
    onTestFinished(() => held.resolve());
    const { page } = await open();
    await begun(page);
    await say(page, "Good morning");
    await page.route("**/assets/markdown-view-*.js", async (route) => {
      await held.promise;
      await route.continue();
    });
    const asked = page.waitForRequest("**/assets/markdown-view-*.js", { timeout: WAIT });
    await page.reload();
    await asked;
    expect(await page.getByTestId("message-assistant").count()).toBe(0);
    await page.getByRole("status").filter({ hasText: "Loading" }).waitFor({ timeout: WAIT });
    held.resolve();
    await page.locator(".prose p").waitFor({ timeout: WAIT });
    expect(await page.evaluate("window.shifts")).toEqual([]);
  });

  it("says that an agent cannot be loaded, returns to the other one, and loads it on another attempt", async () => {
    const { page } = await open("", { before: (page) => lose(page, "trainer") });
    await begun(page);
    await page.getByTestId("agent-trainer").click();
    await missing(page).waitFor({ timeout: WAIT });
    expect(await missing(page).getAttribute("role")).toBe("alert");
    await page.goBack();
    await begun(page);
    expect(await missing(page).count()).toBe(0);
    await page.goForward();
    await missing(page).waitFor({ timeout: WAIT });
    await page.unrouteAll();
    await again(page);
    await page.getByRole("main", { name: "Conversation with Rowan" }).waitFor({ timeout: WAIT });
  });

  it("loses only the charts or the conversation if their code cannot be loaded", async () => {
    const { page } = await open("#trainer", { before: (page) => lose(page, "charts") });
    await begun(page);
    await page.getByTestId("panel").getByTestId("not-shown").waitFor({ timeout: WAIT });
    await say(page, "A workout, please");
    await page.getByTestId("workout").waitFor({ timeout: WAIT });
    await page.unrouteAll();
    await page.getByTestId("panel").getByRole("button", { name: "Load the page again" }).click();
    await page.getByTestId("this-week").waitFor({ timeout: WAIT });
    expect(await page.getByTestId("workout").count()).toBe(1);

    const other = await open("", { before: (page) => lose(page, "markdown-view") });
    await begun(other.page);
    await other.page.getByTestId("composer").fill("Good morning");
    await other.page.keyboard.press("Enter");
    await missing(other.page).waitFor({ timeout: WAIT });
    await other.page.locator('main[data-phase="idle"]').waitFor({ timeout: WAIT });
    await other.page.getByTestId("composer").fill("And what is more");
    await other.page.unrouteAll();
    await again(other.page);
    await other.page.getByTestId("message-assistant").getByText("Hello.").waitFor({ timeout: WAIT });
  });

  it("shows plain source while the Markdown renderer is not loaded", async () => {
    const held = Promise.withResolvers<void>();
    onTestFinished(() => held.resolve());
    const { page } = await open("#trainer", {
      before: (page) =>
        page.route("**/assets/markdown-view-*.js", async (route) => {
          await held.promise;
          await route.continue();
        }),
    });
    await begun(page);
    await say(page, "A workout, please");
    await page.getByTestId("message-assistant").getByText("**45 minutes**").waitFor({ timeout: WAIT });
    held.resolve();
    await page.locator(".prose strong").getByText("45 minutes").waitFor({ timeout: WAIT });
  });
});
