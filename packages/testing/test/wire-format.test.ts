import { messagesApi, type Reply } from "@pawl/testing";
import { afterAll, expect, it } from "vitest";
import { type Body, sdk, valid } from "./support.ts";

let reply: Reply = {};
let ids = 0;
const newId = (prefix: string): string => {
  ids += 1;
  return prefix + ids;
};
const api = await messagesApi({ rules: () => reply, newId });
afterAll(() => api.close());

async function raw(next: Reply, changes: Body = {}): Promise<string> {
  reply = next;
  ids = 0;
  const response = await fetch(`${api.url}/v1/messages`, {
    method: "POST",
    headers: { authorization: "Bearer k", "anthropic-version": "2026-10-21" },
    body: JSON.stringify(valid({ stream: true, ...changes })),
  });
  expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  return response.text();
}

const start = (usage: string): string =>
  `{"type":"message_start","message":{"model":"claude-sonnet-5-5","id":"msg_013","type":"message","role":"assistant","content":[],"container":null,"stop_reason":null,"stop_sequence":null,"stop_details":null,"usage":{"input_tokens":1,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0},"service_tier":"standard","inference_geo":"not_available","output_tokens":${usage}},"diagnostics":null}}`;

it("streams a tool call in the bytes of the real wire", async () => {
  const text = await raw({ tools: [{ name: "write_file", input: { path: "a.py", lines: [1, 2] } }] });
  expect(text).toBe(`event: message_start
data: ${start("2")}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_012","name":"write_file","input":{},"caller":{"type":"direct"}}       }

event: ping
data: {"type": "ping"}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":""}     }

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\\"path\\": \\"a.py\\""}            }

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":", \\"lines\\": [1,2]"}   }

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"}"}          }

event: content_block_stop
data: {"type":"content_block_stop","index":0 }

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null,"stop_details":null,"container":null},"usage":{"input_tokens":1,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":24}        }

event: message_stop
data: {"type":"message_stop"               }

`);
});

it("L8 gives a clipped call no content_block_stop", async () => {
  const text = await raw({
    text: "So:",
    tools: [{ name: "write_file", input: { path: "a.py", text: "x" } }],
    clip: 20,
  });
  const events = [...text.matchAll(/^event: (.*)$/gm)].map(([, name]) => name);
  expect(events).toEqual([
    "message_start",
    "content_block_start",
    "ping",
    "content_block_delta",
    "content_block_stop",
    "content_block_start",
    "content_block_delta",
    "content_block_delta",
    "content_block_delta",
    "message_delta",
    "message_stop",
  ]);
  const json = [...text.matchAll(/"partial_json":("(?:[^"\\]|\\.)*")/g)]
    .map(([, part]) => JSON.parse(part!))
    .join("");
  expect(json).toBe('{"path": "a.py", "te');
  expect(text).toContain('"stop_reason":"max_tokens"');
});

it("shows thinking when asked, and a signature over nothing when not", async () => {
  const shown = await raw(
    { thinking: "Hm.", text: "A" },
    { thinking: { type: "adaptive", display: "summarized" } },
  );
  expect(shown).toContain('"content_block":{"type":"thinking","thinking":"","signature":""}');
  expect(shown).toContain('"delta":{"type":"thinking_delta","thinking":"Hm."}');
  const hidden = await raw({ thinking: "Hm.", text: "A" });
  expect(hidden).not.toContain("thinking_delta");
  expect(hidden.match(/signature_delta/g)).toHaveLength(1);
});

it("parts no surrogate pair", async () => {
  const text = "🎈".repeat(50);
  reply = { text };
  const message = await sdk(api)
    .messages.stream(valid() as never)
    .finalMessage();
  expect(message.content).toMatchObject([{ type: "text", text }]);
  expect(await raw({ text })).not.toMatch(/\\ud8/);
});

it("says the same as JSON and as a stream", async () => {
  reply = {
    content: [
      { type: "text", text: "Both:" },
      { type: "tool_use", id: "toolu_a", name: "a", input: { deep: { list: [1, null, "x"] } } },
      { type: "tool_use", id: "toolu_b", name: "b", input: {} },
      { type: "future_block", data: [1] },
    ],
    usage: { output_tokens: 77 },
  };
  const whole = await sdk(api).messages.create(valid() as never);
  const stream = sdk(api).messages.stream(valid() as never);
  const streamed = await stream.finalMessage();
  const { id: _a, ...one } = JSON.parse(JSON.stringify(whole)) as Body;
  const { id: _b, ...other } = JSON.parse(JSON.stringify(streamed)) as Body;
  expect(other).toMatchObject({
    content: one.content as unknown[],
    stop_reason: "tool_use",
    model: one.model,
  });
  expect((other.usage as Body).output_tokens).toBe(77);
  expect(stream.request_id).toMatch(/^req_01/);
});

it("clips text as well, and closes it", async () => {
  reply = { text: "one two three", clip: 7 };
  const message = await sdk(api)
    .messages.stream(valid() as never)
    .finalMessage();
  expect(message).toMatchObject({ content: [{ text: "one two" }], stop_reason: "max_tokens" });
  const whole = await sdk(api).messages.create(valid() as never);
  expect(whole).toMatchObject({ content: [{ text: "one two" }], stop_reason: "max_tokens" });
});

// A busy process would send its next request on a connection that is being closed: ECONNRESET.
it("keeps a connection open for longer than its process may be busy", async () => {
  const { headers } = await fetch(`${api.url}/v1/messages`, { method: "POST", body: "{}" });
  expect(headers.get("keep-alive")).toBe("timeout=65");
});
