import { expect, it } from "vitest";
import * as z from "zod";
import { pause } from "../../../../../test/support/pause.ts";
import { settled } from "../../../../../test/support/settled.ts";
import { agentTool, type Hook, memoryStore, runtime, type Tool, tool } from "../../../src/index.ts";
import { OWNER } from "../../support/every-append.ts";
import { askTool, caller, create, flowTool, run, worker } from "../../support/flows.ts";
import { until } from "../../support/setup.ts";

it("F35 H2 a question of a task does not reach another hook after its own hook took too long", async () => {
  const opened = Promise.withResolvers<void>();
  const store = memoryStore();
  const asks = { tools: [{ name: "ask", input: { q: "?" } }] };
  const late = tool({
    name: "late",
    description: "Waits.",
    input: z.object({}),
    execute: async () => {
      await opened.promise;
      return "Now.";
    },
  });
  const helper = worker(
    "helper",
    (text) => (text.includes("tool_result") ? asks : { tools: [{ name: "late", input: {} }] }),
    { tools: [askTool, late] },
  );
  const slow: Hook = {
    name: "slow",
    timeoutMs: 20,
    beforeTurn: async (_plan, { runAgent }) => void (await runAgent(helper, "go", { key: "k" })),
    onError: async () => {
      opened.resolve();
      await until(async () => {
        const sessions = await store.sessions.list({ userId: "u" });
        return sessions.some(({ status, pending }) => status === "suspended" && pending === 1);
      });
      await settled();
    },
  };
  const stops: string[] = [];
  const spy: Hook = { name: "spy", onStop: async ({ type }) => void stops.push(type) };
  const { stop } = await run(
    caller(
      flowTool(() => "never"),
      { hooks: [slow, spy] },
    ) as never,
    store,
  );
  expect([stop.type, stops]).toEqual(["error", ["error"]]);
  const log = await Array.fromAsync(store.read("s"));
  const errors = log.flatMap(({ type, data }) => (type === "error" ? [[data.code, data.message]] : []));
  expect(errors).toEqual([["hook_failed", expect.stringContaining("20 ms")]]);
  expect(log.filter(({ type }) => type === "tool_suspended" || type === "run_suspended")).toEqual([]);
  for (const { openRun } of await store.sessions.list({ userId: "u" })) expect(openRun).toBe(null);
});

it("F35 T8 a tool whose `timeoutMs` is over stops its task, which is charged", async () => {
  const slow = worker("slow", () => ({ text: "Never read to its end.", latencyMs: 60_000 }));
  const flow = flowTool(async (_, { runAgent }) => (await runAgent(slow, "go", { key: "k" })).text, {
    timeoutMs: 200,
  });
  const store = memoryStore();
  const isStopped = async () => {
    const sessions = await store.sessions.list({ userId: "u" });
    return sessions.every(({ id, openRun }) => id === "s" || openRun === null);
  };
  // While the run is still open: its end would stop the task, too.
  const waits: Hook = {
    name: "waits",
    beforeModel: async (_, { run: { turns } }): Promise<undefined> => {
      if (turns > 0) await until(isStopped);
    },
  };
  const { actions, stop } = await run(caller(flow, { hooks: [waits] }) as never, store);
  expect([actions[0]?.success, stop.type]).toEqual([false, "end_turn"]);
  const log = await Array.fromAsync(store.read("s"));
  expect(log.some(({ type, data }) => type === "spending" && data.task_over === true)).toBe(true);
  for (const { openRun } of await store.sessions.list({ userId: "u" })) expect(openRun).toBe(null);
});

/** A tool of a sub-agent that works on for a while after its signal. */
const GRACE_MS = 200;
const begun = { now: () => {} };
const stubborn = tool({
  name: "stubborn",
  description: "Stops late.",
  input: z.object({}),
  execute: async (_input, { signal }) => {
    begun.now();
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    await pause(0.6 * GRACE_MS, "the tool needs most of its grace period");
    return "Stopped in time.";
  },
});
/** A sub-agent whose model needs the rest of the time: the work ends after 1.2 grace periods. */
const working = () =>
  worker("working", () => ({ tools: [{ name: "stubborn", input: {} }] }), {
    tools: [stubborn],
    hooks: [
      {
        name: "slow end",
        onStop: async () => pause(0.6 * GRACE_MS, "the work takes longer than one grace period"),
      },
    ],
  });

it.each<[string, () => Tool]>([
  [
    "runAgent()",
    () => flowTool(async (_, { runAgent }) => (await runAgent(working(), "go", { key: "k" })).stop.type),
  ],
  [
    "agentTool()",
    () =>
      agentTool({
        agent: working(),
        name: "flow",
        description: "x",
        input: z.object({}),
        message: () => "go",
      }),
  ],
])("F35 L9 a stopped call that waits for an agent gets its grace period, too: %s", async (_case, made) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  begun.now = resolve;
  const store = memoryStore();
  await create(store);
  const times = { storeRetryMs: [], pollMs: 20, abortGraceMs: GRACE_MS };
  const pawl = runtime({ agents: [caller(made())], store, times });
  const handle = pawl.run("caller", { ...OWNER, input: "go" });
  await promise;
  await pawl.stop("s", { userId: "u" });
  const { actions, stop } = await handle.result;
  expect(stop.type).toBe("aborted");
  expect(JSON.stringify(actions[0]?.result)).not.toContain("unknown");
});
