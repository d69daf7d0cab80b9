import { createConnection } from "node:net";
import { type EventStore, jsonSchema, memoryStore, PawlError, type SessionEvent, tool } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { pause } from "../../../../test/support/pause.ts";
import { type HandModel, handModel } from "../support/hand-model.ts";
import {
  allEvents,
  deltaText,
  eventsOf,
  range,
  type Served,
  seqsOf,
  serve,
  until,
} from "../support/served.ts";

const isEnd = ({ type }: SessionEvent) => type === "run_ended";
const isDelta = ({ type }: SessionEvent) => type === "text_delta";

async function begin(served: Served, model: HandModel) {
  const response = await served.ask("/runs", { json: { input: "Hi" } });
  return { id: response.headers.get("x-pawl-session") ?? "", response, turn: await model.turn() };
}

function tailOf(served: Served, id: string, after?: number, init: RequestInit = {}): Promise<Response> {
  const headers = after === undefined ? {} : { "last-event-id": String(after) };
  return served.ask(`/sessions/${id}/stream`, { ...init, headers });
}

/** A store that knows how often it is read: readers that have left read no more. */
function countingStore(): { store: EventStore; reads: () => number } {
  const store = memoryStore();
  let reads = 0;
  const read: EventStore["read"] = (...args) => {
    reads += 1;
    return store.read(...args);
  };
  return { store: { ...store, read }, reads: () => reads };
}

describe("GET /sessions/:id/stream", () => {
  it("W4 resumes after Last-Event-ID, wherever it broke off, with nothing missing and nothing twice", async () => {
    const served = await serve(
      scriptedModel([{ text: "Looking.", tools: [{ name: "look" }] }, { text: "Found it." }]),
    );
    const run = await served.ask("/runs", { json: { input: "Hi" } });
    const id = run.headers.get("x-pawl-session") ?? "";
    const last = seqsOf(await allEvents(run)).at(-1) ?? 0;
    for (const cursor of range(0, last - 1)) {
      const events = eventsOf(await tailOf(served, id, cursor));
      expect(seqsOf(await until(events, isEnd))).toEqual(range(cursor + 1, last));
      await events.return();
    }
    const byQuery = eventsOf(await served.ask(`/sessions/${id}/stream?after=${last - 1}`));
    expect(seqsOf(await until(byQuery, isEnd))).toEqual([last]);
    await byQuery.return();
  });

  it("W4 stays open while nothing happens, and shows events of other clients", async () => {
    const served = await serve(scriptedModel([{ text: "One." }, { text: "Two." }]), { heartbeatMs: 20 });
    const first = await served.ask("/runs", { json: { input: "Hi" } });
    const sessionId = first.headers.get("x-pawl-session") ?? "";
    const cursor = seqsOf(await allEvents(first)).at(-1) ?? 0;
    const tail = eventsOf(await tailOf(served, sessionId, cursor));
    await pause(100, "nothing happens for five heartbeats");
    const second = await allEvents(await served.ask("/runs", { json: { sessionId, input: "More" } }));
    expect(seqsOf(await until(tail, isEnd))).toEqual(seqsOf(second));
    await tail.return();
  });

  it("W1 sends heartbeats while nothing happens, also during a run", async () => {
    const model = handModel();
    const served = await serve(model, { heartbeatMs: 20 });
    const { id, response, turn } = await begin(served, model);
    const tail = await tailOf(served, id);
    for (const body of [tail.body, response.body]) {
      const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      while ((text.match(/: hb\n\n/g) ?? []).length < 3) text += (await reader?.read())?.value ?? "";
      expect(text.startsWith(": pawl heartbeat=20\n\n")).toBe(true);
      await reader?.cancel();
    }
    turn.end();
  });

  it.each(["the beginning", "the last stored event"])(
    "W4 sends a reader that connects late, from %s, all text so far as one delta",
    async (from) => {
      const model = handModel();
      const served = await serve(model);
      const { id, response, turn } = await begin(served, model);
      const early = eventsOf(response);
      for (const word of ["Once ", "upon ", "a time"]) {
        turn.say(word);
        await until(early, isDelta);
      }
      const lastSeq = (await served.store.sessions.get(id))?.lastSeq ?? 0;
      const late = eventsOf(await tailOf(served, id, from === "the beginning" ? 0 : lastSeq));
      expect((await until(late, isDelta)).at(-1)?.data).toMatchObject({
        offset: 0,
        text: "Once upon a time",
      });
      turn.say(" there was");
      expect((await until(late, isDelta)).at(-1)?.data).toMatchObject({ offset: 16, text: " there was" });
      turn.end();
      expect(deltaText(await until(late, isEnd))).toBe("");
      await late.return();
    },
  );

  it("L16 T8 marks the end of a turn and shows what tools do", async () => {
    const served = await serve(
      scriptedModel([{ text: "Let me see.", tools: [{ name: "look" }] }, { text: "So." }]),
    );
    const events = await allEvents(await served.ask("/runs", { json: { input: "Hi" } }));
    const live = events.filter((event) => !("seq" in event) && !event.type.endsWith("_delta"));
    expect(live).toMatchObject([
      { type: "tool_status", data: { phase: "start", message: "Looking" } },
      { type: "tool_status", data: { phase: "done", message: "Looked" } },
      { type: "turn_ended", data: { turn: 1 } },
    ]);
  });
});

