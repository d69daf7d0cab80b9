import { describe, expect, it } from "vitest";
import * as z from "zod";
import { approval, type Hook, type Json, memoryStore, type StoredEvent, tool } from "../../src/index.ts";
import { type Options, setup, user } from "../support/setup.ts";
import { beforeAppend } from "../support/stores.ts";
import { ask, echoTool, question } from "../support/tools.ts";

const echo = (text: string, id = `toolu_${text}`) => ({ name: "echo", id, input: { text } });
const done = { text: "Done." };
const failing = tool({
  name: "fail",
  description: "Fails.",
  input: z.object({}),
  execute: () => {
    throw new Error("broken");
  },
});
const finish = tool({
  name: "finish",
  description: "Ends the run.",
  input: z.object({}),
  endsRun: true,
  execute: () => "finished",
});
const fetchPage = tool({ name: "page", description: "Reads.", input: z.object({}), runsIn: "client" });

interface Story {
  script: Parameters<typeof setup>[0];
  options?: Options;
  /** What the user does, one after the other. Default: one message. */
  does?: readonly ({ say: string } | { answer: unknown; id: string })[];
}

const asked = [{ say: "Go" }, { answer: "yes", id: "toolu_q" }];

const stories: Record<string, Story> = {
  "an answer": { script: [done] },
  "two messages": { script: [done, done], does: [{ say: "Go" }, { say: "And now?" }] },
  "one call": { script: [{ tools: [echo("a")] }, done], options: { tools: [echoTool] } },
  "text and four calls": {
    script: [{ text: "Look.", tools: ["a", "b", "c", "d"].map((one) => echo(one)) }, done],
    options: { tools: [echoTool] },
  },
  "more calls than run at the same time": {
    script: [{ tools: ["a", "b", "c"].map((one) => echo(one)) }, done],
    options: { tools: [echoTool], toolConcurrency: 1 },
  },
  "calls that are refused, unknown and fail": {
    script: [
      {
        tools: [
          { name: "echo", id: "toolu_1", input: { text: 1 } },
          { name: "gone", id: "toolu_2", input: {} },
          { name: "fail", id: "toolu_3", input: {} },
          echo("a"),
        ],
      },
      done,
    ],
    options: { tools: [echoTool, failing] },
  },
  "a call that ends the run": {
    script: [{ tools: [{ name: "finish", id: "toolu_1", input: {} }] }],
    options: { tools: [finish] },
  },
  "a question, and its answer": {
    script: [{ tools: [question] }, done],
    options: { tools: [ask] },
    does: asked,
  },
  "a question beside a call, and a message instead of an answer": {
    script: [{ tools: [echo("a"), question] }, done],
    options: { tools: [ask, echoTool] },
    does: [{ say: "Go" }, { say: "Something else" }],
  },
  "two questions, answered in turn": {
    script: [{ tools: [question, { ...question, id: "toolu_r" }] }, done],
    options: { tools: [ask] },
    does: [...asked, { answer: "no", id: "toolu_r" }],
  },
  "a tool of the page": {
    script: [{ tools: [{ name: "page", id: "toolu_p", input: {} }] }, done],
    options: { tools: [fetchPage] },
    does: [{ say: "Go" }, { answer: "the page", id: "toolu_p" }],
  },
  "an approval": {
    script: [{ tools: [echo("a")] }, done],
    options: { tools: [echoTool], hooks: [approval({ when: ["echo"] })] },
    does: [{ say: "Go" }, { answer: { approved: true }, id: "toolu_a" }],
  },
  "a limit of turns": {
    script: [{ tools: [echo("a")] }, { tools: [echo("b")] }, done],
    options: { tools: [echoTool], limits: { turns: 2 } },
  },
};

/** Runs between all steps, so that each step is stored by itself. */
const apart: Hook = {
  name: "apart",
  beforeRun: () => undefined,
  beforeTurn: () => undefined,
  beforeModel: () => undefined,
  beforeTool: () => undefined,
  afterTool: () => undefined,
  afterTurn: () => undefined,
  onStop: () => undefined,
};

/** Plays a story. Returns its log without times and random ids, and the number of its appends. */
async function played({ script, options = {}, does = [{ say: "Go" }] }: Story, hooks: readonly Hook[]) {
  let appends = 0;
  let id = 0;
  const store = beforeAppend(memoryStore(), () => {
    appends += 1;
  });
  const newId = () => `id-${++id}`;
  const all = [...(options.hooks ?? []), ...hooks];
  const { pawl, model, log } = setup(script, { ...options, hooks: all }, { store, testing: { newId } });
  let sessionId = "";
  for (const one of does) {
    const what =
      "say" in one ? { input: one.say } : { answers: [{ callId: one.id, value: one.answer as Json }] };
    const { started, result } = pawl.run("tester", { ...user, ...(sessionId && { sessionId }), ...what });
    ({ sessionId } = await started);
    await result;
  }
  expect(model.rejected).toEqual([]);
  return { log: timeless(await log(sessionId)), requests: model.requests, appends };
}

const timeless = (log: readonly StoredEvent[]) => {
  const runs = new Map<unknown, string>();
  for (const { type, data } of log) if (type === "run_started") runs.set(data.run_id, `run ${runs.size + 1}`);
  return log.map(({ type, seq, key, data }) => ({
    ...{ type, seq, key: key?.replace(/id-\d+/, "id") },
    data: JSON.parse(
      JSON.stringify(data, (name, value) =>
        /_ms$|_at$|request_id|^id$|attempt_id/.test(name) ? 0 : (runs.get(value) ?? value),
      ),
    ),
  }));
};

describe("R2 the log of a run", () => {
  it.each(Object.entries(stories))("is the same if every step is stored by itself: %s", async (_, story) => {
    const together = await played(story, []);
    const each = await played(story, [apart]);
    expect(together.log).toEqual(each.log);
    expect(together.requests).toEqual(each.requests);
    expect(together.appends).toBeLessThan(each.appends);
  });
});
