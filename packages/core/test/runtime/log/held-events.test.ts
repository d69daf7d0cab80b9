import { expect, it } from "vitest";
import { loadState } from "../../../src/fold/load.ts";
import { type EventStore, memoryStore, PawlError, type StoredEvent } from "../../../src/index.ts";
import type { SessionLog } from "../../../src/loop/leg/session-log.ts";
import { DECIDE_AGAIN } from "../../../src/loop/leg/stored-first.ts";
import { openLog } from "../../../src/runtime/log/open-log.ts";
import type { AppendOptions, NewEvent } from "../../../src/store.ts";
import { localTail } from "../../../src/store.ts";

const note = (text: string): NewEvent => ({ type: "note", data: { text } });
const started: NewEvent = { type: "run_started", data: { run_id: "r", agent: "a", agent_version: "1" } };

const called: NewEvent = {
  type: "tool_call",
  data: { call_id: "c", tool_name: "t", arguments: {} },
};

/** Opens a log with a run, over a store whose appends are listed and may fail. */
async function opened() {
  let now = 0;
  const store = memoryStore({ now: () => now });
  await store.sessions.create({ id: "s", userId: "u", agent: "a" });
  const lease = await store.acquire("s", "me", 60_000);
  if (lease === undefined) throw new Error("no lease");
  const appends: { events: string[]; afterSeq: number | undefined }[] = [];
  const fails: { before?: () => unknown; after?: () => unknown } = {};
  const watched: EventStore = {
    ...store,
    append: async (sessionId: string, events: readonly NewEvent[], options: AppendOptions) => {
      appends.push({ events: events.map(textOf), afterSeq: options.afterSeq });
      await fails.before?.();
      const rows = await store.append(sessionId, events, options);
      await fails.after?.();
      return rows;
    },
  };
  const seen: StoredEvent[] = [];
  let ids = 0;
  const state = await loadState(store, "s");
  const log = openLog({
    store: watched,
    tail: localTail(),
    state,
    lease,
    newId: () => `id${++ids}`,
    onEvent: (event) => seen.push(event),
  });
  await log.add([started]);
  appends.length = 0;
  const others = async (text: string) => await store.append("s", [note(text)], { appendId: text });
  const stored = async () => (await Array.fromAsync(store.read("s"))).map(textOf);
  /** The leg's state is what any other process would fold from the log, and every event was seen once. */
  const expectSame = async () => {
    expect(comparable(log)).toEqual(comparable({ state: await loadState(store, "s") }));
    expect(seen).toEqual(await Array.fromAsync(store.read("s")));
  };
  const later = (ms: number) => {
    now += ms;
  };
  return { store, lease, log, appends, fails, others, stored, expectSame, later };
}

function textOf({ type, data }: NewEvent | StoredEvent): string {
  return type === "note" ? (data as { text: string }).text : type;
}

function comparable({ state }: Pick<SessionLog, "state">) {
  const { kept: _, ...same } = state;
  return same;
}

it("R2 L3 a held event is in the state at once, and the next append stores it first, with its time", async () => {
  const { log, appends, stored, expectSame, later } = await opened();
  await log.holdFacts([called, note("answer")]);
  expect({ held: log.unstored().length, seq: log.state.lastSeq }).toEqual({ held: 2, seq: 3 });
  expect(await stored()).toEqual(["run_started"]);
  later(1_000);
  const rows = await log.storeDecision([note("what follows")]);
  expect(rows.map(({ seq }) => seq)).toEqual([4]);
  expect(appends).toEqual([{ events: ["tool_call", "answer", "what follows"], afterSeq: 1 }]);
  expect(log.unstored()).toEqual([]);
  await expectSame();
});

