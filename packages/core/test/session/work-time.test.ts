import { expect, it } from "vitest";
import type { StoredEvent } from "../../src/index.ts";
import { countWork, type WorkTime } from "../../src/session/work-time.ts";

/** How long a run has been worked on after these events, each with its second. */
function worked(...events: [type: string, second: number][]): WorkTime {
  const work: WorkTime = { ms: 0, since: undefined, last: "" };
  for (const [type, second] of events) {
    countWork(work, { type, at: new Date(second * 1_000).toISOString() } as StoredEvent);
  }
  return work;
}

it("L4 counts from a leg's first event to its last, and no waiting", () => {
  expect(worked(["run_started", 1], ["llm_request", 3], ["run_suspended", 4]).ms).toBe(3_000);
  const answered: [string, number][] = [
    ["run_started", 1],
    ["run_suspended", 4],
    ["tool_answered", 90],
    ["stop_requested", 95],
  ];
  expect(worked(...answered).since).toBeUndefined();
  expect(worked(...answered, ["tool_result", 100], ["run_ended", 102]).ms).toBe(5_000);
});

it("L4 P3 counts a leg that died up to the last thing it stored, and the next one from its beginning", () => {
  const died: [string, number][] = [
    ["run_started", 1],
    ["llm_request", 3],
    ["tool_answered", 40],
    ["run_recovered", 60],
  ];
  expect(worked(...died).ms).toBe(2_000);
  expect(worked(...died, ["run_recovered", 61], ["run_ended", 65]).ms).toBe(6_000);
  expect(worked(...died, ["tool_result", 62], ["run_ended", 65]).ms).toBe(7_000);
});

it("L4 counts no time if the store's clock goes back", () => {
  expect(worked(["run_started", 5], ["run_ended", 4]).ms).toBe(0);
});
