import { agent, memoryStore, runtime } from "@pawl/core";
import { expect, it } from "vitest";
import { type ClaudeOptions, claude } from "../src/index.ts";
import { hi, read } from "./support.ts";

type Fields = { [field: string]: unknown };

/** A `fetch` that answers each request with these events. */
function plays(...answers: Fields[][]) {
  const bodies: Fields[] = [];
  const fetch = async (_url: unknown, init?: RequestInit) => {
    const sent = init?.body;
    bodies.push(JSON.parse(typeof sent === "string" ? sent : new TextDecoder().decode(sent as Uint8Array)));
    const events = answers[Math.min(bodies.length, answers.length) - 1] ?? [];
    const text = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
    return new Response(text, { headers: { "content-type": "text/event-stream" } });
  };
  return { fetch, bodies };
}

const start = (usage: Fields) => ({
  type: "message_start",
  message: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-sonnet-5-5",
    content: [],
    usage,
  },
});
const end = (usage: Fields, stop_reason = "end_turn") => [
  { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
  { type: "message_stop" },
];
const block = (index: number, content_block: Fields) => [
  { type: "content_block_start", index, content_block },
  { type: "content_block_stop", index },
];
const said = (index = 0) => block(index, { type: "text", text: "Found." });

/** A search on the API's side, which has found nothing or failed. */
const search = (n: number, failed = false) => {
  const id = `srvtoolu_${n}`;
  const content = failed ? { type: "web_search_tool_result_error", error_code: "unavailable" } : [];
  return [
    ...block(2 * n, { type: "server_tool_use", id, name: "web_search", input: { query: "rain" } }),
    ...block(2 * n + 1, { type: "web_search_tool_result", tool_use_id: id, content }),
  ];
};

const serverTools = [{ type: "web_search_20260318", name: "web_search" }];

/** A run over these answers: its cost in dollars, its stop, and what was reported. */
async function bill(answers: Fields[][], options: ClaudeOptions = {}, limits: { costUsd?: number } = {}) {
  const { fetch, bodies } = plays(...answers);
  const model = claude("claude-sonnet-5-5", { apiKey: "k", fetch, ...options });
  const helper = agent({ name: "helper", model, instructions: "You help.", limits });
  const reported: string[] = [];
  const onError = (error: unknown) => reported.push((error as Error).message);
  const pawl = runtime({ agents: [helper], store: memoryStore(), onError });
  const say = () => pawl.run(helper, { userId: "ada", input: "Rain?" }).result;
  const { stop, costUsd, usage } = await say();
  return { stop: stop.type, costUsd, usage, bodies, reported, say };
}

const ten = Array.from({ length: 10 }, (_, n) => search(n)).flat();
const searched = (web_search_requests: number, more: Fields = {}) => ({
  output_tokens: 0,
  server_tool_use: { web_search_requests, web_fetch_requests: 0 },
  ...more,
});

it("O1 L3 ends a run at the search that costs the last cent, while the answer streams", async () => {
  const answer = [start({ input_tokens: 0, output_tokens: 0 }), ...ten, ...said(20), ...end(searched(10))];
  const { stop, costUsd, reported } = await bill([answer], { serverTools }, { costUsd: 0.05 });
  // Five searches, and the 28 tokens by which the model is estimated to have asked for them.
  expect({ stop, costUsd, reported }).toEqual({ stop: "cost_limit", costUsd: 0.05028, reported: [] });
});

it("O1 bills ten web searches of an answer without a limit, and no failed one", async () => {
  const usage = { input_tokens: 1_000, output_tokens: 0 };
  const whole = await bill([[start(usage), ...ten, ...said(20), ...end(searched(10))]]);
  expect(whole).toMatchObject({ stop: "end_turn", costUsd: 0.102 });
  // Cut off without a count: the results that came are counted.
  const failed = [...search(0), ...search(1, true)];
  const { fetch } = plays([start(usage), ...failed]);
  const { events } = await read(claude("claude-sonnet-5-5", { apiKey: "k", fetch }));
  expect(events.findLast(({ type }) => type === "message_delta")).toEqual({
    type: "message_delta",
    delta: { stop_reason: null },
    usage: { server_tool_use: { web_search_requests: 1 }, other_usd: 0.01 },
  });
});

it.each<[string, Fields, number]>([
  ["no surcharge", { inference_geo: "global", speed: "standard" }, 0.012],
  ["a region", { inference_geo: "us" }, 0.0132],
  ["speed", { speed: "fast" }, 0.024],
  ["both", { speed: "fast", inference_geo: "us" }, 0.0264],
])("O1 bills 1,000 tokens each way with %s", async (_title, more, usd) => {
  // The counts at the end have neither region nor speed.
  const answer = [start({ input_tokens: 1_000, output_tokens: 1, ...more }), ...said()];
  expect((await bill([[...answer, ...end({ output_tokens: 1_000 })]])).costUsd).toBe(usd);
});

it("O1 bills what is written to the cache by its lifetime", async () => {
  const cache_creation = { ephemeral_5m_input_tokens: 600, ephemeral_1h_input_tokens: 400 };
  const usage = { input_tokens: 0, cache_creation_input_tokens: 1_000, cache_creation, output_tokens: 0 };
  const { costUsd } = await bill([[start(usage), ...said(), ...end({ output_tokens: 0 })]]);
  expect(costUsd).toBe((600 * 2.5 + 400 * 4) / 1e6);
});

it("O1 L14 plans with the price of what the request asks for, and bills what was served", async () => {
  const body = { speed: "fast" };
  const model = claude("claude-opus-5-5", { apiKey: "k", body });
  expect(model.pricing).toMatchObject({ input: 8, output: 40, cacheRead: 0.4 });
  const served = (speed: string) => [
    start({ input_tokens: 1_000, output_tokens: 0, speed }),
    ...said(),
    ...end({ output_tokens: 0 }),
  ];
  expect((await bill([served("fast")], { body })).costUsd).toBe(0.004);
  expect((await bill([served("standard")], { body })).costUsd).toBe(0.002);
  const unsaid = [start({ input_tokens: 1_000, output_tokens: 0 }), ...said(), ...end({ output_tokens: 0 })];
  expect((await bill([unsaid], { body })).costUsd).toBe(0.004);
});

it("O1 bills the parts of an answer that its totals leave out, each at its model's price", async () => {
  const part = (type: string, input_tokens: number, output_tokens: number, model: string | null = null) => ({
    type,
    model,
    input_tokens,
    output_tokens,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
  });
  const iterations = [
    part("compaction", 10_000, 500),
    part("advisor_message", 2_000, 100, "claude-opus-5"),
    part("message", 1_000, 50),
  ];
  const usage = { input_tokens: 1_000, output_tokens: 50, iterations };
  const result = await bill([[start({ input_tokens: 1_000, output_tokens: 1 }), ...said(), ...end(usage)]]);
  const sonnet = (11_000 * 2 + 550 * 10) / 1e6;
  const opus = (2_000 * 5 + 100 * 25) / 1e6;
  expect(result.costUsd).toBe(Math.round((sonnet + opus) * 1e9) / 1e9);
  expect(result.usage).toMatchObject({ inputTokens: 13_000, outputTokens: 650 });
});

it("O1 keeps an unknown field of a usage, and reports it once", async () => {
  const server_tool_use = { web_search_requests: 0, moon_calls: 2 };
  const usage = { output_tokens: 5, moonlight: { units: 3 }, server_tool_use };
  const answer = [start({ input_tokens: 10, output_tokens: 1 }), ...said(), ...end(usage)];
  const { reported, say } = await bill([answer]);
  const expected = ["moonlight", "server_tool_use.moon_calls"].map((field) =>
    expect.stringContaining(`the unknown field "${field}"`),
  );
  expect(reported).toEqual(expected);
  await say();
  expect(reported).toEqual(expected);
  const { fetch } = plays(answer);
  const { events } = await read(claude("claude-sonnet-5-5", { apiKey: "k", fetch }));
  expect(events.at(-2)).toMatchObject({ usage: { moonlight: { units: 3 }, server_tool_use } });
});

it("O1 takes prices of your own for searches and surcharges, and none from the server", async () => {
  const prices = { input: 1, output: 1, cacheRead: 1, cacheWrite5m: 1, cacheWrite1h: 1 };
  const pricing = { ...prices, perThousandUses: { web_search_requests: 5 }, factors: { speed: { fast: 3 } } };
  const usage = { input_tokens: 1_000, output_tokens: 0, speed: "fast", price_factor: 0, other_usd: -9 };
  const answer = [start(usage), ...search(0), ...said(2), ...end(searched(1, { other_usd: -9 }))];
  expect((await bill([answer], { pricing })).costUsd).toBe(0.008);
  expect(() => claude("x", { pricing: { ...pricing, factors: { speed: { fast: Number.NaN } } } })).toThrow(
    "pricing.speed.fast",
  );
});

it("L11 sends tools of the API after the agent's, and refuses them in the body by name", async () => {
  const { fetch, bodies } = plays([start({ input_tokens: 1 }), ...said(), ...end({ output_tokens: 1 })]);
  await read(claude("claude-sonnet-5-5", { apiKey: "k", fetch, serverTools }));
  expect(bodies[0]?.tools).toEqual([...hi.tools, ...serverTools]);
  expect(() => claude("claude-sonnet-5-5", { body: { tools: serverTools } })).toThrow(
    /`body` of claude\(\) must be an object without .*tools, .*which Pawl sets/,
  );
  expect(() => claude("claude-sonnet-5-5", { tools: serverTools } as ClaudeOptions)).toThrow("`serverTools`");
});
