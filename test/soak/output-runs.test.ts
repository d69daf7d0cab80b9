import {
  type CheckpointStrategy,
  dropOldResults,
  type ModelClient,
  type WhenBusy,
  withRetry,
} from "@pawl/core";
import type { Reply } from "@pawl/testing";
import fc from "fast-check";
import { expect, it } from "vitest";
import { childScript } from "../support/delegates.ts";
import { assertOutputs, outcomes, verdict } from "../support/outputs.ts";
import { policy } from "../support/policies.ts";
import { allowPrinted } from "../support/printed.ts";
import { ODD, PROVOKED } from "../support/provoked.ts";
import { Actor, interfered, sessionId, step } from "../support/random-actor.ts";
import { soak } from "../support/soak.ts";
import { untilReached } from "../support/until-reached.ts";
import { byTurn, failingAtFirst, world } from "../support/world.ts";

const NUM_RUNS = soak(300, 2_000);

const good = { title: "Oslo", stars: 4, tags: ["cold"] };
const wrong = fc.constantFrom(
  { title: "O", stars: 4, tags: [] },
  { title: "Oslo", stars: 9, tags: [] },
  { title: "Oslo", stars: 4 },
  "no object",
  null,
  { title: "\ud83d", stars: 1.5, tags: "none" },
);
const value = fc.constantFrom("a", "b", "long 😀 ".repeat(20));
const toolCall = fc.oneof(
  fc.record({
    name: fc.constantFrom(
      "save",
      "fetch",
      "stubborn",
      "fail",
      "ask",
      "approve",
      "report",
      "survey",
      "patient",
    ),
    input: fc.record({ value }),
  }),
  fc.constantFrom(
    { name: "helper", input: { task: "Look it up." } },
    { name: "no_such_tool", input: {} },
    { name: "final_answer", input: good },
    { name: "final_answer", input: { title: "?" } },
  ),
);
const reply: fc.Arbitrary<Reply> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      tools: fc.array(toolCall, { minLength: 1, maxLength: 3 }),
      text: fc.constantFrom("", "Hm.", JSON.stringify(good)),
    }),
  },
  { weight: 3, arbitrary: wrong.map((output) => ({ output })) },
  { weight: 2, arbitrary: fc.constant<Reply>({ output: good }) },
  {
    weight: 1,
    arbitrary: fc.constant<Reply>({ output: good, tools: [{ name: "fetch", input: { value: "a" } }] }),
  },
  { weight: 1, arbitrary: fc.nat(40).map((clip) => ({ output: good, clip })) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Reply>(
      { text: "No.", stop: "refusal" },
      { output: good, stop: "refusal" },
      { content: [] },
      { text: `Here it is:\n\`\`\`json\n${JSON.stringify(good)}\n\`\`\`` },
      { text: "In words." },
      { thinking: "Let me think.", output: good },
      { text: "x", stop: "tool_use" },
      { fault: { status: 529 } },
      { output: good, fault: { cut: 5 } },
    ),
  },
);

/** A model without output formats, so that it calls a tool. */
const withoutFormats = ({ outputFormat: _, ...model }: ModelClient): ModelClient => model;
const again = (model: ModelClient) => withRetry(model, { retries: 1, baseMs: 0 });
/** Models with output formats; that call a tool; and whose failures are retried. */
const models = [
  { around: (model: ModelClient) => model, rules: byTurn },
  { around: withoutFormats, rules: byTurn },
  {
    around: (model: ModelClient) => again(withoutFormats(model)),
    rules: (script: readonly Reply[]) => failingAtFirst(byTurn(script)),
  },
  { around: again, rules: (script: readonly Reply[]) => failingAtFirst(byTurn(script)) },
];

it("F2 L1 P4 ends every run with a valid object or a typed reason, whatever happens", {
  timeout: soak(600_000, 3 * 3_600_000),
}, async () => {
  allowPrinted(PROVOKED, ODD);
  const batch = () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(reply, { minLength: 1, maxLength: 6 }),
        fc.array(step, { minLength: 1, maxLength: 8 }),
        fc.constantFrom(...models),
        fc.constantFrom<CheckpointStrategy[]>([], [dropOldResults({ whenTokens: 300, keepTurns: 1 })]),
        fc.constantFrom<WhenBusy>("reject", "queue", "interrupt"),
        policy,
        childScript,
        async (script, steps, { around, rules }, checkpointWhen, whenBusy, bounds, helper) => {
          const more = { ...bounds, around, checkpointWhen, whenBusy, helper, output: verdict };
          const setting = interfered((over) =>
            world(rules([...script, { output: good }]), { ...more, over }),
          );
          await setting.base.sessions.create({ id: sessionId, userId: "u1", agent: "tester" });
          const actor = new Actor(setting);
          for (const one of [...steps, { do: "pause" as const }]) await actor.take(one);
          await actor.finish();
          await Promise.all(actor.runs);
          await actor.finish();
          assertOutputs(await setting.check(sessionId));
          const session = await setting.base.sessions.get(sessionId);
          expect(session).toMatchObject({ openRun: null, pending: 0 });
        },
      ),
      {
        numRuns: NUM_RUNS,
        timeout: 60_000,
        ...(process.env.PAWL_SEED && { seed: Number(process.env.PAWL_SEED) }),
        ...(process.env.PAWL_PATH && { path: process.env.PAWL_PATH, endOnFailure: true }),
      },
    );
  const wanted = ["given", "reminded", "given at a limit", "invalid_output", "refusal", "max_tokens"];
  await untilReached(batch, () => wanted.filter((outcome) => !outcomes.has(outcome)));
  soak.report(`outcomes: ${JSON.stringify(Object.fromEntries([...outcomes].sort()))}`);
});
