import { type ContentBlock, textOf } from "@pawl/core";
import { messagesApi, type Reply, validateMessagesRequest } from "@pawl/testing";
import { beforeAll, describe, expect, it } from "vitest";
import { assistant, type Body, call, marked, result, sdk, text, user, valid, weather } from "./support.ts";

const replies: Reply[] = [
  {
    thinking: "First I look.",
    text: "Looking.",
    tools: [{ name: "get_weather", input: { city: "Oslo" }, id: "a" }],
  },
  { thinking: "And now?", tools: [{ name: "get_weather", input: { city: "Rome" }, id: "b" }] },
  { thinking: "Enough.", text: "It rains everywhere." },
];

const other = { name: "other", input_schema: { type: "object" }, defer_loading: true };
const picture = (url: string): ContentBlock => ({ type: "image", source: { type: "url", url } });

/** A request after three answers with thinking: messages 1, 3 and 5 are the assistant's. */
let request: Body;
let messages: { role: string; content: ContentBlock[] }[];

/** Lets the simulator answer, so that its signatures are in the conversation. */
async function grow(start: Body, script: readonly Reply[], more: (n: number) => Body): Promise<Body> {
  const api = await messagesApi({ script });
  const list = [...(start.messages as Body[])];
  for (const n of script.keys()) {
    const { content } = await sdk(api).messages.create({ ...start, messages: list } as never);
    list.push(assistant(...(JSON.parse(JSON.stringify(content)) as ContentBlock[])), more(n));
  }
  await api.close();
  return { ...start, messages: list };
}

beforeAll(async () => {
  const start = valid({
    thinking: { type: "adaptive", display: "summarized" },
    system: [text("You are a coach.")],
    tools: [weather],
    messages: [user("What is the weather?", picture("https://x.example/a.png?sig=1"))],
  });
  request = await grow(start, replies, (n) =>
    n === 0 ? user(result("a", [text("rain")])) : n === 1 ? user(result("b", "more rain")) : user("Thanks"),
  );
  messages = request.messages as typeof messages;
});

/** The request with its messages changed. */
function edit(change: (list: typeof messages) => void, more: Body = {}): Body {
  const list = structuredClone(messages);
  change(list);
  return { ...request, messages: list, ...more };
}

const dropThinking = (list: typeof messages, ...from: number[]): void => {
  for (const n of from) list[n]!.content = list[n]!.content.filter(({ type }) => type !== "thinking");
};

const judge = (body: Body): string | undefined => validateMessagesRequest(body)?.message;
const bound = (path: string): string =>
  `${path}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block".`;
const modified = (path: string): string =>
  `${path}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`;

describe("C12 valid: what may change before a kept thinking block", () => {
  const cases: [string, () => Body][] = [
    ["nothing", () => request],
    [
      "something is appended",
      () => edit((list) => list.push(assistant("Welcome.") as never, user("Bye") as never)),
    ],
    ["thinking is removed from the start", () => edit((list) => dropThinking(list, 1))],
    ["more thinking is removed from the start", () => edit((list) => dropThinking(list, 1, 3))],
    ["thinking is removed from the end", () => edit((list) => dropThinking(list, 5))],
    ["all thinking is removed", () => edit((list) => dropThinking(list, 1, 3, 5))],
    [
      "parameters outside the prefix change",
      () => ({ ...request, max_tokens: 7, tool_choice: { type: "none" } }),
    ],
    ["a deferred tool nobody refers to is added", () => ({ ...request, tools: [weather, other] })],
    [
      "cache breakpoints are added",
      () => ({ ...request, tools: [{ ...weather, ...marked() }], ...marked() }),
    ],
    [
      "a cache breakpoint stands inside a result",
      () => edit((list) => Object.assign((list[2]!.content[0]!.content as Body[])[0]!, marked())),
    ],
    [
      "an image's URL rotates",
      () => edit((list) => (list[0]!.content[1] = picture("https://x.example/a.png?sig=2"))),
    ],
    [
      "messages of one role are merged",
      () =>
        edit((list) =>
          list.splice(0, 1, user(list[0]!.content[0]!) as never, user(list[0]!.content[1]!) as never),
        ),
    ],
  ];
  it.each(cases)("%s", (_title, body) => {
    expect(judge(body())).toBeUndefined();
  });
});

