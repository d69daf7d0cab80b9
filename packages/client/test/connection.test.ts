import type { SessionEvent } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { pause } from "../../../test/support/pause.ts";
import { expectPrinted } from "../../../test/support/printed.ts";
import {
  clientOf,
  expectSame,
  handModel,
  isIdle,
  isSuspended,
  lastText,
  rewritten,
  type Served,
  serve,
  tampered,
  when,
} from "./support/clients.ts";

const question = { id: "c1", name: "confirm", input: { question: "Sure?" } };

function cutAll({ sockets }: Served): void {
  for (const socket of sockets) socket.destroy();
}

/** `seq`s that a client was told of. */
function listening(): { onEvent(event: SessionEvent): void; seqs: number[] } {
  const seqs: number[] = [];
  return { seqs, onEvent: (event) => void ("seq" in event && seqs.push(event.seq)) };
}

function expectGapless(seqs: readonly number[]): void {
  expect(seqs).toEqual(seqs.map((_, index) => index + (seqs[0] ?? 0)));
}

describe("after a reload", () => {
  it("W4 in the middle of an answer, shows the text so far, and the same in the end", async () => {
    const model = handModel();
    const served = await serve(model);
    const before = clientOf(served);
    await before.send("Hi");
    const turn = await model.turn();
    turn.say("Once upon ");
    const { sessionId = "" } = await when(before, (state) => lastText(state) === "Once upon");
    before.close();
    const after = clientOf(served, { sessionId });
    const state = await when(after, (now) => lastText(now) === "Once upon");
    expect(state).toMatchObject({ phase: "streaming", connection: "open" });
    turn.say("a time.");
    turn.end();
    expect(lastText(await when(after, isIdle))).toBe("Once upon a time.");
    await expectSame(served, after);
  });

  it("K6 P1 shows the question again, and takes the answer", async () => {
    const served = await serve(scriptedModel([{ tools: [question] }, { text: "Done." }]));
    const before = clientOf(served);
    await before.send("Do it");
    const { sessionId = "", pending, messages } = await when(before, isSuspended);
    before.close();
    const after = clientOf(served, { sessionId });
    expect(await when(after, isSuspended)).toMatchObject({ pending, messages });
    expect(await after.answer("c1", { yes: true })).toBe(true);
    expect(lastText(await when(after, isIdle))).toBe("Done.");
    await expectSame(served, after);
  });

  it("E11 says that there is no such session, and stays offline", async () => {
    const served = await serve(scriptedModel([]));
    const client = clientOf(served, { sessionId: "unknown" });
    const state = await when(client, ({ error }) => error !== undefined);
    expect(state).toMatchObject({ phase: "error", connection: "offline", error: { code: "not_found" } });
    await served.store.sessions.create({ id: "unknown", userId: "ada", agent: "coach" });
    client.open("unknown");
    const known = await when(client, ({ connection }) => connection === "open");
    expect(known).toMatchObject({ phase: "idle", error: undefined });
    const nobody = clientOf(served, { sessionId: "unknown", headers: {} });
    await when(nobody, ({ error }) => error?.code === "unauthorized");
  });
});

