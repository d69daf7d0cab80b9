import { type EventStore, memoryStore } from "@pawl/core";
import { migrate, postgresStore } from "@pawl/postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Setup, setup, until, user } from "../packages/core/test/support/setup.ts";
import { ask, question } from "../packages/core/test/support/tools.ts";
import { assertSoundLog, ofType, stops } from "./support/invariants.ts";
import { pause } from "./support/pause.ts";
import { testDatabase } from "./support/postgres.ts";

/** The moments of an answer at which another process acts: `open`, and the append that stores the answer. */
const MOMENTS = ["behind open", "before the append", "behind the append"] as const;
type Moment = (typeof MOMENTS)[number];

const stores: Record<string, () => Promise<{ store: EventStore; close(): Promise<void> }>> = {
  memory: async () => ({ store: memoryStore(), close: async () => undefined }),
  Postgres: async () => {
    const database = await testDatabase();
    const pool = database.pool();
    await migrate(pool);
    return { store: postgresStore(pool), close: database.drop };
  },
};

/** A session whose run waits for an answer, one process that is to answer, and another one. */
async function waiting(store: EventStore) {
  const first = setup([{ tools: [question] }], { tools: [ask] }, { store });
  const { sessionId } = await first.say("Go");
  let armed: { moment: Moment; act(): Promise<unknown> } | undefined;
  const reach = async (moment: Moment) => {
    if (armed?.moment !== moment) return;
    const { act } = armed;
    armed = undefined;
    // A busy database takes 50 ms now and then.
    await Promise.race([act(), pause(500, "the other process may itself wait for this one")]);
  };
  const watched: EventStore = {
    ...store,
    open: async (wanted) => {
      const opened = await store.open?.(wanted);
      await reach("behind open");
      return opened;
    },
    append: async (id, events, options) => {
      const isAnswer = events.some(({ type }) => type === "tool_answered");
      if (isAnswer) await reach("before the append");
      const rows = await store.append(id, events, options);
      if (isAnswer) await reach("behind the append");
      return rows;
    },
  };
  const left = [{ text: "Fine." }, { text: "More." }];
  const here = setup(left, { tools: [ask] }, { store: watched, times: { pollMs: 10 } });
  const other = setup(left, { tools: [ask] }, { store, times: { pollMs: 10 } });
  const arm = (moment: Moment, act: () => Promise<unknown>) => {
    armed = { moment, act };
  };
  const log = () => first.log(sessionId);
  const requests = () => [...here.model.requests, ...other.model.requests];
  const rejected = () => [...here.model.rejected, ...other.model.rejected];
  return { sessionId, here, other, arm, log, requests, rejected, store };
}

const answered = ({ answer }: Setup, sessionId: string, value: unknown, id = question.id) =>
  answer(sessionId, id, value).then(
    ({ stop }) => stop.type as string,
    (error: { code: string }) => error.code,
  );

