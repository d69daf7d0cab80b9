import { type EventStore, PawlError, type Runtime, runtime, type StoredEvent } from "@pawl/core";
import { migrate, postgresStore } from "@pawl/postgres";
import { afterAll, beforeAll, expect, it } from "vitest";
import { deployedAgent } from "../support/deployed-agent.ts";
import { assertSoundLog, ofType } from "../support/invariants.ts";
import { pause } from "../support/pause.ts";
import { type TestDatabase, testDatabase } from "../support/postgres.ts";
import { soak } from "../support/soak.ts";
import { until } from "../support/until.ts";

const SESSIONS = soak(40, 200);
const RESTARTS = 10;
const RESTART_EVERY_MS = soak(250, 2_500);
const user = { userId: "u1" };

let database: TestDatabase;
let store: EventStore;
beforeAll(async () => {
  database = await testDatabase();
  const pool = database.pool({ max: 8 });
  await migrate(pool);
  store = postgresStore(pool);
});
afterAll(async () => await database.drop());

/** How many processes were restarted. */
let restarts = 0;
// An answer that is slow meets the next two restarts, one of which is its process's.
const coach = deployedAgent(() => restarts < RESTARTS - 2);

/** Boots a process with a version of the agent. */
function boot(version: "1" | "2"): Runtime {
  const pawl = runtime({
    agents: [coach.version(version)],
    store,
    times: { leaseTtlMs: soak(1_000, 3_000), pollMs: soak(50, 250), abortGraceMs: 10 },
  });
  pawl.start();
  return pawl;
}

/** The processes that serve: one of each version. */
const slots: Runtime[] = [];
const anyProcess = (): Runtime => slots[Math.floor(Math.random() * slots.length)] as Runtime;

/** Restarts one process after the other in the middle of turns, with the other version of the agent each time. */
async function deploys(): Promise<void> {
  const versions: ("1" | "2")[] = ["1", "2"];
  for (let n = 0; n < RESTARTS; n += 1) {
    await pause(RESTART_EVERY_MS, "processes are restarted at intervals");
    if (restarts < RESTARTS - 2) await until(areAsking);
    const slot = n % 2;
    const next = versions[slot] === "1" ? "2" : "1";
    versions[slot] = next;
    const old = slots[slot] as Runtime;
    slots[slot] = boot(next);
    restarts += 1;
    await old.drain({ timeoutMs: Math.random() * 15 });
  }
}

/** The slow conversations that have begun. */
const slow: string[] = [];

/** Returns whether each slow conversation has asked the model since a process left it. */
async function areAsking(): Promise<boolean> {
  const logs = await Promise.all(slow.map(async (id) => await Array.fromAsync(store.read(id))));
  return logs.every((log) => {
    const last = log.findLast(({ type }) => type === "llm_request" || type === "run_left");
    return last?.type === "llm_request";
  });
}

const EXPECTED = ["draining", "already_answered", "session_busy", "store_unavailable"] as const;

/** Plays a client, whose requests any process may serve, until the run is over. */
async function converse(sessionId: string, input: string): Promise<void> {
  await store.sessions.create({ id: sessionId, ...user, agent: "coach" });
  let isBegun = false;
  for (;;) {
    const pawl = anyProcess();
    try {
      if (!isBegun) await pawl.run("coach", { ...user, sessionId, input, clientMessageId: "m" }).started;
      if (!isBegun && input !== "Go") slow.push(sessionId);
      isBegun = true;
      for await (const _ of pawl.follow(sessionId, { resume: true, untilIdle: true }));
      if ((await store.sessions.get(sessionId))?.openRun === null) return;
      const { pending } = await pawl.view(sessionId, user);
      for (const { callId, seq, answerSchema } of pending) {
        const value = answerSchema.type === "string" ? "Bern" : { yes: true };
        await pawl.run("coach", { ...user, sessionId, answers: [{ callId, question: seq, value }] }).started;
      }
    } catch (error) {
      if (!EXPECTED.some((one) => PawlError.is(error, one))) throw error;
    }
    await pause(10, "between two attempts");
  }
}

/** Returns how often the run was cut off, at most, without getting any further. */
function mostInARow(log: readonly StoredEvent[]): number {
  let most = 0;
  let now = 0;
  for (const { type } of log) {
    if (type === "assistant_message" || type === "tool_result") now = 0;
    if (type === "run_left") now += 1;
    most = Math.max(most, now);
  }
  return most;
}

it(
  `F25 P3 L12 ${RESTARTS} restarts of two versions in the middle of turns of ${SESSIONS} sessions hurt none`,
  async () => {
    slots.push(boot("1"), boot("2"));
    const work = deploys();
    const ids = Array.from({ length: SESSIONS }, (_, n) => `s${n}`);
    const everyMs = (RESTARTS * RESTART_EVERY_MS) / SESSIONS;
    await Promise.all(
      ids.map(async (id, n) => {
        await pause(n * everyMs, "conversations begin one after the other");
        await converse(id, n < SESSIONS / 10 ? "Answer slowly" : "Go");
      }),
    );
    await work;
    await Promise.all(slots.map((pawl) => pawl.drain()));

    const logs = await Promise.all(ids.map(async (id) => await Array.fromAsync(store.read(id))));
    for (const log of logs) assertSoundLog(log);
    const all = logs.flat();
    const stops = ofType(all, "run_ended").map(({ data }) => data.stop.type);
    expect(stops).toEqual(Array(SESSIONS).fill("end_turn"));
    expect(coach.model.rejected).toEqual([]);
    const tools = new Map(ofType(all, "tool_call").map(({ data }) => [data.call_id, data.tool_name]));
    for (const [callId, versions] of coach.effects) {
      const name = tools.get(callId);
      const mayRepeat = name === "look_up" || (name === "promote" && !versions.includes("1"));
      if (!mayRepeat) expect(versions, `${name} ${callId}`).toHaveLength(1);
    }
    const results = ofType(all, "tool_result").map(({ data }) => JSON.stringify(data.result));
    const saying = (part: string) => results.filter((result) => result.includes(part)).length;
    const [unknown, removed, changed] = [
      saying("outcome of this call"),
      saying("was removed"),
      saying("has changed"),
    ];
    expect(unknown + removed + changed).toBeGreaterThan(0);
    const left = ofType(all, "run_left").length;
    const changes = ofType(all, "agent_changed").length;
    const most = Math.max(...logs.map(mostInARow));
    expect(left).toBeGreaterThan(RESTARTS / 2);
    expect(changes).toBeGreaterThan(0);
    expect(most).toBeGreaterThan(3);
    soak.report(
      `${SESSIONS} sessions over ${RESTARTS} restarts of two versions: ${left} runs left, up to ${most} times in one turn, ${changes} changes of version; ${unknown} outcomes unknown, ${removed} calls of a removed tool, ${changed} of a changed one; 0 lost, 0 ended as crash_loop, 0 effects twice, 0 of ${coach.model.requests.length} requests invalid`,
    );
  },
  soak(60_000, 600_000),
);
