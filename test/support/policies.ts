import {
  type AgentOptions,
  approval,
  type Budget,
  type Hook,
  isText,
  jsonSchema,
  PawlError,
  permissions,
  type StopCondition,
} from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import fc from "fast-check";

/** Limits and hooks of an agent in the random runs. */
export type Policy = Pick<
  AgentOptions<unknown>,
  "limits" | "sessionLimits" | "onLimit" | "hooks" | "stopWhen" | "toolConcurrency" | "userData"
>;

/** How often the effect of each run has started, by run id. */
export const effects = new Map<string, number>();

const clarification = {
  kind: "choice",
  payload: { question: "How deep?" },
  answer: jsonSchema({ type: "object", properties: { text: { type: "string" } }, required: ["text"] }),
};

const hooks: readonly Hook[] = [
  { name: "denies", beforeTool: ({ tool }) => (tool.name === "odd" ? { deny: "Not this one." } : undefined) },
  {
    name: "changes",
    beforeTool: ({ tool, input }) =>
      tool.name === "save" ? { input: { value: `${(input as { value: string }).value}!` } } : undefined,
  },
  {
    name: "answers",
    beforeTool: ({ tool, input }) =>
      tool.name === "fetch" && (input as { value: string }).value === "b" ? { result: "known" } : undefined,
  },
  {
    name: "throws",
    beforeTool: ({ tool }) => {
      if (tool.name === "stubborn") throw new Error("no check today");
      return undefined;
    },
    afterTurn: async () => {
      throw new Error("no comment");
    },
  },
  permissions({ allow: {}, otherwise: ["save", "fetch", "ask", "approve", "patient", "helper", "expert"] }),
  approval({ when: ["save", "approve"] }),
  approval({
    name: "hasty",
    when: ["report", "patient"],
    expires: { afterMs: 4, default: { approved: true } },
  }),
  { name: "rewrites", afterTool: ({ result }) => ({ result: { checked: result } }) },
  {
    name: "edits",
    afterModel: ({ content }) =>
      content.length === 1 && content.every(isText)
        ? { content: [{ type: "text", text: "Edited." }] }
        : undefined,
  },
  {
    name: "plans",
    beforeTurn: () => ({ maxTokens: 300, tools: ["fetch", "ask", "save", "patient", "helper", "expert"] }),
  },
  {
    name: "tells",
    beforeTurn: async (_plan, { run, append }) => {
      const key = `told:${run.runId}:${run.turns}`;
      await append({ type: "note", key, data: { text: `Turn ${run.turns} comes.` } });
    },
  },
  { name: "hears", onError: async () => undefined, onSuspend: async () => undefined },
  { name: "ends", onStop: (stop) => ({ ...stop, message: `${stop.message} Good bye.` }) },
  {
    name: "effect",
    afterRun: async ({ runId }, { append }) => {
      effects.set(runId, (effects.get(runId) ?? 0) + 1);
      await append({ type: "knowledge", data: { source: "summary", data: "It went well." } });
    },
  },
  {
    name: "clarifies",
    beforeRun: ({ answer }) => (answer === undefined ? { ask: clarification } : undefined),
  },
  {
    name: "hurries",
    beforeRun: ({ answer }) =>
      answer === undefined
        ? { ask: { ...clarification, expires: { afterMs: 3, default: { text: "any" } } } }
        : undefined,
  },
  {
    name: "checks",
    beforeTurn: (_plan, { answer, run }) =>
      run.turns === 1 && answer === undefined ? { ask: clarification } : undefined,
  },
  {
    name: "asks a model",
    beforeTurn: async (_plan, { run, askModel }) => {
      const options = { prompt: "Which topic?", maxTokens: 20, key: `topic:${run.turns}` };
      await askModel(
        scriptedModel(() => ({ text: "None." })),
        options,
      ).catch((error: unknown) => {
        if (!PawlError.is(error, "limit_reached")) throw error;
      });
      return undefined;
    },
  },
  {
    name: "blocks",
    beforeRun: ({ run }) =>
      run.runId.endsWith("7") ? { stop: { type: "blocked", message: "Not today." } } : undefined,
  },
];

const budget: fc.Arbitrary<Partial<Budget>> = fc.constantFrom<Partial<Budget>>(
  {},
  {},
  { turns: 2 },
  { toolCalls: 2 },
  { outputTokens: 400 },
  { inputTokens: 1_200 },
  { costUsd: 0.006 },
  { wallClockMs: 8 },
);

/** A stop condition of the application's. */
const stopsAfterFour: StopCondition = ({ turns }) =>
  turns >= 4 ? { type: "blocked", message: "Enough." } : undefined;

/** Differs from time to time. */
const userData = () => `It is ${Math.floor(performance.now() / 10) % 2 === 0 ? "day" : "night"}.`;

const rules = fc.record({
  limits: fc
    .tuple(
      budget,
      fc.constantFrom(
        {},
        { errorTurns: 1 },
        { errorTurns: 20 },
        { toolFailures: 1, errorTurns: 9 },
        { toolFailures: 2, errorTurns: 20 },
      ),
    )
    .map(([one, other]) => ({ ...one, ...other })),
  sessionLimits: fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: budget }),
  onLimit: fc.constantFrom("stop" as const, "land" as const),
  hooks: fc.oneof(
    { weight: 1, arbitrary: fc.constant([]) },
    { weight: 2, arbitrary: fc.subarray([...hooks], { minLength: 1, maxLength: 4 }) },
  ),
  stopWhen: fc.oneof(
    { weight: 4, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.constant([stopsAfterFour]) },
  ),
  toolConcurrency: fc.constantFrom(1, 2, 8),
});

/** Policies with which most steps are stored together: nothing of the application's runs between them. */
export const quiet = (bounds: Policy): Policy => ({
  limits: bounds.limits ?? {},
  sessionLimits: bounds.sessionLimits ?? {},
  onLimit: bounds.onLimit ?? "stop",
  toolConcurrency: bounds.toolConcurrency ?? 8,
});

export const policy: fc.Arbitrary<Policy> = fc
  .tuple(
    rules,
    fc.constantFrom<Partial<Policy>>(
      {},
      {},
      { userData: { read: userData } },
      { userData: { read: userData, per: "run" } },
    ),
  )
  .map(([one, other]) => ({ ...one, ...other }));
