import { memoryStore, PawlError } from "@pawl/core";
import { scriptedModel, strictModel } from "@pawl/testing";
import { describe, it, type TestContext } from "vitest";
import { pause } from "../../../../test/support/pause.ts";
import { expectPrinted } from "../../../../test/support/printed.ts";
import { coach } from "../../src/dialects.ts";
import { agUi, native } from "../../src/index.ts";
import { handModel } from "../support/hand-model.ts";
import { type Served, serve } from "../support/served.ts";

// The tests run side by side, so each uses its own `expect`.

const post = (json: object) => ({ method: "POST", json });
const idOf = (response: Response) => response.headers.get("x-pawl-session") ?? "";
const stopOf = async ({ runtime }: Served, sessionId: string) =>
  (await runtime.view(sessionId, { userId: "ada" })).run?.stop?.type;
/** Longer than a run without a reader goes on. */
const longer = () => pause(1_200, "longer than a run without a reader continues");

/** Reads until the text has come. */
async function readTo(response: Response, text: string): Promise<void> {
  const reader = response.body?.getReader();
  let read = "";
  while (!read.includes(text)) {
    const { value, done } = (await reader?.read()) ?? { done: true };
    if (done) throw new Error(`The stream ended: ${read}`);
    read += new TextDecoder().decode(value);
  }
  reader?.releaseLock();
}

/** Reads to the end, also if a part has been read. */
async function readOn(response: Response): Promise<void> {
  const reader = response.body?.getReader();
  while ((await reader?.read())?.done === false);
}

/** Opens a stream; `leave` disconnects. */
async function open(served: Served, path: string, json?: object) {
  const gone = new AbortController();
  const response = await served.ask(path, { ...(json && post(json)), signal: gone.signal });
  return { response, leave: () => gone.abort() };
}

describe.concurrent("L10 a client that disconnects", () => {
  /** Starts a run, disconnects once it speaks, and returns how the run ends. */
  async function leave({ expect, onTestFinished }: TestContext, onClientGone?: "continue" | "stop") {
    const model = scriptedModel([{ text: "word ".repeat(60), delayPerEventMs: 100 }]);
    const at = await serve(model, { onTestFinished, ...(onClientGone !== undefined && { onClientGone }) });
    const { response, leave } = await open(at, "/runs", { input: "Hi" });
    const sessionId = idOf(response);
    await readTo(response, "text_delta");
    leave();
    await expect.poll(() => stopOf(at, sessionId), { timeout: 10_000 }).toBeDefined();
    const { messages } = await at.runtime.view(sessionId, { userId: "ada" });
    return { stop: await stopOf(at, sessionId), said: messages.at(-1)?.text ?? "" };
  }

  it("leaves its run alone by default", async (context) => {
    context.expect((await leave(context)).stop).toBe("end_turn");
  });

  it("stops its run if the handler says so, and the text so far is kept", async (context) => {
    const { expect } = context;
    const { stop, said } = await leave(context, "stop");
    expect(stop).toBe("aborted");
    expect(said).toMatch(/^word/);
  });

  it("stops nothing if the stream had ended", async ({ expect, onTestFinished }) => {
    const at = await serve(strictModel({ script: [{ text: "Hello." }, { text: "Again." }] }), {
      onClientGone: "stop",
      onTestFinished,
    });
    const response = await at.ask("/runs", post({ input: "Hi" }));
    await response.text();
    const second = await at.ask("/runs", post({ sessionId: idOf(response), input: "And?" }));
    expect(await second.text()).toContain("Again.");
  });

  it("stops no later run by a stream whose run is over", async ({ expect, onTestFinished }) => {
    const model = scriptedModel([{ text: "One." }, { text: "word ".repeat(20), delayPerEventMs: 20 }]);
    const at = await serve(model, { onClientGone: "stop", onTestFinished });
    const first = await at.ask("/runs", post({ input: "Hi" }));
    const sessionId = idOf(first);
    await expect.poll(() => stopOf(at, sessionId)).toBe("end_turn");
    const second = await at.ask("/runs", post({ sessionId, input: "And?" }));
    await first.body?.cancel();
    await second.text();
    expect(await stopOf(at, sessionId)).toBe("end_turn");
  });
});

const agUiBody = (messages: object[]) => ({
  threadId: "t1",
  runId: crypto.randomUUID(),
  state: {},
  messages,
  tools: [],
  context: [],
  forwardedProps: {},
});
const hi = { id: "m1", role: "user", content: "Hi" };

/** How clients of each dialect begin a run, send the message again, and only read. */
const ways = {
  native: {
    dialect: native(),
    message: { input: "Hi", clientMessageId: "m1" },
    again: (sessionId: string) => ({
      path: "/runs",
      json: { sessionId, input: "Hi", clientMessageId: "m1" },
    }),
    reads: (sessionId: string) => ({ path: `/sessions/${sessionId}/stream`, json: undefined }),
  },
  "AG-UI": {
    dialect: agUi(),
    message: agUiBody([hi]),
    again: () => ({ path: "/runs", json: agUiBody([hi]) }),
    reads: () => ({ path: "/runs", json: agUiBody([]) }),
  },
};