describe("C12 invalid: an edit of what a kept thinking block is bound to", () => {
  const first = "messages.1.content.0";
  const cases: [string, () => Body, string][] = [
    ["an earlier message is edited", () => edit((list) => (list[0]!.content[0]!.text = "Edited")), first],
    ["an earlier message is deleted", () => edit((list) => list[0]!.content.pop()), first],
    ["earlier blocks change places", () => edit((list) => list[0]!.content.reverse()), first],
    [
      "C5 an earlier result is shortened",
      () => edit((list) => (list[2]!.content[0]!.content = [text("r")])),
      "messages.3.content.0",
    ],
    [
      "C5 an earlier input is shortened",
      () => edit((list) => (list[1]!.content[2]!.input = { city: "[saved: 4 chars]" })),
      "messages.3.content.0",
    ],
    [
      "an earlier text of the assistant is edited",
      () => edit((list) => (list[1]!.content[1]!.text = "…")),
      "messages.3.content.0",
    ],
    ["C13 system changes", () => ({ ...request, system: [text("You are a trainer.")] }), first],
    [
      "C13 system grows",
      () => ({ ...request, system: [text("You are a coach."), text("It is noon.")] }),
      first,
    ],
    ["T5 a tool changes", () => ({ ...request, tools: [{ ...weather, description: "Rain?" }] }), first],
    [
      "T5 a tool is added",
      () => ({ ...request, tools: [weather, { ...other, defer_loading: false }] }),
      first,
    ],
    [
      "thinking is removed from the middle",
      () => edit((list) => dropThinking(list, 3)),
      "messages.5.content.0",
    ],
    [
      "thinking moves to another message",
      () => edit((list) => list[3]!.content.unshift(list[1]!.content.shift()!)),
      "messages.3.content.0",
    ],
  ];
  it.each(cases)("%s", (_title, body, path) => {
    expect(judge(body())).toBe(bound(path));
  });

  it.each([
    ["of several", [1], "messages.7.content.0"],
    ["of all", [1, 3, 5], "messages.7.content.0"],
  ])("dropped thinking comes back, the first %s", async (_title, dropped, path) => {
    const without = edit((list) => dropThinking(list, ...dropped));
    const grown = await grow(without, [{ thinking: "Anew.", text: "Bye." }], () => user("Really"));
    expect(judge(grown)).toBeUndefined();
    const back = structuredClone(grown.messages) as typeof messages;
    back[1]!.content.unshift(messages[1]!.content[0]!);
    expect(judge({ ...grown, messages: back })).toBe(bound(path));
  });

  it("a deferred tool is referred to before it", async () => {
    const start = valid({
      tools: [weather, other],
      messages: [user("a"), assistant(call("x", "other")), user(result("x"))],
    });
    const grown = await grow(start, [{ thinking: "Hm.", text: "So." }], () => user("b"));
    expect(judge(grown)).toBeUndefined();
    const changed = { ...grown, tools: [weather, { ...other, description: "New" }] };
    expect(judge(changed)).toBe(bound("messages.3.content.0"));
  });
});

describe("the latest assistant message", () => {
  it("keeps its thinking as it was", () => {
    const edited = edit((list) => (list[5]!.content[0]!.thinking = "Edited"));
    expect(judge(edited)).toBe(modified("messages.5.content.0"));
  });
  it("says of an older block only that the signature is wrong", () => {
    const edited = edit((list) => (list[1]!.content[0]!.thinking = "Edited"));
    expect(judge(edited)).toBe("messages.1.content.0: Invalid `signature` in `thinking` block");
  });
  it("keeps a row of thinking blocks whole and in order, or drops it", async () => {
    const row = ["one", "two", "three"].map((thinking) => ({ type: "thinking", thinking }));
    const start = { ...request, messages: [user("a")] };
    const grown = await grow(start, [{ content: [...row, text("b")] }], () => user("c"));
    const list = grown.messages as typeof messages;
    const [one, two, three, ...rest] = list[1]!.content;
    const having = (...blocks: (ContentBlock | undefined)[]): Body => ({
      ...grown,
      messages: [list[0], assistant(...(blocks as ContentBlock[]), ...rest), list[2]],
    });
    expect(judge(having(one, two, three))).toBeUndefined();
    expect(judge(having())).toBeUndefined();
    expect(judge(having(two, one, three))).toBe(modified("messages.1.content.0"));
    expect(judge(having(one, two))).toBe(modified("messages.1.content.1"));
    expect(judge(having(two, three))).toBe(modified("messages.1.content.0"));
  });
});

describe("the signature", () => {
  it("holds for a simulator that starts anew, and for no other secret", () => {
    expect(validateMessagesRequest(request, { secret: "another" })?.message).toBe(
      "messages.1.content.0: Invalid `signature` in `thinking` block",
    );
    expect(validateMessagesRequest(JSON.parse(JSON.stringify(request)))).toBeUndefined();
  });
  it("of another model is not readable and passes", () => {
    const edited = edit((list) => (list[0]!.content[0]!.text = "Edited"), { model: "claude-opus-5-5" });
    expect(judge(edited)).toBeUndefined();
  });
  it("binds nothing on models of before", async () => {
    const start = valid({ model: "claude-haiku-4-5", messages: [user("a")] });
    const grown = await grow(start, [{ thinking: "Hm.", text: "b" }], () => user("c"));
    const list = grown.messages as typeof messages;
    expect(textOf(list[1]!.content)).toBe("b");
    expect(judge({ ...grown, messages: [user("Edited"), ...list.slice(1)] })).toBeUndefined();
  });
  it("stands on redacted thinking as well", async () => {
    const start = valid({ messages: [user("a")] });
    const grown = await grow(start, [{ content: [{ type: "redacted_thinking", data: "" }, text("b")] }], () =>
      user("c"),
    );
    expect(judge(grown)).toBeUndefined();
    const list = grown.messages as typeof messages;
    expect(judge({ ...grown, messages: [user("Edited"), ...list.slice(1)] })).toBe(
      bound("messages.1.content.0"),
    );
  });
  it("covers what the client sees, also when that is nothing", async () => {
    const grown = await grow(valid({ messages: [user("a")] }), [{ thinking: "Hm.", text: "b" }], () =>
      user("c"),
    );
    expect((grown.messages as typeof messages)[1]!.content[0]).toMatchObject({
      type: "thinking",
      thinking: "",
    });
    expect(judge(grown)).toBeUndefined();
  });
});
