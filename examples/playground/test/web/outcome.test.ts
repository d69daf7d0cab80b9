import { join } from "node:path";
import { agent, memoryFiles, memoryStore, runtime, type ToolContext, tool } from "@pawl/core";
import { coachDeps } from "@pawl/example-coach";
import { scriptedModel } from "@pawl/testing";
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
const dot =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

const find = tool({
  name: "find",
  description: "Finds documents.",
  input: z.object({}),
  execute: (_, { report, createArtifact }: ToolContext) => {
    report({ sources: [{ id: "doc-1", title: "The guide", url: "https://docs.example/1" }] });
    createArtifact({ type: "plan", title: "A plan for the week", payload: { steps: ["walk"] } });
    return { png: dot };
  },
  format: (result) => {
    const { png: data } = result as { png: string };
    return [{ type: "image", source: { type: "base64", media_type: "image/png", data } }];
  },
});
const cites = (fields: object) => ({
  type: "text",
  text: "",
  citations: [{ cited_text: "Quoted.", ...fields }],
});
const answer = [
  { type: "text", text: "I looked. " },
  { ...cites({ document_title: "notes.pdf", start_page_number: 1 }), text: "**Tea** helps" },
  { type: "text", text: ", " },
  { ...cites({ source: "doc-1", title: "The guide" }), text: "walks too." },
];

describe.skipIf(browser === undefined)("F14 the page shows what comes out", { timeout: 60_000 }, () => {
  beforeAll(() => {
    checkPageIsBuilt();
  });
  afterAll(async () => await closePages(browser));

  const open = async (): Promise<Page> => {
    const files = memoryFiles();
    const usage = { input_tokens: 1_200, output_tokens: 34 };
    const model = scriptedModel(
      [{ tools: [{ name: "find", input: {} }], usage }, { content: answer, usage }, { text: "Bye." }],
      { pricing: { input: 2, output: 10, cacheRead: 0.2, cacheWrite5m: 2.5, cacheWrite1h: 4 } },
    );
    const coach = agent({ name: "coach", model, instructions: "Be kind.", tools: [find] });
    const pawl = runtime({ agents: [coach], store: memoryStore(), files, deps: coachDeps({ files }) });
    const info = { model: model.id, simulated: false };
    const app = playgroundApp({ runtime: pawl, agents: ["coach"], files, info, host: "localhost", webDir });
    const server = await listen(app, { host: "localhost", port: 0 });
    const { page, close } = await openPage(browser!, { viewport: { width: 390, height: 800 } });
    onTestFinished(async () => {
      await close();
      await server.close();
    });
    await page.goto(`${server.url}/`);
    return page;
  };

  it("sources with their numbers, a picture, an artifact and usage, and the same after a reload", async () => {
    const page = await open();
    await page.getByTestId("composer").fill("Hello");
    await page.keyboard.press("Enter");
    await page.locator('main[data-phase="idle"]').waitFor({ timeout: WAIT });
    const looks: string[] = [];
    for (const reload of [false, true]) {
      if (reload) await page.reload();
      await page.getByTestId("used").waitFor({ timeout: WAIT });
      await page.locator(".prose strong").waitFor({ timeout: WAIT });
      const message = page.getByTestId("message-assistant");
      expect(await message.locator(".prose").allTextContents()).toEqual([
        "I looked. Tea helps1, walks too.2",
      ]);
      expect(await page.getByTestId("cited").allTextContents()).toEqual(["1", "2"]);
      const links = page.getByTestId("sources").locator("a");
      expect(await links.count()).toBe(1);
      expect(await links.first().getAttribute("href")).toBe("https://docs.example/1");
      expect(await page.getByTestId("sources").locator("li").allTextContents()).toEqual([
        "notes.pdf",
        "The guide",
      ]);
      const picture = page.getByTestId("made-picture").locator("img");
      await expect.poll(() => picture.evaluate((img) => Object(img).naturalWidth)).toBe(1);
      await page.getByText("A plan for the week").click();
      expect(await page.getByTestId("artifact").locator("pre").textContent()).toContain("walk");
      await page.getByText("A plan for the week").click();
      expect(await page.getByTestId("used").textContent()).toBe("2,468 tokens · $0.0055");
      looks.push((await message.textContent()) ?? "");
    }
    expect(looks[1]).toBe(looks[0]);
    // Nothing is wider than a phone.
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
  });
});
