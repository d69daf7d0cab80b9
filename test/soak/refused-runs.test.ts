import { claude } from "@pawl/anthropic";
import {
  type CheckpointStrategy,
  dropOldResults,
  type ModelClient,
  type RunOptions,
  summarize,
} from "@pawl/core";
import { openai } from "@pawl/openai";
import { messagesApi, openaiApi, type Reply, scriptedModel, strictModel } from "@pawl/testing";
import fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import { crashingStore } from "../support/crashing-store.ts";
import { ofType } from "../support/invariants.ts";
import { PICTURES, recordedFiles } from "../support/recorded-files.ts";
import { type RefusedSession, refusedSession } from "../support/refused-session.ts";
import { type Refusals, type RefusingApi, refusingApi, WORDS } from "../support/refusing-api.ts";
import { soak } from "../support/soak.ts";
import { until } from "../support/until.ts";
import { untilReached } from "../support/until-reached.ts";

const NUM_RUNS = soak(60, 2_000);

/** Lengths in characters, from far below the window to several times its length. */
const length = fc.oneof(fc.integer({ min: 10, max: 2_000 }), fc.integer({ min: 2_000, max: 60_000 }));

type Step =
  | { do: "message"; text: string; times?: number; file?: string }
  | { do: "forbidden"; as: "message" | "knowledge" | "result" }
  | { do: "new keys" };

const command = fc.oneof(
  fc.tuple(fc.constantFrom("say", "read", "list", "write"), length).map((parts) => parts.join(" ")),
  fc.constantFrom("draw a", "draw b", "draw a_b_a", "draw broken", "draw a_broken"),
  fc.integer({ min: 10, max: 8_000 }).map((chars) => `helper ${chars}`),
);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: command.map((one): Step => ({ do: "message", text: `Please [[${one}]]` })),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(length, fc.constantFrom("a", "漢", "😀", '"', "word ", "\u2028"))
      .map(([chars, text]): Step => ({ do: "message", text, times: Math.ceil(chars / text.length) })),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom<Exclude<Step, { do: "message" | "new keys" }>["as"]>("message", "knowledge", "result")
      .map((as): Step => ({ do: "forbidden", as })),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom("a", "broken").map((file): Step => ({ do: "message", text: "See", file })),
  },
  { weight: 1, arbitrary: fc.constant<Step>({ do: "new keys" }) },
);

const refusals: fc.Arbitrary<Refusals> = fc.record({
  window: fc.integer({ min: 8_000, max: 40_000 }),
  words: fc.constantFrom(...WORDS, undefined),
  by: fc.constantFrom("filter" as const, "model" as const),
  pictures: fc.integer({ min: 1, max: 4 }),
  thinks: fc.boolean(),
});

const strategies = fc.constantFrom<CheckpointStrategy[]>(
  [],
  [],
  [dropOldResults({ whenTokens: 60_000, keepTurns: 1 })],
  [
    summarize({
      model: scriptedModel(() => ({ text: "So far, so good." })),
      whenTokens: 90_000,
      keepTurns: 1,
    }),
  ],
);

/** How a process dies, and at which step. */
interface Death {
  atStep: number;
  atAppend: number;
  when: "before" | "after";
}

const crash = fc.option(
  fc.record({
    atStep: fc.nat(9),
    atAppend: fc.integer({ min: 1, max: 12 }),
    when: fc.constantFrom("before" as const, "after" as const),
  }),
  { freq: 3, nil: undefined },
);

/** The two APIs over HTTP. The instructions of an agent choose the session's rules. */
async function servers() {
  const rules = new Map<string, RefusingApi>();
  const reply = (request: unknown): Reply => {
    const [, n = ""] = /You are test (\d+)\./.exec(JSON.stringify(request)) ?? [];
    return rules.get(n)?.reply(request as never) ?? { text: "Who?" };
  };
  const [messages, chat] = await Promise.all([messagesApi({ rules: reply }), openaiApi({ rules: reply })]);
  onTestFinished(async () => void (await Promise.all([messages.close(), chat.close()])));
  return { rules, messages, chat };
}

type Servers = Awaited<ReturnType<typeof servers>>;

