import { testClock } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { assertSoundLog } from "../../../../test/support/invariants.ts";
import { pause } from "../../../../test/support/pause.ts";
import { settled } from "../../../../test/support/settled.ts";
import {
  type Agent,
  agentTool,
  type EventStore,
  memoryStore,
  runtime,
  type SessionEvent,
  tool,
} from "../../src/index.ts";
import { code } from "../support/errors.ts";
import { setup, stored, until, user } from "../support/setup.ts";
import { nothing } from "../support/tools.ts";
import { gate } from "../support/when-busy.ts";

const long = { text: "one two three four five six seven eight", delayPerEventMs: 20 };
const work = tool({ name: "work", description: "", input: nothing, execute: settled });

/** A platform that waits for promises, and counts those that have not settled. */
function platform() {
  const open = new Set<Promise<unknown>>();
  const results: unknown[] = [];
  const waitUntil = (promise: Promise<unknown>): void => {
    open.add(promise);
    void promise.then((result) => {
      results.push(result);
      open.delete(promise);
    });
  };
  const idle = async (): Promise<void> => {
    while (open.size > 0) await Promise.all(open);
  };
  return { waitUntil, open, idle, results };
}

async function readAll(events: AsyncIterable<SessionEvent>): Promise<SessionEvent[]> {
  const seen: SessionEvent[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

describe("waitUntil", () => {
  it("U4 has the platform wait for the start of a run and for its leg, to the end", async () => {
    const { waitUntil, open, idle, results } = platform();
    const { pawl, of } = setup([long], {}, { waitUntil });
    const run = pawl.run("tester", { ...user, input: "Go" });
    expect(open.size).toBe(1);
    const { sessionId } = await run.started;
    expect(open.size).toBeGreaterThan(0);
    await idle();
    expect(await of(sessionId, "run_ended")).toHaveLength(1);
    expect(results.every((result) => result === undefined)).toBe(true);
  });

  it("U4 waits for answers, for the next run, and for sub-agents", async () => {
    const { waitUntil, idle } = platform();
    const world = setup(
      [{ tools: [{ name: "work" }] }, long, { text: "Next." }],
      {
        tools: [work],
        whenBusy: "interrupt",
      },
      { waitUntil },
    );
    const { sessionId } = await world.pawl.run("tester", { ...user, input: "Go" }).started;
    await stored(world, sessionId, "tool_result");
    await world.pawl.run("tester", { ...user, sessionId, input: "Rather this" }).started;
    await idle();
    expect(await world.of(sessionId, "run_ended")).toHaveLength(2);

    const child = setup([long]).agent as Agent<unknown>;
    const helper = agentTool({ agent: child, name: "helper", description: "Helps." });
    const parent = setup(
      [{ tools: [{ name: "helper", input: { task: "Help" } }] }, { text: "Done." }],
      {
        tools: [helper],
      },
      { waitUntil },
    );
    const started = await parent.pawl.run("tester", { ...user, input: "Go" }).started;
    await idle();
    expect(await parent.of(started.sessionId, "run_ended")).toHaveLength(1);
  });

  it("U4 goes on if the platform refuses to wait, and reports it", async () => {
    const reported: unknown[] = [];
    const refused = new Error("Illegal invocation");
    const waitUntil = () => {
      throw refused;
    };
    const { say } = setup([{ text: "Ok." }], {}, { waitUntil, onError: (error) => reported.push(error) });
    expect((await say("Go")).text).toBe("Ok.");
    expect(new Set(reported)).toEqual(new Set([refused]));
  });

  it("U4 gets a promise that resolves, also if a run cannot start", async () => {
    const { waitUntil, idle, results } = platform();
    const { pawl } = setup([], {}, { waitUntil });
    await expect(pawl.run("nobody", { ...user, input: "Go" }).started).rejects.toSatisfy(code("not_found"));
    await idle();
    expect(results).toEqual([undefined]);
  });
});

it.each([
  ["waitUntil", "yes", undefined],
  ["handOverAfterMs", 0, "times"],
  ["handOverAfterMs", Number.NaN, "times"],
  ["handOverAfterMs", "30", "times"],
] as const)("refuses `%s: %s`", (name, value, group) => {
  const isRefused = code("config", name);
  let error: unknown;
  try {
    setup([], {}, (group === undefined ? { [name]: value } : { [group]: { [name]: value } }) as never);
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toSatisfy(isRefused);
});

describe("handOverAfterMs", () => {
  it("U4 releases the lease in the midst of an answer, and the next reader finishes the run at once", async () => {
    const clock = testClock();
    const world = setup(
      [{ ...long, text: "word ".repeat(200) }, { text: "Finished." }],
      {},
      { times: { handOverAfterMs: 60 }, testing: { clock }, store: memoryStore({ now: clock.now }) },
    );
    const { sessionId, runId } = await world.pawl.run("tester", { ...user, input: "Go" }).started;
    const first = readAll(world.pawl.follow(sessionId, { resume: true }));
    const handedOver = expect(first).rejects.toSatisfy(code("draining"));
    await stored(world, sessionId, "llm_request");
    await clock.advance(60);
    await handedOver;
    // No time passes from here on, so no lease expires.
    const second = runtime({ agents: [world.agent], store: world.store, testing: { clock } });
    await readAll(second.follow(sessionId, { resume: true, untilIdle: { runId } }));
    const log = await world.log(sessionId);
    expect(log.filter(({ type }) => type === "run_recovered")).toHaveLength(1);
    expect(log.at(-1)).toMatchObject({ type: "run_ended", data: { stop: { type: "end_turn" } } });
    assertSoundLog(log);
    expect(world.model.rejected).toEqual([]);
  });

  it("U4 starts no new turn in the last fifth of the time", async () => {
    const clock = testClock();
    const { work: long, open } = gate();
    const world = setup(
      [{ tools: [{ name: "work" }] }, { text: "Finished." }],
      { tools: [long] },
      { times: { handOverAfterMs: 500 }, testing: { clock }, store: memoryStore({ now: clock.now }) },
    );
    const { sessionId, runId } = await world.pawl.run("tester", { ...user, input: "Go" }).started;
    await stored(world, sessionId, "tool_started");
    await clock.advance(450);
    open();
    await stored(world, sessionId, "tool_result");
    await settled();
    expect((await world.of(sessionId, "llm_request")).length).toBe(1);
    const second = runtime({ agents: [world.agent], store: world.store });
    await readAll(second.follow(sessionId, { resume: true, untilIdle: { runId } }));
    expect(await world.of(sessionId, "tool_started")).toHaveLength(1);
    assertSoundLog(await world.log(sessionId));
  });

  it("U4 hands over no run that ends in time", async () => {
    const { say, of } = setup(
      [{ tools: [{ name: "work" }] }, { text: "Ok." }],
      { tools: [work] },
      {
        times: { handOverAfterMs: 5_000 },
      },
    );
    const { sessionId, text } = await say("Go");
    expect(text).toBe("Ok.");
    expect(await of(sessionId, "run_recovered")).toEqual([]);
  });
});

describe("a session whose process is gone", () => {
  /** A run whose process was cut off in the midst of its first answer. */
  async function cutOff(leaseTtlMs: number, rest: Parameters<typeof setup>[0]) {
    const store = memoryStore();
    const dead = setup(
      [{ text: "word ".repeat(400), delayPerEventMs: 20 }],
      {},
      {
        // Its renewals are lost, as are its appends: it is gone.
        store: { ...store, renew: async () => true },
        times: { leaseTtlMs },
      },
    );
    const { sessionId, runId } = await dead.pawl.run("tester", { ...user, input: "Go" }).started;
    await stored(dead, sessionId, "llm_request");
    const world = setup(rest, {}, { store, times: { leaseTtlMs, pollMs: 20 } });
    return { world, sessionId, runId };
  }

  /** Resolves when the lease of the process that is gone has expired. */
  const expired = (store: EventStore) =>
    until(async () => (await store.listRecoverable({ limit: 1 })).length > 0);

  it("U4 is resumed by a reader, as soon as its lease has expired", async () => {
    const { world, sessionId, runId } = await cutOff(150, [{ text: "Finished." }]);
    await readAll(world.pawl.follow(sessionId, { resume: true, untilIdle: { runId } }));
    const log = await world.log(sessionId);
    expect(log.at(-1)).toMatchObject({ type: "run_ended", data: { stop: { type: "end_turn" } } });
    assertSoundLog(log);
  });

  it("U4 is resumed once, however many readers there are", async () => {
    const { world, sessionId, runId } = await cutOff(100, [{ text: "Finished." }]);
    const others = Array.from({ length: 5 }, () =>
      runtime({ agents: [world.agent], store: world.store, times: { leaseTtlMs: 100, pollMs: 20 } }),
    );
    const read = [world.pawl, ...others].flatMap((pawl) => [pawl, pawl]);
    await Promise.all(
      read.map((pawl) => readAll(pawl.follow(sessionId, { resume: true, untilIdle: { runId } }))),
    );
    expect(await world.of(sessionId, "run_recovered")).toHaveLength(1);
    expect(world.model.requests).toHaveLength(1);
  });

  it("U4 is left alone by a reader that was not asked to resume it", async () => {
    const { world, sessionId } = await cutOff(50, [{ text: "Finished." }]);
    const gone = new AbortController();
    const reading = readAll(world.pawl.follow(sessionId, { signal: gone.signal }));
    await expired(world.store);
    await pause(100, "the time in which a reader that resumes looks five times");
    gone.abort();
    await reading;
    expect(await world.of(sessionId, "run_recovered")).toEqual([]);
  });

  it("U4 refuses a message only when the run that it resumed is over, unless the process stays alive", async () => {
    const { world, sessionId } = await cutOff(50, [{ text: "Finished." }, { text: "Second." }]);
    await expired(world.store);
    const refused = world.pawl.run("tester", { ...user, sessionId, input: "More" });
    await expect(refused.started).rejects.toSatisfy(code("session_busy"));
    expect(await world.of(sessionId, "run_ended")).toHaveLength(1);
    expect((await world.say("More", { sessionId })).text).toBe("Second.");
  });

  it("U4 refuses a message at once if the platform waits for the run that it resumed", async () => {
    const { world, sessionId } = await cutOff(50, [long]);
    await expired(world.store);
    const { waitUntil, idle } = platform();
    const pawl = runtime({ agents: [world.agent], store: world.store, waitUntil });
    const refused = pawl.run("tester", { ...user, sessionId, input: "More" });
    await expect(refused.started).rejects.toSatisfy(code("session_busy"));
    expect(await world.of(sessionId, "run_ended")).toHaveLength(0);
    await idle();
    expect(await world.of(sessionId, "run_ended")).toHaveLength(1);
  });
});