describe.concurrent.each(Object.entries(ways))(
  'L10 `onClientGone: "stop"` in %s',
  (_, { dialect, message, ...way }) => {
    /** A run in progress that a client has begun. */
    async function begun(onTestFinished: TestContext["onTestFinished"]) {
      const model = handModel();
      const served = await serve(model, { dialect, onClientGone: "stop", onTestFinished });
      const first = await open(served, "/runs", message);
      const turn = await model.turn();
      turn.say("Once upon ");
      await readTo(first.response, "Once");
      return { served, first, turn, sessionId: idOf(first.response) };
    }

    it.for(["again", "reads"] as const)(
      "a stream that only follows (%s) stops nothing alone",
      async (how, { expect, onTestFinished }) => {
        const { served, first, turn, sessionId } = await begun(onTestFinished);
        const { path, json } = way[how](sessionId);
        const second = await open(served, path, json);
        await readTo(second.response, "Once");
        second.leave();
        await longer();
        turn.say("a time.");
        turn.end();
        await readTo(first.response, "a time.");
        await expect.poll(() => stopOf(served, sessionId)).toBe("end_turn");
      },
    );

    it.for(["again", "reads"] as const)(
      "goes on while a later stream follows (%s), and no longer",
      async (how, { expect, onTestFinished }) => {
        const { served, first, sessionId } = await begun(onTestFinished);
        first.leave();
        const { path, json } = way[how](sessionId);
        const second = await open(served, path, json);
        await readTo(second.response, "Once");
        await longer();
        expect(await stopOf(served, sessionId)).toBeUndefined();
        second.leave();
        await expect.poll(() => stopOf(served, sessionId), { timeout: 5_000 }).toBe("aborted");
      },
    );

    it("a reader stops no run that no client has begun", async ({ expect, onTestFinished }) => {
      const model = handModel();
      const served = await serve(model, { dialect, onClientGone: "stop", onTestFinished });
      const first = await open(served, "/runs", message);
      const turn = await model.turn();
      turn.end();
      await first.response.text();
      const sessionId = idOf(first.response);
      const run = served.runtime.run("coach", { userId: "ada", sessionId, input: "The nightly report." });
      const next = await model.turn();
      next.say("Report ");
      const { path, json } = way.reads(sessionId);
      const reader = await open(served, path, json);
      await readTo(reader.response, "Report");
      reader.leave();
      await longer();
      next.end();
      expect((await run.result).stop.type).toBe("end_turn");
    });

    it("a run that waits for an answer goes on waiting", async ({ expect, onTestFinished }) => {
      const model = handModel();
      const served = await serve(model, { dialect, onClientGone: "stop", onTestFinished });
      const first = await open(served, "/runs", message);
      (await model.turn()).end([{ id: "c1", name: "confirm", input: { question: "Sure?" } }]);
      const sessionId = idOf(first.response);
      const pending = async () => (await served.runtime.view(sessionId, { userId: "ada" })).pending.length;
      await expect.poll(pending).toBe(1);
      first.leave();
      await longer();
      expect(await pending()).toBe(1);
    });
  },
);

