import type { ModelClient } from "@pawl/core";
import { strictModel } from "@pawl/testing";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { closePages, startBrowser } from "../../../test/support/browser.ts";
import { bundlePage } from "../../sse/test/support/bundle-page.ts";
import { serveAsp } from "./support/asp.ts";
import { handModel, type Served } from "./support/clients.ts";

const browser = await startBrowser();
const html = "<!doctype html><body><script type=module src=/page.js></script>";

describe.skipIf(browser === undefined)("X3 useAsp in React's strict mode", { timeout: 60_000 }, () => {
  let script: string;
  beforeAll(async () => {
    script = await bundlePage("../../../client/test/support/asp.page.js");
  });
  afterAll(async () => {
    await closePages(browser);
  });

  /** A page on the server's own address, what it requests, and what React and the page complain about. */
  async function open(
    model: ModelClient,
  ): Promise<{ page: Page; served: Served; requests: string[]; problems: string[] }> {
    const served = await serveAsp(model);
    const page = (await browser?.newPage()) as Page;
    onTestFinished(async () => await page.close());
    const requests: string[] = [];
    const problems: string[] = [];
    page.on("request", (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith("/api/")) requests.push(`${request.method()} ${pathname.split("/")[3]}`);
    });
    page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
    page.on("pageerror", (error) => problems.push(String(error)));
    await page.route("**/page.html*", (route) => route.fulfill({ contentType: "text/html", body: html }));
    await page.route("**/page.js", (route) =>
      route.fulfill({ contentType: "text/javascript", body: script }),
    );
    await page.goto(new URL("/page.html", served.url).href);
    await shows(page, "idle - - []");
    return { page, served, requests, problems };
  }
  const shows = async (page: Page, status: string, ...said: string[]) => {
    await expect
      .poll(async () => await page.locator("output").textContent(), { timeout: 10_000 })
      .toBe(status);
    const all = page.locator("main > :not(output)");
    await expect.poll(async () => await all.allTextContents(), { timeout: 10_000 }).toEqual(said);
  };

  it("shows thinking with its length, calls and text, also after a reload, and sends once", async () => {
    const model = strictModel({
      body: { thinking: { type: "adaptive", display: "summarized" } },
      script: [
        { thinking: "They greet me.", text: "A moment.", tools: [{ name: "look", input: {} }] },
        { text: "Done." },
      ],
    });
    const { page, requests, problems } = await open(model);
    await page.evaluate("void asp.send('Hi')");
    const said = ["Hi", "Thought, 14 charactersThey greet me.", "A moment.", "look done", "Done."];
    await shows(page, "idle end_turn - []", ...said);
    expect(requests).toEqual(["POST runs"]);
    await page.reload();
    await shows(page, "idle end_turn - []", ...said);
    expect(problems).toEqual([]);
  });

  it("K4 renders once per frame, whatever the number of pieces", async () => {
    const model = handModel();
    const { page } = await open(model);
    await page.evaluate("void asp.send('Hi')");
    const turn = await model.turn();
    await shows(page, "streaming - - []", "Hi");
    const before = await page.evaluate<number>("renders");
    const pieces = 600;
    const from = performance.now();
    for (let n = 0; n < pieces; n += 1) {
      turn.say("word ");
      await new Promise(setImmediate);
    }
    turn.end();
    await shows(page, "idle end_turn - []", "Hi", "word ".repeat(pieces));
    const frames = (performance.now() - from) / 16;
    const renders = (await page.evaluate<number>("renders")) - before;
    expect(renders).toBeLessThan(Math.min(pieces / 2, frames + 10));
  });

  it("L10 W4 reads on after a reload, stops, retries, and says when the connection is lost", async () => {
    const model = handModel();
    const { page, served, problems } = await open(model);
    await page.evaluate("void asp.send('Hi')");
    const turn = await model.turn();
    turn.say("Well, ");
    await shows(page, "streaming - - []", "Hi", "Well, ");
    await page.reload();
    await shows(page, "streaming - - []", "Hi", "Well, ");
    turn.say("hello");
    await shows(page, "streaming - - []", "Hi", "Well, hello");
    await page.evaluate("asp.stop()");
    await shows(page, "idle aborted - []", "Hi", "Well, hello", expect.any(String));
    await page.evaluate("void asp.retry()");
    const again = await model.turn();
    again.say("Hello ");
    await shows(page, "streaming - - []", "Hi", "Hello ");
    expect(problems).toEqual([]);
    for (const socket of served.sockets) socket.destroy();
    await shows(page, "error - network []", "Hi", "Hello ");
    await page.evaluate("void asp.retry()");
    again.say("you.");
    again.end();
    await shows(page, "idle end_turn - []", "Hi", "Hello you.");
  });

  it("an unmounted component reads, sends and renders nothing more", async () => {
    const model = handModel();
    const { page, served, requests, problems } = await open(model);
    await page.evaluate("void asp.send('Hi')");
    const turn = await model.turn();
    turn.say("Well");
    await shows(page, "streaming - - []", "Hi", "Well");
    await page.evaluate("change(false)");
    await expect.poll(() => served.sockets.size).toBe(0);
    turn.say(", hello");
    turn.end();
    expect(await page.evaluate("asp.send('Late')")).toBe(false);
    expect(requests).toEqual(["POST runs"]);
    await page.evaluate("change(true)");
    await shows(page, "idle end_turn - []", "Hi", "Well, hello");
    expect(problems).toEqual([]);
  });
});
