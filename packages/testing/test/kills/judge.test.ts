import { memoryStore, type StoredEvent } from "@pawl/core";
import { outcomeUnknown } from "@pawl/core/tools";
import { describe, expect, it } from "vitest";
import { newGuard } from "../../src/kills/guard.ts";
import { judge } from "../../src/kills/judge.ts";
import { type AppendRecord, newRecords, type StepRecord } from "../../src/kills/records.ts";
import { reportOf } from "../../src/kills/report-of.ts";
import { LAST_TEXT, ONCE, TURN_COUNT } from "../../src/kills/story.ts";

const answer = (text: string) => ({ content: [{ type: "text", text }], disposition: "kept" });

/** A run as it should be, with one call of the tool that must not run twice. */
function soundRun(more: { type: string; data: object }[] = []): StoredEvent[] {
  const events = [
    ...Array.from({ length: TURN_COUNT }, () => ({ type: "assistant_message", data: answer(LAST_TEXT) })),
    { type: "tool_call", data: { call_id: "c1", tool_name: ONCE } },
    { type: "tool_result", data: { call_id: "c1", tool_name: ONCE, success: true } },
    { type: "run_ended", data: { stop: { type: "end_turn" } } },
    ...more,
  ];
  return events.map((event, index) => ({ ...event, seq: index + 1, sessionId: "s", at: "" })) as never;
}

const paid: StepRecord = { worker: "w1", tool: ONCE, sessionId: "s", callId: "c1" };
const append = (seq: number, epoch?: number, types = ["tool_result"]): AppendRecord => ({
  worker: `w${epoch}`,
  sessionId: "s",
  seq,
  types,
  ...(epoch !== undefined && { epoch }),
});
const faults = (log: StoredEvent[], steps = [paid], appends: AppendRecord[] = []) =>
  judge([log], { steps, appends }).faults;

describe("the judge of runs whose workers were killed", () => {
  it("Q1 finds nothing wrong with a run that is as it should be", () => {
    expect(faults(soundRun(), [paid], [append(3, 1), append(9, 2)])).toEqual([]);
  });

  it("Q1 finds an effect that happened twice, and one that did not happen", () => {
    expect(faults(soundRun(), [paid, { ...paid, worker: "w2" }])).toEqual([
      "the effect of c1 happened 2 times, in w1,w2",
    ]);
    expect(faults(soundRun(), [])).toEqual(["s: c1 has succeeded without an effect"]);
  });

  it("Q1 finds an append under a lease that another worker had taken, whatever order the reports came in", () => {
    expect(faults(soundRun(), [paid], [append(9, 1), append(7, 2)])).toEqual([
      "s: w1 stored tool_result as 9 under the lease 1, and w2 had the lease 2",
    ]);
  });

  it("Q1 finds an append without a lease, unless it logs an error", () => {
    const appends = [append(8), append(9, undefined, ["error"])];
    expect(faults(soundRun(), [paid], appends)).toEqual([
      "s: wundefined stored tool_result as 8 without a lease",
    ]);
  });

  it("Q1 finds a run that has not ended, a gap, a second result and what was stored after the end", () => {
    const log = soundRun();
    expect(faults(log.slice(0, -1))[0]).toContain("the run has ended as [], not as [end_turn]");
    expect(faults(log.filter(({ seq }) => seq !== 1))[0]).toBe("s: event 1 has the number 2");
    const result = { type: "tool_result", data: { call_id: "c1", tool_name: ONCE, success: true } };
    expect(faults(soundRun([result]))).toEqual([
      `s: tool_result ${TURN_COUNT + 4} was stored after the run's end`,
      "s: the call c1 has 2 results",
    ]);
    expect(faults(soundRun([{ type: "error", data: { code: "late_result" } }]))).toEqual([]);
  });
});

it("Q1 a call may fail only because its worker was lost, and only if it must not run twice", () => {
  const failing = (result: string, tool_name = ONCE) =>
    soundRun().map((event) => {
      if (event.type === "tool_call") return { ...event, data: { ...event.data, tool_name } };
      if (event.type !== "tool_result") return event;
      return { ...event, data: { ...event.data, tool_name, success: false, result } };
    });
  const unknown = outcomeUnknown("it died.");
  expect(faults(failing(unknown))).toEqual([]);
  expect(faults(failing("no money"))).toEqual(['s: "pay" has failed: "no money"']);
  expect(faults(failing(unknown, "look"))).toEqual([`s: "look" has failed: ${JSON.stringify(unknown)}`]);
});

