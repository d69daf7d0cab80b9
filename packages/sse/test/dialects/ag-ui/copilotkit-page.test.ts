import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { closePages, openPage, startBrowser } from "../../../../../test/support/browser.ts";
import { expectPrinted } from "../../../../../test/support/printed.ts";
import { agUi } from "../../../src/index.ts";
import { bundlePage } from "../../support/bundle-page.ts";
import { type HandModel, handModel } from "../../support/hand-model.ts";
import { type Served, serve } from "../../support/served.ts";

const browser = await startBrowser();
const html = `<!doctype html><meta name=viewport content="width=device-width"><style>
body { font: 16px/1.4 sans-serif; margin: 12px }
main { display: flex; flex-direction: column; gap: 8px; padding-bottom: 12px }
article { max-width: 80%; padding: 4px 12px; border-radius: 12px; background: #eef; overflow-wrap: anywhere }
.user { align-self: end; background: #dfd }
p { margin: 4px 0 } form { display: flex; gap: 8px } input { flex: 1; min-width: 0; font: inherit }
[role=alert] { background: #fdd; padding: 8px }</style><body><script type=module src=/page.js></script>`;

let script = "";
beforeAll(async () => {
  if (browser !== undefined) script = await bundlePage("copilotkit.page.js");
}, 60_000);
afterAll(async () => {
  await closePages(browser);
});

/** A page at the width of a phone, and what its model says. */
async function open(): Promise<{ page: Page; served: Served; model: HandModel }> {
  const model = handModel();
  // The page has a tool of its own for the question of the agent's tool.
  expectPrinted("pawl: AG-UI clients send frontend tools, which the agent cannot call");
  const served = await serve(model, { dialect: agUi() });
  const { page, close } = await openPage(browser!, { viewport: { width: 360, height: 640 } });
  onTestFinished(close);
  // Whatever the package would report to its maker stays here.
  await page.route(/^https?:\/\/(?!127\.0\.0\.1)/, (route) => route.abort());
  await page.route("**/page.html", (route) => route.fulfill({ contentType: "text/html", body: html }));
  await page.route("**/page.js", (route) => route.fulfill({ contentType: "text/javascript", body: script }));
  await page.goto(new URL("/page.html", served.url).href);
  await shows(page, []);
  return { page, served, model };
}

const say = async (page: Page, text: string) => {
  await page.getByLabel("Message").fill(text);
  await page.getByRole("button", { name: "Send" }).click();
};
const shows = async (page: Page, talk: readonly string[], status = "ready") => {
  await expect.poll(async () => await page.locator("p").allTextContents(), { timeout: 10_000 }).toEqual(talk);
  await expect.poll(async () => await page.locator("output").textContent()).toBe(status);
};

describe.skipIf(browser === undefined)(
  "K6 W2 a page with CopilotKit in Chromium",
  { timeout: 60_000 },
  () => {
    it("is ready with a new thread, and resumes after a reload in the middle of an answer", async () => {
      const { page, model } = await open();
      await say(page, "Hi");
      const turn = await model.turn();
      turn.say("Well, ");
      await shows(page, ["Hi", "Well, "], "running");
      await page.reload();
      await shows(page, ["Hi", "Well, "], "running");
      turn.say("hello.");
      turn.end();
      await shows(page, ["Hi", "Well, hello."]);
      await page.reload();
      await shows(page, ["Hi", "Well, hello."]);
    });

    it("answers a question, also on a page that is reloaded while it waits", async () => {
      const { page, model } = await open();
      await say(page, "Go");
      const turn = await model.turn();
      turn.say("May I?");
      turn.end([{ id: "c1", name: "confirm", input: { question: "Sure?" } }]);
      await page.getByRole("group", { name: "Sure?" }).waitFor();
      await page.reload();
      const question = page.getByRole("group", { name: "Sure?" });
      await question.waitFor();
      await question.getByRole("button", { name: "Yes" }).click();
      const next = await model.turn();
      next.say("Thank you.");
      next.end();
      await shows(page, ["Go", "May I?", "Thank you."]);
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    });

    it("stops, and answers the next message", async () => {
      const { page, model } = await open();
      await say(page, "Write");
      (await model.turn()).say("Once upon");
      await shows(page, ["Write", "Once upon"], "running");
      await page.getByRole("button", { name: "Stop" }).click();
      await shows(page, ["Write", "Once upon"]);
      await say(page, "Something else");
      const turn = await model.turn();
      turn.say("Hello.");
      turn.end();
      await shows(page, ["Write", "Once upon", "Something else", "Hello."]);
      await page.reload();
      await shows(page, ["Write", "Once upon", "Something else", "Hello."]);
    });

    it("retries what failed, once", async () => {
      expectPrinted("pawl: SECRET-HOST refused");
      const { page, model, served } = await open();
      await say(page, "Hi");
      const turn = await model.turn();
      turn.say("Half of");
      turn.fail(new Error("SECRET-HOST refused"));
      const alert = page.getByRole("alert");
      await alert.waitFor();
      expect(await alert.textContent()).not.toContain("SECRET");
      await shows(page, ["Hi", "Half of"]);
      await alert.getByRole("button", { name: "Retry" }).click();
      const next = await model.turn();
      next.say("Now it works.");
      next.end();
      await shows(page, ["Hi", "Now it works."]);
      const [session] = await served.store.sessions.list({ userId: "ada" });
      const { messages } = await served.runtime.view(session?.id ?? "", { userId: "ada" });
      expect(messages.map(({ text }) => text)).toEqual(["Hi", "Now it works."]);
    });
  },
);
