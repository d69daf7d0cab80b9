import type { SessionEvent } from "@pawl/core";
import { newView, reduceView } from "@pawl/core/view";
import { EventSource } from "eventsource";
import { afterAll, expect, it, onTestFinished } from "vitest";
import { closePages, startBrowser } from "../../../../test/support/browser.ts";
import { eventually } from "../support/chat.ts";
import { handModel } from "../support/hand-model.ts";
import { range, seqsOf, serve } from "../support/served.ts";

const browser = await startBrowser();
afterAll(async () => await closePages(browser));

it("W2 W4 P2 an EventSource follows a session in the native dialect, over lost connections and a question", async () => {
  const model = handModel();
  const served = await serve(model);
  const response = await served.ask("/runs", { json: { input: "Hi" } });
  await response.body?.cancel();
  const id = response.headers.get("x-pawl-session");
  const asked: (string | null)[] = [];
  const source = new EventSource(`${served.url}/sessions/${id}/stream`, {
    fetch: (url, init) => {
      const headers = new Headers(init?.headers as Record<string, string>);
      headers.set("authorization", "Bearer ada");
      asked.push(headers.get("last-event-id"));
      return fetch(url, { ...init, headers } as RequestInit);
    },
  });
  onTestFinished(() => source.close());
  const events: SessionEvent[] = [];
  let view = newView();
  source.addEventListener("message", ({ data }) => {
    const event = JSON.parse(data) as SessionEvent;
    events.push(event);
    view = reduceView(view, event);
  });
  const text = () => view.messages.at(-1)?.text ?? "";
  const turn = await model.turn();
  turn.say("One ");
  await eventually(() => text() === "One ".trim());
  for (const socket of served.sockets) socket.destroy();
  turn.say("moment.");
  turn.end([{ id: "c1", name: "confirm", input: { question: "Sure?" } }]);
  await eventually(
    () => view.pending.length === 1,
    () => view,
  );
  const json = { sessionId: id, answers: [{ callId: "c1", value: { yes: true } }] };
  expect((await served.ask("/runs", { json })).status).toBe(200);
  const next = await model.turn();
  next.say("Done.");
  next.end();
  await eventually(
    () => view.run?.stop?.type === "end_turn",
    () => view,
  );
  expect(text()).toBe("One moment.\n\nDone.");
  expect(seqsOf(events)).toEqual(range(1, seqsOf(events).length));
  expect(asked).toHaveLength(2);
  expect(Number.parseInt(asked[1] ?? "", 10)).toBeGreaterThan(0);
});

it.skipIf(browser === undefined)(
  "W2 W4 so does the browser's own, which reconnects by itself, at the character",
  async () => {
    const model = handModel();
    const served = await serve(model);
    const response = await served.ask("/runs", { json: { input: "Hi" } });
    await response.body?.cancel();
    const id = response.headers.get("x-pawl-session") ?? "";
    const page = await browser!.newPage();
    onTestFinished(async () => await page.close());
    await page.setExtraHTTPHeaders({ authorization: "Bearer ada" });
    const asked: (string | undefined)[] = [];
    served.server.on("request", ({ url, headers }) => {
      if (url?.endsWith("/stream")) asked.push(headers["last-event-id"]?.toString());
    });
    await page.goto(`${served.url}/sessions`);
    await page.evaluate(`
      globalThis.events = [];
      new EventSource("/api/coach/sessions/${id}/stream").onmessage = ({ data }) => events.push(JSON.parse(data));
    `);
    const events = async () => await page.evaluate<SessionEvent[]>("events");
    const text = async () =>
      (await events()).map((event) => (event.type === "text_delta" ? event.data.text : "")).join("");
    const turn = await model.turn();
    turn.say("One 😀 ");
    await expect.poll(text).toBe("One 😀 ");
    for (const socket of served.sockets) socket.destroy();
    turn.say("moment.");
    // It waits for three seconds.
    await expect.poll(text, { timeout: 10_000 }).toBe("One 😀 moment.");
    turn.end();
    await expect.poll(async () => (await events()).at(-1)?.type).toBe("run_ended");
    const seen = await events();
    expect(asked).toEqual([undefined, expect.stringMatching(/^\d+~\d+~7$/)]);
    expect(seqsOf(seen)).toEqual(range(1, seqsOf(seen).length));
    const { messages } = await served.runtime.view(id, { userId: "ada" });
    expect(seen.reduce(reduceView, newView()).messages).toEqual(messages);
  },
);
