import {
  type Agent,
  agent,
  type EventStore,
  type EventType,
  memoryStore,
  type RunOptions,
  type RuntimeOptions,
  runtime,
  type StoredEvent,
  type StoredOf,
} from "@pawl/core";
import { type Reply, strictModel } from "@pawl/testing";
import { assertSoundLog } from "../../../../test/support/invariants.ts";
import { until } from "../../../../test/support/until.ts";
import { type McpServer, type McpToolsOptions, mcpTools } from "../../src/index.ts";

interface WorldOptions extends Partial<McpToolsOptions<unknown>> {
  store?: EventStore;
  agent?: object;
  runtime?: Partial<RuntimeOptions<unknown>>;
}

/** How long a server that is a process may take to start on a busy machine. */
const SLOW_START_MS = 60_000;

/** A process of its own: an agent with the tools of these servers, over this store. */
export function world(servers: readonly McpServer[], script: readonly Reply[], options: WorldOptions = {}) {
  const { store = memoryStore(), agent: ofAgent = {}, runtime: ofRuntime = {}, ...rest } = options;
  const errors: string[] = [];
  const tools = mcpTools({
    servers,
    waitMs: SLOW_START_MS,
    onError: (server, error) => errors.push(`${server}: ${error instanceof Error ? error.message : error}`),
    ...rest,
  });
  const model = strictModel({ script: [...script] });
  const made = agent({
    name: "tester",
    instructions: "You are a test.",
    model,
    tools,
    hooks: [tools.hook],
    toolsTimeoutMs: SLOW_START_MS,
    ...ofAgent,
  }) as Agent;
  const pawl = runtime({
    agents: [made],
    store,
    ...ofRuntime,
    times: { abortGraceMs: 20, storeRetryMs: [], pollMs: 10, ...ofRuntime.times },
  });
  const log = async (sessionId: string): Promise<StoredEvent[]> =>
    await Array.fromAsync(store.read(sessionId));
  return {
    pawl,
    model,
    store,
    tools,
    errors,
    log,
    say: (input: string, more: Partial<RunOptions> = {}) =>
      pawl.run("tester", { userId: "u1", input, ...more }).result,
    /** Starts a run, and does not wait for its end. */
    begin: async (input: string, more: Partial<RunOptions> = {}) => {
      const run = pawl.run("tester", { userId: "u1", input, ...more });
      run.result.catch(() => undefined);
      return await run.started;
    },
    answer: (sessionId: string, value: unknown, more: Partial<RunOptions> = {}) =>
      pawl.run("tester", {
        userId: "u1",
        sessionId,
        answers: [{ callId: "c1", value: value as never }],
        ...more,
      } as RunOptions).result,
    of: async <T extends EventType>(sessionId: string, type: T): Promise<StoredOf<T>[]> =>
      (await log(sessionId)).filter((event): event is never => event.type === type),
  };
}

export type World = ReturnType<typeof world>;

/** A script that calls one tool of the server `test`, and then says something, three times. */
export const calls = (tool: string, input: object = {}): Reply[] => [
  { tools: [{ name: `mcp__test__${tool}`, id: "c1", input: input as never }] },
  { text: "Ok." },
  { text: "Fine." },
  { text: "Good." },
];

/** The only result of a session, of a log that is sound. */
export async function resultOf(one: World, sessionId: string): Promise<StoredOf<"tool_result">["data"]> {
  const events = await one.log(sessionId);
  assertSoundLog(events);
  if (one.model.rejected.length > 0) throw new Error(JSON.stringify(one.model.rejected));
  const [result] = await one.of(sessionId, "tool_result");
  if (result === undefined) throw new Error(`No result: ${events.map(({ type }) => type)}`);
  return result.data;
}

export const text = (said: string) => ({ content: [{ type: "text" as const, text: said }] });

/** Waits until the run has ended or asks the user. Returns the user's question. */
export async function settle(one: World, sessionId: string) {
  const view = async () => await one.pawl.view(sessionId, { userId: "u1" });
  await until(async () => {
    const { pending, run } = await view();
    return pending.length > 0 || run?.stop !== undefined;
  });
  return (await view()).pending[0];
}

/** Waits until a call of the session waits for its task, for the n-th time. Returns what is stored of it. */
export async function parked(one: World, sessionId: string, nth = 1) {
  const waits = async () => (await one.of(sessionId, "tool_suspended")).filter(({ data }) => data.hidden);
  await until(async () => (await waits()).length >= nth);
  return (await waits())[nth - 1]?.data.state as { task: { id: string }; failures: number };
}

/** Lets a process pick up runs that no other works on, as `runtime.start()` does, until the run has ended. */
export async function sweepUntil(one: World, sessionId: string) {
  await until(async () => {
    await one.pawl.sweep();
    return (await one.of(sessionId, "run_ended")).length > 0;
  });
}
