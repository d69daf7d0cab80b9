import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { closePages, openPage, startBrowser } from "../../../../../test/support/browser.ts";
import { expectPrinted } from "../../../../../test/support/printed.ts";
import { aiSdk } from "../../../src/index.ts";
import { bundlePage } from "../../support/bundle-page.ts";
import { type HandModel, handModel } from "../../support/hand-model.ts";
import { type Served, serve } from "../../support/served.ts";

const browser = await startBrowser();
const html = `<!doctype html><meta name=viewport content="width=device-width"><style>
body { font: 16px/1.4 sans-serif; margin: 0 }
main { display: flex; flex-direction: column; gap: 8px; padding: 12px }
article { max-width: 80%; padding: 4px 12px; border-radius: 12px; background: #eef; overflow-wrap: anywhere }
.user { align-self: end; background: #dfd }
p { margin: 4px 0 } form { display: flex; gap: 8px } input { flex: 1; min-width: 0; font: inherit }
[role=alert] { background: #fdd; padding: 8px }</style><body><script type=module src=/page.js></script>`;

let script = "";
beforeAll(async () => {
  if (browser !== undefined) script = await bundlePage("use-chat.page.js");
}, 60_000);
afterAll(async () => {
  await closePages(browser);
});

/** A page at the width of a phone, and what its model says. */
async function open(query: string): Promise<{ page: Page; served: Served; model: HandModel }> {
  const model = handModel();
  const served = await serve(model, { dialect: aiSdk() });
  const { page, close } = await openPage(browser!, { viewport: { width: 360, height: 640 } });
  onTestFinished(close);
  await page.route("**/page.html**", (route) => route.fulfill({ contentType: "text/html", body: html }));
  await page.route("**/page.js", (route) => route.fulfill({ contentType: "text/javascript", body: script }));
  await page.goto(new URL(`/page.html?${query}`, served.url).href);
  await page.getByText("ready", { exact: true }).waitFor();
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
/** The connection is lost, and the page is looked at again. */
const comeBack = async (page: Page, served: Served) => {
  for (const socket of served.sockets) socket.destroy();
  await page.getByRole("alert").waitFor();
  await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
};

describe.skipIf(browser === undefined).each(["6", "7"])(
  "K6 W2 a page with useChat of version %s in Chromium",
  { timeout: 60_000 },
  (version) => {
    it("is ready with a new chat, and resumes after a reload in the middle of an answer", async () => {
      const { page, model } = await open(`version=${version}`);
      await shows(page, []);
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

    it("has the text once after its own recovery from a lost connection, also when the run ended meanwhile", async () => {
      const { page, model, served } = await open(`version=${version}`);
      await say(page, "Hi");
      const turn = await model.turn();
      turn.say("Well, ");
      await shows(page, ["Hi", "Well, "], "streaming");
      await comeBack(page, served);
      await shows(page, ["Hi", "Well, "], "streaming");
      turn.say("hello.");
      await shows(page, ["Hi", "Well, hello."], "streaming");
      for (const socket of served.sockets) socket.destroy();
      await page.getByRole("alert").waitFor();
      turn.end();
      const idle = async () => (await served.store.sessions.list({ userId: "ada" }))[0]?.openRun === null;
      await expect.poll(idle).toBe(true);
      await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
      await shows(page, ["Hi", "Well, hello."]);
    });

    it("stops the run, and retries a failed one, also after a reload", async () => {
      expectPrinted("pawl: down");
      const { page, model } = await open(`version=${version}`);
      await say(page, "Hi");
      const turn = await model.turn();
      turn.say("Well, ");
      await shows(page, ["Hi", "Well, "], "streaming");
      turn.fail(new Error("down"));
      await page.getByRole("alert").waitFor();
      await page.reload();
      await shows(page, ["Hi", "Well, "], "error");
      await shot(page, `${version}-error`);
      await page.getByRole("button", { name: "Retry" }).click();
      const again = await model.turn();
      again.say("Now it ");
      await shows(page, ["Hi", "Now it "], "streaming");
      await page.getByRole("button", { name: "Stop" }).click();
      await shows(page, ["Hi", "Now it "]);
      await say(page, "Go on");
      const next = await model.turn();
      next.say("works.");
      next.end();
      await shows(page, ["Hi", "Now it ", "Go on", "works."]);
      await shot(page, `${version}-retried`);
    });

    it("asks after a reload too, and continues in the same message after the answer", async () => {
      const { page, model } = await open(`version=${version}`);
      await say(page, "Do it");
      const turn = await model.turn();
      turn.say("May I?");
      turn.end([{ id: "c1", name: "confirm", input: { question: "Sure about it?" } }]);
      await page.getByText("Sure about it?").waitFor();
      await page.reload();
      await page.getByText("Sure about it?").waitFor();
      await shot(page, `${version}-question`);
      await page.getByRole("button", { name: "Yes" }).click();
      const next = await model.turn();
      next.say("Done.");
      next.end();
      await shows(page, ["Do it", "May I?", "Done."]);
      await page.reload();
      await shows(page, ["Do it", "May I?", "Done."]);
      expect(await page.locator("article").count()).toBe(2);
    });
  },
);

describe.skipIf(browser === undefined)("useChat that makes the chat itself", { timeout: 60_000 }, () => {
  it("K6 W2 has the text once after its own recovery in version 7", async () => {
    const { page, model, served } = await open("version=7&own");
    await say(page, "Hi");
    const turn = await model.turn();
    turn.say("Well, ");
    await shows(page, ["Hi", "Well, "], "streaming");
    await comeBack(page, served);
    turn.say("hello.");
    turn.end();
    await shows(page, ["Hi", "Well, hello."]);
  });
});

describe.skipIf(browser === undefined)(
  "useChat of version 6 that makes the chat itself",
  { timeout: 60_000 },
  () => {
    it("K6 W2 has everything once after a reload, in the middle of an answer and behind it", async () => {
      const { page, model } = await open("version=6&own");
      await say(page, "Hi");
      const turn = await model.turn();
      turn.say("Well, ");
      turn.end([{ id: "l", name: "look", input: {} }]);
      const next = await model.turn();
      next.say("hel");
      await shows(page, ["Hi", "Well, ", "hel"], "streaming");
      await page.reload();
      await shows(page, ["Hi", "Well, ", "hel"], "streaming");
      next.say("lo.");
      next.end();
      await shows(page, ["Hi", "Well, ", "hello."]);
      await page.reload();
      await shows(page, ["Hi", "Well, ", "hello."]);
    });
  },
);

/** For people: `PAWL_SHOTS=folder` keeps pictures of the pages. */
async function shot(page: Page, name: string): Promise<void> {
  const folder = process.env.PAWL_SHOTS;
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`) });
}
