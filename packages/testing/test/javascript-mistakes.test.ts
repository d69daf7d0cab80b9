import * as testing from "@pawl/testing";
import { expect, it } from "vitest";
import { said } from "../../../test/support/mistakes.ts";

// biome-ignore lint/suspicious/noExplicitAny: what plain JavaScript passes has no types
const { messagesApi, openaiApi, scriptedModel, strictModel, validateMessagesRequest } = testing as any;

const messages = [{ role: "user", content: [{ type: "text", text: "Hi" }] }];
const request = { system: [], tools: [], messages, maxTokens: 100 };

/** Makes one request to a model. */
// biome-ignore lint/suspicious/noExplicitAny: what plain JavaScript passes has no types
const ask = (model: any) => Array.fromAsync(model.stream(request, { signal: AbortSignal.timeout(1_000) }));

it("U6 scripted models refuse what JavaScript may pass", async () => {
  expect(
    await said(
      () => scriptedModel(),
      () => scriptedModel("Hello."),
      () => scriptedModel({ script: [] }),
      () => scriptedModel([], { rules: () => ({ text: "a" }) }),
      () => scriptedModel([], { model: "claude" }),
      () => scriptedModel([], { pricing: { input: 1 } }),
      () => ask(scriptedModel([{ txt: "a" }])),
      () => ask(scriptedModel([{ toolCalls: [] }])),
      () => ask(scriptedModel([{ fault: "overloaded" }])),
      () => ask(scriptedModel([{ fault: { code: 529 } }])),
      () => ask(scriptedModel([{ fault: { status: "529" } }])),
      () => ask(scriptedModel([{ fault: { cut: 2, stall: 3 } }])),
      () => ask(scriptedModel([{ tools: [{ toolName: "look" }] }])),
      () => ask(scriptedModel(() => "Hello.")),
      () => ask(scriptedModel(() => undefined)),
      () => ask(scriptedModel([])),
    ),
  ).toMatchInlineSnapshot(`
    [
      "config: scriptedModel() needs \`script\`, a list of replies, e.g. [{ text: "Hello." }], or a function.",
      "config: \`script\` of scriptedModel() must be a list of replies, e.g. [{ text: "Hello." }], or a function; got a string.",
      "config: \`script\` of scriptedModel() must be a list of replies, e.g. [{ text: "Hello." }], or a function; got an object.",
      "config: scriptedModel() has no option "rules". Pass a function as the script.",
      "config: scriptedModel() has no option "model". Use \`id\`.",
      "config: pricing of scriptedModel() needs \`output\`, \`cacheRead\`, \`cacheWrite5m\` and \`cacheWrite1h\` too, in US dollars per million tokens.",
      "config: Reply 1 of "claude-scripted" has no option "txt". Did you mean \`text\`?",
      "config: Reply 1 of "claude-scripted" has no option "toolCalls". Use \`tools\`.",
      "config: \`fault\` of Reply 1 of "claude-scripted" must be an object; got a string.",
      "config: \`fault\` of Reply 1 of "claude-scripted" must have status, midStream, cut, stall; got code.",
      "config: \`status\` of \`fault\` of Reply 1 of "claude-scripted" must be a number; got a string.",
      "config: \`fault\` of Reply 1 of "claude-scripted" has no option "stall". The options of \`fault\` of Reply 1 of "claude-scripted" are cut, end.",
      "config: \`tools[0]\` of Reply 1 of "claude-scripted" has no option "toolName". \`tools[0]\` of Reply 1 of "claude-scripted" needs \`name\`, a string. The options of \`tools[0]\` of Reply 1 of "claude-scripted" are name, input, id.",
      "config: Reply 1 of "claude-scripted" must be a reply, e.g. { text: "Hello." }; got a string.",
      "config: Reply 1 of "claude-scripted" must be a reply, e.g. { text: "Hello." }; got undefined.",
      "config: The script of "claude-scripted" is out of replies: it has 0 replies, and this is request 1.",
    ]
  `);
});

it("U6 simulators do so too", async () => {
  expect(
    await said(
      () => strictModel([{ text: "Hello." }]),
      () => strictModel("Hello."),
      () => strictModel(() => ({ text: "Hello." })),
      () => ask(strictModel()),
      () => strictModel({ replies: [] }),
      () => strictModel({ script: { text: "Hello." } }),
      () => strictModel({ script: ["Hello."] }),
      () => strictModel({ script: [{ text: "Hello.", fault: { midstream: "overloaded" } }] }),
      () => strictModel({ id: "claude" }),
      () => messagesApi([{ text: "Hello." }]),
      () => messagesApi({ port: "4000" }),
      () => messagesApi({ apiKey: "k" }),
      () => openaiApi({ script: [{ content: "Hello." }] }),
      () => openaiApi({ rules: [] }),
      () => openaiApi({ models: {} }),
      () => validateMessagesRequest({}, { model: "claude" }),
    ),
  ).toMatchInlineSnapshot(`
    [
      "config: strictModel() takes an object of options; got a list. Write strictModel({ script: [ … ] }).",
      "config: strictModel() takes an object of options; got a string.",
      "config: strictModel() takes an object of options; got a function. Write strictModel({ rules: (request) => ({ … }) }).",
      "config: "claude-sonnet-5-5" has no replies: it needs a \`script\`, e.g. [{ text: "Hello." }], or \`rules\`.",
      "config: strictModel() has no option "replies". Use \`script\`.",
      "config: \`script\` of strictModel() must be a list; got an object.",
      "config: \`script[0]\` of "claude-sonnet-5-5" must be a reply, e.g. { text: "Hello." }; got a string.",
      "config: \`fault\` of \`script[0]\` of "claude-sonnet-5-5" must have status, midStream, cut, stall; got midstream.",
      "config: strictModel() has no option "id". Use \`model\`.",
      "config: messagesApi() takes an object of options; got a list. Write messagesApi({ script: [ … ] }).",
      "config: \`port\` of messagesApi() must be a number; got a string.",
      "config: messagesApi() has no option "apiKey". Use \`apiKeys\`, a list.",
      "config: \`content\` of \`script[0]\` of openaiApi() must be a list; got a string.",
      "config: \`rules\` of openaiApi() must be a function; got a list.",
      "config: openaiApi() has no option "models". The options of openaiApi() are script, rules, now, newId, port, host, apiKeys.",
      "config: validateMessagesRequest() has no option "model". Did you mean \`models\`?",
    ]
  `);
});
