import { describe, expect, it } from "vitest";
import { settled } from "../../../../../test/support/settled.ts";
import {
  type Hook,
  type Json,
  memoryStore,
  type SessionEvent,
  type ToolContext,
  tool,
} from "../../../src/index.ts";
import { foldView, newView, reduceView } from "../../../src/view.ts";
import { collect, setup, user } from "../../support/setup.ts";
import { nothing } from "../../support/tools.ts";

/** Runs an agent with one tool, and returns the world, the session's id and what a reader got. */
async function running(execute: (context: ToolContext) => unknown, hooks: Hook[] = []) {
  const errors: unknown[] = [];
  const one = tool({
    name: "one",
    description: "",
    input: nothing,
    execute: (_, context) => execute(context),
  });
  const world = setup(
    [{ tools: [{ name: "one" }] }, { text: "Ok." }],
    { tools: [one], hooks },
    { onError: (error) => void errors.push(error) },
  );
  const run = world.pawl.run("tester", { ...user, input: "Go" });
  const events = await collect(run);
  const { sessionId } = await run.result;
  return { ...world, sessionId, events, errors };
}

const shown = (events: readonly SessionEvent[]) =>
  events.flatMap((event): Json[] => {
    if (event.type === "data_part" || event.type === "transient_part") return [event.data.data];
    return event.type === "tool_result"
      ? ["result"]
      : event.type === "tool_progress"
        ? [event.data.data]
        : [];
  });

const failing = {
  get broken() {
    throw new Error("No.");
  },
};