describe.concurrent('L10 with `onClientGone: "stop"`', () => {
  /** How clients of each dialect send a second message. */
  const more = {
    native: (sessionId: string) => ({ sessionId, input: "And?" }),
    "AG-UI": () => agUiBody([hi, { id: "a1", role: "assistant", content: "Hello." }, { ...hi, id: "m2" }]),
  };

  it.for(["native", "AG-UI"] as const)(
    "a run ends after its client and a reader who was there before it have left (%s)",
    async (name, { expect, onTestFinished }) => {
      const { dialect, message } = ways[name];
      const model = handModel();
      const served = await serve(model, { dialect, onClientGone: "stop", onTestFinished });
      const first = await served.ask("/runs", post(message));
      const turn = await model.turn();
      turn.say("Hello.");
      turn.end();
      await first.text();
      const sessionId = idOf(first);
      const reader = await open(served, `/sessions/${sessionId}/stream`);
      const second = await open(served, "/runs", more[name](sessionId));
      (await model.turn()).say("Once");
      await readTo(second.response, "Once");
      reader.leave();
      second.leave();
      await expect.poll(() => stopOf(served, sessionId), { timeout: 5_000 }).toBe("aborted");
    },
  );

  it("a run ends after its client and a reader who came before it was stored have left", async ({
    expect,
    onTestFinished,
  }) => {
    const model = handModel();
    const [arrived, go] = [Promise.withResolvers<string>(), Promise.withResolvers<void>()];
    const store = memoryStore();
    const served = await serve(model, {
      onTestFinished,
      dialect: agUi(),
      onClientGone: "stop",
      store: {
        ...store,
        append: async (sessionId, ...given) => {
          arrived.resolve(sessionId);
          await go.promise;
          return await store.append(sessionId, ...given);
        },
      },
    });
    const opened = open(served, "/runs", agUiBody([hi]));
    const sessionId = await arrived.promise;
    const reader = await open(served, `/sessions/${sessionId}/stream`);
    go.resolve();
    const first = await opened;
    (await model.turn()).say("Once");
    await readTo(first.response, "Once");
    reader.leave();
    first.leave();
    await expect.poll(() => stopOf(served, sessionId), { timeout: 5_000 }).toBe("aborted");
  });

  it("a message that is refused does not save a run that its client has left", async ({
    expect,
    onTestFinished,
  }) => {
    const model = handModel();
    const served = await serve(model, { onClientGone: "stop", onTestFinished });
    const first = await open(served, "/runs", { input: "Hi" });
    (await model.turn()).say("Once");
    await readTo(first.response, "Once");
    const sessionId = idOf(first.response);
    first.leave();
    const refused = await served.ask("/runs", post({ sessionId, input: "More" }));
    expect(refused.status).toBe(409);
    await expect.poll(() => stopOf(served, sessionId), { timeout: 5_000 }).toBe("aborted");
  });

  it("HEAD is no reader", async ({ expect, onTestFinished }) => {
    const model = handModel();
    const served = await serve(model, { onClientGone: "stop", onTestFinished });
    const first = await open(served, "/runs", { input: "Hi" });
    (await model.turn()).say("Once");
    await readTo(first.response, "Once");
    const sessionId = idOf(first.response);
    expect((await served.ask(`/sessions/${sessionId}/stream`, { method: "HEAD" })).status).toBe(200);
    first.leave();
    await expect.poll(() => stopOf(served, sessionId), { timeout: 5_000 }).toBe("aborted");
  });

  it("a client that disconnects stops the next run too if that run answers its message", async ({
    expect,
    onTestFinished,
  }) => {
    const model = handModel();
    const served = await serve(model, { onClientGone: "stop", whenBusy: "queue", onTestFinished });
    const first = await open(served, "/runs", { input: "Hi" });
    const turn = await model.turn();
    turn.say("Once");
    await readTo(first.response, "Once");
    const sessionId = idOf(first.response);
    const second = await open(served, "/runs", { sessionId, input: "More" });
    await readTo(second.response, "More");
    first.leave();
    turn.end();
    (await model.turn()).say("Twice");
    await readTo(second.response, "Twice");
    await longer();
    expect((await served.runtime.view(sessionId, { userId: "ada" })).run?.open).toBe(true);
    second.leave();
    await expect.poll(() => stopOf(served, sessionId), { timeout: 5_000 }).toBe("aborted");
  });

  it("the reader of a message that was queued has left, although an earlier message is still read", async ({
    expect,
    onTestFinished,
  }) => {
    const model = handModel();
    const served = await serve(model, {
      dialect: coach(),
      onClientGone: "stop",
      whenBusy: "queue",
      onTestFinished,
    });
    const first = await open(served, "/runs", { message: "Hi" });
    const turn = await model.turn();
    turn.say("Once");
    await readTo(first.response, "Once");
    const sessionId = idOf(first.response);
    const second = await open(served, "/runs", { sessionId, message: "More" });
    second.leave();
    await pause(100, "the server learns that the reader has left");
    turn.end();
    await readOn(first.response);
    (await model.turn()).say("Twice");
    await expect.poll(() => stopOf(served, sessionId), { timeout: 5_000 }).toBe("aborted");
  });

  /** A run in whose first turn the stream of its client has broken off. */
  async function brokenOff({ expect, onTestFinished }: TestContext) {
    const model = handModel();
    const store = memoryStore();
    let isDown = false;
    const served = await serve(model, {
      onTestFinished,
      onClientGone: "stop",
      store: {
        ...store,
        read: async function* (...asked) {
          if (isDown) throw new PawlError("store_unavailable", "The database failed.");
          yield* store.read(...asked);
        },
      },
    });
    const first = await open(served, "/runs", { input: "Hi" });
    const turn = await model.turn();
    turn.say("Once");
    await readTo(first.response, "Once");
    isDown = true;
    turn.end([{ id: "c1", name: "look", input: {} }]);
    await expect(readOn(first.response)).rejects.toThrow();
    isDown = false;
    const next = await model.turn();
    await longer();
    return { served, next, sessionId: idOf(first.response) };
  }

  it("a stream that breaks off stops nothing, because its reader has not left", async (context) => {
    expectPrinted("The stream broke off.");
    const { expect } = context;
    const { served, next, sessionId } = await brokenOff(context);
    next.end();
    await expect.poll(() => stopOf(served, sessionId)).toBe("end_turn");
    expect(served.errors).toMatchObject([{ code: "store_unavailable" }]);
  });

  it("a client that comes back after its stream broke off stops the run once it leaves", async (context) => {
    expectPrinted("The stream broke off.");
    const { expect } = context;
    const { served, next, sessionId } = await brokenOff(context);
    next.say("Still here");
    const again = await open(served, `/sessions/${sessionId}/stream`);
    await readTo(again.response, "Still here");
    again.leave();
    await expect.poll(() => stopOf(served, sessionId), { timeout: 5_000 }).toBe("aborted");
  });
});
