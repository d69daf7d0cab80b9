import {
  type Agent,
  agent,
  type EventStore,
  type EventType,
  memoryStore,
  type RunOptions,
  runtime,
  type StoredEvent,
  type StoredOf,
} from "@pawl/core";
import { type Reply, strictModel } from "@pawl/testing";
import { assertSoundLog } from "../../../../test/support/invariants.ts";
import { type McpServer, type McpToolsOptions, mcpTools } from "../../src/index.ts";

interface WorldOptions extends Partial<McpToolsOptions<unknown>> {
  store?: EventStore;
  agent?: object;
  runtime?: object;
}

/** A process of its own: an agent with the tools of these servers, over this store. */
export function world(servers: readonly McpServer[], script: readonly Reply[], options: WorldOptions = {}) {
  const { store = memoryStore(), agent: ofAgent = {}, runtime: ofRuntime = {}, ...rest } = options;
  const errors: string[] = [];
  const tools = mcpTools({
    servers,
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
    ...ofAgent,
  }) as Agent;
  const pawl = runtime({
    agents: [made],
    store,
    abortGraceMs: 20,
    storeRetryMs: [],
    pollMs: 10,
    ...ofRuntime,
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
  for (;;) {
    const { pending } = await one.pawl.view(sessionId, { userId: "u1" });
    const [question] = pending;
    if (question === undefined || question.kind !== "mcp.task") return question;
    await new Promise((resolve) => setTimeout(resolve, 250));
    await one.answer(sessionId, null);
  }
}
