import {
  agent,
  approval,
  type ContentBlock,
  type Json,
  jsonSchema,
  memoryStore,
  readShown,
  runtime,
  type SessionEvent,
  type StoredEvent,
  type StoredOf,
  type ToolContext,
  tool,
  withRetry,
} from "@pawl/core";
import { newView, reduceView } from "@pawl/core/view";
import { type Reply, scriptedModel } from "@pawl/testing";
import fc from "fast-check";
import { newFacts, noteFacts } from "../../src/dialects/base/facts.ts";
import type { EncoderContext } from "../../src/index.ts";
import { publicEvent } from "../../src/session/public-event.ts";
import { confirm } from "./served.ts";

const CALLS = ["look", "broken", "confirm", "gated", "page"] as const;

interface Turn {
  thinking: string;
  text: string;
  calls: readonly (typeof CALLS)[number][];
  /** Attempts that fail before it, each with the text that it gets to say. */
  fails: readonly string[];
}

const words = fc.string({
  unit: fc.constantFrom("a", "ß", "🦊", " ", "\n", "\u2028", '"', "\\"),
  maxLength: 8,
});

/** A conversation of a few turns, what its user answers, and how its text comes in. */
export const conversation: fc.Arbitrary<Conversation> = fc.record({
  turns: fc.array(
    fc.record<Turn>({
      thinking: words,
      text: words,
      calls: fc.array(fc.constantFrom(...CALLS), { minLength: 1, maxLength: 3 }),
      fails: fc.array(words, { maxLength: 2 }),
    }),
    { maxLength: 3 },
  ),
  last: fc.string({ minLength: 1, maxLength: 8 }).filter((text) => text.trim() !== ""),
  answers: fc.array(fc.boolean(), { minLength: 1, maxLength: 6 }),
  /** Answers come one at a time. */
  oneByOne: fc.boolean(),
  crashes: fc.boolean(),
  /** The last answer has searched the web, and cites what it found. */
  cites: fc.boolean(),
  cuts: fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 20 }),
});

export interface Conversation {
  turns: readonly Turn[];
  last: string;
  answers: readonly boolean[];
  oneByOne: boolean;
  /** The process dies in the middle of the first answer. */
  crashes: boolean;
  cites: boolean;
  cuts: readonly number[];
}

/** A run that was made, and the legs that its client saw: where each begins. */
export interface MadeRun {
  stored: StoredEvent[];
  legs: { runId: string; afterSeq: number; upto: number }[];
}

const input = jsonSchema<{ n?: number }>({ type: "object" });
const tools = [
  confirm,
  tool({
    name: "look",
    description: "x",
    input,
    status: { start: "Looking" },
    execute: ({ n = 0 }, { report, createArtifact }: ToolContext) => {
      const guide = { id: `doc-${n % 2}`, title: "A guide" };
      report({ sources: [guide, { id: "web", title: "The web", url: "https://example.com/w" }] });
      if (n % 2 === 0) createArtifact({ type: "plan", title: `Plan ${n}`, payload: { n } });
      return { n };
    },
  }),
  tool({ name: "page", description: "x", input, runsIn: "client", output: jsonSchema({}) }),
  tool({ name: "gated", description: "x", input, execute: () => "went through" }),
  tool({
    name: "broken",
    description: "x",
    input,
    execute: () => {
      throw new Error("SECRET");
    },
  }),
];

/** An answer that has searched the web, and cites a page, a guide and a file. */
function cited(text: string): ContentBlock[] {
  const page = { url: "https://example.com/a", title: "A" };
  const cites = (fields: object) => ({ cited_text: "words", encrypted_index: "SECRET", ...fields });
  return [
    { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} },
    {
      type: "web_search_tool_result",
      tool_use_id: "srvtoolu_1",
      content: [
        { type: "web_search_result", ...page, encrypted_content: "SECRET" },
        { type: "web_search_result", url: "https://example.com/b", title: "B", encrypted_content: "SECRET" },
      ],
    },
    {
      type: "text",
      text: `${text} `,
      citations: [cites(page), cites({ source: "doc-1", title: "A guide" })],
    },
    { type: "text", text, citations: [cites({ document_title: "a.pdf", start_page_number: 2 })] },
  ];
}