describe("the guard of steps", () => {
  const open = async () => {
    const store = memoryStore();
    await store.sessions.create({ id: "s", userId: "ada", agent: "killed" });
    const records = newRecords();
    records.took("w1", "s", 1);
    return { store, records, guard: newGuard(records, store) };
  };
  const result = {
    type: "tool_result",
    data: { call_id: "c1", tool_name: "look", success: true, result: 1 },
  };

  it("Q1 lets a step be taken again whose result is lost, and finds one whose result is in the log", async () => {
    const { store, records, guard } = await open();
    const look = { ...paid, tool: "look" };
    await guard.onStep(look);
    await guard.onStep(look);
    expect(records.faults).toEqual([]);
    await store.append("s", [result as never], { appendId: "1" });
    await guard.onStep({ ...look, worker: "w2" });
    expect(records.faults).toEqual([]);
    await guard.onStep(look);
    expect(records.faults).toEqual(['s: w1 ran "look" again, and the log has its result: c1']);
    expect(guard.again).toEqual({ steps: 2, requests: 0, recorded: 1 });
  });

  it("Q1 finds a request whose answer is in the log", async () => {
    const { store, records, guard } = await open();
    const request = { worker: "w1", sessionId: "s", turn: 0 };
    await guard.onRequest(request);
    await guard.onRequest(request);
    expect(records.faults).toEqual([]);
    const data = { ...answer("Hi"), stop_reason: "end_turn", attempt: 1, complete: 1 };
    await store.append("s", [{ type: "assistant_message", data } as never], { appendId: "1" });
    await guard.onRequest(request);
    expect(records.faults).toEqual(["s: w1 asked for turn 1 again, and the log has its answer"]);
  });
});

describe("the records of leases", () => {
  it("Q1 measure from the loss of a worker until another one has the lease", () => {
    let now = 0;
    const records = newRecords(() => now);
    records.took("w1", "s", 1);
    records.took("w1", "idle", 1);
    records.gave("idle", 1);
    records.given("w1", "s");
    // A second call for the session found the lease taken.
    records.given("w2", "s");
    records.done("w2", "s");
    records.orphan("w1", "kill");
    now = 700;
    records.took("w2", "s", 2);
    records.took("w1", "s", 1);
    now = 900;
    records.given("w3", "s");
    expect(records.takeovers).toEqual({ kill: [700], freeze: [] });
    expect(records.redeliveries).toEqual([900]);
    expect(records.ownerOf("s")).toBe("w2");
  });

  it("Q1 spare a worker whose run was picked up twice without getting any further", () => {
    const records = newRecords(() => 0);
    records.took("w3", "s", 3);
    records.stored(append(3, 1, ["run_recovered"]));
    expect(records.victimsOf("w3")).toEqual(["s"]);
    records.stored(append(4, 2, ["run_recovered"]));
    expect(records.victimsOf("w3")).toBeUndefined();
    records.stored(append(5, 3, ["assistant_message"]));
    expect(records.victimsOf("w3")).toEqual(["s"]);
  });
});

it("Q1 a report without a kill or a freeze is no proof", () => {
  const records = newRecords();
  const counts = { kills: 0, freezes: 0, seconds: 1 };
  const seen = { counts, records, guard: newGuard(records, memoryStore()), logs: [soundRun()] };
  const api = { requests: [], rejected: [{ error: { status: 400, type: "", message: "no" }, body: {} }] };
  records.steps.push(paid);
  expect(reportOf({ ...seen, wanted: {}, api: api as never }).faults).toEqual([
    "an invalid request: no",
    "no session of a killed worker was taken over",
    "no session of a frozen worker was taken over",
  ]);
  const wanted = { kills: 0, freezes: 0 };
  expect(reportOf({ ...seen, wanted, api: { requests: [], rejected: [] } }).faults).toEqual([]);
});
