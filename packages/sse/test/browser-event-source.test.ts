import { newView, reduceView, type SessionEvent } from "@pawl/core";
import { afterAll, describe, expect, it } from "vitest";
import { startBrowser } from "../../../test/support/browser.ts";
import { handModel } from "./support/hand-model.ts";
import { range, seqsOf, serve } from "./support/served.ts";

const browser = await startBrowser();
const WAIT = 20_000;

describe.skipIf(browser === undefined)("a browser's own EventSource", { timeout: 60_000 }, () => {
  afterAll(async () => await browser?.close());

  it("W1 W4 follows a session, and after a lost connection goes on in the middle of an answer, at the character", async () => {
    const model = handModel();
    const served = await serve(model, { authorize: () => ({ userId: "ada" }) });
    const response = await served.ask("/runs", { json: { input: "Hi" } });
    await response.body?.cancel();
    const id = response.headers.get("x-pawl-session");
    const page = await browser!.newPage();
    await page.goto(`${served.url}/sessions`);
    await page.evaluate(`
      globalThis.heard = [];
      new EventSource("/api/coach/sessions/${id}/stream").onmessage = ({ data, lastEventId }) => heard.push([data, lastEventId]);
    `);
    const heard = async () => (await page.evaluate("heard")) as [string, string][];
    const view = async () =>
      (await heard()).reduce((so, [data]) => reduceView(so, JSON.parse(data) as SessionEvent), newView());
    const turn = await model.turn();
    turn.say("One ");
    await expect.poll(async () => (await view()).messages.at(-1)?.text, { timeout: WAIT }).toBe("One");
    expect((await heard()).at(-1)?.[1]).toMatch(/^(\d+)~\d+~4$/);
    for (const socket of served.sockets) socket.destroy();
    turn.say("moment.");
    turn.end();
    await expect.poll(async () => (await view()).run?.stop?.type, { timeout: WAIT }).toBe("end_turn");
    const events = (await heard()).map(([data]) => JSON.parse(data) as SessionEvent);
    expect(seqsOf(events)).toEqual(range(1, seqsOf(events).length));
    const deltas = events.flatMap((event) => (event.type === "text_delta" ? [event.data] : []));
    expect(deltas.slice(1).every(({ offset }) => offset > 0)).toBe(true);
    expect((await view()).messages.at(-1)?.text).toBe("One moment.");
    await page.close();
  });
});
