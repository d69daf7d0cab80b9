import { agent, type EventStore, jsonSchema, runtime, type ToolContext, tool } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { testDatabase } from "../../../../test/support/postgres.ts";
import { migrate, postgresStore } from "../../src/index.ts";

const yes = jsonSchema<{ ok: boolean }>({ type: "object", required: ["ok"] });

/** Asks with a limit, then polls twice. */
const work = tool({
  name: "work",
  description: "Works.",
  input: z.object({}),
  execute: (_, { answered, ask, wait }: ToolContext) => {
    const times = answered?.questions ?? 0;
    if (times === 0) {
      const expires = { afterMs: 150, default: { ok: false } };
      return ask({ kind: "confirm", payload: {}, answer: yes, expires });
    }
    return times < 3 ? wait({ afterMs: 100, state: { times } }) : `polled ${times - 1} times`;
  },
});

/** A process that sweeps. */
function boot(store: EventStore) {
  const model = scriptedModel((request) =>
    request.messages.length === 1 ? { tools: [{ name: "work" }] } : { text: "Done." },
  );
  const worker = agent({ name: "worker", instructions: "Work.", tools: [work], model });
  return runtime({ agents: [worker], store, times: { leaseTtlMs: 200, pollMs: 20 } });
}

describe("runs that wait for a time, in Postgres", () => {
  it("F26 go on by the database's clock in processes that sweep, each time once", async () => {
    const database = await testDatabase();
    onTestFinished(() => database.drop());
    const db = database.pool();
    await migrate(db);
    const store = postgresStore(db);
    const first = boot(store);
    const runs = Array.from({ length: 8 }, () => first.run("worker", { userId: "u1", input: "Go" }));
    const waiting = await Promise.all(runs.map(({ result }) => result));
    for (const { stop, pending } of waiting) {
      expect(stop.type).toBe("suspended");
      expect(pending).toMatchObject([{ expires: { default: { ok: false } } }]);
    }
    await first.drain();
    const others = [boot(store), boot(store)];
    for (const pawl of others) pawl.start();
    for (const { sessionId } of waiting) {
      await expect
        .poll(async () => (await store.sessions.get(sessionId))?.openRun, { timeout: 20_000 })
        .toBeNull();
      const log = await Array.fromAsync(store.read(sessionId));
      const answers = log.filter(({ type }) => type === "tool_answered");
      expect(answers.map(({ data }) => data)).toMatchObject([
        { value: { ok: false }, expired: true },
        { value: null, expired: true, hidden: true },
        { value: null, expired: true, hidden: true },
      ]);
      expect(log.find(({ type }) => type === "tool_result")?.data).toMatchObject({
        success: true,
        result: "polled 2 times",
      });
      for (const { type, seq, at } of log) {
        const question = log.findLast((event) => event.type === "tool_suspended" && event.seq < seq);
        if (type !== "tool_answered" || question?.type !== "tool_suspended") continue;
        const waitedMs = Date.parse(at) - Date.parse(question.at);
        expect(waitedMs).toBeGreaterThanOrEqual(question.data.expires?.after_ms ?? Number.NaN);
      }
      expect(await store.sessions.get(sessionId)).toMatchObject({ wakeAt: null, pending: 0 });
    }
    await Promise.all(others.map((pawl) => pawl.drain()));
  });
});
