import { type Reply, type StrictModel, strictModel } from "@pawl/testing";
import { expect } from "vitest";
import * as z from "zod";
import { assertSoundLog } from "../../../../test/support/invariants.ts";
import { byTurn } from "../../../../test/support/world.ts";
import {
  type Agent,
  type AgentOptions,
  type AgentToolOptions,
  agent,
  agentTool,
  type EventStore,
  memoryStore,
  type RunResult,
  type Runtime,
  type RuntimeOptions,
  runtime,
  type Schema,
  type StoredEvent,
  tool,
} from "../../src/index.ts";
import { pricing } from "./pricing.ts";
import { user } from "./setup.ts";

export const sessionId = "s1";
export const task = (id: string, text = "Find out."): Reply["tools"] & object => [
  { name: "researcher", input: { task: text }, id },
];
export const ask = tool({
  name: "ask",
  description: "Asks.",
  input: z.object({ q: z.string() }),
  suspends: { answer: z.object({ text: z.string() }), kind: "question" },
});
export const asking = (q: string): Reply => ({ tools: [{ name: "ask", input: { q } }] });

export interface Family {
  caller: StrictModel;
  callee: StrictModel;
  host: Agent;
  base: EventStore;
  ran: string[];
  boot(store?: EventStore, more?: Partial<RuntimeOptions<unknown>>): Runtime;
  say(pawl?: Runtime): Promise<RunResult>;
  answer(callId: string, text: string, pawl?: Runtime): Promise<RunResult>;
  log(id?: string): Promise<StoredEvent[]>;
  check(): Promise<void>;
}

/** An agent that hands its tasks to another one. */
export function family(
  callerScript: readonly Reply[],
  calleeScript: readonly Reply[],
  options: {
    slice?: AgentToolOptions<Schema, unknown>["limits"];
    delegate?: Pick<
      AgentToolOptions<Schema<{ task: string }>, unknown>,
      "input" | "message" | "shows" | "history"
    >;
    callee?: Partial<AgentOptions<unknown>>;
    caller?: Partial<AgentOptions<unknown>>;
  } = {},
): Family {
  let time = Date.UTC(2026, 0, 1);
  const caller = strictModel({ rules: byTurn(callerScript), pricing });
  const callee = strictModel({ rules: byTurn(calleeScript), pricing });
  const ran: string[] = [];
  const look = tool({
    name: "look",
    description: "Looks.",
    input: z.object({ n: z.number() }),
    execute: ({ n }, { idempotencyKey }) => {
      ran.push(idempotencyKey);
      return n;
    },
  });
  const researcher = agent({
    name: "researcher",
    instructions: "You look things up.",
    model: callee,
    tools: [ask, look],
    ...options.callee,
  });
  const host = agent({
    name: "host",
    instructions: "You hand tasks over.",
    model: caller,
    tools: [
      agentTool({
        agent: researcher,
        description: "Looks things up.",
        limits: options.slice ?? {},
        ...options.delegate,
      }),
      ask,
    ],
    ...options.caller,
  });
  const base = memoryStore({ now: () => time });
  const boot: Family["boot"] = (store = base, more = {}) => {
    time += 60_000;
    return runtime({
      agents: [host],
      store,
      ...more,
      times: { abortGraceMs: 20, storeRetryMs: [], pollMs: 20, ...more.times },
    });
  };
  const log: Family["log"] = async (id = sessionId) => await Array.fromAsync(base.read(id));
  const first = boot();
  return {
    caller,
    callee,
    host: host as Agent,
    base,
    ran,
    boot,
    log,
    say: async (pawl = first) => {
      await base.sessions.create({ id: sessionId, userId: "u1", agent: "host" }).catch(() => undefined);
      return await pawl.run("host", { ...user, sessionId, input: "Go", clientMessageId: "m1" }).result;
    },
    answer: (callId, text, pawl = first) =>
      pawl.run("host", { ...user, sessionId, answers: [{ callId, value: { text } }] }).result,
    check: async () => {
      expect(caller.rejected).toEqual([]);
      expect(callee.rejected).toEqual([]);
      for (const { id } of await base.sessions.list({ userId: "u1" })) assertSoundLog(await log(id));
    },
  };
}

export const ofType = (log: readonly StoredEvent[], type: string) =>
  log.filter((event) => event.type === type);
