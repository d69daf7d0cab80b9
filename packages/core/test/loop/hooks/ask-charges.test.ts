import { expect, it } from "vitest";
import { expectPrinted } from "../../../../../test/support/printed.ts";
import {
  askModel,
  type Hook,
  type ModelClient,
  type PawlError,
  type RunContext,
} from "../../../src/index.ts";
import type { ModelEvent } from "../../../src/model.ts";
import { pricing } from "../../support/pricing.ts";
import { setup } from "../../support/setup.ts";

const start = (usage: object = {}): ModelEvent => ({
  type: "message_start",
  message: { id: "m", model: "searcher", usage: { input_tokens: 0, output_tokens: 0, ...usage } },
});
const spentSoFar = (other_usd: number): ModelEvent => ({
  type: "message_delta",
  delta: { stop_reason: null },
  usage: { other_usd },
});
const said = (usage: object): ModelEvent[] => [
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "Rain." } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 0, ...usage } },
  { type: "message_stop" },
];

/** A model that searches on the API's side, for a cent each time. `sent` counts its searches. */
function searcher(searches: number, meanwhile?: () => Promise<unknown>) {
  const model = {
    sent: 0,
    id: "searcher",
    pricing,
    stream: async function* (): AsyncGenerator<ModelEvent, void> {
      yield start();
      for (let search = 1; search <= searches; search += 1) {
        await meanwhile?.();
        model.sent += 1;
        yield spentSoFar(search / 100);
      }
      yield* said({ other_usd: searches / 100 });
    },
  };
  return model satisfies ModelClient;
}

/** A hook that asks before the run. `got` has its answers and errors. */
function asking(act: (context: RunContext) => Promise<unknown>) {
  const got: unknown[] = [];
  const hook: Hook = {
    name: "asks",
    beforeRun: async (context) => {
      got.push(await act(context).catch((error: unknown) => error));
      return undefined;
    },
  };
  return { got, hook };
}

const options = { prompt: "Rain?", maxTokens: 10 };
const limits = { costUsd: 0.05 };
const priced = (model: ModelClient): ModelClient => ({ ...model, pricing });

it("F21 L13 O1 an answer to a hook ends at the search that costs the last cent, and so does the run", async () => {
  const model = searcher(10);
  const { got, hook } = asking(({ askModel: ask }) => ask(model, options));
  const world = setup([{ text: "Ok." }], { hooks: [hook], limits }, {}, priced);
  const { sessionId, stop, costUsd } = await world.say("Hi");
  expect(got).toMatchObject([{ code: "limit_reached", details: { limit: "cost_limit", costUsd: 0.05 } }]);
  expect({ sent: model.sent, stop: stop.type, costUsd }).toEqual({
    sent: 5,
    stop: "cost_limit",
    costUsd: 0.05,
  });
  expect(await world.of(sessionId, "spending")).toMatchObject([{ data: { by: "asks", cost_cents: 5 } }]);
  expect(world.model.requests).toEqual([]);
});

it("F21 L13 O1 answers that stream side by side share what the run may cost", async () => {
  const models = [searcher(10, () => Promise.resolve()), searcher(10, () => Promise.resolve())];
  const { got, hook } = asking(
    async ({ askModel: ask }) =>
      await Promise.all(models.map((model) => ask(model, options).catch((error: PawlError) => error.code))),
  );
  const world = setup([{ text: "Ok." }], { hooks: [hook], limits }, {}, priced);
  const { costUsd } = await world.say("Hi");
  expect(got).toEqual([["limit_reached", "limit_reached"]]);
  // Each may have begun one search when the other passed the limit.
  expect(costUsd).toBeLessThanOrEqual(0.06);
});

it("F21 L13 O1 a request that is tried again ends once its failed attempts have cost all that is left", async () => {
  let attempts = 0;
  const model: ModelClient = {
    id: "broken",
    pricing,
    stream: async function* () {
      while (attempts < 9) {
        attempts += 1;
        yield start({ other_usd: 0.02 });
        yield {
          type: "attempt_failed",
          error: { message: "Cut.", retryable: true },
          retry_in_ms: 0,
        } as ModelEvent;
      }
    },
  };
  const { got, hook } = asking(({ askModel: ask }) => ask(model, options));
  const { stop } = await setup([], { hooks: [hook], limits }, {}, priced).say("Hi");
  expect(got).toMatchObject([{ code: "limit_reached", details: { limit: "cost_limit" } }]);
  expect([attempts, stop.type]).toEqual([3, "cost_limit"]);
});

const UNKNOWN =
  'The usage of an answer has the unknown field "moonlight". If it costs money, no limit counts it.';
const reporting = (): ModelClient => ({
  id: "moon",
  pricing,
  stream: async function* () {
    yield start();
    yield* said({ unknown_fields: ["moonlight"] });
  },
});

it("F21 O1 an unknown field of the usage of an answer to a hook is reported, after the answer is stored", async () => {
  const { got, hook } = asking(({ askModel: ask }) => ask(reporting(), { ...options, key: "rain" }));
  const reported: string[] = [];
  const onError = (error: unknown) => reported.push((error as Error).message);
  await setup([{ text: "Ok." }], { hooks: [hook] }, { onError }).say("Hi");
  expect(got).toMatchObject([{ text: "Rain." }]);
  expect(reported).toEqual([UNKNOWN]);
});

it("F21 O1 an unknown field of a failed attempt's usage is reported too", async () => {
  const model: ModelClient = {
    ...reporting(),
    stream: async function* () {
      yield start({ unknown_fields: ["moonlight"] });
      yield {
        type: "attempt_failed",
        error: { message: "Cut.", retryable: true },
        retry_in_ms: 0,
      } as ModelEvent;
      yield start();
      yield* said({});
    },
  };
  const { hook } = asking(({ askModel: ask }) => ask(model, options));
  const reported: string[] = [];
  const onError = (error: unknown) => reported.push((error as Error).message);
  await setup([{ text: "Ok." }], { hooks: [hook] }, { onError }).say("Hi");
  expect(reported).toEqual([UNKNOWN]);
});

it("F21 O1 an unknown field of the usage of an answer outside of runs is printed", async () => {
  expectPrinted(UNKNOWN);
  expect((await askModel(reporting(), options)).text).toBe("Rain.");
});
