import {
  agent,
  approval,
  type Json,
  jsonSchema,
  memoryStore,
  readShown,
  runtime,
  type StoredEvent,
  type ToolContext,
  tool,
  withRetry,
} from "@pawl/core";
import { type Reply, scriptedModel } from "@pawl/testing";
import fc from "fast-check";
import type { EncoderContext } from "../../src/index.ts";
import { publicEvent } from "../../src/session/public-event.ts";
import { confirm } from "./served.ts";
import { sessionOf } from "./sessions/log.ts";
import { cited } from "./sessions/tools.ts";

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
  return sessionOf(stored.filter((event) => event.seq <= seq));
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
    cursor: afterSeq,
  };
}