it("R2 everything that is held is stored before an append of any other kind, and by the barrier", async () => {
  for (const does of [
    (log: SessionLog) => log.add([note("x")]),
    (log: SessionLog) => log.appendAtTip([note("x")]),
    (log: SessionLog) => log.barrier(),
    (log: SessionLog) => log.catchUp(),
  ]) {
    const { log, stored, expectSame } = await opened();
    await log.holdFacts([note("one")]);
    await log.holdFacts([note("two")]);
    await does(log);
    expect((await stored()).slice(0, 3)).toEqual(["run_started", "one", "two"]);
    await expectSame();
  }
});

it("R2 L3 if another process stored something first, held events are stored behind it, and what follows is not", async () => {
  const { log, appends, others, stored, expectSame } = await opened();
  await log.holdFacts([note("answer")]);
  log.beginDecision();
  await others("a message that came");
  await expect(log.storeDecision([note("what follows")])).rejects.toBe(DECIDE_AGAIN);
  expect(await stored()).toEqual(["run_started", "a message that came", "answer"]);
  expect(appends.map(({ events }) => events)).toEqual([["answer", "what follows"], ["answer"]]);
  await expectSame();
  // What was decided before is void, even now that nothing is held.
  await expect(log.storeDecision([note("what follows")])).rejects.toBe(DECIDE_AGAIN);
  log.beginDecision();
  expect(await log.storeDecision([note("what follows")])).toHaveLength(1);
  await expectSame();
});

it.each([
  ["appendAtTip()", async (log: SessionLog) => expect(await log.appendAtTip([note("x")])).toBe(false)],
  [
    "follow()",
    async (log: SessionLog) => await expect(log.storeDecision([note("x")])).rejects.toBe(DECIDE_AGAIN),
  ],
  ["barrier()", async (log: SessionLog) => await expect(log.barrier()).rejects.toBe(DECIDE_AGAIN)],
  ["add()", async (log: SessionLog) => expect(await log.add([note("x")])).toHaveLength(1)],
  ["catchUp()", async (log: SessionLog) => await log.catchUp()],
])("R2 %s notices what came before held events, and makes earlier decisions void", async (_, does) => {
  const { log, others, stored, expectSame } = await opened();
  await log.holdFacts([note("answer")]);
  log.beginDecision();
  await others("a message that came");
  await does(log);
  expect((await stored()).slice(0, 3)).toEqual(["run_started", "a message that came", "answer"]);
  expect(log.isVoid).toBe(true);
  await expectSame();
});

it("R2 P4 the barrier notices it too if another job was first to store what is held", async () => {
  const { log, others, stored } = await opened();
  await log.holdFacts([note("result")]);
  log.beginDecision();
  await others("an answer that came");
  // A renewal of the lease reads what others have stored, and the loop goes on meanwhile.
  const [, outcome] = await Promise.allSettled([log.catchUp(), log.barrier()]);
  expect(await stored()).toEqual(["run_started", "an answer that came", "result"]);
  expect(outcome).toMatchObject({ reason: DECIDE_AGAIN });
});

it("R2 an append at a tip that did not have the held events is decided again", async () => {
  const { log, stored, expectSame } = await opened();
  const seq = log.state.lastSeq;
  await log.holdFacts([note("answer")]);
  expect(await log.appendAtTip([note("x")], { seq })).toBe(false);
  expect(await stored()).toEqual(["run_started", "answer"]);
  await expectSame();
});

it("R2 events are stored at once if they may not wait when it is their turn", async () => {
  const { log, appends } = await opened();
  let running = 3;
  const finish = (text: string) => {
    running -= 1;
    return log.holdFacts([note(text)], { mayWait: () => running === 0 });
  };
  await finish("first");
  expect(appends.map(({ events }) => events)).toEqual([["first"]]);
  // These finish together, so by their turn none is running.
  await Promise.all([finish("second"), finish("third")]);
  expect(appends).toHaveLength(1);
  expect(log.unstored()).toHaveLength(2);
  await log.barrier();
  expect(appends[1]?.events).toEqual(["second", "third"]);
});