describe("a reader that disconnects", () => {
  it("L10 W4 stops nothing but its own stream", async () => {
    const model = handModel();
    const served = await serve(model);
    const { id, response, turn } = await begin(served, model);
    turn.say("I go ");
    const events = eventsOf(response);
    await until(events, isDelta);
    await events.return();
    turn.say("on.");
    turn.end();
    const tail = eventsOf(await tailOf(served, id, 0));
    const message = (await until(tail, isEnd)).find(({ type }) => type === "assistant_message");
    expect(message?.data).toMatchObject({ content: [{ text: "I go on." }], disposition: "kept" });
    await tail.return();
    expect(served.errors).toEqual([]);
  });

  it("W1 is noticed at once, and no more events are read for it", async () => {
    const { store, reads } = countingStore();
    const served = await serve(scriptedModel([{ text: "One." }]), { store });
    const run = await served.ask("/runs", { json: { input: "Hi" } });
    const id = run.headers.get("x-pawl-session") ?? "";
    await allEvents(run);
    const control = new AbortController();
    const tails = await Promise.all(
      range(1, 20).map(() => tailOf(served, id, 0, { signal: control.signal })),
    );
    await Promise.all(tails.map(async (tail) => await until(eventsOf(tail), isEnd)));
    control.abort();
    // A reader that still followed would read the store every 50 ms.
    const quietFor = async (ms: number) => {
      const before = reads();
      await pause(ms, "nothing reads in a time in which a reader would read");
      return reads() === before;
    };
    await expect.poll(() => quietFor(200)).toBe(true);
    expect(served.errors).toEqual([]);
  });

  it("leaves nothing behind for a HEAD request", async () => {
    const { store, reads } = countingStore();
    const served = await serve(scriptedModel([{ text: "One." }]), { store });
    const run = await served.ask("/runs", { json: { input: "Hi" } });
    await allEvents(run);
    const id = run.headers.get("x-pawl-session");
    expect((await served.ask(`/sessions/${id}/stream`, { method: "HEAD" })).status).toBe(200);
    const before = reads();
    await pause(150, "a reader that was forgotten would read three times");
    expect(reads()).toBe(before);
  });
});

