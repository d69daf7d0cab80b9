import { type EventStore, type RunResult, runtime, type StoredEvent } from "@pawl/core";
import { newRecord, type RunRecord, recordOf, recordTexts, withEvent } from "@pawl/planning";
import { type ParsedRequest, type StrictModel, strictModel } from "@pawl/testing";
import { expect } from "vitest";
import {
  COMPANY_NOW,
  type CompanySearch,
  SEARCH_AGENT,
  type SearchAgentOptions,
  type SearchDeps,
  searchAgent,
  searchRules,
} from "../../src/index.ts";
import { chen, rivera } from "./agent-world.ts";

/** A search that answers from memory what it was asked before, and counts what it is asked. */
export function remembering(search: CompanySearch) {
  const known = new Map<string, unknown>();
  const asked: string[] = [];
  const once = <Given extends unknown[], Found>(name: string, ask: (...given: Given) => Promise<Found>) =>
    (async (...given: Given) => {
      const key = JSON.stringify([name, given]);
      asked.push(key);
      if (!known.has(key)) known.set(key, await ask(...given));
      return known.get(key) as Found;
    }) as (...given: Given) => Promise<Found>;
  const remembered: CompanySearch = {
    search: once("search", search.search),
    open: once("open", search.open),
    people: once("people", search.people),
  };
  return { search: remembered, asked };
}

/** A process that tells the story of the two Alexes. Its models are pure functions of what they are asked. */
export function storyProcess(
  store: EventStore,
  search: CompanySearch,
  options: Partial<SearchAgentOptions> = {},
) {
  const rules = searchRules({ speed: Number.POSITIVE_INFINITY });
  const [model, planner] = [strictModel({ rules }), strictModel({ rules })];
  const pawl = runtime<SearchDeps>({
    agents: [searchAgent({ model, planner, now: () => COMPANY_NOW, onError: () => {}, ...options })],
    store,
    deps: () => ({ search }),
    times: { storeRetryMs: [], abortGraceMs: 20, leaseTtlMs: 1_000 },
  });
  const tell = async (): Promise<RunResult> => {
    const [session] = await store.sessions.list({ userId: chen.email });
    await pawl.sweep();
    const user = { userId: chen.email, caller: { ...chen }, ...(session && { sessionId: session.id }) };
    const message = { ...user, input: "What does Alex say about Q4?", clientMessageId: "m1" };
    const asked = await pawl.run(SEARCH_AGENT, message).result;
    if (asked.stop.type !== "suspended") return asked;
    const answers = asked.pending.map(({ callId }) => ({ callId, value: { choice: rivera.email } }));
    return await pawl.run(SEARCH_AGENT, { ...user, sessionId: asked.sessionId, answers }).result;
  };
  return { model, planner, tell };
}

/** The log of the story's session. */
export async function logOf(store: EventStore): Promise<StoredEvent[]> {
  const sessions = await store.sessions.list({ userId: chen.email });
  expect(sessions).toHaveLength(1);
  return await Array.fromAsync(store.read(sessions[0]?.id ?? ""));
}

/** The requests as texts, without what differs between two tellings: ids of calls, times and cache marks. */
export function saidTo(...models: StrictModel[]): string[] {
  return models.flatMap(({ requests }) => requests.map((request) => timeless(request)));
}

function timeless({ system, messages, tools }: ParsedRequest): string {
  const names = new Map<string, string>();
  return JSON.stringify({ system, messages, tools: tools?.map(({ name }) => name) })
    .replaceAll(/toolu_\w+/g, (id) => {
      names.set(id, names.get(id) ?? `call ${names.size + 1}`);
      return names.get(id) as string;
    })
    .replaceAll(/,"cache_control":\{[^}]*\}/g, "")
    .replaceAll(/\b\d+ ms\b/g, "N ms");
}

/** What must be the same after a crash: the record without times, ids of calls and numbers of events. */
export function told(record: RunRecord): unknown {
  const { plan, planned, calls, clarifications, reviews, fragments, messages, stop, strikes, docs } = record;
  return {
    ...{ plan, fragments, strikes, docs, stop: stop?.type, plans: planned?.count },
    messages: messages.map(({ text }) => text),
    calls: calls.map(({ callId: _, startedAt: __, durationMs: ___, seq: ____, ...call }) => call),
    clarifications: clarifications.map(({ call_id: _, seq: __, ...one }) => one),
    reviews: reviews.map(({ turn: _, seq: __, ...one }) => one),
  };
}

const TAGS = ["Plan", "Clarifications", "ToolCallHistory", "Review"] as const;

/** What a prompt says in the tags of the record: the last `<Plan>`, and all lines of the others. */
export function saidIn(request: ParsedRequest): Record<string, string> {
  const text = request.messages
    .flatMap(({ content }) =>
      typeof content === "string" ? [content] : content.map((block) => String(block.text ?? "")),
    )
    .join("\n");
  return Object.fromEntries(
    TAGS.map((tag) => {
      const found = [...text.matchAll(new RegExp(`<${tag}>\\n([\\s\\S]*?)\\n</${tag}>`, "g"))].map(
        ([, said]) => said,
      );
      const lines = found.filter((said) => said !== "(none yet)");
      return [tag, (tag === "Plan" ? lines.at(-1) : lines.join("\n")) ?? ""];
    }),
  );
}

/**
 * Compares each request of the agent's model with the record that is folded from the log alone, up to the
 * event that the request covers. Returns the number of requests.
 */
export function expectPromptsEqualRecord(
  log: readonly StoredEvent[],
  requests: readonly ParsedRequest[],
): number {
  const known = log.flatMap((event) => {
    if (event.type !== "llm_request") return [];
    const { Plan, ...texts } = recordTexts(
      recordOf(log.filter(({ seq }) => seq <= event.data.prompt.upto_seq)),
    );
    return [JSON.stringify({ Plan: Plan === "" ? "There is no plan for this request." : Plan, ...texts })];
  });
  for (const request of requests) expect(known).toContain(JSON.stringify(saidIn(request)));
  return requests.length;
}

/** Compares what the planner and the reviewer were told with the record at some event of the log. */
export function expectPlannerKnowsRecord(
  log: readonly StoredEvent[],
  requests: readonly ParsedRequest[],
): void {
  let record = newRecord("");
  const known = new Set<string>();
  const textOf = ({ Plan, Clarifications, ToolCallHistory }: Record<string, string>) =>
    JSON.stringify([Plan, Clarifications, ToolCallHistory]);
  for (const event of log) {
    record = withEvent(record, event);
    known.add(textOf(recordTexts(record)));
  }
  for (const request of requests) expect([...known]).toContain(textOf(saidIn(request)));
}
