import {
  type AgentOptions,
  agent,
  type EventStore,
  type JsonObject,
  memoryStore,
  type RunOptions,
  type RunResult,
  type Runtime,
  type RuntimeOptions,
  runtime,
  type StoredEvent,
  type Tool,
  tool,
} from "@pawl/core";
import {
  type Reply,
  type Script,
  type ScriptedModel,
  type StrictModel,
  scriptedModel,
  strictModel,
} from "@pawl/testing";
import { expect } from "vitest";
import * as z from "zod";
import { type PlanningOptions, planning, type RunRecord, recordOf } from "../../src/index.ts";

/** What searches were asked, in order. */
export type Searched = string[];

/** Two searches, one of which a test may let fail, and a summary that waits for both. */
export function searches(searched: Searched = [], fails: (tool: string) => boolean = () => false): Tool[] {
  const search = (name: string, connector: string) =>
    tool({
      name,
      description: `Searches ${connector}.`,
      input: z.object({ query: z.string() }),
      idempotent: true,
      repeatable: false,
      execute: ({ query }, { report }) => {
        searched.push(`${name}: ${query}`);
        report({ connector, costUsd: 0.002, fragments: [`${connector}-1`], summary: `1 hit for ${query}` });
        if (fails(name)) throw Object.assign(new Error(`${connector} is down.`), { code: "ECONNREFUSED" });
        return `${connector}: ${query} is fine.`;
      },
    });
  const summarize = tool({
    name: "summarize",
    description: "Summarises.",
    input: z.object({}),
    dependsOn: ["search_gmail", "search_slack"],
    execute: () => "All is fine.",
  });
  return [search("search_gmail", "gmail"), search("search_slack", "slack"), summarize];
}

/** An answer of the planner's model. */
export function plans(draft: JsonObject = {}): Reply {
  return { tools: [{ name: "write_plan", input: { ...q4, ...draft } }] };
}

/** A plan of two searches and a summary of both. */
export const q4 = {
  goal: "Find what Alex says about Q4",
  status: "ok",
  tasks: [
    { id: "mail", title: "Search the mail", tool: "search_gmail" },
    { id: "chat", title: "Search the chat", tool: "search_slack" },
    { id: "sum", title: "Summarise", depends_on: ["mail", "chat"] },
  ],
} satisfies JsonObject;

/** An answer of the reviewer's model. */
export function reviews(decision: JsonObject): Reply {
  const input = { notes: "", tasks: null, order: null, question: null, stop: null, ...decision };
  return { tools: [{ name: "review", input }] };
}

export interface World {
  pawl: Runtime;
  /** The agent's model. */
  model: StrictModel;
  /** The planner's model. */
  small: ScriptedModel;
  store: EventStore;
  errors: unknown[];
  searched: Searched;
  say(input: string, options?: Partial<RunOptions>): Promise<RunResult>;
  answer(result: RunResult, value: JsonObject): Promise<RunResult>;
  log(sessionId: string): Promise<StoredEvent[]>;
  of(sessionId: string, type: string): Promise<JsonObject[]>;
  record(sessionId: string): Promise<RunRecord>;
}

/**
 * An agent with the searches and planning. `small` is what the planner's model answers, `main` what the agent's
 * does: a list, or a function of the number of its answers in the request.
 */
export function worldOf(
  { small: script, main }: { small: Script; main: readonly Reply[] | ((answers: number) => Reply) },
  options: Partial<PlanningOptions> = {},
  {
    fails,
    agent: more = {},
    ...rest
  }: Partial<RuntimeOptions<unknown>> & {
    fails?: (tool: string) => boolean;
    agent?: Partial<AgentOptions<unknown>> & { moreTools?: Tool[] };
  } = {},
): World {
  const small = scriptedModel(script, { id: "small", forcedToolChoice: true });
  const model = strictModel(
    typeof main === "function"
      ? { rules: ({ messages }) => main(messages.filter(({ role }) => role === "assistant").length) }
      : { script: main },
  );
  const errors: unknown[] = [];
  const searched: Searched = [];
  const store = rest.store ?? memoryStore();
  const { hook, tools } = planning({
    model: small,
    review: false,
    onError: (error) => errors.push(error),
    ...options,
  });
  const { moreTools = [], ...agentOptions } = more;
  const made = agent({
    ...{ name: "searcher", instructions: "You search. Follow <Plan>." },
    ...agentOptions,
    model,
    tools: [...searches(searched, fails), ...moreTools, ...tools],
    hooks: [hook, ...(agentOptions.hooks ?? [])],
  });
  const pawl = runtime({
    agents: [made],
    ...rest,
    times: { storeRetryMs: [], abortGraceMs: 20, ...rest.times },
    store,
  });
  const log = async (sessionId: string) => await Array.fromAsync(store.read(sessionId));
  const checked = async (run: Promise<RunResult>) => {
    const result = await run;
    expect(model.rejected).toEqual([]);
    return result;
  };
  return {
    ...{ pawl, model, small, store, errors, searched, log },
    say: (input, given = {}) => checked(pawl.run("searcher", { userId: "u1", input, ...given }).result),
    answer: ({ sessionId, pending }, value) => {
      const answers = [{ callId: pending[0]?.callId ?? "", value }];
      return checked(pawl.run("searcher", { userId: "u1", sessionId, answers }).result);
    },
    of: async (sessionId, type) =>
      (await log(sessionId)).flatMap((event) => (event.type === type ? [event.data as JsonObject] : [])),
    record: async (sessionId) => recordOf(await log(sessionId)),
  };
}

/** Calls of both searches in one turn, then an answer. */
export const searchBoth: readonly Reply[] = [
  {
    tools: [
      { name: "search_gmail", input: { query: "Q4" } },
      { name: "search_slack", input: { query: "Q4" } },
    ],
  },
  { text: "Alex is optimistic." },
];
