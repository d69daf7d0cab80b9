import {
  agent,
  agentTool,
  approval,
  type ContentBlock,
  type Hook,
  jsonSchema,
  type ModelClient,
  type Tool,
  type ToolContext,
  tool,
} from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { decidingHooks } from "./decide/deciding-hooks.ts";
import { type Decides, decisionOf, mark } from "./decide/decisions.ts";
import type { Plan } from "./plan.ts";

const input = jsonSchema<{ n?: number }>({ type: "object" });
const anything = jsonSchema({});
const yes = jsonSchema<{ yes: boolean }>({
  type: "object",
  properties: { yes: { type: "boolean" } },
  required: ["yes"],
});
const described = { description: "x", input };
const asks = (context: ToolContext, sure = 1) =>
  context.ask({ kind: "sure", payload: { sure }, answer: yes });

/** What the tool `look` returns: something that a hook has to keep from all readers, if it decides so. */
function foundBy(n: number, decides: Decides | undefined) {
  const isKept = ["maskResult", "failAfter"].includes(decisionOf(decides, n));
  return isKept ? { n, found: mark("RAW", n) } : { n };
}

/** Tools of every kind. `meanwhile` does what happens while the tool `busy` works. */
const toolsWith = ({ meanwhile, decides }: Pick<Given, "meanwhile" | "decides">) => [
  tool({
    ...described,
    name: "look",
    status: { start: "Looking" },
    execute: async ({ n = 0 }, { report, createArtifact, emit, progress }: ToolContext) => {
      const guide = { id: `doc-${n % 2}`, title: "A guide" };
      report({ sources: [guide, { id: "web", title: "The web", url: "https://example.com/w" }] });
      if (n % 2 === 0) createArtifact({ type: "plan", title: `Plan ${n}`, payload: { n } });
      progress({ n });
      await emit({ type: "data-found", data: { n } });
      await emit({ type: "data-count", id: `a:${n % 2}`, data: n });
      await emit({ type: "data-toast", data: "Found", transient: true });
      return foundBy(n, decides);
    },
  }),
  tool({
    ...described,
    name: "broken",
    execute: () => {
      throw new Error("SECRET");
    },
  }),
  tool({ ...described, name: "confirm", suspends: { answer: yes } }),
  tool({ ...described, name: "gated", execute: () => "went through" }),
  tool({ ...described, name: "page", runsIn: "client", output: anything }),
  tool({ ...described, name: "gatedPage", runsIn: "client", output: anything }),
  tool({ ...described, name: "gatedConfirm", suspends: { answer: yes } }),
  tool({
    ...described,
    name: "chain",
    execute: (_, context: ToolContext) => {
      const { questions = 0 } = context.answered ?? {};
      return questions < 2 ? asks(context, questions) : "asked twice";
    },
  }),
  tool({
    ...described,
    name: "expiring",
    suspends: { answer: yes, expires: { afterMs: 60_000, default: { yes: false } } },
  }),
  tool({
    ...described,
    name: "busy",
    execute: async ({ n = 0 }, { signal }: ToolContext) => {
      await meanwhile();
      // Every other one honours its signal.
      if (signal.aborted && n % 2 === 1) throw Object.assign(new Error("SECRET"), { code: "ABORT" });
      return "was busy";
    },
  }),
  tool({ ...described, name: "last", endsRun: true, execute: () => "the end" }),
  agentTool({
    name: "below",
    description: "x",
    input,
    message: () => "Do it",
    shows: "text",
    agent: agent({
      name: "helper",
      instructions: "x",
      model: scriptedModel(({ messages }) =>
        messages.length > 1 ? { text: "Helped" } : { text: "SECRET", tools: [{ name: "asksUser" }] },
      ),
      tools: [
        tool({
          ...described,
          name: "asksUser",
          execute: (_, context) => context.answered?.value ?? asks(context),
        }),
      ],
    }),
  }),
];

const ROLES = {
  reader: { instructions: "x", to: ["writer"] },
  writer: { instructions: "x", to: ["reader"] },
};

const GATED = ["gated", "gatedPage", "gatedConfirm"];

/** A tool that notes its calls. */
function noting(one: Tool, { ran }: Given): Tool {
  const { execute } = one;
  if (execute === undefined) return one;
  const noted: typeof execute = (input, context) => {
    ran?.(context.callId, input);
    return execute(input, context);
  };
  return { ...one, execute: noted };
}

type Given = Pick<Plan, "asksFirst" | "whenBusy" | "roles" | "decides"> & {
  meanwhile: () => Promise<void>;
  /** Gets each call that runs in this process, with the input that its tool gets. */
  ran?: (callId: string, input: unknown) => void;
};

/** The agent of a random session. */
export function sessionAgent(model: ModelClient, given: Given) {
  const clarify: Hook = {
    name: "clarify",
    beforeRun: ({ answer }) =>
      answer === undefined
        ? { ask: { kind: "depth", payload: { how: "deep?" }, answer: anything } }
        : undefined,
  };
  return agent({
    name: "coach",
    model,
    instructions: "x",
    tools: toolsWith(given).map((one) => noting(one, given)),
    hooks: [
      ...(given.decides ? decidingHooks(given.decides) : []),
      approval({ when: GATED }),
      ...(given.asksFirst ? [clarify] : []),
    ],
    ...(given.roles && { roles: ROLES }),
    clientTools: true,
    whenBusy: given.whenBusy,
    maxTokens: 100,
    limits: { turns: 30 },
  });
}

/** An answer that has searched the web, and cites a page, a guide and a file. */
export function cited(text: string): ContentBlock[] {
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
