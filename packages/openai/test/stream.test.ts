import { expect, it } from "vitest";
import { blocksOf, call, chunk, client, fixed, hi, read, stopOf, stream } from "./support.ts";

const tools = (...tool_calls: object[]) => chunk({ tool_calls });
const stops = chunk({}, "stop");
const done = "[DONE]";

it("yields the events of the Messages API", async () => {
  const { events, error } = await stream([
    chunk({ role: "assistant", content: "" }),
    chunk({ content: "Hi." }),
    stops,
    done,
  ]);
  expect(error).toBeUndefined();
  expect(events).toEqual([
    { type: "message_start", message: { id: "chatcmpl-1", model: "tiny", usage: expect.anything() } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi." } },
    { type: "ping" },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: expect.anything() },
    { type: "message_stop" },
  ]);
});

it("takes interleaved pieces of calls by their index, text before them", async () => {
  const { events } = await stream([
    chunk({ content: "So: " }),
    tools(call({ index: 0, id: "call_aaaaaa" }, "look", "")),
    tools(call({ index: 1, id: "call_bbbbbb" }, "find", "{")),
    tools(call({ index: 0 }, undefined, '{"a"'), call({ index: 1 }, undefined, '"b":2}')),
    chunk({ content: "both." }),
    tools(call({ index: 0 }, undefined, ":1}")),
    chunk({}, "tool_calls"),
    done,
  ]);
  expect(blocksOf(events)).toEqual([
    { type: "text", text: "So: both.", stopped: true },
    { type: "tool_use", id: "call_aaaaaa", name: "look", text: '{"a":1}', stopped: true },
    { type: "tool_use", id: "call_bbbbbb", name: "find", text: '{"b":2}', stopped: true },
  ]);
  expect(stopOf(events)).toBe("tool_use");
});

const two = [
  { name: "look", text: '{"a":1}' },
  { name: "find", text: "{}" },
];
it.each<[string, object[]]>([
  [
    "whole calls without an index",
    [tools(call({ id: "call_111111" }, "look", '{"a":1}')), tools(call({ id: "call_222222" }, "find", "{}"))],
  ],
  [
    "whole calls in one chunk, without an index",
    [tools(call({ id: "call_111111" }, "look", '{"a":1}'), call({ id: "call_222222" }, "find", "{}"))],
  ],
  ["whole calls without index and id", [tools(call({}, "look", '{"a":1}'), call({}, "find", "{}"))]],
  [
    "ids that are all the same",
    [
      tools(
        call({ index: 0, id: "call_111111" }, "look", '{"a":1}'),
        call({ index: 1, id: "call_111111" }, "find", "{}"),
      ),
    ],
  ],
  [
    "an index that is always 0",
    [
      tools(call({ index: 0, id: "call_111111" }, "look", '{"a":1}')),
      tools(call({ index: 0, id: "call_222222" }, "find", "{}")),
    ],
  ],
  [
    "id and name in every piece",
    [
      tools(call({ index: 0, id: "call_111111" }, "look", '{"a"')),
      tools(call({ index: 0, id: "call_111111" }, "look", ":1}")),
      tools(call({ index: 1, id: "call_222222" }, "find", "{}")),
    ],
  ],
  [
    "input before the name",
    [
      tools(call({ index: 0 }, undefined, '{"a"')),
      tools(call({ index: 0, id: "call_111111" }, "look", ":1}")),
      tools(call({ index: 1, id: "x" }, "find", "{}")),
    ],
  ],
  [
    "ids that nobody else would take",
    [
      tools(call({ index: 0, id: "functions.look:0" }, "look", '{"a":1}')),
      tools(call({ index: 1, id: "" }, "find", "{}")),
    ],
  ],
])("makes two calls of %s, with ids that are their own", async (_title, chunks) => {
  const { events } = await stream([...chunks, stops, done]);
  const blocks = blocksOf(events);
  expect(blocks).toMatchObject(two);
  const ids = blocks.map(({ id }) => id);
  expect(new Set(ids).size).toBe(2);
  for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9_-]{9,64}$/);
  // Many servers end calls like any other answer.
  expect(stopOf(events)).toBe("tool_use");
});

it("gives a call another id if an earlier one of the conversation has it", async () => {
  const used = { type: "tool_use" as const, id: "call_000000", name: "look", input: {} };
  const result = { type: "tool_result" as const, tool_use_id: used.id, content: "." };
  const messages = [
    ...hi.messages,
    { role: "assistant" as const, content: [used] },
    { role: "user" as const, content: [result] },
  ];
  const newId = () => "call_made_up";
  const { events } = await stream(
    [tools(call({ index: 0, id: used.id }, "look", "{}")), stops, done],
    { newId },
    { ...hi, messages },
  );
  expect(blocksOf(events)).toMatchObject([{ id: "call_made_up" }]);
});

it.each([
  ["stop", "end_turn"],
  ["length", "max_tokens"],
  ["content_filter", "refusal"],
  ["function_call", "tool_use"],
  ["eos", "end_turn"],
  ["eos_token", "end_turn"],
  ["STOP", "end_turn"],
  ["COMPLETE", "end_turn"],
  ["end", "end_turn"],
  ["stop_sequence", "stop_sequence"],
  ["MAX_TOKENS", "max_tokens"],
  ["model_length", "model_context_window_exceeded"],
  ["SAFETY", "refusal"],
  ["some_future_reason", "some_future_reason"],
])("L18 B4 says %s as %s", async (reason, stop) => {
  const { events } = await stream([chunk({ content: "x" }), chunk({}, reason), done]);
  expect(stopOf(events)).toBe(stop);
});

