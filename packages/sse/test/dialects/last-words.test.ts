import { type Reply, strictModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { asp, coach, metrics, type TextMode, trainer } from "../../src/dialects.ts";
import type { Dialect } from "../../src/index.ts";
import { type Served, serve } from "../support/served.ts";

const CUT = "My answer was cut short. Please ask me to continue.";
const NO = "I cannot help with this.";

const slow = { deltas: 3, delayPerEventMs: 15 };
const cut: Reply = { text: "This is cut off in the middle", clip: 10, ...slow };
const refused: Reply = { text: "I will tell you how to", stop: "refusal", ...slow };
const silent: Reply = { thinking: "Hm.", text: "", stop: "refusal" };

type Told = { [field: string]: unknown };

/** The events of a response; its end as text. */
async function told(response: Response): Promise<Told[]> {
  expect(response.status).toBe(200);
  const frames = (await response.text()).split("\n\n").filter((frame) => frame.startsWith("data: {"));
  return frames.map((frame) => JSON.parse(frame.slice(6)));
}

const say = async (served: Served) => {
  const response = await served.ask("/runs", { json: { message: "Hi", clientMessageId: "m1" } });
  const sessionId = response.headers.get("x-pawl-session") ?? "";
  return { sessionId, events: await told(response) };
};

/** Everything that is read, in one text. */
const text = (events: readonly Told[]) => events.map((event) => event.text ?? "").join("");
const errors = (events: readonly Told[]) =>
  events.flatMap((event) => {
    const error = event.type === "error" ? event.message : event.type === undefined && event.error;
    return error === undefined || error === false ? [] : [error];
  });
const served = (reply: Reply, dialect: Dialect) => serve(strictModel({ script: [reply] }), { dialect });

const texts: [string, (options: { text: TextMode }) => Dialect][] = [
  ["coach", coach],
  ["asp", asp],
  ["metrics", metrics],
];

describe.each(texts)("L8 the last word of a run that did not fail, in the dialect %s", (_name, dialect) => {
  it.each(["live", "settled"] as const)("says that the answer was cut short (%s)", async (mode) => {
    const world = await served(cut, dialect({ text: mode }));
    const { events, sessionId } = await say(world);
    expect(text(events).replace("\n\n", " ")).toMatch(new RegExp(`^This is cu ?${CUT}$`));
    expect(errors(events)).toEqual([]);
    const view = await world.ask(`/sessions/${sessionId}`);
    expect(await view.text()).toContain(CUT);
    expect(text((await say(world)).events)).toBe(text(events));
  });

  it("reports that it cannot help after text that it cannot remove", async () => {
    const world = await served(refused, dialect({ text: "live" }));
    const { events } = await say(world);
    expect(text(events)).toBe("I will tell you how to");
    expect(errors(events)).toEqual([NO]);
    // A client that reads the log sees the last word only.
    const again = (await say(world)).events;
    expect([text(again), errors(again)]).toEqual([NO, []]);
  });

  it("is the whole answer if there is no text", async () => {
    for (const [reply, mode] of [
      [refused, "settled"],
      [silent, "settled"],
    ] as const) {
      const { events } = await say(await served(reply, dialect({ text: mode })));
      expect([text(events), errors(events)]).toEqual([NO, []]);
    }
  });

  it("is sent after a limit too", async () => {
    const looking = { tools: [{ name: "look", input: {} }] };
    const script = Array.from({ length: 300 }, () => looking);
    const world = await serve(strictModel({ script }), { dialect: dialect({ text: "live" }) });
    const { events } = await say(world);
    expect(errors(events)).toHaveLength(1);
    expect(errors(events)[0]).not.toContain("reload");
  });
});

describe("L8 the last word of a run that did not fail, in the trainer's dialect", () => {
  it("is an error, because there is no other event for words", async () => {
    for (const [reply, word] of [
      [cut, CUT],
      [refused, NO],
      [silent, NO],
    ] as const) {
      const world = await served(reply, trainer());
      const { events } = await say(world);
      expect(events).toEqual([{ type: "error", message: word }]);
      expect((await say(world)).events).toEqual(events);
    }
  });
});

describe("L8 other ends", () => {
  it("ASP v2 keeps the model's stop reason", async () => {
    const { events } = await say(await served(cut, asp()));
    expect(events.at(-1)).toEqual({ type: "message_stop", stop_reason: "max_tokens" });
  });

  it("a stop by the user is not an error in any of them", async () => {
    for (const dialect of [coach(), asp(), metrics(), trainer()]) {
      const world = await served({ text: "A long answer.", deltas: 10, delayPerEventMs: 100 }, dialect);
      const response = await world.ask("/runs", { json: { message: "Hi" } });
      const id = response.headers.get("x-pawl-session");
      await world.ask(`/sessions/${id}/stop`, { method: "POST" });
      expect(errors(await told(response))).toEqual([]);
    }
  });
});

describe("W2 the allowed content of the coach's messages", () => {
  const ask = async (content: unknown) => {
    const world = await served({ text: "Nice." }, coach());
    const response = await world.ask("/runs", { json: { messages: [{ role: "user", content }] } });
    return [response.status, await response.text()];
  };
  const words = { type: "text", text: "What is on this picture?" };
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } };

  it("refuses a picture with an explanation, and ignores text next to it", async () => {
    for (const content of [
      [words, image],
      [image],
      [words, { type: "document" }],
      [words, "x"],
      { ...words },
    ])
      expect(await ask(content)).toEqual([400, expect.stringContaining("A message must consist of text.")]);
    expect((await ask([words, words]))[0]).toBe(200);
  });

  it("refuses an answer with text next to it", async () => {
    const result = { type: "tool_result", tool_use_id: "c1", content: "x" };
    expect(await ask([result, words])).toEqual([400, expect.stringContaining("either a message or answers")]);
  });
});