function modelOf(which: string, { messages, chat }: Servers, api: RefusingApi, thinks: boolean): ModelClient {
  if (which === "claude") return claude("claude-sonnet-5-5", { apiKey: "k", baseURL: messages.url });
  if (which === "openai") return openai("gpt-5.4-mini", { apiKey: "k", baseURL: chat.url });
  const body = { thinking: { type: "adaptive", display: "summarized" } };
  return strictModel({ rules: (request) => api.reply(request as never), ...(thinks && { body }) });
}

let forbidden = 0;

/** Prepares a step. Returns the message to send, if it is one. */
function inputOf(one: Step, session: RefusedSession, api: RefusingApi) {
  if (one.do === "new keys") return void api.changeKeys();
  if (one.do === "message") {
    const data = session.hasFiles && one.file !== undefined ? PICTURES[one.file] : undefined;
    const said = `I say ${one.text.repeat(one.times ?? 1)}`;
    const text = { type: "text" as const, text: said };
    return data === undefined ? said : [{ type: "file" as const, data }, text];
  }
  forbidden += 1;
  if (one.as === "result") return "Please [[look 1]]";
  if (one.as === "message") return `FORBIDDEN ${forbidden} words`;
  session.knowledge = `FORBIDDEN ${forbidden} knowledge`;
  return "What do you know?";
}

/** Sends a message by a process that dies. Another one continues. */
async function sendAndDie(
  session: RefusedSession,
  input: NonNullable<RunOptions["input"]>,
  { atAppend, when }: Death,
) {
  const store = crashingStore(session.store, atAppend, when);
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  const run = session.send(session.boot(store), input).then(over, over);
  await until(() => isOver || store.dead);
  const stop = await session.takeOver();
  await run;
  return stop;
}

const seen = { size: 0, filter: 0, model: 0, signature: 0, files: 0, ends: 0, crashes: 0, dropped: 0 };

/** Sends the messages of all steps. After each that was not answered, at most two others may fail, too. */
async function play(session: RefusedSession, api: RefusingApi, steps: readonly Step[], dies?: Death) {
  const pawl = session.boot();
  for (const [n, one] of steps.entries()) {
    const input = inputOf(one, session, api);
    if (input === undefined) continue;
    const isDeath = dies !== undefined && n === Math.min(dies.atStep, steps.length - 1);
    const stops = [isDeath ? await sendAndDie(session, input, dies) : await session.send(pawl, input)];
    session.knowledge = undefined;
    if (stops[0] !== "end_turn") seen.ends += 1;
    while (stops.at(-1) !== "end_turn" && stops.length <= 2)
      stops.push(await session.send(pawl, "Hello again."));
    expect(stops.at(-1), `${stops} by ${api.refused.map(({ by }) => by)}`).toBe("end_turn");
  }
}

it("B1 answers again after any refusal, and sends nothing again that was refused", {
  timeout: soak(600_000, 3 * 3_600_000),
}, async () => {
  const apis = await servers();
  let made = 0;
  const batch = () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom("strict", "strict", "strict", "claude", "openai"),
        refusals,
        fc.array(step, { minLength: 2, maxLength: 10 }),
        strategies,
        fc.boolean(),
        crash,
        async (which, rules, steps, checkpointWhen, hasFiles, dies) => {
          made += 1;
          const api = refusingApi(rules);
          apis.rules.set(`${made}`, api);
          const files = hasFiles ? recordedFiles() : undefined;
          const model = modelOf(which, apis, api, rules.thinks);
          const instructions = `You are test ${made}.`;
          const session = refusedSession({ api, model, instructions, checkpointWhen, files });
          await session.store.sessions.create({ id: "s1", userId: "u1", agent: "tester" });
          await play(session, api, steps, dies);
          const log = await session.check(dies === undefined ? 0 : 1);
          expect("rejected" in model ? model.rejected : []).toEqual([]);
          expect([...apis.messages.rejected, ...apis.chat.rejected]).toEqual([]);
          for (const { by } of api.refused) seen[by] += 1;
          if (dies !== undefined) seen.crashes += 1;
          seen.dropped += ofType(log, "checkpoint").filter(
            ({ data }) => data.reason !== "drop_old_results",
          ).length;
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
