import { type JsonObject, memoryStore, type RunResult, runtime, type StoredEvent } from "@pawl/core";
import { type RunRecord, recordOf } from "@pawl/planning";
import {
  type ParsedRequest,
  type Reply,
  type Script,
  type ScriptedModel,
  type StrictModel,
  scriptedModel,
  strictModel,
} from "@pawl/testing";
import { expect } from "vitest";
import {
  type Caller,
  COMPANY_NOW,
  type CompanySearch,
  SEARCH_AGENT,
  type SearchAgentOptions,
  type SearchDeps,
  searchAgent,
} from "../../src/index.ts";

export const chen = { workspaceId: "harborline", email: "alex.chen@harborline.example" };
export const rivera = { workspaceId: "harborline", email: "alex.rivera@harborline.example" };

/** A plan of two searches and a summary of both. */
export const tasks: [JsonObject, JsonObject, JsonObject] = [
  { id: "mail", title: "Search the mail", tool: "search_gmail" },
  { id: "chat", title: "Search the chat", tool: "search_slack" },
  { id: "sum", title: "Summarise", depends_on: ["mail", "chat"] },
];

/** An answer of the planner's model. */
export const plans = (draft: JsonObject = {}): Reply => ({
  tools: [
    { name: "write_plan", input: { goal: "Find what Alex says about Q4", status: "ok", tasks, ...draft } },
  ],
});

/** An answer of the reviewer's model. */
export const reviews = (decision: JsonObject): Reply => ({
  tools: [
    {
      name: "review",
      input: { notes: "", tasks: null, order: null, question: null, stop: null, ...decision },
    },
  ],
});

/** A planner that always has the plan, and a reviewer that lets the work go on. */
export const planner: Script = ({ toolChoice }) =>
  toolChoice?.type === "tool" && toolChoice.name === "review" ? reviews({ notes: "Go on." }) : plans();

/** A turn of calls, each `[tool, input]`. */
export const calls = (...made: readonly (readonly [string, JsonObject])[]): Reply => ({
  tools: made.map(([name, input]) => ({ name, input })),
});

/** The ids of documents in the results that a request has. */
export function idsIn({ messages }: ParsedRequest): string[] {
  const found = JSON.stringify(messages).matchAll(/\\"id\\":\\"((?:gmail|slack|drive|calendar)-[\w-]+)/g);
  return [...new Set([...found].map(([, id]) => id as string))];
}

export interface AgentWorld {
  model: StrictModel;
  planner: ScriptedModel;
  /** Begins a session. */
  say(input: string, caller?: Caller, params?: JsonObject): Promise<RunResult>;
  answer(result: RunResult, value: JsonObject, caller?: Caller): Promise<RunResult>;
  log(sessionId: string): Promise<StoredEvent[]>;
  /** The data of events of a type. */
  of(sessionId: string, type: string): Promise<JsonObject[]>;
  record(sessionId: string): Promise<RunRecord>;
  /** The events of all sessions, those of sub-agents too, and all requests to the models, as text. */
  everything(): Promise<string>;
}

/** The agent over a search. `main` is what its model answers, by the number of its answers in the request. */
export function agentWorld(
  search: CompanySearch,
  small: Script,
  main: (answers: number, request: ParsedRequest) => Reply,
  options: Partial<SearchAgentOptions> = {},
): AgentWorld {
  const smallModel = scriptedModel(small, { id: "small", forcedToolChoice: true });
  const model = strictModel({
    rules: (request) => main(request.messages.filter(({ role }) => role === "assistant").length, request),
  });
  const store = memoryStore();
  const pawl = runtime<SearchDeps>({
    agents: [searchAgent({ model, planner: smallModel, now: () => COMPANY_NOW, ...options })],
    store,
    deps: () => ({ search }),
    times: { abortGraceMs: 20 },
  });
  const log = async (sessionId: string) => await Array.fromAsync(store.read(sessionId));
  const checked = async (run: Promise<RunResult>) => {
    const result = await run;
    expect(model.rejected).toEqual([]);
    return result;
  };
  const seen = new Set<string>();
  return {
    ...{ model, planner: smallModel, log },
    say: async (input, caller = chen, params = {}) => {
      const run = pawl.run(SEARCH_AGENT, { userId: caller.email, input, caller: { ...caller }, params });
      const result = await checked(run.result);
      seen.add(result.sessionId);
      return result;
    },
    answer: ({ sessionId, pending }, value, caller = chen) => {
      const answers = [{ callId: pending[0]?.callId ?? "", value }];
      const given = { userId: caller.email, sessionId, answers, caller: { ...caller } };
      return checked(pawl.run(SEARCH_AGENT, given).result);
    },
    of: async (sessionId, type) =>
      (await log(sessionId)).flatMap((event) => (event.type === type ? [event.data as JsonObject] : [])),
    record: async (sessionId) => recordOf(await log(sessionId)),
    everything: async () => {
      const logs = await Promise.all(
        [...seen].map(async (id) => {
          const own = await log(id);
          const tasks = own.flatMap(({ type, data }) =>
            type === "tool_call" ? [`${id}:${(data as { call_id: string }).call_id}`] : [],
          );
          return [own, await Promise.all(tasks.map(log))];
        }),
      );
      return JSON.stringify([logs, model.requests, smallModel.requests]);
    },
  };
}
