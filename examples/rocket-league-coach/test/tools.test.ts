import type { PGlite } from "@electric-sql/pglite";
import { memoryStore, runtime, type ToolContext } from "@pawl/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dyingStore, has } from "../../../packages/core/test/support/stores.ts";
import { newPglite } from "../../../test/support/new-pglite.ts";
import {
  type CoachData,
  type CoachDeps,
  coachData,
  coachTools,
  instructions,
  metricNames,
} from "../src/index.ts";
import { bench, coachOf } from "./support/bench.ts";
import { NOW, toolsSuite } from "./support/tools-suite.ts";

let db: PGlite;
let data: CoachData;
beforeAll(async () => {
  db = await newPglite();
  data = await coachData(db, { now: () => NOW });
}, 60_000);
afterAll(() => db.close());

describe("X3 the coach's tools, embedded", () => {
  toolsSuite(() => db);

  it("X3 T1 are eight, described, and may all run again", () => {
    expect(coachTools.map(({ name }) => name)).toEqual([
      "get_rank_benchmarks",
      "get_player_trends",
      "get_recent_sessions",
      "get_replay",
      "analyze_boost",
      "analyze_rotations",
      "save_coaching_note",
      "get_coaching_notes",
    ]);
    for (const { spec, idempotent, timeoutMs, status } of coachTools) {
      expect(idempotent).toBe(true);
      expect(timeoutMs).toBeGreaterThan(0);
      expect(status.start).toBeTruthy();
      expect(spec.description?.length).toBeGreaterThan(60);
      const { properties = {} } = spec.input_schema as {
        properties?: Record<string, { description?: string }>;
      };
      for (const field of Object.values(properties)) expect(field.description).toBeTruthy();
    }
    expect(instructions.length).toBeLessThan(3_000);
  });

  it("X3 can be run outside of a run: they use the user, the key and the data only", async () => {
    const run = async (name: string, input: object, context: ToolContext<CoachDeps>) =>
      await coachTools.find((tool) => tool.name === name)?.execute?.(input, context);
    const context = {
      userId: "outside",
      idempotencyKey: "k1",
      deps: { coach: data },
    } as ToolContext<CoachDeps>;
    const [first, again] = await Promise.all([
      run("save_coaching_note", { topic: "boost", text: "First" }, context),
      run("save_coaching_note", { topic: "boost", text: "First" }, context),
    ]);
    expect(again).toEqual(first);
    await run("save_coaching_note", { topic: "boost", text: "Changed" }, context);
    await run("save_coaching_note", { topic: "boost", text: "Second" }, { ...context, idempotencyKey: "k2" });
    const { notes } = (await run("get_coaching_notes", {}, context)) as { notes: { text: string }[] };
    expect(notes.map(({ text }) => text).sort()).toEqual(["First", "Second"]);
  });

  it("X3 a note is stored once if the process dies between the note and the log", async () => {
    let now = 0;
    const log = memoryStore({ now: () => now });
    const call = ["save_coaching_note", { topic: "boost", text: "Small pads on the way back" }] as const;
    const process = (store: typeof log) => {
      const { coach, model } = coachOf([call]);
      const deps = () => ({ coach: data });
      return { model, pawl: runtime<CoachDeps>({ agents: [coach], store, deps, times: { pollMs: 10 } }) };
    };
    const dying = dyingStore(log, (events) => has(events, "tool_result"), { isStored: false });
    const { sessionId } = await process(dying).pawl.run("coach", { userId: "crash", input: "Note it" })
      .started;
    await expect.poll(() => dying.dead).toBe(true);
    expect((await data.notes("crash", { limit: 10 })).length).toBe(1);
    now += 60_000;
    const second = process(log);
    expect(await second.pawl.sweep()).toBe(1);
    await expect.poll(async () => has(await Array.fromAsync(log.read(sessionId)), "run_ended")).toBe(true);
    const events = await Array.fromAsync(log.read(sessionId));
    expect(events.filter(({ type }) => type === "tool_started")).toHaveLength(2);
    expect((await data.notes("crash", { limit: 10 })).map(({ text }) => text)).toEqual([call[1].text]);
  });

  it("X3 tells the model nothing of a database's error", async () => {
    const broken = await newPglite();
    const failing = await coachData(broken, { now: () => NOW });
    await broken.close();
    const outcome = await bench(failing).call("analyze_boost", { playlist: "doubles" });
    expect(outcome.isError).toBe(true);
    expect(outcome.text).toBe(
      "The statistics cannot be read at the moment. Tell the user, and answer without them if you can.",
    );
  });

  it("X3 every metric is computed, and none is named like a column of people", async () => {
    for (let from = 0; from < metricNames.length; from += 8) {
      const query = {
        playlist: "standard",
        daysBack: 365,
        ranks: [10],
        metrics: metricNames.slice(from, from + 8),
      };
      const { metrics } = await data.benchmarks("all-metrics", query as never);
      for (const { you, ranks } of metrics) {
        expect(you).not.toBeNull();
        expect(ranks[0]?.p50).toBeGreaterThan(0);
      }
    }
  });
});
