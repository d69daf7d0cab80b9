import { messagesApi } from "@pawl/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closePages, startBrowser } from "../../../../test/support/browser.ts";
import { type PlaygroundProcess, playgroundProcess } from "../../../../test/support/playground-process.ts";
import { checkPageIsBuilt } from "../support/built-page.ts";

const browser = await startBrowser();
const WAIT = 60_000;

/** How many characters the messages of a request may have, at one token for each. */
const WINDOW = 3_000;

describe.skipIf(browser === undefined)("what the model's provider refuses", { timeout: 120_000 }, () => {
  let server: PlaygroundProcess;
  let api: Awaited<ReturnType<typeof messagesApi>>;

  beforeAll(async () => {
    checkPageIsBuilt();
    api = await messagesApi({
      rules: ({ messages }) => {
        const text = JSON.stringify(messages);
        const message = `prompt is too long: ${text.length} tokens > ${WINDOW} maximum`;
        if (text.length > WINDOW) return { fault: { status: 400, message } };
        const refuses = { text: "", stop: "refusal" };
        return text.includes("FORBIDDEN") ? refuses : { text: "Here is my answer." };
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

  it("B1 is shortened or left out, the page says so, and the conversation goes on", async () => {
    const page = await (await browser!.newContext()).newPage();
    await page.goto(server.url);
    const say = async (text: string) => {
      await page.getByTestId("composer").fill(text);
      await page.keyboard.press("Enter");
      await page.getByTestId("stop").waitFor({ state: "detached", timeout: WAIT });
    };
    const answers = page.getByTestId("message-assistant").filter({ hasText: "Here is my answer." });
    await say("漢".repeat(3_900));
    await page.getByTestId("left-out").waitFor({ timeout: WAIT });
    expect(await page.getByTestId("left-out").textContent()).toContain("too long for the model");
    await answers.first().waitFor({ timeout: WAIT });
    await say("FORBIDDEN");
    await page.getByTestId("notice").waitFor({ timeout: WAIT });
    await say("What is 2 + 2?");
    await page.getByTestId("left-out").nth(1).waitFor({ timeout: WAIT });
    await answers.nth(1).waitFor({ timeout: WAIT });
    expect(await page.getByTestId("left-out").nth(1).textContent()).toContain("does not read it any more");
    await page.close();
  });
});