describe("a broken connection", () => {
  it("W4 in the middle of an answer is resumed", async () => {
    const model = handModel();
    const served = await serve(model);
    const heard = listening();
    const client = clientOf(served, { onEvent: heard.onEvent });
    await client.send("Hi");
    const turn = await model.turn();
    turn.say("Once upon ");
    await when(client, (state) => lastText(state) === "Once upon");
    cutAll(served);
    await when(client, ({ connection }) => connection === "reconnecting");
    expect(client.getState().phase).toBe("streaming");
    turn.say("a time");
    await when(client, (state) => lastText(state) === "Once upon a time");
    cutAll(served);
    turn.say(" there was.");
    turn.end();
    expect(lastText(await when(client, isIdle))).toBe("Once upon a time there was.");
    await expectSame(served, client);
    expectGapless(heard.seqs);
  });

  it("W4 K4 at any moment costs no event and shows none twice", async () => {
    const replies = Array.from({ length: 8 }, (_, n) => ({
      text: `This is turn ${n}, and it has some words to say.`,
      tools: n < 7 ? [{ name: "look", input: { what: `${n}` } }] : [],
      delayPerEventMs: 3,
    }));
    const served = await serve(scriptedModel(replies));
    const heard = listening();
    const client = clientOf(served, { onEvent: heard.onEvent });
    await client.send("Go");
    let isOver = false;
    const done = when(client, isIdle, 25_000).then(() => {
      isOver = true;
    });
    while (!isOver) {
      await pause(50 + Math.random() * 200, "connections break at random moments");
      cutAll(served);
    }
    await done;
    await expectSame(served, client);
    expectGapless(heard.seqs);
  });

  it("W4 that ends without the run's end counts as broken", async () => {
    const served = await serve(scriptedModel([{ text: "The whole answer." }]));
    let cuts = 0;
    const cut = tampered("/runs", (response) =>
      rewritten(response, (text) => {
        const at = text.indexOf('"type":"run_ended"');
        if (at < 0) return { text };
        cuts += 1;
        return { text: text.slice(0, text.lastIndexOf("id: ", at)), end: true };
      }),
    );
    const client = clientOf(served, { fetch: cut });
    await client.send("Hi");
    const state = await when(client, isIdle);
    expect(cuts).toBe(1);
    expect(lastText(state)).toBe("The whole answer.");
    expect(state.error).toBeUndefined();
    await expectSame(served, client);
  });

  it("W4 fetches a missing event before it applies the next one", async () => {
    const served = await serve(scriptedModel([{ text: "Hello." }]));
    const heard = listening();
    let dropped = 0;
    const lossy = tampered("/runs", (response) =>
      rewritten(response, (text) => {
        const frames = text.split(/(?<=\n\n)/);
        const kept = frames.filter((frame) => !frame.includes('"type":"user_message"'));
        dropped += frames.length - kept.length;
        return { text: kept.join("") };
      }),
    );
    const client = clientOf(served, { fetch: lossy, onEvent: heard.onEvent });
    await client.send("Hi");
    await when(client, isIdle);
    expect(dropped).toBe(1);
    expectGapless(heard.seqs);
    await expectSame(served, client);
  });

  it("that only looks open is given up after three heartbeats", async () => {
    const served = await serve(scriptedModel([{ text: "One." }, { text: "Two." }]), { heartbeatMs: 60_000 });
    const first = clientOf(served);
    await first.send("Hi");
    const { sessionId = "" } = await when(first, isIdle);
    let streams = 0;
    const deaf = tampered("/stream", (response, n) => {
      streams = n;
      return n === 1 ? rewritten(response, () => ({ text: "" })) : response;
    });
    const client = clientOf(served, { sessionId, fetch: deaf, silenceMs: 150 });
    await when(client, ({ connection }) => connection === "open");
    await first.send("More");
    await when(client, (state) => lastText(state) === "Two." && isIdle(state));
    expect(streams).toBeGreaterThan(1);
    await expectSame(served, client);
  });

  it("is tried again while the server is down, ever more slowly", async () => {
    const served = await serve(scriptedModel([{ text: "One." }]));
    const first = clientOf(served);
    await first.send("Hi");
    const { sessionId = "" } = await when(first, isIdle);
    const tries: number[] = [];
    const down: typeof fetch = async () => {
      tries.push(Date.now());
      throw new TypeError("Failed to fetch");
    };
    const client = clientOf(served, { sessionId, fetch: down });
    await when(client, () => tries.length === 5);
    expect(client.getState()).toMatchObject({ connection: "reconnecting", phase: "idle" });
    const waits = tries.slice(1).map((at, index) => at - (tries[index] ?? 0));
    expect(waits[3]).toBeGreaterThanOrEqual(390);
    client.close();
    const before = tries.length;
    await pause(1_700, "longer than until the next try, which must not come");
    expect(tries).toHaveLength(before);
    expect(client.getState().connection).toBe("offline");
  });
});

