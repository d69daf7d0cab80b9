import { describe, expect, it } from "vitest";
import { asp } from "../../src/dialects.ts";
import { agUi, aiSdk, type Dialect } from "../../src/index.ts";
import { handModel } from "../support/hand-model.ts";
import { serve } from "../support/served.ts";

type Event = { type: string } & Record<string, unknown>;

async function told(response: Response): Promise<Event[]> {
  const frames = (await response.text()).split("\n\n").filter((frame) => frame.startsWith("data: {"));
  return frames.map((frame) => JSON.parse(frame.slice(6)) as Event);
}

const words = (events: readonly Event[]) =>
  events
    .map(({ type, delta, text }) =>
      type.includes("text") || type.includes("TEXT") ? (delta ?? text ?? "") : "",
    )
    .join("");

const ways: [string, Dialect, (text: string, id: string, session?: string) => object, string, string][] = [
  [
    "AI SDK",
    aiSdk(),
    (text, id) => ({ id: "c", messages: [{ id, role: "user", parts: [{ type: "text", text }] }] }),
    "start",
    "finish",
  ],
  [
    "AG-UI",
    agUi(),
    (content, id) => ({ threadId: "c", runId: id, messages: [{ id, role: "user", content }] }),
    "RUN_STARTED",
    "RUN_FINISHED",
  ],
  [
    "ASP v2",
    asp(),
    (message, id, session_id) => ({ message, session_id, client_message_id: id }),
    "ack",
    "message_stop",
  ],
];

describe.each(ways)(
  "a message while a run is in progress, in the dialect %s",
  (_name, dialect, message, first, last) => {
    it("queued: the text before it and the text after it are two messages, each in its own stream", async () => {
      const model = handModel();
      const served = await serve(model, { dialect, whenBusy: "queue" });
      const one = await served.ask("/runs", { json: message("Hi", "m1") });
      const session = one.headers.get("x-pawl-session") ?? "";
      const turn = await model.turn();
      turn.say("First.");
      const two = await served.ask("/runs", { json: message("And?", "m2", session) });
      turn.end();
      const next = await model.turn();
      const before = await told(one);
      next.say("Second.");
      next.end();
      const behind = await told(two);
      expect([words(before), words(behind)]).toEqual(["First.", "Second."]);
      for (const events of [before, behind]) {
        expect(events[0]?.type).toBe(first);
        expect(events.at(-1)?.type).toBe(last);
      }
      const again = await told(await served.ask("/runs", { json: message("And?", "m2", session) }));
      if (first === "RUN_STARTED") {
        // Clients of AG-UI ask so for another answer: they are shown this one, and told that there is no other.
        expect(JSON.stringify(again)).toMatch(/"First\..*"Second\./);
        expect(again.slice(-2)).toMatchObject([{ name: "already_answered" }, { type: last }]);
      } else expect(again).toEqual(behind);
      if (first === "start") {
        const { messages } = await served.runtime.view(session, { userId: "ada" });
        const ids = [before, behind].map((events) => events[0]?.messageId);
        expect(ids).toEqual(messages.filter(({ role }) => role === "assistant").map(({ id }) => id));
      }
    });

    it("interrupting: the first message ends, and the second one is answered", async () => {
      const model = handModel();
      const served = await serve(model, { dialect, whenBusy: "interrupt" });
      const one = await served.ask("/runs", { json: message("Hi", "m1") });
      (await model.turn()).say("First");
      const two = await served.ask("/runs", {
        json: message("And?", "m2", one.headers.get("x-pawl-session") ?? ""),
      });
      const next = await model.turn();
      next.say("Second.");
      next.end();
      expect((await told(one)).at(-1)?.type).toBe(last);
      const behind = await told(two);
      expect(words(behind)).toBe("Second.");
      expect(behind.at(-1)?.type).toBe(last);
    });

    it("refused: reports it, and disturbs nothing", async () => {
      const model = handModel();
      const served = await serve(model, { dialect, whenBusy: "reject" });
      const one = await served.ask("/runs", { json: message("Hi", "m1") });
      const turn = await model.turn();
      const session = one.headers.get("x-pawl-session") ?? "";
      const two = await served.ask("/runs", { json: message("And?", "m2", session) });
      expect(await two.text()).toContain("session_busy");
      turn.say("First.");
      turn.end();
      expect(words(await told(one))).toBe("First.");
    });
  },
);
