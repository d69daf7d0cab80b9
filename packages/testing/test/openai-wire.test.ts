import { openaiApi, type Reply } from "@pawl/testing";
import { OpenAI } from "openai";
import { afterAll, expect, it } from "vitest";

let reply: Reply = {};
const api = await openaiApi({ rules: () => reply, newId: (prefix) => `${prefix}1`, now: () => 1_000 });
afterAll(() => api.close());
const sdk = new OpenAI({ apiKey: "k", baseURL: api.url, maxRetries: 0 });
const body = { model: "gpt-5.4-mini", messages: [{ role: "user" as const, content: "Hi" }] };

async function raw(next: Reply, more: object = {}): Promise<string[]> {
  reply = next;
  const response = await fetch(`${api.url}/chat/completions`, {
    method: "POST",
    headers: { authorization: "Bearer k" },
    body: JSON.stringify({ ...body, stream: true, ...more }),
  });
  expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  return (await response.text()).trimEnd().split("\n\n");
}

const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1,
    model: "gpt-5.4-mini",
    service_tier: "default",
    system_fingerprint: "fp_pawl",
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
  })}`;

it("streams the role, text, calls, why it ends, and [DONE]", async () => {
  expect(await raw({ text: "Hi.", tools: [{ name: "look", input: { a: 1 } }] })).toEqual([
    chunk({ role: "assistant", content: "", refusal: null }),
    chunk({ content: "Hi." }),
    chunk({
      tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "look", arguments: "" } }],
    }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: '{"a": 1}' } }] }),
    chunk({}, "tool_calls"),
    "data: [DONE]",
  ]);
});

it("says what it cost in a last chunk without choices, if it is asked to", async () => {
  const lines = await raw(
    { text: "Hi.", usage: { input_tokens: 3, cache_read_input_tokens: 4, output_tokens: 5 } },
    { stream_options: { include_usage: true } },
  );
  expect(lines.slice(0, -2).every((line) => line.includes('"usage":null'))).toBe(true);
  expect(JSON.parse(lines.at(-2)!.slice(6))).toMatchObject({
    choices: [],
    usage: {
      prompt_tokens: 7,
      completion_tokens: 5,
      total_tokens: 12,
      prompt_tokens_details: { cached_tokens: 4 },
    },
  });
});

it("reads long prefixes from its cache", async () => {
  reply = { text: "." };
  const long = [{ role: "user" as const, content: "word ".repeat(2_000) }];
  const ask = async (messages: OpenAI.ChatCompletionMessageParam[]) =>
    (await sdk.chat.completions.create({ ...body, messages })).usage?.prompt_tokens_details?.cached_tokens;
  expect(await ask(long)).toBe(0);
  expect(await ask([...long, { role: "assistant", content: "." }, { role: "user", content: "More" }])).toBe(
    2432,
  );
  expect(await ask([{ role: "user", content: "Short" }])).toBe(0);
  expect(await ask([{ role: "user", content: "Short" }])).toBe(0);
});

it("says the same as JSON and as a stream", async () => {
  const replies: Reply[] = [
    { text: "Both:", tools: [{ name: "a", input: { deep: [1, null, "🎈"] } }, { name: "b" }] },
    { text: "No.", stop: "refusal" },
    { text: "one two three", clip: 7 },
    { thinking: "Hm.", tools: [{ name: "a", input: { text: "long" } }], clip: 5 },
  ];
  for (const next of replies) {
    reply = next;
    const whole = await sdk.chat.completions.create(body);
    const streamed = await sdk.chat.completions
      .stream(body)
      .finalChatCompletion()
      .catch((error: unknown) => String(error));
    const { message, finish_reason } = whole.choices[0]!;
    if (finish_reason === "length" && message.tool_calls) continue;
    expect(typeof streamed === "string" ? streamed : streamed.choices[0]).toMatchObject({
      finish_reason,
      message: { content: message.content, refusal: message.refusal },
    });
    const calls = typeof streamed === "string" ? [] : (streamed.choices[0]?.message.tool_calls ?? []);
    expect(calls.map((call) => call.type === "function" && call.function.arguments)).toEqual(
      (message.tool_calls ?? []).map((call) => call.type === "function" && call.function.arguments),
    );
  }
});

it("L12 breaks as it is told to", async () => {
  expect((await raw({ text: "Hi.", fault: { midStream: "overloaded", afterEvents: 1 } })).at(-1)).toContain(
    '"type":"server_error"',
  );
  expect(await raw({ text: "Hi.", fault: { cut: 2, end: true } })).toHaveLength(2);
  await expect(raw({ text: "Hi.", fault: { cut: 1 } })).rejects.toThrow();
  reply = { fault: { status: 429, retryAfter: 7 } };
  const error = await sdk.chat.completions.create(body).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ status: 429, code: "rate_limit_exceeded", requestID: "req_1" });
  expect((error as InstanceType<typeof OpenAI.APIError>).headers?.get("retry-after")).toBe("7");
});

it("says that the script has ended, and asks nobody to retry", async () => {
  const short = await openaiApi({ script: [] });
  const own = new OpenAI({ apiKey: "k", baseURL: short.url });
  await expect(own.chat.completions.create(body)).rejects.toThrow(
    "The script of openaiApi() is out of replies: it has 0 replies, and this is request 1.",
  );
  expect(short.requests).toHaveLength(1);
  await short.close();
});
