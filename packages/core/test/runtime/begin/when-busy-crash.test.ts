import type { Reply } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { crashingStore } from "../../../../../test/support/crashing-store.ts";
import { assertSoundLog, stops } from "../../../../../test/support/invariants.ts";
import { type CheckpointStrategy, memoryStore, runtime } from "../../../src/index.ts";
import { type Options, setup, user } from "../../support/setup.ts";
import { ask, question } from "../../support/tools.ts";
import { begin, check, gate, ok, slow, texts } from "../../support/when-busy.ts";

describe.each(["queue", "interrupt"] as const)("whenBusy: %s, when the holder dies", (whenBusy) => {
  it("E2 stores the message and resumes the run that was abandoned", async () => {
    let clock = 0;
    const store = memoryStore({ now: () => clock });
    const world = setup([{ text: "x", fault: { stall: 1 } }], { whenBusy }, { store });
    const { sessionId } = await begin(world);
    clock += 60_000;
    const next = setup([ok], { whenBusy }, { store });
    const second = next.pawl.run("tester", { ...user, sessionId, input: "Second", clientMessageId: "m" });
    expect((await second.result).text).toBe("Ok.");
    expect(texts(next, 0)).toEqual(["user: First", "user: Second"]);
    const again = next.pawl.run("tester", { ...user, sessionId, input: "Second", clientMessageId: "m" });
    expect(await again.result).toEqual(await second.result);
    const log = await check(next, sessionId);
    expect(stops(log)).toEqual(whenBusy === "queue" ? ["end_turn"] : ["interrupted", "end_turn"]);
    expect(await next.of(sessionId, "run_recovered")).toHaveLength(1);
  });

  it("E2 resumes the run when a message that is queued in it is sent again", async () => {
    let clock = 0;
    const store = memoryStore({ now: () => clock });
    const world = setup([{ text: "x", fault: { stall: 1 } }], { whenBusy: "queue" }, { store });
    const { sessionId, say } = await begin(world);
    await say("Second", { clientMessageId: "m" }).started;
    clock += 60_000;
    const next = setup([ok], { whenBusy }, { store, times: { pollMs: 5 } });
    const again = next.pawl.run("tester", { ...user, sessionId, input: "Second", clientMessageId: "m" });
    expect((await again.result).text).toBe("Ok.");
    expect(texts(next, 0)).toEqual(["user: First", "user: Second"]);
    await check(next, sessionId);
  });

  it("P6 hands a queued message on when another one supersedes the question beside a tool that was cut off", async () => {
    let clock = 0;
    const store = memoryStore({ now: () => clock });
    const { work } = gate();
    const tools = [work, ask];
    const world = setup([{ tools: [question, { name: "work" }] }], { whenBusy: "queue", tools }, { store });
    const { sessionId, say } = await begin(world, "tool_started");
    await say("Second", { clientMessageId: "m" }).started;
    clock += 60_000;
    const next = setup([ok], { whenBusy, tools }, { store, times: { pollMs: 5 } });
    const third = await next.say("Third", { sessionId });
    expect(third.text).toBe("Ok.");
    expect(await next.say("Second", { sessionId, clientMessageId: "m" })).toEqual(third);
    expect(texts(next, 0).slice(-2)).toEqual(["user: Second", "user: Third"]);
    await check(next, sessionId);
  });

  it("E2 loses nothing wherever the holder dies after a message was queued", async () => {
    const script: Reply[] = [{ tools: [{ name: "work" }] }, ok, ok, ok];
    for (let at = 4, dead = true; dead; at += 1) {
      for (const when of ["before", "after"] as const) {
        let clock = 0;
        const base = memoryStore({ now: () => clock });
        const store = crashingStore(base, at, when);
        const { work, open } = gate();
        const options = { whenBusy, tools: [work] };
        const world = setup(script, options, { store: base });
        const first = runtime({
          agents: [world.agent],
          store,
          times: { storeRetryMs: [] },
          onError: () => undefined,
        });
        const { run, sessionId } = await begin(world, "llm_request", first);
        const sent = { ...user, sessionId, input: "Second", clientMessageId: "m" };
        const elsewhere = runtime({
          agents: [world.agent],
          store: base,
          times: { pollMs: 5, abortGraceMs: 20 },
        });
        const second = elsewhere.run("tester", sent);
        await second.started;
        open();
        await run.result.catch(() => undefined);
        clock += 60_000;
        await elsewhere.sweep();
        await second.result;
        await elsewhere.run("tester", sent).result;
        const log = await check(world, sessionId);
        expect(log.filter(({ type }) => type === "user_message")).toHaveLength(2);
        assertSoundLog(log, store.acknowledged);
        dead = store.dead;
      }
    }
  });
});

describe("whenBusy: queue, with checkpoints", () => {
  it("E2 C11 loses no message that a checkpoint has covered and no request has", async () => {
    let looked = 0;
    // The second look is at the context with the queued message in it.
    const strategy: CheckpointStrategy = ({ entries }) => {
      looked += 1;
      return looked === 2 ? { reason: "start", fromSeq: entries.at(-1)?.seq ?? 0 } : undefined;
    };
    const spent: Reply = { ...slow, usage: { input_tokens: 10, output_tokens: 480 } };
    const options: Options = {
      whenBusy: "queue",
      checkpointWhen: [strategy],
      limits: { outputTokens: 500 },
    };
    const world = setup([spent, ok], options);
    const { run, sessionId, say } = await begin(world);
    const second = await say("Second").result;
    expect((await run.result).stop.type).toBe("token_limit");
    expect(second).toMatchObject({ text: "Ok.", stop: { type: "end_turn" } });
    expect(await world.of(sessionId, "checkpoint")).toHaveLength(1);
    await check(world, sessionId);
  });
});
