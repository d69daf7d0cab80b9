import { messagesApi } from "@pawl/testing";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closePages, startBrowser } from "../../../../test/support/browser.ts";
import { type PlaygroundProcess, playgroundProcess } from "../../../../test/support/playground-process.ts";
import { countRenders, renders, untilSays } from "../../../../test/support/react-renders.ts";
import { blocksOf } from "../../web/markdown/blocks.ts";
import { checkPageIsBuilt } from "../support/built-page.ts";

const browser = await startBrowser();
const WAIT = 60_000;
const DELTAS = 10_000;
// The longest answer that the coach's `maxTokens` allows: short words, and a last one that marks the end.
const words = `${Array.from({ length: DELTAS - 1 }, (_, n) => `ab${n % 15 === 14 ? ".\n\n" : " "}`).join("")}end`;

async function say(page: Page, text: string): Promise<void> {
  await page.getByTestId("composer").fill(text);
  await page.keyboard.press("Enter");
  await untilSays(page, text, WAIT);
  await page.getByTestId("stop").waitFor({ state: "detached", timeout: WAIT });
}

describe.skipIf(browser === undefined)("the page under a long answer", { timeout: 120_000 }, () => {
  let server: PlaygroundProcess;
  let api: Awaited<ReturnType<typeof messagesApi>>;

  beforeAll(async () => {
    checkPageIsBuilt();
    api = await messagesApi({
      rules: ({ messages }) => {
        const asked = JSON.stringify(messages.at(-1));
        if (asked.includes("long")) return { text: words, deltas: DELTAS };
        if (asked.includes("slow")) return { text: words.slice(0, 200), deltas: 20, delayPerEventMs: 100 };
        return { text: "Hello there." };
      },
    });
    server = await playgroundProcess(api.url);
    await server.start();
  }, 60_000);
  afterAll(async () => {
    await closePages(browser);
    await server?.remove();
    await api?.close();
  });

  it(`K4 renders the active message only, for ${DELTAS} deltas in a few frames`, async () => {
    const page = await (await browser!.newContext()).newPage();
    await countRenders(page);
    await page.goto(server.url);
    await say(page, "First");
    await say(page, "Second");
    await renders(page);
    await say(page, "A long one");
    const { commits, byMessage } = await renders(page);
    // The sent message is rendered when it is shown and when it is stored. Earlier messages are not rendered
    // at all.
    expect(Object.keys(byMessage).map(Number)).toEqual([4, 5]);
    expect(byMessage[4]).toBeLessThanOrEqual(3);
    expect(commits).toBeLessThan(DELTAS / 20);
    expect(await page.getByTestId("message-assistant").last().textContent()).toMatch(/end$/);
    await page.close();
  });

  it("K4 renders an answer again and again while it is being written", async () => {
    const page = await (await browser!.newContext()).newPage();
    await countRenders(page);
    await page.goto(server.url);
    await say(page, "A slow one");
    expect((await renders(page)).byMessage[1]).toBeGreaterThan(2);
    await page.close();
  });
});

describe("Markdown in blocks", () => {
  it("K4 changes only its last block as a text grows, and contains the whole text", () => {
    const text =
      "# Plan\n\nOne\ntwo\n\n- a\n\n- b\n  - c\n\n```ts\nconst x = 1;\n\nconst y = 2;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nEnd";
    const blocks = blocksOf(text);
    expect(blocks.map((block) => block.trim().split("\n")[0])).toEqual([
      "# Plan",
      "One",
      "- a",
      "```ts",
      "| a | b |",
      "End",
    ]);
    for (let length = 1; length <= text.length; length += 1) {
      const shown = blocksOf(text.slice(0, length));
      expect(shown.join("").replace(/\s/g, "")).toBe(text.slice(0, length).replace(/\s/g, ""));
    }
  });
});
