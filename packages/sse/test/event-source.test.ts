import { newView, reduceView, type SessionEvent } from "@pawl/core";
import { EventSource } from "eventsource";
import { expect, it, onTestFinished } from "vitest";
import { eventually } from "./support/chat.ts";
import { handModel } from "./support/hand-model.ts";
import { range, seqsOf, serve } from "./support/served.ts";

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