it("R2 L6 events that the store refuses do not keep held ones from being stored", async () => {
  const { log, stored, expectSame } = await opened();
  const keyed = { ...note("once"), key: "probe:once" };
  await log.add([keyed]);
  await log.holdFacts([note("answer")]);
  await expect(log.add([keyed])).rejects.toMatchObject({ code: "key_taken" });
  expect(await stored()).toEqual(["run_started", "once", "answer"]);
  await log.holdFacts([note("another")]);
  await expect(log.appendAtTip([keyed])).rejects.toMatchObject({ code: "key_taken" });
  expect(await stored()).toEqual(["run_started", "once", "answer", "another"]);
  await expectSame();
});

it("R2 L6 nor what follows from held ones: what was decided stays valid", async () => {
  const { log, stored, expectSame } = await opened();
  const keyed = { ...note("once"), key: "probe:once" };
  await log.add([keyed]);
  await log.holdFacts([note("answer")]);
  log.beginDecision();
  await log.holdDecision([note("what follows")]);
  await expect(log.add([keyed])).rejects.toMatchObject({ code: "key_taken" });
  expect(log.isVoid).toBe(false);
  expect(await stored()).toEqual(["run_started", "once", "answer", "what follows"]);
  await expectSame();
});

it("R2 held events that the store refuses are dropped, so that the log can go on", async () => {
  const { log, stored, expectSame } = await opened();
  const keyed = { ...note("once"), key: "probe:once" };
  await log.add([keyed]);
  await log.holdFacts([keyed]);
  await expect(log.add([note("x")])).rejects.toMatchObject({ code: "key_taken" });
  await log.add([note("y")]);
  expect(await stored()).toEqual(["run_started", "once", "y"]);
  await expectSame();
});

it.each(["before", "after"] as const)(
  "R2 L3 if the store fails %s it has stored held events, the leg writes nothing more, and the log has each once",
  async (when) => {
    const { log, fails, stored } = await opened();
    await log.holdFacts([note("answer")]);
    log.beginDecision();
    fails[when] = () => {
      throw new PawlError("store_unavailable", "no connection");
    };
    await expect(log.storeDecision([note("x")])).rejects.toThrow("no connection");
    delete fails[when];
    for (const again of [
      () => log.storeDecision([note("y")]),
      () => log.add([note("y")]),
      () => log.appendAtTip([note("y")]),
      () => log.barrier(),
      () => log.holdFacts([note("y")]),
      () => log.catchUp(),
    ])
      await expect(again()).rejects.toThrow("no connection");
    expect(await stored()).toEqual(["run_started", ...(when === "after" ? ["answer", "x"] : [])]);
    expect(log.unstored().map(textOf)).toEqual(["answer"]);
  },
);

it("R2 a failure without held events does not keep the log from going on", async () => {
  const { log, fails, stored, expectSame } = await opened();
  fails.before = () => {
    throw new PawlError("store_unavailable", "no connection");
  };
  await expect(log.add([note("x")])).rejects.toThrow("no connection");
  delete fails.before;
  await log.add([note("y")]);
  expect(await stored()).toEqual(["run_started", "y"]);
  await expectSame();
});

it("R2 L3 what follows from held events is dropped if those get other numbers, and never stored with wrong ones", async () => {
  const again = (cause: unknown) => expect(cause).toBe(DECIDE_AGAIN);
  const does = {
    add: (log: SessionLog) => log.add([note("x")]),
    barrier: (log: SessionLog) => log.barrier()?.catch(again),
    catchUp: (log: SessionLog) => log.catchUp(),
    follow: (log: SessionLog) => log.storeDecision([note("what follows")]).catch(again),
    appendAtTip: (log: SessionLog) => log.appendAtTip([note("what follows")]),
  };
  for (const [name, write] of Object.entries(does)) {
    const { log, others, stored, expectSame } = await opened();
    await log.holdFacts([note("answer")]);
    log.beginDecision();
    await log.holdDecision([note("refers to the answer")]);
    await others("a message that came");
    await write(log);
    const last = name === "add" ? ["x"] : [];
    expect(await stored()).toEqual(["run_started", "a message that came", "answer", ...last]);
    expect(log.isVoid).toBe(true);
    await log.holdDecision([note("decided before")]);
    expect(log.unstored()).toEqual([]);
    await expectSame();
  }
});