describe("a stream that lags behind", () => {
  it("W4 does not bring back a text that has ended", async () => {
    expectPrinted("pawl: The script of");
    const served = await serve(scriptedModel([{ text: "One." }, { text: "Two.", delayPerEventMs: 5 }]));
    const first = clientOf(served);
    await first.send("Hi");
    const { sessionId = "" } = await when(first, isIdle);
    const gate = Promise.withResolvers<void>();
    const late = tampered("/runs", async (response) => {
      await gate.promise;
      return response;
    });
    const client = clientOf(served, { sessionId, fetch: late });
    await when(client, ({ connection }) => connection === "open");
    const sent = client.send("More");
    await when(client, (state) => lastText(state) === "Two." && isIdle(state));
    gate.resolve();
    await sent;
    await first.send("!").catch(() => false);
    await when(first, (state) => state.run?.stop?.type === "error");
    await when(client, (state) => state.run?.stop?.type === "error");
    await expectSame(served, client, first);
  });
});

describe("a lost response", () => {
  it("K3 to a first message: it is sent again and counts once, in one session", async () => {
    const served = await serve(scriptedModel([{ text: "Once." }]));
    const lossy = tampered("/runs", (response, n) => {
      if (n === 1) throw new TypeError("network error");
      return response;
    });
    const client = clientOf(served, { fetch: lossy });
    expect(await client.send("Hi")).toBe(true);
    expect(lastText(await when(client, isIdle))).toBe("Once.");
    await expectSame(served, client);
    expect(await served.store.sessions.list({ userId: "ada" })).toHaveLength(1);
  });

  it('P4 to an answer: it is sent again, and "already answered" is not an error', async () => {
    const served = await serve(scriptedModel([{ tools: [question] }, { text: "Done." }]));
    const lossy = tampered("/runs", (response, n) => {
      if (n === 2) throw new TypeError("network error");
      return response;
    });
    const client = clientOf(served, { fetch: lossy });
    await client.send("Do it");
    await when(client, isSuspended);
    expect(await client.answer("c1", { yes: true })).toBe(true);
    const state = await when(client, isIdle);
    expect(state.error).toBeUndefined();
    expect(lastText(state)).toBe("Done.");
    await expectSame(served, client);
  });

  it("removes the message if neither header nor event named its session", async () => {
    const served = await serve(scriptedModel([]));
    const headers = { "content-type": "text/event-stream" };
    const client = clientOf(served, { fetch: async () => new Response(": cut off\n\n", { headers }) });
    await client.send("Hi");
    const state = await when(client, ({ phase }) => phase === "error");
    expect(state).toMatchObject({
      connection: "offline",
      messages: [],
      error: { code: "network", text: "Hi" },
    });
  });

  it("removes the message if its headers do not arrive, and sends the next one", async () => {
    const served = await serve(scriptedModel([{ text: "One." }]));
    let isStuck = true;
    // Nothing arrives for a minute, which is over at once.
    const setTimer = globalThis.setTimeout;
    const timer = (then: () => void, ms = 0, ...args: []) =>
      setTimer(then, isStuck && ms === 60_000 ? 0 : ms, ...args);
    vi.stubGlobal("setTimeout", timer);
    onTestFinished(() => void vi.unstubAllGlobals());
    const client = clientOf(served, {
      silenceMs: 60_000,
      headers: () => (isStuck ? new Promise(() => undefined) : { authorization: "Bearer ada" }),
    });
    expect(await client.send("Hi")).toBe(false);
    expect(client.getState()).toMatchObject({ phase: "error", error: { code: "network", text: "Hi" } });
    isStuck = false;
    expect(await client.send("Hi")).toBe(true);
  });

  it("removes the message if the server cannot be reached at all", async () => {
    const served = await serve(scriptedModel([]));
    const client = clientOf(served, { fetch: () => Promise.reject(new TypeError("Failed to fetch")) });
    expect(await client.send("Hi")).toBe(false);
    expect(client.getState()).toMatchObject({
      phase: "error",
      messages: [],
      error: { code: "network", text: "Hi" },
    });
  });
});