describe.each(Object.entries(stores))("an answer, over %s", (_, make) => {
  let made: Awaited<ReturnType<typeof make>>;
  beforeAll(async () => {
    made = await make();
  }, 60_000);
  afterAll(() => made.close());

  it.each(MOMENTS)("R1 P4 counts once if another one comes %s", async (moment) => {
    const { sessionId, here, other, arm, log, requests, rejected } = await waiting(made.store);
    let second: Promise<string> | undefined;
    arm(moment, () => {
      second = answered(other, sessionId, "theirs");
      return second;
    });
    const outcomes = [await answered(here, sessionId, "ours"), await second];
    expect(outcomes.toSorted()).toEqual(["already_answered", "end_turn"]);
    const events = await log();
    assertSoundLog(events);
    const [stored, ...more] = ofType(events, "tool_answered");
    expect(more).toEqual([]);
    expect(stored?.data.value).toBe(outcomes[0] === "end_turn" ? "ours" : "theirs");
    expect(ofType(events, "tool_result").map(({ data }) => data.result)).toEqual([stored?.data.value]);
    expect(stops(events)).toEqual(["end_turn"]);
    expect({ requests: requests().length, rejected: rejected() }).toEqual({ requests: 1, rejected: [] });
  });

  it.each(MOMENTS)("R1 L9 keeps nothing from stopping if a stop comes %s", async (moment) => {
    const { sessionId, here, other, arm, log, requests, rejected } = await waiting(made.store);
    arm(moment, () => other.pawl.stop(sessionId, user));
    const outcome = await answered(here, sessionId, "ours");
    const events = await log();
    assertSoundLog(events);
    expect(ofType(events, "stop_requested")).toHaveLength(1);
    expect(ofType(events, "run_ended")).toHaveLength(1);
    expect(rejected()).toEqual([]);
    if (moment === "behind the append") {
      // The request was stored before the stop.
      expect(["aborted", "end_turn"]).toContain(outcome);
      return;
    }
    expect({ outcome, stops: stops(events) }).toEqual({ outcome: "aborted", stops: ["aborted"] });
    expect(requests()).toEqual([]);
  });

  it.each(MOMENTS)("R1 P6 loses no message that comes %s", async (moment) => {
    const { sessionId, here, other, arm, log, requests, rejected } = await waiting(made.store);
    let said: Promise<unknown> | undefined;
    arm(moment, () => {
      said = other.say("And more", { sessionId, whenBusy: "queue" });
      return said;
    });
    expect(await answered(here, sessionId, "ours")).toBe("end_turn");
    expect(await said).toMatchObject({ stop: { type: "end_turn" } });
    const events = await log();
    assertSoundLog(events);
    expect(ofType(events, "tool_answered")).toHaveLength(1);
    expect(ofType(events, "user_message").map(({ data }) => data.message)).toEqual(["Go", "And more"]);
    expect(JSON.stringify(requests().at(-1)?.messages)).toContain("And more");
    expect(rejected()).toEqual([]);
  });

  it("R1 P5 leaves the session free if it is refused, and takes no lease for another user", async () => {
    const { sessionId, here, log, store } = await waiting(made.store);
    const before = await log();
    const asked = (userId: string, callId: string, value: string | number) =>
      here.pawl.run("tester", { userId, sessionId, answers: [{ callId, value }] }).started;
    const refusals = [
      ["u1", "toolu_forged", "yes", "unknown_call"],
      ["u1", question.id, 1, "invalid_answer"],
      ["u2", question.id, "yes", "not_found"],
    ] as const;
    for (const [userId, callId, value, code] of refusals) {
      await expect(asked(userId, callId, value)).rejects.toMatchObject({ code });
      const lease = await store.acquire(sessionId, "probe", 60_000);
      expect(lease).toBeDefined();
      if (lease !== undefined) await store.release(lease);
    }
    expect(await log()).toEqual(before);
    const lease = await store.acquire(sessionId, "probe", 60_000);
    await expect(asked("u2", question.id, "yes")).rejects.toMatchObject({ code: "not_found" });
    expect(lease && (await store.renew(lease, 60_000))).toBe(true);
    if (lease !== undefined) await store.release(lease);
    expect(await answered(here, sessionId, "ours")).toBe("end_turn");
  });

  it("R1 P4 that is refused resumes the run for an answer that came while it held the session", async () => {
    const { sessionId, here, other, arm, log } = await waiting(made.store);
    const value = "theirs";
    arm("behind open", async () => {
      // Nobody follows this run, so no reader resumes it.
      await other.pawl.run("tester", { ...user, sessionId, answers: [{ callId: question.id, value }] })
        .started;
    });
    expect(await answered(here, sessionId, 1)).toBe("invalid_answer");
    await until(async () => stops(await log()).length > 0);
    const events = await log();
    assertSoundLog(events);
    expect(stops(events)).toEqual(["end_turn"]);
    expect(here.model.requests.length).toBe(1);
  });
});