describe("T8 context.emit() of a tool", () => {
  it("stores parts in order, before the call's result, also if nobody awaits them", async () => {
    const { events, log, sessionId } = await running(({ emit, callId }) => {
      void emit({ type: "data-step", data: { n: 1 } });
      void emit({ type: "data-step", data: { n: 2 }, id: callId });
    });
    expect(shown(events)).toEqual([{ n: 1 }, { n: 2 }, "result"]);
    const parts = (await log(sessionId)).filter(({ type }) => type === "data_part");
    expect(parts.map(({ data }) => data)).toEqual([
      { type: "data-step", data: { n: 1 }, call_id: expect.stringMatching("^toolu_") },
      {
        type: "data-step",
        data: { n: 2 },
        id: expect.stringMatching("^toolu_"),
        call_id: expect.stringMatching("^toolu_"),
      },
    ]);
  });

  it("shows transient parts to readers, in order with stored ones and reports, and stores none", async () => {
    const { events, log, sessionId } = await running(async ({ emit, progress }) => {
      progress("report");
      void emit({ type: "data-a", data: 1 });
      void emit({ type: "data-a", data: 2, transient: true });
      void emit({ type: "data-a", data: 3 });
      void emit({ type: "data-a", data: 4, transient: true });
    });
    expect(shown(events)).toEqual(["report", 1, 2, 3, 4, "result"]);
    expect((await log(sessionId)).filter(({ type }) => type === "data_part")).toHaveLength(2);
    expect(JSON.stringify(await log(sessionId))).not.toContain("transient");
  });

  it("copies the data at once", async () => {
    const { events } = await running(({ emit }) => {
      const data = { n: 1 };
      void emit({ type: "data-a", data });
      data.n = 2;
    });
    expect(shown(events)).toEqual([{ n: 1 }, "result"]);
  });

  it("W1 copies dates and instances at once, in parts, reports and events", async () => {
    const { events } = await running(async ({ emit, progress, append }) => {
      const at = new Date(0);
      const row = Object.assign(new (class Row {})(), { at, n: 1 });
      // The types ask for JSON, and plain JavaScript does not know them.
      progress(row as never, { conflate: false });
      void emit({ type: "data-a", data: { at } as never });
      void append({ type: "app.row", data: { at } as never });
      row.n = 2;
      at.setUTCFullYear(2000);
    });
    const stored = events.flatMap((event) => ((event.type as string) === "app.row" ? [event.data] : []));
    const first = { at: "1970-01-01T00:00:00.000Z" };
    expect(shown(events)).toEqual([{ ...first, n: 1 }, first, "result"]);
    expect(stored).toEqual([first]);
  });

  it("is not read by the model, and a late reader gets it from the log", async () => {
    const { pawl, model, sessionId } = await running(({ emit }) =>
      emit({ type: "data-secret", data: "hidden" }),
    );
    expect(JSON.stringify(model.requests)).not.toContain("hidden");
    const late = await collect(pawl.follow(sessionId, { untilIdle: true }));
    expect(shown(late)).toEqual(["hidden", "result"]);
  });

  it.each<[string, unknown, string]>([
    ["a type without data-", { type: "weather", data: 1 }, 'must be "data-" and 1 to 195 characters'],
    ...["data-output", "data-artifact", "data-role", "data-tool-progress", "data-tool-status"].map(
      (type): [string, unknown, string] => [
        type,
        { type, id: "output", data: 1 },
        "which are Pawl's own parts",
      ],
    ),
    ["no data", { type: "data-a" }, "needs `data`"],
    [
      "NaN",
      { type: "data-a", data: { ratio: Number.NaN } },
      'The `data` of "data-a" must be a value that JSON can represent; data.ratio is NaN',
    ],
    ["a Map", { type: "data-a", data: new Map() }, "data is an instance of Map"],
    ["a getter that throws", { type: "data-a", data: failing }, 'it fails with "No."'],
    ["a field that it does not have", { type: "data-a", data: 1, key: "k" }, 'has no option "key"'],
    ["no object", "data-a", "takes an object of options"],
    [
      "too much data",
      { type: "data-a", data: "x".repeat(1_000_001) },
      "must have at most 1000000 characters of JSON",
    ],
    [
      "too much transient data",
      { type: "data-a", data: "x".repeat(50_001), transient: true },
      "must have at most 50000",
    ],
    ["an empty id", { type: "data-a", data: 1, id: "" }, "must be a text of 1 to 200 characters"],
  ])("refuses %s, and reports it", async (_, part, message) => {
    let refused: unknown;
    const { errors, events } = await running(async ({ emit }) => {
      await emit(part as never).catch((error: unknown) => {
        refused = error;
      });
    });
    expect(refused).toMatchObject({ code: "invalid_input", message: expect.stringContaining(message) });
    expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining(message) })]);
    expect(shown(events)).toEqual(["result"]);
  });

  it("W1 keeps each part as it was when it was emitted, although the tool changes the object", async () => {
    const { events } = await running(async ({ emit }) => {
      const part = { type: "data-step" as const, data: { n: 1 }, id: "1" };
      const first = emit(part);
      part.id = "2";
      part.data = { n: 2 };
      const second = emit(part);
      const toast = { type: "data-toast" as const, data: "Hi", transient: true };
      const third = emit(toast);
      toast.transient = false;
      await Promise.all([first, second, third]);
    });
    const stored = events.flatMap((event) => (event.type === "data_part" ? [event.data] : []));
    expect(stored).toMatchObject([
      { type: "data-step", id: "1", data: { n: 1 } },
      { type: "data-step", id: "2", data: { n: 2 } },
    ]);
  });

  it("refuses a part once the call has its result", async () => {
    let late: ToolContext["emit"] | undefined;
    await running(({ emit }) => {
      late = emit;
    });
    const message = "The call has its result already, so its tool can add nothing more.";
    await expect(late?.({ type: "data-a", data: 1 })).rejects.toMatchObject({
      code: "invalid_input",
      message,
    });
  });
});

it("W1 hooks may change a part after they have emitted it, and get no error of its data at once", async () => {
  const refused: unknown[] = [];
  const hook: Hook = {
    name: "step",
    beforeRun: async ({ emit }) => {
      const part = { type: "data-step" as const, data: 1, id: "1" };
      const emitted = emit(part);
      part.id = "2";
      await emitted;
      const broken = emit({ type: "data-broken", data: failing as never });
      await broken.catch((error: unknown) => void refused.push(error));
    },
  };
  const { events } = await running(() => undefined, [hook]);
  const stored = events.flatMap((event) => (event.type === "data_part" ? [event.data] : []));
  expect(stored).toMatchObject([{ type: "data-step", id: "1", data: 1 }]);
  expect(refused).toHaveLength(1);
});

it("T8 a transient part of a hook does not reach clients that connect later", async () => {
  const started = Promise.withResolvers<string>();
  const connected = Promise.withResolvers<void>();
  const hook: Hook = {
    name: "toast",
    beforeRun: async ({ emit }) => {
      await emit({ type: "data-toast", data: "Welcome", transient: true });
    },
  };
  const slow = tool({
    name: "slow",
    description: "",
    input: nothing,
    execute: async (_, { sessionId }) => {
      started.resolve(sessionId);
      await connected.promise;
    },
  });
  const world = setup([{ tools: [{ name: "slow" }] }, { text: "Ok." }], { tools: [slow], hooks: [hook] });
  const first = collect(world.pawl.run("tester", { ...user, input: "Go" }));
  const sessionId = await started.promise;
  await settled();
  const { lastSeq = 0 } = (await world.store.sessions.get(sessionId)) ?? {};
  const late = collect(world.pawl.follow(sessionId, { afterSeq: lastSeq, untilIdle: true }));
  await settled();
  connected.resolve();
  expect(shown(await first)).toEqual(["Welcome", "result"]);
  expect(shown(await late)).toEqual(["result"]);
});

