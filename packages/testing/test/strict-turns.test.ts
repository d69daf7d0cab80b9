import type { ContentBlock } from "@pawl/core";
import { messagesApi, validateMessagesRequest } from "@pawl/testing";
import { afterAll, describe, expect, it } from "vitest";
import {
  assistant,
  type Body,
  block,
  call,
  long,
  marked,
  messages,
  result,
  send,
  text,
  user,
  valid,
  weather,
} from "./support.ts";

const api = await messagesApi({ rules: () => ({ text: "Hello." }) });
afterAll(() => api.close());

const tools = [weather];
const system = (...list: Body[]): Body => ({ ...user(...(list as ContentBlock[])), role: "system" });
const serverCall = block({ type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} });
const serverResult = block({ type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] });
const unanswered = (index: number, ids: string): string =>
  `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
const unasked = (path: string, id: string): string =>
  `${path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
const directive = "the directive-only form (content: [] with output_config) is accepted at any position";
const five = ["a", "b", "c", "d", "e"].map((part) => text(part, marked()));

const refusals: [string, Body, string][] = [
  // Roles
  [
    "the assistant's word last",
    messages(user("a"), assistant("b")),
    "This model does not support assistant message prefill. The conversation must end with a user message.",
  ],
  [
    "blank end of a prefill",
    { ...messages(user("a"), assistant("b ")), model: "claude-haiku-4-5" },
    "messages: final assistant content cannot end with trailing whitespace",
  ],
  [
    "system first",
    messages(system(text("s")), user("a")),
    `messages.0: role 'system' must follow a 'user' message or an 'assistant' message ending in a server tool result; ${directive}`,
  ],
  [
    "system before the user",
    messages(user("a"), system(text("s")), user("b")),
    `messages.1: role 'system' must precede an 'assistant' message or end the array; ${directive}`,
  ],
  // Pairing
  ["L8 a call without result", messages(user("a"), assistant(call("a")), user("b")), unanswered(1, "a")],
  [
    "C1 two calls, one result",
    messages(user("a"), assistant(call("a"), call("b")), user(result("a"))),
    unanswered(1, "b"),
  ],
  [
    "C1 several calls without results",
    messages(user("a"), assistant(call("a"), call("b")), user("c")),
    unanswered(1, "a, b"),
  ],
  [
    "C1 a result that is not first",
    messages(user("a"), assistant(call("a")), user("hm", result("a"))),
    unanswered(1, "a"),
  ],
  [
    "C1 text after a call",
    messages(user("a"), assistant(call("a"), "so"), user(result("a"))),
    unanswered(1, "a"),
  ],
  [
    "C1 a result too late",
    messages(user("a"), assistant(call("a")), user("b"), assistant("c"), user(result("a"))),
    unanswered(1, "a"),
  ],
  [
    "L7 a result nobody asked for",
    messages(user("a"), assistant("b"), user(result("unknown"))),
    unasked("messages.2.content.0", "unknown"),
  ],
  [
    "C11 a result at the beginning",
    messages(user(result("a"), "go on")),
    unasked("messages.0.content.0", "a"),
  ],
  [
    "L7 two results of one call",
    messages(user("a"), assistant(call("a")), user(result("a"), result("a"))),
    "messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: a",
  ],
  [
    "one id for two calls",
    messages(user("a"), assistant(call("a")), user(result("a")), assistant(call("a")), user(result("a"))),
    "messages.3.content.0: `tool_use` ids must be unique",
  ],
  [
    "a server call without result",
    messages(user("a"), assistant(serverCall), user("b")),
    "`web_search` tool use with id `srvtoolu_1` was found without a corresponding `web_search_tool_result` block, but no `web_search` tool was provided",
  ],
  // Thinking
  [
    "an unknown signature",
    messages(
      user("a"),
      assistant(block({ type: "thinking", thinking: "x", signature: "c2ln" }), "b"),
      user("c"),
    ),
    "messages.1.content.0: Invalid `signature` in `thinking` block",
  ],
  [
    "manual thinking on a new model",
    { thinking: { type: "enabled", budget_tokens: 2000 }, max_tokens: 3000 },
    '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
  ],
  [
    "no thinking where it cannot be off",
    { model: "claude-opus-5-5", thinking: { type: "disabled" } },
    '"thinking.type.disabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
  ],
  [
    "adaptive thinking on an old model",
    { model: "claude-haiku-4-5", thinking: { type: "adaptive" } },
    "adaptive thinking is not supported on this model",
  ],
  [
    "a small budget",
    { model: "claude-haiku-4-5", thinking: { type: "enabled", budget_tokens: 10 } },
    "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
  ],
  [
    "a budget above max_tokens",
    { model: "claude-haiku-4-5", thinking: { type: "enabled", budget_tokens: 1024 } },
    "`max_tokens` must be greater than `thinking.budget_tokens`.",
  ],
  [
    "block_binding without its beta",
    { thinking: { type: "adaptive", block_binding: {} } },
    "thinking.adaptive.block_binding: Extra inputs are not permitted",
  ],
  [
    "manual thinking and a forced tool",
    {
      model: "claude-haiku-4-5",
      max_tokens: 3000,
      thinking: { type: "enabled", budget_tokens: 1024 },
      tools,
      tool_choice: { type: "any" },
    },
    "Thinking may not be enabled when tool_choice forces tool use.",
  ],
  [
    "L11 adaptive thinking and a forced tool",
    {
      model: "claude-opus-4-8",
      thinking: { type: "adaptive" },
      tools,
      tool_choice: { type: "any", disable_parallel_tool_use: true },
    },
    "Thinking may not be enabled when tool_choice forces tool use.",
  ],
];

describe("refuses, in the API's words,", () => {
  it.each(refusals)("%s", async (_title, changes, expected) => {
    const sent = await send(api, valid(changes));
    expect(sent).toEqual({ status: 400, type: "invalid_request_error", text: expected });
  });

  it("a manual thinking turn that does not begin with thinking", async () => {
    const thinking = { type: "enabled", budget_tokens: 1024 };
    const list = messages(user("a"), assistant(call("a")), user(result("a")));
    const sent = await send(api, valid({ ...list, model: "claude-haiku-4-5", max_tokens: 3000, thinking }));
    expect((sent as { text: string }).text).toMatch(
      /^messages\.1\.content\.0\.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`\. When `thinking` is enabled,/,
    );
  });
});

describe("accepts", () => {
  const accepted: [string, Body][] = [
    ["C1 consecutive messages of one role", messages(user("a"), user("b"))],
    [
      "C1 results spread over two user messages",
      messages(user("a"), assistant(call("a"), call("b")), user(result("a")), user(result("b"), "and?")),
    ],
    ["C1 text after the results", messages(user("a"), assistant("b", call("a")), user(result("a"), "and?"))],
    ["a leading assistant", messages(assistant("a"), user("b"))],
    ["an empty result", messages(user("a"), assistant(call("a")), user(result("a", "")))],
    ["C3 four marks", messages(user(...five.slice(1)))],
    [
      "C3 five minutes after an hour",
      { system: [text("s", marked("1h"))], ...messages(user(text("a", marked()))) },
    ],
    ["C3 the automatic mark on a marked block", { ...messages(user(...five.slice(1))), ...marked() }],
    [
      "a prefill where the model allows it",
      { ...messages(user("a"), assistant("b")), model: "claude-haiku-4-5" },
    ],
    [
      "a server call with its result",
      messages(user("a"), assistant(serverCall, serverResult, "b"), user("c")),
    ],
    [
      "L11 a forced tool without thinking",
      {
        model: "claude-opus-4-8",
        thinking: { type: "disabled" },
        tools,
        tool_choice: { type: "any", disable_parallel_tool_use: true },
      },
    ],
    ["system after the user", messages(user("a"), system(text("s")), assistant("b"), user("c"))],
    [
      "an answer as the API gave it",
      messages(
        user("a"),
        assistant(text("b", { citations: null }), block({ ...call("a"), caller: { type: "direct" } })),
        user(result("a")),
      ),
    ],
  ];
  it.each(accepted)("%s", async (_title, changes) => {
    expect(await send(api, valid(changes))).toHaveProperty("message");
  });
});

describe("one error per request, in the API's order", () => {
  const all = {
    ...messages(user(...five), assistant(call("a")), user("b")),
    thinking: { type: "enabled", budget_tokens: 2000 },
    max_tokens: 3000,
  };
  const fixed: [string, Body, string][] = [
    ["top level", { ...all, top_k: 1 }, "top_k: Extra inputs"],
    ["tools and blocks", { ...all, tools: [weather, weather] }, "tools: Tool names must be unique."],
    ["cache breakpoints", all, "A maximum of 4"],
    [
      "roles",
      messages(user("a"), assistant(call("a")), user(" ")),
      "messages: text content blocks must contain",
    ],
    [
      "pairing",
      { ...all, ...messages(user("a"), assistant(call("a")), user("b")) },
      "messages.1: `tool_use` ids",
    ],
    ["thinking", { ...all, ...messages(user("a")) }, '"thinking.type.enabled" is not supported'],
  ];
  it.each(fixed)("%s", (_title, changes, start) => {
    expect(validateMessagesRequest(valid(changes))?.message.startsWith(start)).toBe(true);
  });
});

describe("a paused turn", () => {
  const asked = user("a");
  const said = [text("b"), serverCall];
  const prefill =
    "This model does not support assistant message prefill. The conversation must end with a user message.";
  const body = (...list: Body[]) => valid(messages(...list));

  it("L18 is taken back exactly as it was, together with what came before it", async () => {
    const replies = [
      { content: said, stop: "pause_turn" },
      { content: [serverResult, text("c")], stop: "pause_turn" },
      { content: [text("d")] },
    ];
    const paused = await messagesApi({ script: replies });
    const refused = { status: 400, type: "invalid_request_error", text: prefill };
    try {
      expect(await send(paused, body(asked, assistant(...said)))).toEqual(refused);
      expect(await send(paused, body(asked))).toMatchObject({ message: { stop_reason: "pause_turn" } });
      for (const altered of [[text("b!"), serverCall], [serverCall], [...said, serverResult], [text("b")]]) {
        expect(await send(paused, body(asked, assistant(...altered)))).toEqual(refused);
      }
      expect(await send(paused, body(asked, assistant(...said), user("and?")))).toMatchObject({
        text: expect.stringContaining("was found without a corresponding"),
      });
      expect(await send(paused, body(asked, assistant(...said)))).toHaveProperty("message");
      expect(await send(paused, body(asked, assistant(serverResult, text("c"))))).toEqual(refused);
      const both = [assistant(...said), assistant(serverResult, text("c"))];
      expect(await send(paused, body(asked, ...both))).toMatchObject({
        message: { stop_reason: "end_turn" },
      });
    } finally {
      await paused.close();
    }
  });

  it("L18 is recognized by its shape without having been seen paused", () => {
    const judged = (...list: Body[]) => validateMessagesRequest(body(...list))?.message;
    expect(judged(asked, assistant(...said))).toBeUndefined();
    expect(judged(asked, assistant(...said, serverResult))).toBeUndefined();
    expect(judged(asked, assistant("b"))).toBe(prefill);
  });
});

it("has the rules of old only when asked", () => {
  const twice = valid(messages(user("a"), user("b")));
  const late = valid(messages(assistant("a"), user("b")));
  const noTools = valid({ messages: [user("a"), assistant(call("a")), user(result("a"))] });
  const legacy = { alternatingRoles: true, toolsRequired: true };
  for (const body of [twice, late, noTools]) expect(validateMessagesRequest(body)).toBeUndefined();
  const texts = [twice, late, noTools].map((body) => validateMessagesRequest(body, { legacy })?.message);
  expect(texts).toEqual([
    'messages: roles must alternate between "user" and "assistant", but found multiple "user" roles in a row',
    'messages: first message must use the "user" role',
    "Requests which include `tool_use` or `tool_result` blocks must define tools.",
  ]);
});

it("judges in process what it never saw before: bodies of any shape", () => {
  for (const body of [
    null,
    [],
    "x",
    1,
    { messages: [null] },
    valid({ messages: [{ role: "user", content: [null] }] }),
  ])
    expect(validateMessagesRequest(body)?.status).toBe(400);
  expect(validateMessagesRequest(valid({ system: long(10) }))).toBeUndefined();
});
