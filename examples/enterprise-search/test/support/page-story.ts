import type { Json, StoredEvent } from "@pawl/core";
import type { CompanySearch, Hit, OpenDocument } from "../../src/index.ts";
import type { Shown } from "../../web/gallery/shown.ts";
import { agentWorld, calls, chen, plans, reviews, rivera } from "./agent-world.ts";

const AT = "2026-11-18T17:00:00Z";
const person = (name: string, email: string, team: string) => ({
  ...{ name, email, team, department: "Sales", role: "Manager" },
  initials: name.replace(/[^A-Z]/g, ""),
});
export const ALEX_RIVERA = person("Alex Rivera", rivera.email, "Enterprise");
export const ALEX_CHEN = person("Alex Chen", chen.email, "Planning");

/** A document that a search finds. */
export const hitOf = (id: string, title: string, text = "The Q4 pipeline is $7.2 million."): Hit => ({
  ...{ id, source: id.split("-")[0] as Hit["source"], thread: id, title, place: "inbox", kind: "message" },
  ...{ score: 1, at: AT, owner: ALEX_RIVERA },
  fragment: {
    text,
    start: 0,
    end: text.length,
    marks: [{ start: text.indexOf("Q4"), end: text.indexOf("Q4") + 2 }],
  },
});

/** The same document, opened. */
export const openedOf = (hit: Hit, more: Partial<OpenDocument> = {}): Json => ({
  ...JSON.parse(JSON.stringify({ ...hit, fragment: undefined, participants: [ALEX_CHEN] })),
  ...{ status: "ok", text: hit.fragment.text, start: 0, length: hit.fragment.text.length },
  ...JSON.parse(JSON.stringify({ inThread: [], links: [], ...more })),
});

export const MAIL: Hit = hitOf("gmail-1a", "Where the Q4 pipeline stands");
export const CHAT: Hit = hitOf("slack-2b", "#sales", "Q4 push: every deal gets a second person.");

/** A search without a database: two people called Alex, a mail and a message. */
export const smallSearch: CompanySearch = {
  search: async (_caller, { sources }) => {
    const hits = [MAIL, CHAT].filter(({ source }) => sources?.includes(source) ?? true);
    return { status: "ok", hits, total: hits.length, more: false } as never;
  },
  open: async () => undefined,
  people: async (_caller, { text = "" }) => {
    const last = { id: MAIL.id, source: MAIL.source, title: MAIL.title, at: AT };
    const all = [
      { ...ALEX_CHEN, last: null },
      { ...ALEX_RIVERA, last },
    ];
    const people = all.filter(
      ({ email, name }) => email === text || name.toLowerCase().includes(text.toLowerCase()),
    );
    return { people, total: people.length };
  },
};

/** Makes the events of a conversation by hand, for what no agent would store. */
export function eventsOf(
  ...all: readonly (readonly [type: string, data: Json, more?: object])[]
): StoredEvent[] {
  return all.map(
    ([type, data, more], at) =>
      ({ sessionId: "s1", seq: at + 1, v: 1, at: AT, type, data, ...more }) as unknown as StoredEvent,
  );
}

export const BEGIN = [
  ["run_started", { run_id: "r1", agent: "enterprise-search", agent_version: "1" }],
  ["user_message", { message: "What does Alex say about Q4?" }],
] as const;

export const planned = (tasks: Json, by = "planner", more: object = {}) =>
  [
    "planning.plan",
    {
      ...{ run_id: "r1", by },
      plan: {
        ...{ status: "ok", goal: "Find it", tasks, needs_review: false, candidate_agents: [], reasoning: "" },
        ...more,
      },
    },
  ] as const;

export const task = (id: string, more: object = {}) => ({
  ...{ id, title: `Do ${id}`, depends_on: [], parallelizable: true, status: "pending" },
  ...more,
});

export const said = (text: string, attempt = 90) =>
  [
    "assistant_message",
    {
      ...{ content: [{ type: "text", text }], disposition: "kept" },
      ...{ stop_reason: "end_turn", attempt, complete: 1 },
    },
  ] as const;

/** A model's turn with calls, each `[call id, tool]`. */
export const turn = (calls: readonly (readonly [string, string])[], attempt = 50) =>
  [
    [
      "assistant_message",
      {
        content: calls.map(([id, name]) => ({ type: "tool_use", id, name, input: { query: "Q4" } })),
        ...{ disposition: "kept", stop_reason: "tool_use", attempt, complete: calls.length },
      },
    ],
    ...calls.map(
      ([call_id, tool_name]) => ["tool_call", { call_id, tool_name, arguments: { query: "Q4" } }] as const,
    ),
  ] as const;

export const result = (call_id: string, tool_name: string, more: object = {}, durationMs = 30) =>
  [
    "tool_result",
    {
      ...{ call_id, tool_name, success: true, result: { status: "ok", results: [] } },
      spent: { tokens: { total: 0 }, cost_cents: 0.04 },
      ...more,
    } as never,
    { durationMs },
  ] as const;

const tokens = { prompt: 900, completion: 100, cached: 0, cache_write: 0, cache_write_1h: 0, total: 1_000 };

export const ended = (type = "end_turn", message = "Done.") =>
  [
    "run_ended",
    {
      ...{ run_id: "r1", stop: { type, message }, session_status: "active" },
      ...{ turns: 1, tokens, cost_cents: 0.4, work_ms: 900 },
    },
  ] as const;

const ANSWER = `The pipeline is $7.2 million [${MAIL.id}]. Every deal gets a second person [${CHAT.id}].`;

/** The story of the two Alexes, as the agent stores it: up to the question, and with the answer. */
export async function storyOf(): Promise<{ asked: StoredEvent[]; answered: StoredEvent[] }> {
  const question = { text: "Which Alex do you mean?", about: "Alex" };
  const both = calls(["search_gmail", { query: "Q4" }], ["search_slack", { query: "Q4" }]);
  const world = agentWorld(
    smallSearch,
    [plans({ status: "needs_clarification", question }), plans(), reviews({ notes: "Both have answers." })],
    (answers) => (answers === 0 ? both : { text: ANSWER }),
  );
  const first = await world.say("What does Alex say about Q4?");
  const asked = await world.log(first.sessionId);
  await world.answer(first, { choice: rivera.email });
  return { asked, answered: await world.log(first.sessionId) };
}

/** What the server answers besides the conversation. */
export const ANSWERS: Shown["answers"] = {
  "/index": { status: "ready", done: 1 },
  "/me": { person: ALEX_CHEN, people: [ALEX_CHEN, ALEX_RIVERA] },
  [`/documents/${MAIL.id}`]: openedOf(MAIL, { links: [{ ...CHAT }] }),
  [`/documents/${CHAT.id}`]: openedOf(CHAT),
};
