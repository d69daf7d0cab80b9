import {
  type CheckpointStrategy,
  dropOldResults,
  type ModelClient,
  summarize,
  type WhenBusy,
  withRetry,
} from "@pawl/core";
import { type Reply, type Rules, scriptedModel } from "@pawl/testing";
import fc from "fast-check";
import { expect, it } from "vitest";
import { childScript } from "../support/delegates.ts";
import { ofType } from "../support/invariants.ts";
import { assertOutputs, verdict } from "../support/outputs.ts";
import { policy } from "../support/policies.ts";
import { allowPrinted } from "../support/printed.ts";
import { ODD, PROVOKED } from "../support/provoked.ts";
import { Actor, interfered, sessionId, step, user } from "../support/random-actor.ts";
import { base64, DOCUMENTS, PICTURES, recordedFiles } from "../support/recorded-files.ts";
import { soak } from "../support/soak.ts";
import { untilReached } from "../support/until-reached.ts";
import { byTurn, failingAtFirst, world } from "../support/world.ts";

const NUM_RUNS = soak(120, 2_000);

const good = { title: "Oslo", stars: 4, tags: ["cold"] };
const drawn = fc.constantFrom("a", "b", "large", "broken", "a b large", "none", "a none", "broken a");
const toolCall = fc.oneof(
  { weight: 3, arbitrary: fc.record({ name: fc.constant("draw"), input: fc.record({ value: drawn }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      name: fc.constantFrom("save", "ask", "approve", "fail", "patient"),
      input: fc.constant({ value: "a" }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ name: "helper", input: { task: "Look it up." } }) },
);
const reply: fc.Arbitrary<Reply> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      tools: fc.array(toolCall, { minLength: 1, maxLength: 3 }),
      text: fc.constantFrom("", "Hm."),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Reply>({ output: good }, { output: { title: "O" } }, { text: "In words." }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Reply>({
      thinking: "Hm.",
      tools: [{ name: "draw", input: { value: "broken" } }],
    }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Reply>({ fault: { status: 529 } }, { output: good, fault: { cut: 5 } }),
  },
);

const picture = fc.constantFrom(...Object.values(PICTURES), ...Object.values(DOCUMENTS));
const message = fc.record({
  files: fc.array(picture, { maxLength: 4 }),
  text: fc.constantFrom("", "What is this?"),
});

/** As it is in a block. A hook may put the base64 into a text. */
const broken = `"data":"${base64(PICTURES.broken as Uint8Array)}"`;
const refusal = {
  status: 400,
  message: "messages.0.content.0.image.source.base64.data: Could not process image",
};

/** Returns rules under which the API refuses each request with the broken picture. */
const refusing =
  (rules: Rules): Rules =>
  (request, context) =>
    JSON.stringify(request.messages).includes(broken) ? { fault: refusal } : rules(request, context);

const again = (model: ModelClient) => withRetry(model, { retries: 1, baseMs: 0 });
const models = [
  { around: (model: ModelClient) => model, rules: byTurn },
  { around: again, rules: (script: readonly Reply[]) => failingAtFirst(byTurn(script)) },
];

const strategies = fc.constantFrom<CheckpointStrategy[]>(
  [],
  [dropOldResults({ whenTokens: 600, keepTurns: 1 })],
  [summarize({ model: scriptedModel(() => ({ text: "So far, so good." })), whenTokens: 600, keepTurns: 1 })],
);

it("F1 F2 L1 P1 P4 sends valid requests whose files are stored, and ends each run, whatever happens", {
  timeout: soak(600_000, 3 * 3_600_000),
}, async () => {
  allowPrinted(PROVOKED, ODD, 'pawl: `format` of the tool "draw"');
  const seen = { references: 0, refusals: 0, drawn: 0, outputs: 0 };
  const batch = () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(reply, { minLength: 1, maxLength: 6 }),
        fc.array(step, { minLength: 1, maxLength: 8 }),
        fc.array(message, { minLength: 1, maxLength: 6 }),
        fc.constantFrom(...models),
        strategies,
        fc.constantFrom<WhenBusy>("reject", "queue", "interrupt"),
        policy,
        childScript,
        fc.boolean(),
        async (
          script,
          steps,
          messages,
          { around, rules },
          checkpointWhen,
          whenBusy,
          bounds,
          helper,
          isObject,
        ) => {
          const files = recordedFiles();
          const more = {
            ...bounds,
            around,
            checkpointWhen,
            whenBusy,
            helper,
            files,
            ...(isObject && { output: verdict }),
          };
          const all = refusing(rules([...script, isObject ? { output: good } : { text: "Fine." }]));
          const setting = {
            ...interfered((over) => world(all, { ...more, over })),
            inputOf: (id: string) => {
              const { files: sent, text } = messages[Number(id.slice(1)) % messages.length] ?? {
                files: [],
                text: "",
              };
              const parts = sent.map((data) => ({ type: "file" as const, data }));
              return [...parts, { type: "text" as const, text: `${text} ${id}` }];
            },
          };
          await setting.base.sessions.create({ id: sessionId, userId: "u1", agent: "tester" });
          const actor = new Actor(setting);
          for (const one of [{ do: "message" as const, twice: false, asWho: {} }, ...steps])
            await actor.take(one);
          await actor.finish();
          await Promise.all(actor.runs);
          await actor.finish();
          const log = await setting.check(sessionId);
          if (isObject) assertOutputs(log);
          for (const { id } of await setting.base.sessions.list({ ...user, limit: 1_000 }))
            await files.check(await setting.log(id));
          seen.references += ofType(log, "user_message").filter(
            ({ data }) => data.files !== undefined,
          ).length;
          seen.refusals += ofType(log, "checkpoint").filter(
            ({ data }) => data.refused?.by === "files",
          ).length;
          seen.drawn += ofType(log, "tool_result").filter(({ data }) =>
            JSON.stringify(data).includes('"stored"'),
          ).length;
          seen.outputs += ofType(log, "output").length;
          // No picture's bytes are in a log.
          expect(JSON.stringify(log)).not.toContain(broken);
          expect(await setting.base.sessions.get(sessionId)).toMatchObject({ openRun: null, pending: 0 });
        },
      ),
      {
        numRuns: NUM_RUNS,
        timeout: 60_000,
        ...(process.env.PAWL_SEED && { seed: Number(process.env.PAWL_SEED) }),
        ...(process.env.PAWL_PATH && { path: process.env.PAWL_PATH, endOnFailure: true }),
      },
    );
  await untilReached(batch, () => Object.entries(seen).flatMap(([what, times]) => (times > 0 ? [] : [what])));
  soak.report(`seen: ${JSON.stringify(seen)}`);
});
