import { join } from "node:path";
import type { Page } from "playwright-core";
import { build, type Rollup } from "vite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closePages, startBrowser } from "../../../test/support/browser.ts";
import { pause } from "../../../test/support/pause.ts";
import { type HandModel, handModel, type Served, serve } from "./support/clients.ts";

const browser = await startBrowser();
const html = "<!doctype html><body><script type=module src=/page.js></script>";

async function bundle(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: "error",
    root: import.meta.dirname,
    mode: "development",
    define: { "process.env.NODE_ENV": '"development"' },
    resolve: { conditions: ["@pawl/source"] },
    build: {
      write: false,
      minify: false,
      lib: {
        entry: join(import.meta.dirname, "support", "react.page.js"),
        formats: ["es"],
        fileName: "page",
      },
      rolldownOptions: { output: { codeSplitting: false } },
    },
  });
  const [{ output }] = [built].flat() as [Rollup.RollupOutput];
  return output[0].code;
}

describe.skipIf(browser === undefined)("K1 useAgent in React's strict mode", { timeout: 60_000 }, () => {
  let script: string;
  beforeAll(async () => {
    script = await bundle();
  });
  afterAll(async () => {
    await closePages(browser);
  });

  /** A page on the server's own address, and the requests that it makes. */
  async function open(
    hash = "",
  ): Promise<{ page: Page; requests: string[]; served: Served; model: HandModel }> {
    const model = handModel();
    const served = await serve(model);
    const page = (await browser?.newPage()) as Page;
    const requests: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/api/"))
        requests.push(`${request.method()} ${request.url().split("/").at(-1)}`);
    });
    await page.route("**/page.html*", (route) => route.fulfill({ contentType: "text/html", body: html }));
    await page.route("**/page.js", (route) =>
      route.fulfill({ contentType: "text/javascript", body: script }),
    );
    await page.goto(new URL(`/page.html${hash}`, served.url).href);
    return { page, requests, served, model };
  }
  const says = async (page: Page, words: string) =>
    await page.getByText(words, { exact: true }).waitFor({ timeout: 10_000 });
  const none = async (served: Served) => await expect.poll(() => served.sockets.size).toBe(0);

  it("W4 keeps one conversation when mounted twice, hidden and shown, and given its own session id", async () => {
    const { page, requests, served, model } = await open();
    await says(page, "idle offline ");
    await page.evaluate("void agent.send('Hi')");
    const turn = await model.turn();
    turn.say("Well");
    await says(page, "streaming open Hi|Well");
    await page.evaluate("change({ sessionId: agent.sessionId })");
    await page.evaluate("change({ sessionId: agent.sessionId, busy: false })");
    expect(requests).toEqual(["POST runs"]);

    await page.evaluate("change({ mode: 'hidden' })");
    await none(served);
    turn.say(", hello");
    await page.evaluate("change({ mode: 'visible' })");
    await says(page, "streaming open Hi|Well, hello");
    turn.end();
    await says(page, "idle open Hi|Well, hello");
    expect(requests.filter((request) => request.startsWith("POST"))).toEqual(["POST runs"]);
  });

  it("W4 a session that began in a component is kept while the component is hidden", async () => {
    const { page, served, model } = await open();
    await page.evaluate("void agent.send('Hi')");
    const turn = await model.turn();
    turn.say("Well");
    await says(page, "streaming open Hi|Well");
    await page.evaluate("change({ mode: 'hidden' })");
    await none(served);
    await page.evaluate("change({ mode: 'visible' })");
    await says(page, "streaming open Hi|Well");
    turn.end();
    await says(page, "idle open Hi|Well");
  });

  it("another session is another conversation, and an unmounted component reads and sends nothing", async () => {
    const { page, requests, served, model } = await open();
    await page.evaluate("void agent.send('Hi')");
    const turn = await model.turn();
    turn.say("Well");
    await says(page, "streaming open Hi|Well");
    const sessionId = await page.evaluate("agent.sessionId");
    await page.evaluate("change({ sessionId: agent.sessionId })");
    await page.evaluate("change({ sessionId: undefined })");
    await says(page, "idle offline ");
    await none(served);
    await page.evaluate(`change({ sessionId: ${JSON.stringify(sessionId)} })`);
    await says(page, "streaming open Hi|Well");
    await page.evaluate("change({ mounted: false })");
    await none(served);
    const before = requests.length;
    expect(await page.evaluate("agent.send('Late')")).toBe(false);
    expect(requests).toHaveLength(before);
    turn.end();
  });

  it("U9 a page that is reloaded finds its session, and lists and opens all of them", async () => {
    const { page, model } = await open("?tab=1#keeping");
    await says(page, "idle: #");
    const talk = async (text: string, answer: string) => {
      await page.evaluate(`void agent.send(${JSON.stringify(text)})`);
      const turn = await model.turn();
      turn.say(answer);
      turn.end();
    };
    await talk("Hi", "Hello.");
    await says(page, "idle: Hi|Hello. # Hi (active)");
    const first = await page.evaluate<string>("agent.sessionId");
    expect(page.url()).toContain(`/page.html?tab=1&session=${first}#keeping`);
    await page.reload();
    await says(page, "idle: Hi|Hello. # Hi (active)");

    // A new conversation, whose first message is sent before the page has been rendered again.
    await page.evaluate("(agent.open(undefined), void agent.send('Bye'))");
    const turn = await model.turn();
    await says(page, "streaming: Bye # Bye (active), Hi (active)");
    await page.reload();
    await says(page, "streaming: Bye # Bye (active), Hi (active)");
    turn.say("See you.");
    turn.end();
    await says(page, "idle: Bye|See you. # Bye (active), Hi (active)");
    expect(new URL(page.url()).searchParams.get("session")).not.toBe(first);
    await page.evaluate(`agent.open(${JSON.stringify(first)})`);
    await says(page, "idle: Hi|Hello. # Bye (active), Hi (active)");
    expect(page.url()).toContain(`session=${first}#`);
    await page.evaluate("agent.open(undefined)");
    await says(page, "idle: # Bye (active), Hi (active)");
    expect(page.url()).toMatch(/page\.html\?tab=1#keeping$/);
  });

  it("U9 Back leads to the conversation before, as the guide shows", async () => {
    const { page, model } = await open("?tab=1#going-back");
    await says(page, "idle: ");
    const talk = async (text: string, answer: string) => {
      await page.evaluate(`void agent.send(${JSON.stringify(text)})`);
      const turn = await model.turn();
      turn.say(answer);
      turn.end();
      await says(page, `idle: ${text}|${answer}`);
    };
    await talk("Hi", "Hello.");
    const first = new URL(page.url()).searchParams.get("session");
    await page.evaluate("agent.open(undefined)");
    await says(page, "idle: ");
    await talk("Bye", "See you.");

    await page.evaluate("history.back()");
    await says(page, "idle: ");
    expect(page.url()).toMatch(/page\.html\?tab=1#going-back$/);
    await page.evaluate("history.back()");
    await says(page, "idle: Hi|Hello.");
    expect(page.url()).toContain(`session=${first}#`);
    await page.evaluate("history.forward()");
    await says(page, "idle: ");
    await page.evaluate("history.forward()");
    await says(page, "idle: Bye|See you.");
    await page.reload();
    await says(page, "idle: Bye|See you.");
  });

  it("U9 lists the sessions once for a page that opens one, and again when a run begins or ends", async () => {
    const { page, requests, model } = await open("#keeping");
    const lists = () => requests.filter((request) => request === "GET sessions").length;
    const talk = async (text: string, answer: string) => {
      await page.evaluate(`void agent.send(${JSON.stringify(text)})`);
      const turn = await model.turn();
      turn.say(answer);
      await says(page, `streaming: ${text}|${answer} # ${text} (active)`);
      const before = lists();
      turn.end();
      await says(page, `idle: ${text}|${answer} # ${text} (active)`);
      await expect.poll(lists).toBe(before + 1);
    };
    await says(page, "idle: #");
    await talk("Hi", "Hello.");
    const first = await page.evaluate<string>("agent.sessionId");

    requests.length = 0;
    await page.reload();
    await says(page, "idle: Hi|Hello. # Hi (active)");
    await pause(300, "longer than until the page would ask again, which it must not");
    // React's strict mode mounts a component twice.
    expect(lists()).toBe(2);

    await page.evaluate("agent.open(undefined)");
    await says(page, "idle: # Hi (active)");
    requests.length = 0;
    await page.evaluate(`agent.open(${JSON.stringify(first)})`);
    await says(page, "idle: Hi|Hello. # Hi (active)");
    await pause(300, "longer than until the page would ask again, which it must not");
    expect(requests.map((request) => request.split("?")[0])).toEqual([`GET ${first}`, "GET stream"]);
  });

  it("K2 useHeld stays true for its time after a short activity, and then turns false", async () => {
    const { page } = await open();
    await says(page, "idle offline ");
    const ms = await page.evaluate<number>(`(async () => {
      const isShown = () => document.body.textContent.includes("busy");
      const until = async (is) => { while (isShown() !== is) await new Promise(requestAnimationFrame); };
      change({ busy: true });
      await until(true);
      const from = performance.now();
      change({ busy: false });
      await until(false);
      return performance.now() - from;
    })()`);
    expect(ms).toBeGreaterThan(180);
    expect(ms).toBeLessThan(2_000);
  });
});