describe("a stream that cannot go on", () => {
  it("W4 ends cleanly, without the run's end, when this process shuts down: servers log broken bodies", async () => {
    const model = handModel();
    const served = await serve(model);
    const { id, response, turn } = await begin(served, model);
    turn.say("Half an ans");
    const tail = await tailOf(served, id);
    const texts = Promise.all([response.text(), tail.text()]);
    await served.runtime.drain({ timeoutMs: 20 });
    for (const text of await texts) {
      expect(text).toContain("user_message");
      expect(text).not.toContain("run_ended");
    }
  });

  it("W5 is broken off, never ended, when the store fails", async () => {
    // The Node adapter says so on the console.
    const said = vi.spyOn(console, "error").mockReturnValue();
    onTestFinished(() => said.mockRestore());
    const store = memoryStore();
    let isDown = false;
    const read: EventStore["read"] = async function* (...args) {
      if (isDown) throw new PawlError("store_unavailable", "secret host");
      yield* store.read(...args);
    };
    const model = handModel();
    const served = await serve(model, { store: { ...store, read } });
    const { response, turn } = await begin(served, model);
    const events = eventsOf(response);
    turn.say("Well");
    await until(events, isDelta);
    isDown = true;
    await expect(Array.fromAsync(events)).rejects.toThrow(/terminated/);
    expect(served.errors).toMatchObject([{ code: "store_unavailable" }]);
    isDown = false;
    turn.end();
  });
});

describe("a slow reader", () => {
  it("W1 L10 neither slows the run down nor costs memory", async () => {
    const big = "x".repeat(1_000_000);
    const fetchBig = tool({
      name: "look",
      description: "Returns much.",
      input: jsonSchema({ type: "object" }),
      execute: () => big,
    });
    const turns = 20;
    const script = (_: unknown, n: number) => (n < turns ? { tools: [{ name: "look" }] } : { text: "Done." });
    const { store } = countingStore();
    const served = await serve(scriptedModel(script), { store, tools: [fetchBig] });
    const { port } = new URL(served.url);
    const body = JSON.stringify({ input: "Hi" });
    // A client that sends its request and then never reads.
    const socket = createConnection({ port: Number(port), host: "127.0.0.1" });
    socket.pause();
    socket.write(
      `POST /api/coach/runs HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ada\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    const sessions = () => served.store.sessions.list({ userId: "ada" });
    const isOver = async () => {
      const [session] = await sessions();
      return (session?.lastSeq ?? 0) > 5 && session?.openRun === null;
    };
    await expect.poll(isOver).toBe(true);
    const waiting = [...served.sockets].map((one) => one.writableLength);
    expect(Math.max(...waiting)).toBeLessThan(4 * big.length);
    const sent = [...served.sockets].map((one) => one.bytesWritten);
    expect(Math.max(...sent)).toBeLessThan((turns * big.length) / 2);
    socket.destroy();
  });
});

describe("POST /runs while a run is in progress", () => {
  it("W4 streams a queued message like any other: up to the end of the run that picks it up", async () => {
    const model = handModel();
    const served = await serve(model, { whenBusy: "queue" });
    const { id: sessionId, response, turn } = await begin(served, model);
    turn.say("One.");
    const queued = await served.ask("/runs", { json: { sessionId, input: "More", clientMessageId: "m2" } });
    expect(queued.status).toBe(200);
    expect(queued.headers.get("x-pawl-run")).toBe(response.headers.get("x-pawl-run"));
    turn.end();
    const second = await model.turn();
    second.say("Two.");
    second.end();
    const events = await allEvents(queued);
    expect(events[0]).toMatchObject({ type: "user_message", data: { message: "More", queued: true } });
    expect(events.at(-1)).toMatchObject({ type: "run_ended", data: { turns: 2 } });
    expect(seqsOf(await allEvents(response)).at(-1)).toBe(seqsOf(events).at(-1));
    const again = await served.ask("/runs", { json: { sessionId, input: "More", clientMessageId: "m2" } });
    expect(seqsOf(await allEvents(again))).toEqual(seqsOf(events));
  });

  it("W4 streams beyond the end of the interrupted run, up to the end of the next one", async () => {
    const model = handModel();
    const served = await serve(model, { whenBusy: "interrupt" });
    const { id: sessionId, response, turn } = await begin(served, model);
    turn.say("One.");
    const other = await served.ask("/runs", { json: { sessionId, input: "More" } });
    const second = await model.turn();
    second.say("Two.");
    second.end();
    const ends = (await allEvents(other)).filter(isEnd);
    expect(ends.map(({ data }) => (data as { stop: { type: string } }).stop.type)).toEqual([
      "interrupted",
      "end_turn",
    ]);
    expect((await allEvents(response)).filter(isEnd)).toHaveLength(1);
  });
});