it.each(["error", "insufficient_system_resource", "MALFORMED_FUNCTION_CALL"])(
  "L12 B4 takes %s for a failure that can be retried",
  async (reason) => {
    const { events, error } = await stream([chunk({ content: "x" }), chunk({}, reason), done]);
    expect(stopOf(events)).toBeUndefined();
    expect(error?.details).toEqual({ type: "server_error", retryable: true });
  },
);

it("L2 B4 says that an answer stopped for a call that it does not have, so that its run ends", async () => {
  const { events } = await stream([chunk({ content: "x" }), chunk({}, "tool_calls"), done]);
  expect(stopOf(events)).toBe("tool_use");
});

it("L18 leaves it open why an answer ended that did not say", async () => {
  const { events, error } = await stream([chunk({ content: "x" }), done]);
  expect([stopOf(events), error]).toEqual([null, undefined]);
  const nothing = await stream([done]);
  expect(nothing.events.map(({ type }) => type)).toEqual(["message_start", "message_delta", "message_stop"]);
});

it("L18 shows a refusal as text, and says that it is one", async () => {
  const { events } = await stream([chunk({ refusal: "I can" }), chunk({ refusal: "not." }), stops, done]);
  expect(blocksOf(events)).toMatchObject([{ type: "text", text: "I cannot." }]);
  expect(stopOf(events)).toBe("refusal");
});

it("L8 takes a call for incomplete that the answer was cut off in", async () => {
  const { events } = await stream([
    tools(
      call({ index: 0, id: "call_111111" }, "look", "{}"),
      call({ index: 1, id: "call_222222" }, "find", '{"a'),
    ),
    chunk({}, "length"),
    done,
  ]);
  expect(blocksOf(events).map(({ stopped }) => stopped)).toEqual([true, false]);
});

it("L9 shows a model that thinks as one that is alive, and keeps nothing of it", async () => {
  const { events } = await stream([
    chunk({ reasoning_content: "Hm." }),
    chunk({ reasoning: "Hm." }),
    chunk({ content: "A" }),
    stops,
    done,
  ]);
  expect(events.map(({ type }) => type).slice(0, 3)).toEqual([
    "message_start",
    "ping",
    "content_block_start",
  ]);
  expect(JSON.stringify(events)).not.toContain("Hm.");
  await using server = await fixed(`: waiting\n\ndata: ${JSON.stringify(stops)}\n\ndata: [DONE]\n\n`);
  expect((await read(client(server))).events[0]?.type).toBe("message_start");
});

const usage = { prompt_tokens: 100, completion_tokens: 7, total_tokens: 107 };
it.each([
  ["plain", usage, [100, 0, 0, 7]],
  ["with cached tokens", { ...usage, prompt_tokens_details: { cached_tokens: 60 } }, [40, 60, 0, 7]],
  [
    "with cache writes",
    { ...usage, prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 } },
    [10, 60, 30, 7],
  ],
  [
    "with more cached than there was",
    { ...usage, prompt_tokens_details: { cached_tokens: 600 } },
    [0, 100, 0, 7],
  ],
  ["with nulls", { prompt_tokens: 5, completion_tokens: null, prompt_tokens_details: null }, [5, 0, 0, 1]],
])("O1 counts usage %s as Pawl does", async (_title, sent, [input, read, written, output]) => {
  const { events } = await stream([
    chunk({ content: "x" }),
    stops,
    { id: "c", choices: [], usage: sent },
    done,
  ]);
  expect(events.at(-2)).toMatchObject({
    usage: {
      input_tokens: input,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: written,
      output_tokens: output,
    },
  });
});

it("O1 estimates the usage of a server that counts nothing", async () => {
  const { events } = await stream([chunk({ content: "12345678" }), stops, done]);
  const start = events[0]!;
  const estimated = start.type === "message_start" ? start.message.usage?.input_tokens : undefined;
  expect(estimated).toBeGreaterThan(30);
  expect(events.at(-2)).toMatchObject({ usage: { input_tokens: estimated, output_tokens: 2 } });
});

it("O1 estimates the counts of a server that are no numbers", async () => {
  const counts = { prompt_tokens: "5", completion_tokens: 7 };
  const { events } = await stream([chunk({ content: "x" }), stops, { choices: [], usage: counts }, done]);
  const [start] = events;
  const estimated = start?.type === "message_start" ? start.message.usage?.input_tokens : undefined;
  expect(events.at(-2)).toMatchObject({ usage: { input_tokens: estimated, output_tokens: 7 } });
});

it("joins the text of chunks that are lists of parts, and keeps no reasoning of them", async () => {
  const thought = { type: "thinking", thinking: [{ type: "text", text: "2 and 2." }] };
  const part = (text: string) => ({ type: "text", text });
  const { events } = await stream([
    chunk({ content: [thought] }),
    chunk({ content: [part("Fo"), part("ur")] }),
    chunk({ content: "." }),
    stops,
    done,
  ]);
  expect(blocksOf(events)).toEqual([{ type: "text", text: "Four.", stopped: true }]);
});

it("reads the first choice only, and chunks without choices", async () => {
  const other = { ...chunk({}), choices: [{ index: 1, delta: { content: "Other" } }] };
  const { events } = await stream([
    { id: "c", choices: [] },
    { id: "c" },
    other,
    chunk({ content: "One" }),
    stops,
    done,
  ]);
  expect(blocksOf(events)).toMatchObject([{ text: "One" }]);
});

it.each(["constructor", "__proto__", "toString"])(
  "passes the unknown finish reason %s on as it is",
  async (reason) => {
    const { events } = await stream([chunk({ content: "Hi." }), chunk({}, reason), done]);
    expect(stopOf(events)).toBe(reason);
  },
);
