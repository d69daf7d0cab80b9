import { join } from "node:path";
import { agent, guardrail, type Hook, memoryFiles, memoryStore, runtime, tool } from "@pawl/core";
import { coachDeps } from "@pawl/example-coach";
import { type Reply, scriptedModel } from "@pawl/testing";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { closePages, openPage, startBrowser } from "../../../../test/support/browser.ts";
import { playgroundApp } from "../../server/app.ts";
import { listen } from "../../server/listen.ts";
import { checkPageIsBuilt } from "../support/built-page.ts";

const browser = await startBrowser();
const WAIT = 20_000;
const webDir = join(import.meta.dirname, "..", "..", "dist", "web");

const pay = tool({
  name: "pay",
  description: "Pays.",
  input: z.object({ amount: z.number() }),
  execute: ({ amount }) => `Paid ${amount}.`,
});
const less: Hook = { name: "less", beforeTool: () => ({ input: { amount: 50 }, shown: true }) };
const guard = guardrail({
  input: ({ text }) => (text.includes("password") ? { block: "Please send no passwords." } : undefined),
  output: ({ text }) => (text.includes("secret") ? { block: "That is confidential." } : undefined),
});

describe.skipIf(browser === undefined)("what hooks decide, on the page", { timeout: 60_000 }, () => {
  beforeAll(() => {
    checkPageIsBuilt();
  });
  afterAll(async () => await closePages(browser));

  /** Opens a page over an agent with these replies. */
  const open = async (script: Reply[], more: Partial<Parameters<typeof agent>[0]> = {}) => {
    const files = memoryFiles();
    const model = scriptedModel(script);
    const coach = agent({ name: "coach", model, instructions: "Be kind.", tools: [pay], ...more });
    const pawl = runtime({ agents: [coach], store: memoryStore(), deps: coachDeps({ files }) });
    const info = { model: model.id, simulated: false };
    const app = playgroundApp({ runtime: pawl, agents: ["coach"], files, info, host: "localhost", webDir });
    const server = await listen(app, { host: "localhost", port: 0 });
    const { page, close } = await openPage(browser!);
    onTestFinished(async () => {
      await close();
      await server.close();
    });
    await page.goto(server.url);
    return page;
  };
  const say = async (page: Page, text: string) => {
    await page.getByTestId("composer").fill(text);
    await page.keyboard.press("Enter");
    await page.locator('main[data-phase="idle"]').waitFor({ timeout: WAIT });
  };
  const texts = async (page: Page, ...ids: string[]) =>
    await page.locator(ids.map((id) => `[data-testid="${id}"]`).join(",")).allTextContents();

  it("F34 K1 a blocked message: first why, then that it is left out, and no count of tokens", async () => {
    const page = await open([{ text: "Hello." }], { hooks: [guard] });
    await say(page, "My password is x");
    await page.getByTestId("left-out").waitFor({ timeout: WAIT });
    expect(await texts(page, "notice", "left-out")).toEqual([
      "Please send no passwords.",
      "Your message is left out of the conversation from now on.",
    ]);
    expect(await page.getByTestId("used").count()).toBe(0);
    await expect.poll(() => texts(page, "announcer")).toEqual([expect.stringContaining("no passwords")]);
    await say(page, "Hi");
    await page.getByText("Hello.", { exact: true }).first().waitFor({ timeout: WAIT });
  });

  it("F34 K1 a blocked answer: why it ended, on the page and for screen readers", async () => {
    const page = await open([{ text: "The secret is 42." }], { hooks: [guard] });
    await say(page, "Tell me");
    await page.getByTestId("notice").waitFor({ timeout: WAIT });
    expect(await page.getByTestId("thread").textContent()).not.toContain("42");
    await expect.poll(() => texts(page, "announcer")).toEqual([expect.stringContaining("confidential")]);
  });

  it("F16 K1 the role that speaks, each time that it changes, now and after a reload", async () => {
    const script = [
      { text: "One moment.", tools: [{ name: "transfer_to_seats" }] },
      { text: "Which seat?", tools: [{ name: "pay", input: { amount: 1 } }] },
      { text: "Done." },
    ];
    const triage = { instructions: "Hand over.", to: ["seats"] };
    const page = await open(script, { roles: { triage, seats: { instructions: "Change seats." } } });
    await say(page, "Another seat");
    for (const reload of [false, true]) {
      if (reload) await page.reload();
      await page.getByText("Done.", { exact: true }).first().waitFor({ timeout: WAIT });
      expect(await texts(page, "speaker", "tool-chip")).toEqual([
        "triage",
        "Hand over to seats",
        "seats",
        "pay",
      ]);
    }
  });

  it("H3 K1 a changed input and a skipped call", async () => {
    const call = { tools: [{ name: "pay", input: { amount: 500 } }] };
    const page = await open([call, call, { text: "Paid once." }], { hooks: [less] });
    await say(page, "Pay");
    await page.getByText("Paid once.", { exact: true }).first().waitFor({ timeout: WAIT });
    expect(await texts(page, "tool-chip")).toEqual([
      "pay (its input was changed)",
      expect.stringMatching(/^pay: skipped/),
    ]);
  });
});
