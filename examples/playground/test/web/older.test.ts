import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { serve } from "@hono/node-server";
import { memoryFiles, memoryStore, runtime } from "@pawl/core";
import { coach, coachDeps } from "@pawl/example-coach";
import { scriptedModel } from "@pawl/testing";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closePages, startBrowser } from "../../../../test/support/browser.ts";
import { playgroundApp } from "../../server/app.ts";
import { checkPageIsBuilt } from "../support/built-page.ts";

const browser = await startBrowser();
const WAIT = 20_000;
const COUNT = 150;

/** Lets a page hear of what comes into view and goes 100 ms later, several changes at once, as on a busy machine. */
const LATE = `
  const Native = IntersectionObserver;
  globalThis.IntersectionObserver = class extends Native {
    constructor(heard, options) {
      let late = [];
      super((entries) => {
        if (late.push(...entries) === entries.length) setTimeout(() => heard(late.splice(0)), 100);
      }, options);
    }
  };
`;

/** Returns the texts of the user's messages, and how many messages there are. */
const shown = async (page: Page) => ({
  said: await page.getByTestId("message-user").locator(".bubble").allTextContents(),
  count: await page.locator(".messages > .message").count(),
});

describe.skipIf(browser === undefined)("a long conversation in the page", { timeout: 120_000 }, () => {
  let url = "";
  const store = memoryStore();
  let turn = 0;
  const model = scriptedModel(({ messages }) => {
    // The first message leads into an arc, in which the conversation then stays.
    if (messages.every(({ role }) => role !== "assistant"))
      return { tools: [{ name: "enter_structured_arc", input: { arc: "close_day" } }] };
    return { text: `Answer ${turn++}. ${"A sentence of some length. ".repeat(turn % 9)}` };
  });
  const agent = coach({ model });
  const pawl = runtime({ agents: [agent], store, deps: coachDeps({ files: memoryFiles() }) });
  let server: ReturnType<typeof serve>;

  beforeAll(async () => {
    checkPageIsBuilt();
    const app = playgroundApp({
      runtime: pawl,
      info: { model: model.id, simulated: true },
      host: "127.0.0.1",
      webDir: join(import.meta.dirname, "..", "..", "dist", "web"),
    });
    server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" });
    await once(server, "listening");
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await closePages(browser);
    server?.close();
  });

  /** Opens a conversation with `COUNT` messages of the user, and as many answers. */
  async function opened(options: Parameters<NonNullable<typeof browser>["newContext"]>[0] = {}) {
    const context = await browser!.newContext(options);
    const page = await context.newPage();
    await page.addInitScript(LATE);
    await page.goto(url);
    await page.getByTestId("starter").first().waitFor({ timeout: WAIT });
    await page.getByTestId("composer").fill("Message 0");
    await page.keyboard.press("Enter");
    await page.waitForURL(/#s\//, { timeout: WAIT });
    const sessionId = decodeURIComponent(new URL(page.url()).hash.slice("#s/".length));
    await expect.poll(async () => (await store.sessions.get(sessionId))?.openRun).toBeNull();
    const userId = (await store.sessions.get(sessionId))?.userId ?? "";
    for (let n = 1; n < COUNT; n += 1)
      await pawl.run(agent, { userId, sessionId, input: `Message ${n}` }).result;
    await page.reload();
    await page.getByText(`Message ${COUNT - 1}`, { exact: true }).waitFor({ timeout: WAIT });
    return { page, close: () => context.close() };
  }

  it.each([
    ["desk", "light", { viewport: { width: 1280, height: 800 }, colorScheme: "light" as const }],
    [
      "phone",
      "dark",
      { viewport: { width: 390, height: 740 }, isMobile: true, hasTouch: true, colorScheme: "dark" as const },
    ],
  ])(
    "R5 K1 shows its end first, and what is older on scrolling up, without a jump: %s, %s",
    async (name, _, options) => {
      const { page, close } = await opened(options);
      const box = `document.querySelector("[data-testid=thread]")`;
      expect((await shown(page)).count).toBe(50);
      await expect
        .poll(() => page.evaluate(`${box}.scrollHeight - ${box}.scrollTop - ${box}.clientHeight`))
        .toBeLessThan(64);
      if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}-end.png` });
      // The arc began before the shown messages.
      await page.locator(".session-label-arc").waitFor({ state: "attached", timeout: WAIT });
      const asked: string[] = [];
      page.on("request", (request) => request.url().includes("before=") && asked.push(request.url()));
      // Scrolls to the first message, holds its place, and sees more above it.
      const first = page.getByText(`Message ${COUNT - 25}`, { exact: true });
      await page.evaluate(`${box}.scrollTo({ top: 700 })`);
      const top = async () => (await first.boundingBox())?.y ?? Number.NaN;
      const before = await top();
      await page.evaluate(`${box}.scrollTo({ top: 250 })`);
      await expect.poll(async () => (await shown(page)).count).toBe(100);
      const after = await top();
      expect(Math.abs(after - before - 450)).toBeLessThan(3);
      if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}-older.png` });
      // The rest, to the beginning.
      await expect
        .poll(
          async () => {
            await page.evaluate(`${box}.scrollTo({ top: 0 })`);
            return (await shown(page)).count;
          },
          { timeout: WAIT },
        )
        .toBe(2 * COUNT);
      const { said } = await shown(page);
      expect(said).toEqual(Array.from({ length: COUNT }, (__, n) => `Message ${n}`));
      expect(new Set(asked).size).toBe(asked.length);
      expect(await page.getByTestId("older").count()).toBe(0);
      await page.reload();
      await page.getByText(`Message ${COUNT - 1}`, { exact: true }).waitFor({ timeout: WAIT });
      expect((await shown(page)).count).toBe(50);
      await close();
    },
  );

  it("R5 K1 keeps the focus on the button while it loads, and on the first message after the last page", async () => {
    const { page, close } = await opened({ viewport: { width: 390, height: 844 } });
    const focused = async () =>
      await page.evaluate<string>(
        "document.activeElement.textContent.slice(0, 60) || document.activeElement.tagName",
      );
    await page.getByTestId("older").getByRole("button").focus();
    await expect.poll(async () => (await shown(page)).count, { timeout: WAIT }).toBeGreaterThan(50);
    expect(await focused()).toMatch(/older messages/);
    const older = async () => {
      await page.evaluate(`document.querySelector("[data-testid=thread]").scrollTo({ top: 0 })`);
      return await page.getByTestId("older").count();
    };
    await expect.poll(older, { timeout: WAIT }).toBe(0);
    await expect.poll(focused).toContain("Message 0");
    await close();
  });
});
