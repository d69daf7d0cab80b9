import { join } from "node:path";
import { agent, memoryStore, runtime, tool } from "@pawl/core";
import { type Reply, scriptedModel } from "@pawl/testing";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { closePages, openPage, startBrowser } from "../../../../test/support/browser.ts";
import { idle } from "../../../../test/support/idle.ts";
import { playgroundApp } from "../../server/app.ts";
import { listen } from "../../server/listen.ts";
import { checkPageIsBuilt } from "../support/built-page.ts";

const browser = await startBrowser();
const WAIT = 20_000;
const webDir = join(import.meta.dirname, "..", "..", "dist", "web");

/** A stored message of the coach's earlier version, which had no tools. */
const OLD = `That is a plan.

[FILE_UPDATE type="domain" name="work"]
# Work

Less of it.
[/FILE_UPDATE]

[DAY_PLAN_DATA]{"intention":"rest"}[/DAY_PLAN_DATA]
[SUGGESTED_REPLIES]
- Sounds good
[/SUGGESTED_REPLIES]
[ENTER_MODE: close_day]

Sleep well. [SESSION_COMPLETE]`;

const files = (count: number): Reply => ({
  text: "Let me keep that.",
  tools: Array.from({ length: count }, (_, n) => ({
    name: "save_file",
    input: { file_type: "capture", file_name: `thought-${n}` },
  })),
});

describe.skipIf(browser === undefined)("the coach's parts on the page", { timeout: 60_000 }, () => {
  beforeAll(() => {
    checkPageIsBuilt();
  });
  afterAll(async () => await closePages(browser));

  /** Opens a page over a scripted model. Its tool `save_file` runs until the test ends it. */
  const open = async (script: (said: string) => Reply) => {
    const gates: (() => void)[] = [];
    const save = tool({
      name: "save_file",
      description: "Saves.",
      input: z.object({ file_type: z.string(), file_name: z.string() }),
      execute: async ({ file_name }) => {
        await new Promise<void>((resolve) => gates.push(resolve));
        if (file_name === "thought-1") throw new Error("The disk is full.");
        return { success: true, path: `captures/${file_name}.md` };
      },
    });
    const model = scriptedModel(({ messages }) => {
      const last = messages.at(-1)?.content.at(-1);
      return last?.type === "text" ? script(String(last.text)) : { text: "Done.", latencyMs: 400 };
    });
    const coach = agent({ name: "coach", model, instructions: "Be kind.", tools: [save] });
    const pawl = runtime({ agents: [coach], store: memoryStore() });
    const info = { model: model.id, simulated: false };
    const app = playgroundApp({ runtime: pawl, info, host: "localhost", webDir });
    const server = await listen(app, { host: "localhost", port: 0 });
    const { page, close } = await openPage(browser!, { viewport: { width: 1280, height: 800 } });
    onTestFinished(async () => {
      await close();
      await server.close();
    });
    await page.goto(server.url);
    return { page, gates };
  };
  const say = async (page: Page, text: string) => {
    await page.getByTestId("composer").fill(text);
    await page.keyboard.press("Enter");
  };

  it("K2 says once that it is saving, for three files at once, until the last has ended, even if some fail", async () => {
    const { page, gates } = await open(() => files(3));
    await say(page, "Keep three things");
    const saving = page.getByTestId("at-work");
    await saving.waitFor({ timeout: WAIT });
    expect(await saving.textContent()).toBe("Saving…");
    await expect.poll(() => gates.length, { timeout: WAIT }).toBe(3);
    gates[2]?.();
    gates[1]?.();
    await expect.poll(() => page.getByTestId("tool-chip").count(), { timeout: WAIT }).toBe(2);
    expect(await saving.count()).toBe(1);
    gates[0]?.();
    await idle(page);
    await expect.poll(() => saving.count(), { timeout: WAIT }).toBe(0);
    expect(await page.getByTestId("tool-chip").allTextContents()).toEqual([
      "Saved: Captured thoughtcaptures/thought-0.md",
      "Captured thought: could not be saved",
      "Saved: Captured thoughtcaptures/thought-2.md",
    ]);
    await page.reload();
    await page.getByTestId("tool-chip").nth(2).waitFor({ timeout: WAIT });
    expect(await saving.count()).toBe(0);
  });

  it("K2 is visible for at least 200 ms, however fast a file is saved", async () => {
    const { page, gates } = await open(() => files(1));
    const opened = setInterval(() => gates.shift()?.(), 5);
    onTestFinished(() => clearInterval(opened));
    // Observes the page's elements instead of its pixels, which a busy machine draws late.
    const shown = page.evaluate(`new Promise((resolve) => {
      let since;
      new MutationObserver((_, observer) => {
        const isThere = document.querySelector("[data-testid=at-work]") !== null;
        if (isThere) since ??= performance.now();
        else if (since !== undefined) {
          observer.disconnect();
          resolve(performance.now() - since);
        }
      }).observe(document, { childList: true, subtree: true });
    })`);
    await say(page, "Keep one thing");
    expect(await shown).toBeGreaterThan(150);
  });

  it("E8 shows legacy messages as text and small cards, without brackets, file contents or actions", async () => {
    const { page } = await open(() => ({ text: OLD, delayPerEventMs: 10 }));
    const raw = page.evaluate(`new Promise((resolve) => {
      const seen = new Set();
      const look = () => {
        const text = document.querySelector("[data-testid=message-assistant]")?.textContent ?? "";
        for (const [mark] of text.matchAll(/[[\\]]|Less of it|intention/g)) seen.add(mark);
        if (text.includes("Session complete")) return resolve([...seen]);
        requestAnimationFrame(look);
      };
      look();
    })`);
    await say(page, "What was it like?");
    // Blocks never appear, not even while the text is being written.
    expect(await raw).toEqual([]);
    await idle(page);
    await page.reload();
    const message = page.getByTestId("message-assistant");
    await message.getByText("Sleep well.").waitFor({ timeout: WAIT });
    expect(await message.textContent()).not.toMatch(/[[\]]|Less of it|Sounds good|intention/);
    expect(await message.getByTestId("legacy-card").allTextContents()).toEqual([
      "Saved: Area of life · work",
      "A plan for the day",
      "Evening",
      "Session complete",
    ]);
    expect(await page.getByTestId("announcer").textContent()).not.toContain("[");
    expect(await message.getByRole("button").count()).toBe(0);
  });
});
