import { join } from "node:path";
import { agent, memoryFiles, memoryStore, runtime, tool } from "@pawl/core";
import { coachDeps } from "@pawl/example-coach";
import { type Reply, scriptedModel } from "@pawl/testing";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { closePages, startBrowser } from "../../../../test/support/browser.ts";
import { saveFile } from "../../../coach/src/tools/save-file.ts";
import { playgroundApp } from "../../server/app.ts";
import { listen } from "../../server/listen.ts";
import { checkPageIsBuilt } from "../support/built-page.ts";

const browser = await startBrowser();
const WAIT = 20_000;
const webDir = join(import.meta.dirname, "..", "..", "dist", "web");

/** Names of members that every object inherits. */
const NAMES = ["constructor", "__proto__", "toString", "valueOf", "hasOwnProperty", "isPrototypeOf"];

/** Deeply nested Markdown, one sample for each kind of nesting. */
const DEEP = {
  quotations: `${"> ".repeat(3_000)}end`,
  "quotations without blanks": `${">".repeat(3_000)}end`,
  lists: `${"- ".repeat(1_000)}end`,
  "numbered lists": `${"1. ".repeat(1_000)}end`,
  "lists in quotations": `${"> - ".repeat(1_000)}end`,
  "lists in lines": Array.from({ length: 300 }, (_, n) => `${"  ".repeat(n)}- a`).join("\n"),
  "quotations in a footnote": `[^a]\n\n[^a]: ${"> ".repeat(1_000)}end`,
  emphasis: `${"*a _b ".repeat(1_000)}${"c_ d* ".repeat(1_000)}end`,
  "emphasis over lines": `${"> *a\n".repeat(1_000)}${"> b*\n".repeat(1_000)}end`,
  links: `${"[".repeat(3_000)}a${"](x)".repeat(3_000)}end`,
  images: `${"![".repeat(3_000)}a${"](x)".repeat(3_000)}end`,
};

/** A script that returns the depth of the page's elements. */
const LEVELS = `(function deep(one, at) {
  return [...one.children].reduce((most, child) => Math.max(most, deep(child, at + 1)), at);
})(document.documentElement, 1)`;

/** Markdown with as many levels as people usually write. */
const USUAL = [
  "# Plan",
  "Some **bold**, *slanted* and ***both***, `code`, ~~gone~~, snake_case_name, 2 * 3 * 4, ~5 min.",
  "- [ ] one\n  - two\n    - **three**\n      1. four\n         > five",
  "> > quoted twice",
  "| a | b |\n| --- | --- |\n| **1** | *2* |",
  "****",
  `Sign here: ${"_".repeat(300)}`,
  "*".repeat(300),
  "```ts\nconst a = [[[1]]];\n```",
].join("\n\n");

/** A tool whose question is of a kind that the page does not know. */
const ask = tool({
  name: "ask_oddly",
  description: "Asks.",
  input: z.object({}),
  suspends: {
    kind: "constructor",
    answer: z.object({ option: z.string() }),
    payload: () => ({ question: "Which way?", options: ["Left", "Right"] }),
  },
  execute: () => "Asked.",
});

/** A tool that ends a session with a day that is not a valid date. */
const complete = tool({
  name: "complete_session",
  description: "Completes.",
  input: z.object({}),
  execute: () => ({ success: true, completed: "session", next_checkin_due: "2026-11-28" }),
});