it("T8 hooks emit parts, and none after the run", async () => {
  let late: (() => Promise<void>) | undefined;
  const hook: Hook = {
    name: "title",
    beforeRun: async ({ emit }) => {
      late = () => emit({ type: "data-title", data: "late" });
      await emit({ type: "data-title", data: "Plans", id: "title" });
      return undefined;
    },
    afterRun: (_, { emit }) => emit({ type: "data-title", data: "New plans", id: "title" }),
  };
  const { events, pawl, store, sessionId } = await running(() => undefined, [hook]);
  expect(shown(events)).toEqual(["Plans", "result", "New plans"]);
  const view = await foldView(store.read(sessionId));
  expect(view.messages[1]?.parts[0]).toMatchObject({ type: "data", name: "data-title", data: "New plans" });
  expect(view.messages[1]?.parts.filter(({ type }) => type === "data")).toHaveLength(1);
  await expect(late?.()).rejects.toMatchObject({ code: "invalid_input" });
  const redacted = events.find((event) => event.type === "data_part" && event.data.data === "New plans");
  await pawl.redact(sessionId, (redacted as { seq: number }).seq, user);
  let live = newView();
  for await (const event of store.read(sessionId)) live = reduceView(live, event);
  expect(live.messages[1]?.parts[0]).toMatchObject({ name: "data-title", data: "[redacted]" });
});

describe("T8 progress()", () => {
  it("loses no report that may not be conflated", async () => {
    const { events } = await running(({ progress }) => {
      for (let n = 1; n <= 100; n += 1) progress(n, { conflate: n % 10 !== 0 });
      progress("last");
    });
    const reports = shown(events).slice(0, -1);
    expect(reports.filter((report) => Number(report) % 10 === 0)).toEqual([
      10, 20, 30, 40, 50, 60, 70, 80, 90, 100,
    ]);
    expect(reports.at(-1)).toBe("last");
    expect(reports).toEqual(reports.toSorted((one, other) => Number(one) - Number(other)));
  });

  it.each<[string, unknown, string]>([
    ["NaN", { ratio: 0 / 0 }, "report.ratio is NaN"],
    ["a bigint", 1n, "report is a bigint"],
    ["a Set", { at: new Set([1]) }, "report.at is an instance of Set"],
  ])("reports %s, which JSON would lose, and does not fail the call", async (_, report, loss) => {
    const { events, errors } = await running(({ progress }) => {
      progress(report as Json);
      progress(report as Json);
      progress("last");
    });
    expect(shown(events)).toEqual(["last", "result"]);
    const message = expect.stringContaining(`reported progress that JSON cannot represent: ${loss}`);
    expect(errors).toEqual([expect.objectContaining({ message })]);
  });

  it("reaches a reader that reads slowly before the call's result", async () => {
    const begun = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const one = tool({
      name: "one",
      description: "",
      input: nothing,
      execute: async (_, { progress }) => {
        begun.resolve();
        await go.promise;
        progress("last");
      },
    });
    const slow = tool({ name: "slow", description: "", input: nothing, execute: () => done.promise });
    const done = Promise.withResolvers<void>();
    const { pawl } = setup(
      [{ tools: [{ name: "one" }] }, { tools: [{ name: "slow" }] }, { text: "Ok." }],
      { tools: [one, slow] },
      { store: memoryStore() },
    );
    const run = pawl.run("tester", { ...user, input: "Go" });
    const { sessionId } = await run.started;
    const reader = pawl.follow(sessionId, { untilIdle: true })[Symbol.asyncIterator]();
    const events: SessionEvent[] = [];
    for (;;) {
      const { value } = await reader.next();
      if (value === undefined) break;
      events.push(value);
      // Does not read on until the call is over, and the model was asked again.
      if (value.type !== "tool_status" || value.data.phase !== "start" || value.data.tool_name !== "one")
        continue;
      await begun.promise;
      await settled();
      go.resolve();
      await settled();
      done.resolve();
    }
    await run.result;
    expect(shown(events)).toEqual(["last", "result", "result"]);
  });
});
