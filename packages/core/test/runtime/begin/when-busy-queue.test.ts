import { type Reply, testClock } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { eachWay } from "../../../../../test/support/each-way.ts";
import { stops } from "../../../../../test/support/invariants.ts";
import { expectPrinted } from "../../../../../test/support/printed.ts";
import {
  agent,
  type Hook,
  memoryStore,
  type Runtime,
  runtime,
  type StopCondition,
} from "../../../src/index.ts";
import { newView, reduceView } from "../../../src/view.ts";
import { type Options, setup, stored, types, until, user } from "../../support/setup.ts";
import { beforeAppend, has } from "../../support/stores.ts";
import { ask, question } from "../../support/tools.ts";
import {
  begin,
  check,
  endless,
  finish,
  gate,
  ofYesterday,
  ok,
  slow,
  texts,
} from "../../support/when-busy.ts";

const afterCalls: StopCondition = ({ calls }) =>
  calls.length > 0 ? { type: "enough", message: "Enough." } : undefined;

describe("whenBusy: queue", () => {
  const queue = { whenBusy: "queue" } as const;

  it("L1 answers a message that came while the model was writing in another turn of the same run", async () => {
    const world = setup([slow, { text: "Second answer." }], queue);
    const { run, sessionId, say } = await begin(world);
    const second = say("Second");
    const { runId, messageSeq } = await second.started;
    expect(runId).toBe((await run.started).runId);
    const result = await second.result;
    expect(result).toMatchObject({ text: `${slow.text}\n\nSecond answer.`, turns: 2, runId });
    expect(await run.result).toEqual(result);
    expect(texts(world, 1)).toEqual(["user: First", `assistant: ${slow.text}`, "user: Second"]);
    const log = await check(world, sessionId);
    expect(log[(messageSeq ?? 0) - 1]).toMatchObject({ type: "user_message", data: { queued: true } });
    expect(stops(log)).toEqual(["end_turn"]);
  });

  it("L6 puts a message that came during a tool behind the turn's results, and two of them in order", async () => {
    const { work, open } = gate();
    const world = setup([{ tools: [{ name: "work" }] }, ok], { ...queue, tools: [work] });
    const { run, sessionId, say } = await begin(world, "tool_started");
    const others = [say("Second")];
    await others[0]?.started;
    others.push(say("Third"));
    await others[1]?.started;
    open();
    for (const one of [run, ...others]) expect((await one.result).turns).toBe(2);
    expect(texts(world, 1)).toEqual([
      "user: First",
      "assistant: work",
      "user: worked",
      "user: Second",
      "user: Third",
    ]);
    expect(world.model.requests).toHaveLength(2);
    await check(world, sessionId);
  });

  it("T4 goes on behind a terminal tool", async () => {
    const world = setup([{ ...slow, tools: [{ name: "finish" }] }, ok], { ...queue, tools: [finish] });
    const { sessionId, say } = await begin(world);
    expect((await say("Second").result).stop.type).toBe("end_turn");
    expect(texts(world, 1).slice(-2)).toEqual(["user: bye", "user: Second"]);
    await check(world, sessionId);
  });

  it("E2 loses no message that comes at the very moment at which the run ends", async () => {
    const base = memoryStore();
    let raced: Promise<unknown> | undefined;
    const store = beforeAppend(base, async (events, id) => {
      if (raced === undefined && has(events, "run_ended")) {
        const other = runtime({ agents: [world.agent], store: base, times: { pollMs: 5 } }).run("tester", {
          ...user,
          sessionId: id,
          input: "Second",
        });
        raced = other.result;
        await other.started;
      }
    });
    const world = setup([{ text: "One." }, { text: "Two." }], queue, { store });
    const { sessionId, text } = await world.say("First");
    expect(text).toBe("One.\n\nTwo.");
    expect(await raced).toMatchObject({ text });
    expect(stops(await check(world, sessionId))).toEqual(["end_turn"]);
  });

  it.each(eachWay("open"))(
    "E2 stores a message that finds the run ended a moment later with a run of its own, %s",
    async (_, as) => {
      const world = setup([{ text: "One." }, { text: "Two." }], queue);
      const { sessionId } = await world.say("First");
      const run = runtime({ agents: [world.agent], store: as(ofYesterday(world.store)) }).run("tester", {
        ...user,
        sessionId,
        input: "Second",
      });
      expect((await run.result).text).toBe("Two.");
      expect(stops(await check(world, sessionId))).toEqual(["end_turn", "end_turn"]);
    },
  );

  it.each<[string, Reply[], Options, string]>([
    ["the turn limit", [{ tools: [{ name: "work" }] }], { limits: { turns: 1 } }, "turn_limit"],
    ["an ordinary end at the turn limit", [slow], { limits: { turns: 1 } }, "end_turn"],
    ["max_tokens", [{ ...slow, clip: 30 }], {}, "max_tokens"],
    ["a refusal", [{ ...slow, stop: "refusal" }], {}, "refusal"],
    ["the context window", [{ ...slow, stop: "model_context_window_exceeded" }], {}, "context_window"],
    ["an error", [{ ...slow, fault: { cut: 8 } }], {}, "error"],
    ["a broken contract", [{ ...slow, stop: "tool_use" }], {}, "error"],
    ["a stop condition", [{ tools: [{ name: "work" }] }], { stopWhen: [afterCalls] }, "enough"],
  ])(
    "L1 begins a new run for it in the append in which %s ends the run",
    async (_title, replies, options, stop) => {
      if (replies[0]?.fault) expectPrinted("pawl: The model's answer was cut off.");
      if (replies[0]?.stop === "tool_use")
        expectPrinted("pawl: The model stopped to use a tool and called none.");
      const { work, open } = gate();
      const world = setup([...replies, { text: "Second answer." }], {
        ...queue,
        ...options,
        tools: [work],
      });
      const { run, sessionId, say } = await begin(world, replies[0]?.tools ? "tool_started" : "llm_request");
      const second = say("Second");
      const seen = Array.fromAsync(second);
      const { runId, messageSeq } = await second.started;
      open();
      const result = await second.result;
      expect(result).toMatchObject({ text: "Second answer.", stop: { type: "end_turn" }, turns: 1 });
      expect(result.runId).not.toBe(runId);
      expect((await run.result).stop.type).toBe(stop);
      expect((await run.result).runId).toBe(runId);
      const log = await check(world, sessionId);
      expect(stops(log)).toEqual([stop, "end_turn"]);
      const end = log.find((event) => event.type === "run_ended");
      expect(end?.data).toMatchObject({ next: { run_id: result.runId, messages: [messageSeq] } });
      expect(log[end?.seq ?? 0]).toMatchObject({ type: "run_started", data: { run_id: result.runId } });
      // The reader continues with the run that picked the message up, to its end, and no further.
      expect((await seen).filter(({ type }) => type === "run_ended")).toHaveLength(2);
      expect(types(await seen).at(-1)).toBe("run_ended");
      expect((await world.store.sessions.get(sessionId))?.status).toBe("active");
      expect(texts(world, 1).filter((text) => text === "user: Second")).toHaveLength(1);
    },
  );

  it("C4 asks for the user's data when the end of a run begins another", async () => {
    let day = 0;
    const world = setup([{ ...slow, clip: 30 }, ok], { ...queue, userData: { read: () => `day ${++day}` } });
    const { sessionId, say } = await begin(world);
    await say("Second").result;
    expect(texts(world, 1).at(-1)).toMatch(/day 2/);
    await check(world, sessionId);
  });

  it("P6 supersedes a question, in the order message, question as well as in the other", async () => {
    const world = setup([{ ...slow, tools: [question] }, { tools: [{ ...question, id: "toolu_r" }] }, ok], {
      ...queue,
      tools: [ask],
    });
    const { run, sessionId, say } = await begin(world);
    const second = await say("Second").result;
    expect(second).toMatchObject({ stop: { type: "suspended" }, pending: [{ callId: "toolu_r" }] });
    expect(await run.result).toEqual(second);
    expect(texts(world, 1).slice(-2)).toEqual([expect.stringMatching(/"answered":false/), "user: Second"]);
    expect((await world.store.sessions.get(sessionId))?.status).toBe("suspended");
    const third = await say("Third").result;
    expect(third).toMatchObject({ stop: { type: "end_turn" }, turns: 1 });
    expect(third.runId).not.toBe(second.runId);
    expect(stops(await check(world, sessionId))).toEqual(["interrupted", "end_turn"]);
    expect((await world.store.sessions.get(sessionId))?.pending).toBe(0);
  });

  it("L9 a stop leaves what was queued before it unanswered but in the context, and not what came after", async () => {
    const { work, open } = gate(true);
    const world = setup(
      [{ tools: [{ name: "work" }] }, ok],
      { ...queue, tools: [work] },
      { times: { abortGraceMs: 60 } },
    );
    const { run, sessionId, say } = await begin(world, "tool_started");
    const before = say("Before");
    await before.started;
    await world.pawl.stop(sessionId, user);
    const after = say("After");
    expect((await after.result).text).toBe("Ok.");
    expect((await run.result).stop.type).toBe("aborted");
    expect(await before.result).toEqual(await run.result);
    expect(texts(world, 1).slice(-2)).toEqual(["user: Before", "user: After"]);
    open();
    expect(stops(await check(world, sessionId))).toEqual(["aborted", "end_turn"]);
  });

  it.each(["aborted", "renamed"])(
    "L9 begins no run after a stop (%s); the next message's run reads what was queued",
    async (type) => {
      const hook: Hook = {
        name: "namer",
        onStop: (stop) => (stop.type === "aborted" ? { ...stop, type } : undefined),
      };
      const world = setup([endless, ok], { ...queue, hooks: [hook] });
      const { run, sessionId, say } = await begin(world);
      const queued = say("Queued");
      await queued.started;
      await world.pawl.stop(sessionId, user);
      expect((await queued.result).stop.type).toBe(type);
      expect(await run.result).toEqual(await queued.result);
      expect(stops(await check(world, sessionId))).toEqual([type]);
      expect(world.model.requests).toHaveLength(1);
      await say("Next").result;
      expect(texts(world, 1).slice(-2)).toEqual(["user: Queued", "user: Next"]);
      await check(world, sessionId);
    },
  );

  it("L9 its signal stops the run that it was queued for, or that has taken it up, and no later one", async () => {
    const world = setup([{ ...slow, clip: 30 }, endless, endless, ok], queue);
    const { sessionId, say } = await begin(world);
    const control = new AbortController();
    const second = say("Second", { signal: control.signal });
    await second.started;
    await until(() => world.model.requests.length >= 2);
    control.abort();
    expect((await second.result).stop.type).toBe("aborted");
    const third = say("Third");
    await third.started;
    const other = new AbortController();
    const fourth = say("Fourth", { signal: other.signal });
    await fourth.started;
    other.abort();
    expect((await third.result).stop.type).toBe("aborted");
    expect(await fourth.result).toEqual(await third.result);
    const gone = new AbortController();
    const fifth = say("Fifth", { signal: gone.signal });
    gone.abort();
    await fifth.result;
    expect(stops(await check(world, sessionId)).slice(0, 3)).toEqual(["max_tokens", "aborted", "aborted"]);
  });

  it("E2 stores a message that is sent twice once, from several processes too", async () => {
    const { work, open } = gate();
    const world = setup([{ tools: [{ name: "work" }] }, ok], { ...queue, tools: [work] });
    const { sessionId, say } = await begin(world, "tool_started");
    const elsewhere = runtime({ agents: [world.agent], store: world.store, times: { pollMs: 5 } });
    const send = (by?: Runtime) => say("Second", { clientMessageId: "m2" }, by);
    const runs = [send(), send(elsewhere), send()];
    const started = await Promise.all(runs.map((run) => run.started));
    expect(new Set(started.map(({ messageSeq }) => messageSeq)).size).toBe(1);
    runs.push(send());
    open();
    const results = await Promise.all(runs.map((run) => run.result));
    runs.push(send(elsewhere));
    results.push(await (runs.at(-1) as (typeof runs)[0]).result);
    for (const result of results) expect(result).toEqual(results[0]);
    expect(await world.of(sessionId, "user_message")).toHaveLength(2);
    expect(texts(world, 1).filter((text) => text === "user: Second")).toHaveLength(1);
    await check(world, sessionId);
  });

  it("P2 takes a message from another process, which may then go away", async () => {
    const { work, open } = gate();
    const world = setup([{ tools: [{ name: "work" }] }, ok], { ...queue, tools: [work] });
    const { run, sessionId, say } = await begin(world, "tool_started");
    const elsewhere = runtime({ agents: [world.agent], store: world.store, times: { pollMs: 5 } });
    const second = say("Second", {}, elsewhere);
    await second.started;
    open();
    expect(await second.result).toEqual(await run.result);
    expect(texts(world, 1).at(-1)).toBe("user: Second");
    await check(world, sessionId);
  });

  it("waits for a run that is just being begun, and takes the message up in it", async () => {
    const clock = testClock();
    const { work, open } = gate();
    const asked = Promise.withResolvers<void>();
    const known = Promise.withResolvers<string>();
    const userData = () => {
      asked.resolve();
      return known.promise;
    };
    const options = { ...queue, userData: { read: userData }, tools: [work] };
    const store = memoryStore({ now: clock.now });
    const world = setup([{ tools: [{ name: "work" }] }, ok], options, { testing: { clock }, store });
    const { id: sessionId } = await store.sessions.create({ id: "s1", userId: "u1", agent: "tester" });
    const first = world.pawl.run("tester", { ...user, sessionId, input: "First" });
    await asked.promise;
    const second = world.pawl.run("tester", { ...user, sessionId, input: "Second" });
    await clock.advance(150);
    known.resolve("data");
    await stored(world, sessionId, "tool_started");
    // Until the second one decides again.
    await clock.advance(150);
    await second.started;
    open();
    expect((await second.result).runId).toBe((await first.result).runId);
    expect(await world.of(sessionId, "user_message")).toHaveLength(2);
    await check(world, sessionId);
  });

  it("E2 decides again when the run ends between reading and storing", async () => {
    const world = setup([slow, { text: "Two." }], queue);
    const { run, sessionId } = await begin(world);
    const late = beforeAppend(world.store, async (events) => {
      if (has(events, "user_message")) await run.result;
    });
    const elsewhere = runtime({ agents: [world.agent], store: late, times: { pollMs: 5 } });
    const second = elsewhere.run("tester", { ...user, sessionId, input: "Second" });
    expect((await second.result).text).toBe("Two.");
    expect(stops(await check(world, sessionId))).toEqual(["end_turn", "end_turn"]);
  });

  it("starts no further run for the message of one that failed", async () => {
    expectPrinted("pawl: down");
    let legs = 0;
    const deps = () => {
      legs += 1;
      if (legs > 1) throw new Error("down");
    };
    const world = setup([{ ...slow, clip: 30 }, ok], queue, { deps });
    const { sessionId, say } = await begin(world);
    expect((await say("Second").result).stop.type).toBe("error");
    await until(async () => (await world.of(sessionId, "run_ended")).length >= 2);
    expect(stops(await check(world, sessionId))).toEqual(["max_tokens", "error"]);
  });

  it("L9 its signal stops no run that comes after", async () => {
    const world = setup([slow, ok, slow], queue);
    const { sessionId, say } = await begin(world);
    const control = new AbortController();
    await say("Second", { signal: control.signal }).result;
    const third = say("Third");
    await third.started;
    control.abort();
    expect((await third.result).stop.type).toBe("end_turn");
    await check(world, sessionId);
  });

  it("L16 shows what the run says to the message behind the message", async () => {
    // Loaded before the run, because the view must be taken while the run is in progress.
    await import("../../../src/runtime/later/index.ts");
    const world = setup([slow, { text: "Second answer." }], queue);
    const { run, sessionId, say } = await begin(world);
    const second = say("Second");
    await second.started;
    const waiting = await world.pawl.view(sessionId, user);
    expect(waiting.messages.map(({ queued = false }) => queued)).toEqual([false, true]);
    // A live reader and a later one see the same.
    let live = newView();
    for await (const event of run) live = reduceView(live, event);
    const { messages } = await world.pawl.view(sessionId, user);
    expect(live.messages).toEqual(messages);
    const shown = messages.map(({ role, text }) => `${role}: ${text}`);
    expect(shown).toEqual([
      "user: First",
      `assistant: ${slow.text}`,
      "user: Second",
      "assistant: Second answer.",
    ]);
    expect(new Set(messages.map(({ id }) => id)).size).toBe(4);
  });

  it("a fork at the end that begins another run leaves that run out, and reads the message with its next one", async () => {
    const world = setup([{ ...slow, clip: 30 }, ok, ok], queue);
    const { sessionId, say } = await begin(world);
    const sent = { clientMessageId: "m" };
    await say("Second", sent).result;
    const [end] = await world.of(sessionId, "run_ended");
    const fork = await world.pawl.fork(sessionId, { ...user, atSeq: end?.seq ?? 0 });
    const again = world.pawl.run("tester", { ...user, sessionId: fork.id, input: "Second", ...sent });
    expect((await again.result).stop.type).toBe("max_tokens");
    await world.say("Third", { sessionId: fork.id });
    expect(texts(world, 2).slice(-2)).toEqual(["user: Second", "user: Third"]);
    await check(world, fork.id);
  });

  it("refuses what it does not know", () => {
    const { model } = setup([], {});
    const make = () => agent({ name: "a", model, instructions: "x", whenBusy: "later" as never });
    expect(make).toThrow(/whenBusy/);
  });
});