it("R2 what follows from held events is stored with them if nothing came before", async () => {
  const { log, appends, expectSame } = await opened();
  await log.holdFacts([note("answer")]);
  log.beginDecision();
  await log.holdDecision([note("refers to the answer")]);
  await log.storeDecision([note("request")]);
  expect(appends).toEqual([{ events: ["answer", "refers to the answer", "request"], afterSeq: 1 }]);
  await expectSame();
});

it("R2 holding no events leaves nothing to store", async () => {
  const { log, appends, expectSame } = await opened();
  await log.holdDecision([]);
  expect(log.unstored()).toEqual([]);
  expect(log.barrier()).toBeUndefined();
  await log.catchUp();
  expect(appends).toEqual([]);
  await expectSame();
});

it("R2 an append at a tip is decided again if held events got other numbers since, even if the last one is the same", async () => {
  const { log, others, stored } = await opened();
  await log.holdFacts([note("answer")]);
  log.beginDecision();
  await log.holdDecision([note("refers to the answer")]);
  const { lastSeq } = log.state;
  await others("a message that came");
  await log.catchUp();
  expect(log.state.lastSeq).toBe(lastSeq);
  expect(await log.appendAtTip([note("end")], { seq: lastSeq })).toBe(false);
  expect(await stored()).toEqual(["run_started", "a message that came", "answer"]);
});

it("R2 P4 the outcome of held events is known: their rows, or why the store refused them", async () => {
  const { log, stored, expectSame } = await opened();
  const keyed = { ...note("once"), key: "probe:once" };
  const first = Promise.withResolvers<readonly StoredEvent[]>();
  await log.holdFacts([keyed], { outcome: first });
  await log.add([note("x")]);
  expect((await first.promise).map(({ seq }) => seq)).toEqual([2]);
  const second = Promise.withResolvers<readonly StoredEvent[]>();
  await log.holdFacts([keyed], { outcome: second });
  log.beginDecision();
  await log.holdDecision([note("because of the second")]);
  // The leg decides again, from the log.
  await expect(log.barrier()).rejects.toBe(DECIDE_AGAIN);
  await expect(second.promise).rejects.toMatchObject({ code: "key_taken" });
  expect(await stored()).toEqual(["run_started", "once", "x"]);
  await expectSame();
  const third = Promise.withResolvers<readonly StoredEvent[]>();
  await log.holdFacts([note("at once")], { mayWait: () => false, outcome: third });
  expect((await third.promise).map(({ seq }) => seq)).toEqual([4]);
});

it("R2 R1 the time of held events counts as work once it is known", async () => {
  const { log, later, expectSame } = await opened();
  await log.add([{ type: "run_suspended", data: { run_id: "r", pending: [] } }]);
  later(1_000);
  await log.holdFacts([called]);
  later(1_000);
  await log.add([note("x")]);
  await expectSame();
});

it("R2 L3 nothing held is stored once another process has taken the session over", async () => {
  const { store, lease, log, stored } = await opened();
  await log.holdFacts([note("answer")]);
  await store.release(lease);
  await store.acquire("s", "another", 60_000);
  await expect(log.add([note("x")])).rejects.toMatchObject({ code: "fenced" });
  await expect(log.add([note("x")])).rejects.toMatchObject({ code: "fenced" });
  expect(await stored()).toEqual(["run_started"]);
  expect(log.unstored().map(textOf)).toEqual(["answer"]);
});
