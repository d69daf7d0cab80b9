import { type AgentOptions, approval, type Hook, memoryFiles, tool } from "@pawl/core";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { closePages, openPage, startBrowser } from "../../../../../test/support/browser.ts";
import { frames } from "../../../../../test/support/frames.ts";
import { expectPrinted } from "../../../../../test/support/printed.ts";
import { aiSdk } from "../../../src/index.ts";
import { bundlePage } from "../../support/bundle-page.ts";
import { type HandModel, handModel } from "../../support/hand-model.ts";
import { confirm, look, quiet, type Served, serve } from "../../support/served.ts";

const browser = await startBrowser();
const html = "<!doctype html><body><script type=module src=/page.js></script>";
const locate = tool({
  name: "locate",
  description: "Where the user is.",
  input: z.object({}),
  runsIn: "client",
  output: z.object({ city: z.string() }),
});

const soon = tool({
  name: "soon",
  description: "Asks, and does not wait for long.",
  input: z.object({ question: z.string() }),
  suspends: { answer: z.object({ yes: z.boolean() }), expires: { afterMs: 1, default: { yes: false } } },
});
const find = tool({
  name: "find",
  description: "Finds documents.",
  input: z.object({}),
  execute: (_, { report }) => {
    report({ sources: [{ id: "doc-1", title: "The guide", url: "https://docs.example/1" }] });
    return "found";
  },
});

let script = "";
beforeAll(async () => {
  if (browser !== undefined) script = await bundlePage("assistant-ui.page.js");
}, 60_000);
afterAll(async () => {
  await closePages(browser);
});

interface Opened {
  page: Page;
  served: Served;
  model: HandModel;
  /** Opens another tab of the same chat. */
  tab(): Promise<Page>;
}

interface Setting {
  hooks?: Hook[];
  output?: AgentOptions<unknown>["output"];
  query?: string;
}

async function open({ hooks = [], output, query = "" }: Setting = {}): Promise<Opened> {
  const model = handModel();
  const tools = [confirm, soon, look, locate, find];
  const files = memoryFiles();
  const served = await serve(model, { dialect: aiSdk(), tools, hooks, files, ...(output && { output }) });
  const tab = async () => {
    const { page, close } = await openPage(browser!);
    onTestFinished(close);
    await page.route("**/page.html**", (route) => route.fulfill({ contentType: "text/html", body: html }));
    await page.route("**/page.js", (route) =>
      route.fulfill({ contentType: "text/javascript", body: script }),
    );
    await page.goto(new URL(`/page.html${query}`, served.url).href);
    await page.getByText("ready", { exact: true }).waitFor();
    return page;
  };
  return { page: await tab(), served, model, tab };
}

const say = async (page: Page, text: string) => {
  await page.getByLabel("Message").fill(text);
  await page.getByRole("button", { name: "Send" }).click();
};
const press = async (page: Page, name: string) => await page.getByRole("button", { name }).last().click();
const shows = async (page: Page, talk: readonly string[], status = "ready") => {
  await expect
    .poll(async () => await page.locator("p, small, legend, [role=alert]").allTextContents(), {
      timeout: 10_000,
    })
    .toEqual(talk);
  await expect.poll(async () => await page.locator("output").textContent()).toBe(status);
};

