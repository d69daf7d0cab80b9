import { describe, expect, it } from "vitest";
import type { StoredEvent } from "../../src/log/event.ts";
import { viewStarts } from "../../src/view/starts.ts";

type Made = readonly [type: string, data?: object];

const started: Made = ["run_started", { run_id: "r" }];
const retried: Made = ["run_started", { run_id: "r", retry_of: "q" }];
const said: Made = ["user_message", { message: "Hi" }];
const queued: Made = ["user_message", { message: "Hi", queued: true }];
const asked = (upto_seq: number): Made => ["llm_request", { prompt: { upto_seq } }];
const answered: Made = ["assistant_message", {}];
const ended: Made = ["run_ended", {}];

/** Numbers consecutive events from `first` on. */
function from(first: number, ...made: readonly Made[]): StoredEvent[] {
  return made.map(([type, data = {}], at) => ({ type, data, seq: first + at }) as unknown as StoredEvent);
}

describe("R5 a view can begin", () => {
  it("at the first event of the log, also before anything was said", () => {
    expect(viewStarts([])).toEqual([1]);
    expect(viewStarts(from(1, ["session.named"], started, said))).toEqual([1, 2]);
  });

  it("at the start of each run, once a request has shown what was read before", () => {
    const run = (upto: number) => [started, said, asked(upto), answered, ended];
    expect(viewStarts(from(1, ...run(2), ...run(7)))).toEqual([1, 6]);
    // The first run's start is not among these events, and it has no request before the second one.
    expect(viewStarts(from(10, ended, ...run(12), ...run(17)))).toEqual([16]);
  });

  it("not at a retry, which continues the message of the run that failed", () => {
    expect(viewStarts(from(1, started, said, asked(2), ended, retried, asked(5), answered, ended))).toEqual([
      1,
    ]);
  });

  it("not at the run of a message that waited, and at the next one", () => {
    const log = from(1, started, said, asked(2), queued, answered, ended, started, asked(7), answered, ended);
    expect(viewStarts(log)).toEqual([1]);
    expect(viewStarts([...log, ...from(11, started, said)])).toEqual([1, 11]);
  });

  it("not where a message before the events may have waited", () => {
    // A request that has read up to event 7 says nothing of a message that was queued as event 8.
    expect(viewStarts(from(10, asked(7), answered, ended, started, said))).toEqual([]);
    expect(viewStarts(from(9, asked(7), answered, ended, started, said))).toEqual([]);
    expect(viewStarts(from(8, asked(7), answered, ended, started, said))).toEqual([11]);
    expect(viewStarts(from(10, asked(7), answered, asked(11), ended, started, said))).toEqual([14]);
  });
});
