import { type Reply, type ScriptedModel, scriptedModel } from "@pawl/testing";
import * as z from "zod";
import {
  type Agent,
  agent,
  deciding,
  type EventStore,
  memoryStore,
  type RunResult,
  runtime,
  type Tool,
  tool,
} from "../../src/index.ts";
import { OWNER } from "./every-append.ts";
import { pricing } from "./pricing.ts";

export const usage = { input_tokens: 100, output_tokens: 10 };

/** An agent that answers each message in one turn, and counts them. */
export function worker(
  name: string,
  replies: (text: string) => Reply,
  more: object = {},
): Agent & { model: ScriptedModel } {
  const model = scriptedModel(({ messages }) => ({ usage, ...replies(JSON.stringify(messages)) }), {
    pricing,
  });
  return agent({ name, model, instructions: name, ...more }) as unknown as Agent & { model: ScriptedModel };
}

export const askTool = tool({
  name: "ask",
  description: "Asks.",
  input: z.object({ q: z.string() }),
  suspends: { answer: z.string(), kind: "question" },
});

/** Asks the user once, and then says what the answer was. */
export const asker = (name: string) =>
  worker(
    name,
    (text) =>
      text.includes("tool_result")
        ? { text: `${name}: ${/"content":"(\w+)"/.exec(text)?.[1]}` }
        : { tools: [{ name: "ask", input: { q: name } }] },
    { tools: [askTool] },
  );

/** A tool whose `execute` is a flow. */
export const flowTool = (execute: Tool["execute"] & object, more: object = {}) =>
  tool({
    name: "flow",
    description: "A flow.",
    input: z.object({}),
    idempotent: true,
    execute: execute as never,
    ...more,
  });

/** An agent that calls the tool `flow` once, and says its result. */
export const caller = (flow: Tool, more: object = {}) =>
  agent({
    name: "caller",
    model: deciding((results) =>
      results.length === 0 ? { call: "flow" } : JSON.stringify(results[0]?.result),
    ),
    instructions: "Code decides.",
    tools: [flow],
    ...more,
  });

export const boot = (made: () => Agent) => (store: EventStore) =>
  runtime({
    agents: [made()],
    store,
    onError: () => undefined,
    times: { storeRetryMs: [], pollMs: 20, abortGraceMs: 20 },
  });

export const create = (store: EventStore) =>
  store.sessions.create({ id: OWNER.sessionId, userId: OWNER.userId, agent: "caller" });

export async function run(
  made: Agent,
  store: EventStore = memoryStore(),
  answer?: (kind: string) => unknown,
): Promise<RunResult> {
  await create(store);
  const pawl = boot(() => made)(store);
  let result = await pawl.run(made.name, { ...OWNER, input: "go" }).result;
  while (result.stop.type === "suspended" && answer !== undefined) {
    const answers = result.pending.map(({ callId, kind }) => ({ callId, value: answer(kind) as never }));
    result = await pawl.run(made.name, { ...OWNER, answers }).result;
  }
  return result as RunResult;
}