describe.skipIf(browser === undefined)("parts that a page cannot show", { timeout: 60_000 }, () => {
  beforeAll(() => {
    checkPageIsBuilt();
  });
  afterAll(async () => await closePages(browser));

  /** Opens a page over a scripted model. */
  const open = async (script: (said: string) => Reply, hash = "") => {
    const files = memoryFiles();
    const model = scriptedModel(({ messages }) => {
      const last = messages.at(-1)?.content.at(-1);
      return last?.type === "text" ? script(String(last.text)) : { text: "More words." };
    });
    const agents = ["coach", "trainer"].map((name) =>
      agent({ name, model, instructions: "Be kind.", tools: [ask, complete, saveFile] }),
    );
    const pawl = runtime({ agents, store: memoryStore(), deps: coachDeps({ files }) });
    const info = { model: model.id, simulated: false };
    const names = ["coach", "trainer"];
    const app = playgroundApp({ runtime: pawl, agents: names, files, info, host: "localhost", webDir });
    const server = await listen(app, { host: "localhost", port: 0 });
    const page = await browser!.newPage({ viewport: { width: 1280, height: 800 } });
    onTestFinished(async () => {
      await page.close();
      await server.close();
    });
    await page.goto(`${server.url}/${hash}`);
    return page;
  };
  const say = async (page: Page, text: string) => {
    await page.getByTestId("composer").fill(text);
    await page.keyboard.press("Enter");
    await page.locator('main[data-phase="idle"], main[data-phase="suspended"]').waitFor({ timeout: WAIT });
  };
  /** Asserts that the page shows these texts beside a broken part, now and after a reload. */
  const keepsWords = async (page: Page, words: readonly string[]) => {
    for (const reload of [false, true]) {
      if (reload) await page.reload();
      for (const one of words) await page.getByText(one, { exact: true }).first().waitFor({ timeout: WAIT });
      expect(await page.getByTestId("not-shown").count()).toBe(0);
    }
  };

  it.each(["", "#trainer"])(
    "K1 shows calls of tools whose names are inherited members of objects (%s)",
    async (hash) => {
      const page = await open(
        () => ({ text: "First words.", tools: NAMES.map((name) => ({ name, input: {} })) }),
        hash,
      );
      await say(page, "Hello");
      await keepsWords(page, ["First words.", "More words."]);
      const chips = await page.getByTestId("tool-chip").all();
      const shown = await Promise.all(chips.map((one) => one.getAttribute("data-tool")));
      expect(shown).toEqual(NAMES);
      expect(await page.getByTestId("part-not-shown").count()).toBe(0);
    },
  );

  it("K1 asks a question whose kind is an inherited member of objects", async () => {
    const page = await open(() => ({ text: "First words.", tools: [{ name: "ask_oddly", input: {} }] }));
    await say(page, "Hello");
    await keepsWords(page, ["First words.", "Which way?"]);
    await page.getByRole("button", { name: "Right" }).click();
    await page.getByTestId("message-assistant").getByText("More words.").waitFor({ timeout: WAIT });
  });

  it("K1 a part that fails to render affects nothing else, in the conversation and in the notes", async () => {
    const page = await open((said) =>
      said === "Bye"
        ? { text: "First words.", tools: [{ name: "complete_session", input: {} }] }
        : {
            tools: ["day-plan", "sage-context"].map((file_type) => ({
              name: "save_file",
              input: { file_type, content: "Tea." },
            })),
          },
    );
    await page.addInitScript(
      "Date.prototype.toLocaleDateString = () => { throw new Error('No dates today.'); };",
    );
    await page.reload();
    await say(page, "Save");
    await say(page, "Bye");
    await keepsWords(page, ["First words.", "More words."]);
    const broken = page.getByTestId("part-not-shown");
    await broken.waitFor({ timeout: WAIT });
    expect(await broken.textContent()).toBe("This part of the message can't be shown.");

    const notes = page.getByTestId("file");
    await expect.poll(() => notes.count(), { timeout: WAIT }).toBe(2);
    const words = await notes.allTextContents();
    expect(words.filter((text) => text.includes("This note can't be shown"))).toHaveLength(1);
    expect(words.filter((text) => text.includes("What Sage remembers"))).toHaveLength(1);
  });

  it("K4 shows Markdown of thousands of levels as plain source, and continues", async () => {
    const page = await open((said) => ({ text: new Map(Object.entries(DEEP)).get(said) ?? USUAL }));
    for (const kind of Object.keys(DEEP)) await say(page, kind);
    expect(await page.getByTestId("raw").count()).toBe(Object.keys(DEEP).length);
    await say(page, "Something else");
    await page.getByRole("heading", { name: "Plan" }).waitFor({ timeout: WAIT });
    // The page shows the text as Markdown, also after a reload.
    await page.reload();
    const usual = page.getByTestId("message-assistant").last();
    await usual.getByRole("table").waitFor({ timeout: WAIT });
    expect(await usual.locator("li li li li blockquote").textContent()).toContain("five");
    expect(await page.getByTestId("raw").count()).toBe(Object.keys(DEEP).length);
    expect(await page.getByTestId("not-shown").count()).toBe(0);
    expect(await page.evaluate(LEVELS)).toBeLessThan(60);
  });

  it("K4 shows such a text in the notes too", async () => {
    const page = await open(() => ({
      tools: [{ name: "save_file", input: { file_type: "capture", content: DEEP.lists } }],
    }));
    await say(page, "Save");
    const note = page.getByTestId("file").getByTestId("raw");
    await note.waitFor({ timeout: WAIT });
    expect(await note.textContent()).toBe(DEEP.lists);
    expect(await page.evaluate(LEVELS)).toBeLessThan(60);
  });
});