/** Has the conversation with a real agent over a real log. */
export async function converse({
  turns,
  last,
  answers,
  oneByOne,
  crashes,
  cites,
}: Conversation): Promise<MadeRun> {
  let id = 0;
  const replies: Reply[] = turns.flatMap(({ thinking, text, calls, fails }) => [
    ...fails.map((lost) => ({ text: `lost ${lost}`, fault: { midStream: "overloaded", afterEvents: 4 } })),
    {
      ...(thinking !== "" && { thinking }),
      ...(text.trim() !== "" && { text }),
      tools: calls.map((name) => ({ id: `c${id++}`, name, input: { n: id } as Json })),
    },
  ]);
  const model = withRetry(scriptedModel([...replies, cites ? { content: cited(last) } : { text: last }]), {
    sleep: async () => undefined,
    retries: 3,
  });
  const hooks = [approval({ when: ["gated"] })];
  const made = agent({ name: "coach", model, instructions: "x", tools, hooks, maxTokens: 100 });
  const store = memoryStore();
  const pawl = runtime({ agents: [made], store, times: { pollMs: 10 } });
  const legs: MadeRun["legs"] = [];
  const go = async (options: Parameters<typeof pawl.run>[1]) => {
    const run = pawl.run("coach", options);
    const { runId, afterSeq, sessionId } = await run.started;
    const result = await run.result;
    legs.push({ runId, afterSeq, upto: (await store.sessions.get(sessionId))?.lastSeq ?? 0 });
    return result;
  };
  let result = await go({ userId: "ada", input: "Hi", clientMessageId: "m1" });
  for (let at = 0; result.pending.length > 0; at += 1) {
    const yes = answers[at % answers.length] ?? true;
    const value = (kind: string): Json => (kind === "approval" ? { approved: yes } : { yes });
    const asked = oneByOne ? result.pending.slice(0, 1) : result.pending;
    const said = asked.map(({ callId, kind }) => ({ callId, value: value(kind) }));
    result = await go({ userId: "ada", sessionId: result.sessionId, answers: said });
  }
  const stored = await Array.fromAsync(readShown(store, result.sessionId));
  const run = { stored: stored.map((event) => publicEvent(event)), legs };
  return crashes ? crashed(run) : run;
}

/** The log as it is where another process has found the first answer unfinished and asked for it again. */
function crashed({ stored, legs }: MadeRun): MadeRun {
  const asked = stored.find(({ type }) => type === "llm_request");
  if (asked?.type !== "llm_request") return { stored, legs };
  const { seq } = asked;
  const later = (place: number) => (place > seq ? place + 2 : place);
  const recovered: StoredEvent = { ...asked, type: "run_recovered", data: { run_id: "" }, seq: seq + 1 };
  const after = stored.slice(seq).map((event): StoredEvent => {
    const moved = { ...event, seq: event.seq + 2 } as StoredEvent;
    if (moved.type !== "assistant_message" || moved.data.attempt < seq) return moved;
    return { ...moved, data: { ...moved.data, attempt: moved.data.attempt + 2 } };
  });
  return {
    stored: [...stored.slice(0, seq), recovered, { ...asked, seq: seq + 2 }, ...after],
    legs: legs.map((leg) => ({ ...leg, afterSeq: later(leg.afterSeq), upto: later(leg.upto) })),
  };
}

/** The session as people see it, up to an event. */
export function upTo(stored: readonly StoredEvent[], seq: number): Pick<EncoderContext, "before" | "facts"> {
  const facts = newFacts();
  let before = newView();
  for (const event of stored) {
    if (event.seq > seq) break;
    before = reduceView(before, event);
    noteFacts(facts, event, before);
  }
  return { before, facts };
}

/** What an encoder knows where a leg begins. */
export function contextOf(
  { stored }: MadeRun,
  { runId, afterSeq }: { runId: string; afterSeq: number },
): EncoderContext {
  const { before, facts } = upTo(stored, afterSeq);
  return {
    agent: "coach",
    sessionId: "s",
    threadId: "t",
    runId,
    mode: null,
    before,
    facts,
    isAnswered: () => false,
    cursor: 0,
  };
}

/**
 * The events as a reader gets them who is there all the time: pieces of text first, some twice, some never, some void.
 * Up to `from`, the reader was not there.
 */
export function asTheyCome(
  stored: readonly StoredEvent[],
  cuts: readonly number[],
  from = 0,
): SessionEvent[] {
  let at = 0;
  const chance = () => cuts[at++ % cuts.length] ?? 0;
  return stored.flatMap((event, place): SessionEvent[] => {
    if (event.type === "tool_started") return [event, ofAnAgent(event)];
    if (event.type !== "llm_request") return [event];
    const next = stored
      .slice(place + 1)
      .find(({ type }) => type === "assistant_message" || type === "llm_request");
    if (next !== undefined && next.seq <= from) return [event];
    const answer =
      next?.type === "assistant_message" ? next.data.content : [{ type: "text", text: "lost text" }];
    const deltas = answer.flatMap((block, index): SessionEvent[] => {
      const kind = block.type === "text" ? "text" : block.type === "thinking" ? "thinking" : undefined;
      if (kind === undefined) return [];
      const whole = String(block[kind]);
      const said = chance() === 9 ? `${whole.slice(0, 2)}otherwise` : whole;
      return pieces(said, chance).map(({ offset, text }) => ({
        type: `${kind}_delta` as const,
        data: { attempt: event.seq, index, offset, text },
      }));
    });
    return [event, ...deltas];
  });
}

/** What an agent below says while it works for a call: nothing of the caller's own, though it counts as if it were. */
function ofAnAgent({ seq, sessionId, data }: StoredOf<"tool_started">): SessionEvent {
  const { call_id, tool_name } = data;
  const at = { tool_name, call_id, agent: "below", session_id: `${sessionId}:${call_id}` };
  return { type: "agent_delta", data: { attempt: seq, index: 0, offset: 0, text: "SECRET", ...at } };
}

function pieces(text: string, chance: () => number): { offset: number; text: string }[] {
  const made: { offset: number; text: string }[] = [];
  let offset = 0;
  while (offset < text.length && chance() !== 8) {
    const length = 1 + (chance() % 4);
    const back = Math.min(offset, chance() % 3);
    made.push({ offset: offset - back, text: text.slice(offset - back, offset + length) });
    offset += length;
  }
  return made;
}