describe.skipIf(browser === undefined)(
  "W2 K6 a page with assistant-ui in Chromium",
  { timeout: 60_000 },
  () => {
    it("sends, and resumes after a reload in the middle of an answer", async () => {
      const { page, model } = await open();
      await say(page, "Hi");
      const turn = await model.turn();
      turn.say("Well, ");
      await shows(page, ["Hi", "Well, "], "streaming");
      await page.reload();
      await shows(page, ["Hi", "Well, "], "streaming");
      turn.say("hello.");
      turn.end();
      await shows(page, ["Hi", "Well, hello."]);
      await page.reload();
      await shows(page, ["Hi", "Well, hello."]);
    });

    it("stops the run by its own button, and goes on", async () => {
      const { page, model } = await open();
      await say(page, "Hi");
      (await model.turn()).say("Well, ");
      await shows(page, ["Hi", "Well, "], "streaming");
      await press(page, "Stop");
      await shows(page, ["Hi", "Well, "]);
      await say(page, "Go on");
      const next = await model.turn();
      next.say("Works.");
      next.end();
      await shows(page, ["Hi", "Well, ", "Go on", "Works."]);
    });

    it("shows a failure, also after a reload, and retries it", async () => {
      expectPrinted("pawl: down");
      const { page, model } = await open();
      await say(page, "Hi");
      const turn = await model.turn();
      turn.say("Well, ");
      await shows(page, ["Hi", "Well, "], "streaming");
      turn.fail(new Error("down"));
      await page.getByRole("alert").waitFor();
      await page.reload();
      await page.getByRole("alert").waitFor();
      await press(page, "Retry");
      const again = await model.turn();
      again.say("Now it works.");
      again.end();
      await shows(page, ["Hi", "Now it works."]);
    });

    it("asks a question, also after a reload, and sends the answer", async () => {
      const { page, model } = await open();
      await say(page, "Do it");
      (await model.turn()).end([{ id: "c1", name: "confirm", input: { question: "Sure?" } }]);
      await shows(page, ["Do it", "Sure?"]);
      await page.reload();
      await shows(page, ["Do it", "Sure?"]);
      await press(page, "Yes");
      const next = await model.turn();
      next.say("Done.");
      next.end();
      const whole = ["Do it", 'answered {"yes":true}', "Done."];
      await shows(page, whole);
      await page.reload();
      await shows(page, whole);
    });

    it.each([
      ["Allow", 'look "found nothing"'],
      ["Deny", "look failed: Tool approval denied"],
    ])("asks for approval, and the user presses %s, shown alike after a reload", async (name, outcome) => {
      const { page, model } = await open({ hooks: [approval({ when: ["look"] })] });
      await say(page, "Look");
      (await model.turn()).end([{ id: "c1", name: "look", input: {} }]);
      await shows(page, ["Look", "Allow look?"]);
      await page.reload();
      await shows(page, ["Look", "Allow look?"]);
      await press(page, name);
      const next = await model.turn();
      next.say("Done.");
      next.end();
      await shows(page, ["Look", outcome, "Done."]);
      await page.reload();
      await shows(page, ["Look", outcome, "Done."]);
    });

    it("two tabs: an answer after that of the other tab is refused, and the page shows why", async () => {
      const { page, model, tab } = await open();
      await asks(page, model);
      const other = await tab();
      await shows(other, ["Do it", "Sure?"]);
      await press(page, "Yes");
      const next = await model.turn();
      next.say("Done.");
      next.end();
      await shows(page, ANSWERED);
      await press(other, "No");
      await other.getByText("already_answered").waitFor();
      await other.reload();
      await shows(other, ANSWERED);
    });

    it("refuses an answer after a stop, begins nothing by it, and the page shows why", async () => {
      const { page, model, served } = await open();
      await asks(page, model);
      await served.ask("/sessions/c/stop", { method: "POST" });
      await press(page, "Yes");
      await page.getByText("already_answered").waitFor();
      await quiet(served);
      expect(await runsOf(served)).toBe(1);
    });

    it("has an answer by itself once a question has expired, and refuses a later one", async () => {
      const { page, model, tab } = await open();
      await say(page, "Do it");
      (await model.turn()).end([{ id: "c1", name: "soon", input: { question: "Now?" } }]);
      const next = await model.turn();
      next.say("Done.");
      next.end();
      await press(page, "Yes");
      await page.getByText("already_answered").waitFor();
      const other = await tab();
      await shows(other, ["Do it", 'answered {"yes":false}', "Done."]);
    });

    it.each([
      ["", 'locate {"city":"Oslo"}'],
      ["?lost", "locate failed: This did not work."],
    ])("runs a tool of the page%s, whose result or failure the model reads", async (query, outcome) => {
      const { page, model } = await open({ query });
      await say(page, "Where am I?");
      (await model.turn()).end([{ id: "c1", name: "locate", input: {} }]);
      const next = await model.turn();
      next.say("There.");
      next.end();
      await shows(page, ["Where am I?", outcome, "There."]);
      await page.reload();
      await shows(page, ["Where am I?", outcome, "There."]);
    });

    it("begins nothing by the result of a page's tool that comes after a stop", async () => {
      const { page, model, served } = await open({ query: "?slow" });
      await say(page, "Where am I?");
      (await model.turn()).end([{ id: "c1", name: "locate", input: {} }]);
      await page.waitForFunction("window.arrive");
      await press(page, "Stop");
      await expect
        .poll(async () => (await served.store.sessions.list({ userId: "ada" }))[0]?.openRun)
        .toBe(null);
      await page.evaluate("arrive()");
      await quiet(served);
      expect(await runsOf(served)).toBe(1);
    });

    it("leaves a page's tool open whose call a reload brings, until a message closes it", async () => {
      const { page, model } = await open({ query: "?slow" });
      await say(page, "Where am I?");
      (await model.turn()).end([{ id: "c1", name: "locate", input: {} }]);
      await page.waitForFunction("window.arrive");
      await page.reload();
      await shows(page, ["Where am I?", "locate runs"]);
      await frames(page);
      expect(await page.evaluate("window.arrive")).toBeUndefined();
      await say(page, "Never mind");
      const next = await model.turn();
      next.say("All right.");
      next.end();
      await page.getByText("All right.").waitFor();
    });

    it("has no second answer: Retry after a complete one is refused, and the page shows why", async () => {
      const { page, model } = await open();
      await say(page, "Hi");
      const turn = await model.turn();
      turn.say("Hello.");
      turn.end();
      await shows(page, ["Hi", "Hello."]);
      await press(page, "Retry");
      await page.getByText("It cannot be answered again").waitFor();
      await page.reload();
      await shows(page, ["Hi", "Hello."]);
    });

    it("sends a file, and shows sources and the output, also after a reload", async () => {
      const { page, model } = await open({ output: z.object({ sum: z.number() }) });
      const [chooser] = await Promise.all([page.waitForEvent("filechooser"), press(page, "Attach")]);
      await chooser.setFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("Hello") });
      await say(page, "Read it");
      (await model.turn()).end([{ id: "c1", name: "find", input: {} }]);
      const turn = await model.turn();
      turn.say('{"sum":3}');
      turn.end();
      const output = 'output {"value":{"sum":3},"final":true}';
      const talk = ["attached notes.txt", "Read it", 'find "found"', output];
      await shows(page, talk);
      expect(await page.locator("a").allTextContents()).toEqual(["The guide"]);
      await page.reload();
      await shows(page, talk);
      expect(await page.locator("a").allTextContents()).toEqual(["The guide"]);
    });
  },
);

const ANSWERED = ["Do it", 'answered {"yes":true}', "Done."];

async function asks(page: Page, model: HandModel): Promise<void> {
  await say(page, "Do it");
  (await model.turn()).end([{ id: "c1", name: "confirm", input: { question: "Sure?" } }]);
  await shows(page, ["Do it", "Sure?"]);
}

async function runsOf({ store }: Served): Promise<number> {
  const [session] = await store.sessions.list({ userId: "ada" });
  const runs = await Array.fromAsync(store.read(session?.id ?? "", { types: ["run_started"] }));
  return runs.length;
}
