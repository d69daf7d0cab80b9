import { scriptedModel } from "@pawl/testing";
import { beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { said } from "../../../../test/support/mistakes.ts";
import { expectPrinted } from "../../../../test/support/printed.ts";
import * as core from "../../src/index.ts";
import { withEventLines } from "../../src/inspect.ts";

// What users of the AI SDK, LangChain and Express write, in plain JavaScript: no compiler helps.
// biome-ignore lint/suspicious/noExplicitAny: JavaScript has no types
const js = { ...core, withEventLines } as any;
const { agent, memoryBlobs, memoryReservations, memoryStore, runtime, tool } = js;
const model = scriptedModel([]);
const base = { name: "a", model, instructions: "Help." };
const t = {
  name: "t",
  description: "Does it.",
  input: core.jsonSchema({ type: "object" }),
  execute: () => "",
};
const made = agent(base);
const store = memoryStore();
let sessionId = "";
const pawl = runtime({ agents: [made], store });
beforeAll(async () => {
  ({ id: sessionId } = await pawl.getOrCreateSession("a", "u1"));
});

describe("U6 what JavaScript may pass is refused by name", () => {
  it("U6 tool()", async () => {
    expect(
      await said(
        () => tool(),
        () => tool({ ...t, input: undefined, inputSchema: t.input }),
        () => tool({ ...t, input: undefined, parameters: t.input }),
        () => tool({ ...t, needsApproval: true }),
        () => tool({ ...t, description: undefined }),
        () => tool({ ...t, execute: undefined, handler: () => "" }),
        () => tool({ ...t, execute: undefined, func: () => "" }),
        () => tool({ ...t, execute: undefined, callback: () => "" }),
        () => tool({ ...t, input: undefined, input_schema: { type: "object" } }),
        () => tool({ ...t, id: "t", title: "T", strict: true }),
        () => tool({ ...t, returnDirect: true }),
        () => tool({ ...t, requiresConfirmation: true }),
        () => tool("t", t.description, t.input, t.execute),
        () => tool({ ...t, name: "get weather" }),
        () => tool({ ...t, timeoutMs: "1000" }),
        () => tool({ ...t, input: { city: "string" } }),
        () => tool({ ...t, input: { city: z.string() } }),
        () => tool({ ...t, input: { type: "object", properties: {} } }),
        () => tool({ ...t, input: "string" }),
      ),
    ).toMatchInlineSnapshot(`
      [
        "config: tool() takes an object of options with \`name\`, \`description\` and \`input\`; got undefined.",
        "config: tool("t") has no option "inputSchema". Use \`input\`. tool("t") needs \`input\`.",
        "config: tool("t") has no option "parameters". Use \`input\`. tool("t") needs \`input\`.",
        "config: tool("t") has no option "needsApproval". Use \`approval({ when: ["its name"] })\` in the \`hooks\` of the agent.",
        "config: tool("t") needs \`description\`, a string.",
        "config: tool("t") has no option "handler". Use \`execute\`.",
        "config: tool("t") has no option "func". Use \`execute\`.",
        "config: tool("t") has no option "callback". Use \`execute\`.",
        "config: tool("t") has no option "input_schema". Use \`input\`, with jsonSchema({ … }) around JSON Schema. tool("t") needs \`input\`.",
        "config: tool("t") has no option "id". Use \`name\`. tool("t") has no option "title". Use \`status\`, the texts that users see. tool("t") has no option "strict". The options of tool("t") are name, description, input, execute, suspends, runsIn, output, expires, format, maxResultChars, shortenInput, status, category, timeoutMs, idempotent, repeatable, dependsOn, endsRun.",
        "config: tool("t") has no option "returnDirect". Use \`endsRun\`.",
        "config: tool("t") has no option "requiresConfirmation". Use \`approval({ when: ["its name"] })\` in the \`hooks\` of the agent.",
        "config: tool() takes an object of options with \`name\`, \`description\` and \`input\`; got a string.",
        "config: "get weather" is not a valid tool name: use 1 to 64 letters, digits, _ or -.",
        "config: \`timeoutMs\` of tool("t") must be a number; got a string.",
        "config: The schema of the tool "t" cannot describe itself as JSON Schema. It is a plain object: wrap it in z.object({ … }) of zod, from 4.2 on, or, if it is JSON Schema, in jsonSchema({ … }).",
        "config: The schema of the tool "t" cannot describe itself as JSON Schema. It is a plain object: wrap it in z.object({ … }) of zod, from 4.2 on, or, if it is JSON Schema, in jsonSchema({ … }).",
        "config: The schema of the tool "t" cannot describe itself as JSON Schema. It is a plain object: wrap it in z.object({ … }) of zod, from 4.2 on, or, if it is JSON Schema, in jsonSchema({ … }).",
        "config: The schema of the tool "t" cannot describe itself as JSON Schema. Use zod from 4.2 on, another library with Standard JSON Schema, or jsonSchema({ … }) around a plain one.",
      ]
    `);
  });

  it("U6 agent()", async () => {
    expect(
      await said(
        () => agent(),
        () => agent({ ...base, name: undefined }),
        () => agent({ ...base, instructions: undefined, system: "Help." }),
        () => agent({ ...base, tools: { t } }),
        () => agent({ ...base, tools: [t] }),
        () => agent({ ...base, hooks: core.approval({ when: ["t"] }) }),
        () => agent({ ...base, hooks: [core.approval] }),
        () => agent({ ...base, hooks: [undefined] }),
        () => agent({ ...base, hooks: [Promise.resolve()] }),
        () => agent({ ...base, hooks: [{ name: "h", beforeTool: { deny: "No." } }] }),
        () => agent({ ...base, hook: [] }),
        () => agent({ ...base, instructions: undefined, intsructions: "Help." }),
        () => agent({ ...base, model: "claude-sonnet-5-5" }),
        () => agent({ ...base, model: undefined }),
        () => agent({ ...base, maxSteps: 5 }),
        () => agent({ ...base, stopWhen: () => false }),
        () => agent({ ...base, model: undefined, llm: model }),
        () => agent({ ...base, temperature: 0.2, toolChoice: "auto" }),
        () => agent({ ...base, output: {}, outputSchema: {}, responseFormat: {} }),
        () => agent({ ...base, memory: {}, store, deps: {}, context: {} }),
        () => agent({ ...base, middleware: [], guardrails: [], handoffs: [], description: "Helps." }),
        () => agent({ ...base, inputGuardrails: [], checkpointer: {}, interruptBefore: [], state: {} }),
        () => agent({ ...base, toolUseBehavior: "", modelSettings: {}, recursionLimit: 5, mcpServers: [] }),
        () => agent({ ...base, onFinish: () => undefined, onStepFinish: () => undefined, timeout: 5 }),
        () => agent({ ...base, limits: { maxTurns: 5 } }),
        () => agent({ ...base, limits: { costUsd: "0.5" } }),
        () => agent({ ...base, limits: { turns: Number(undefined) } }),
        () => agent({ ...base, limits: { costUsd: 1 } }),
        () => agent({ ...base, hooks: [{ beforetool: () => undefined }] }),
        () => agent({ ...base, hooks: [{ name: "h", beforeCall: () => undefined }] }),
        () => agent({ ...base, model: { ...model, pricing: { input: 3, output: 15 } } }),
      ),
    ).toMatchInlineSnapshot(`
      [
        "config: agent() takes an object of options with \`name\`, \`model\` and \`instructions\`; got undefined.",
        "config: agent() needs \`name\`, a string.",
        "config: agent("a") has no option "system". Use \`instructions\`. agent("a") needs \`instructions\`, a string.",
        "config: \`tools\` of agent("a") must be a list, e.g. tools: [getWeather], or a function; got an object.",
        "config: \`tools[0]\` of agent("a") must be made by tool(); got an object.",
        "config: \`hooks\` of agent("a") must be a list, e.g. hooks: [approval({ … })]; got an object.",
        "config: \`hooks[0]\` of agent("a") must be a hook, e.g. approval({ when: ["pay"] }); got a function. Did you mean to call it: approval(…)?",
        "config: \`hooks[0]\` of agent("a") must be a hook, e.g. approval({ when: ["pay"] }); got undefined.",
        "config: \`hooks[0]\` of agent("a") must be a hook, e.g. approval({ when: ["pay"] }); got a promise, which needs \`await\`.",
        "config: The agent "a" cannot be used: \`beforeTool\` of its hook "h" must be a function; got an object.",
        "config: agent("a") has no option "hook". Did you mean \`hooks\`?",
        "config: agent("a") has no option "intsructions". Did you mean \`instructions\`? agent("a") needs \`instructions\`, a string.",
        "config: \`model\` of agent("a") must be a ModelClient, e.g. claude("claude-sonnet-5-5"); got a string.",
        "config: agent("a") needs \`model\`, a ModelClient, e.g. claude("claude-sonnet-5-5").",
        "config: agent("a") has no option "maxSteps". Use \`limits: { turns }\`.",
        "config: \`stopWhen\` of agent("a") must be a list, e.g. stopWhen: [stopOnFailedTurns(3)]; got a function.",
        "config: agent("a") has no option "llm". Use \`model\`. agent("a") needs \`model\`, a ModelClient, e.g. claude("claude-sonnet-5-5").",
        "config: agent("a") has no option "temperature". Set it where the model is made, e.g. openai(id, { body }). Claude has none. agent("a") has no option "toolChoice". Use \`toolOnly: true\`, or \`toolChoice\` of a hook's \`beforeTurn\`.",
        "config: agent("a") has no option "outputSchema". Use \`output\`. agent("a") has no option "responseFormat". Use \`output\`.",
        "config: agent("a") has no option "memory". Sessions remember: pass the \`sessionId\` of the first run to the next one. agent("a") has no option "store". It is an option of runtime(). agent("a") has no option "deps". It is an option of runtime(). agent("a") has no option "context". Use \`deps\` of runtime(), or \`caller\` of run().",
        "config: agent("a") has no option "middleware". Use \`hooks\`. agent("a") has no option "guardrails". Use \`guardrail({ … })\` in \`hooks\`. agent("a") has no option "handoffs". Use \`roles\` or \`handOverTo\` to hand over the conversation, or \`agentTool()\` in \`tools\` for a task. agent("a") has no option "description". It is an option of agentTool().",
        "config: agent("a") has no option "inputGuardrails". Use \`guardrail({ … })\` in \`hooks\`. agent("a") has no option "checkpointer". Use \`store\` of runtime(). The log of each session is its checkpoint. agent("a") has no option "interruptBefore". Use \`approval({ when })\` in \`hooks\`, or \`suspends\` of tool(). agent("a") has no option "state". The log has the state: use events of your own, see \`context.append()\`.",
        "config: agent("a") has no option "toolUseBehavior". Use \`endsRun: true\` of tool(). agent("a") has no option "modelSettings". Set them where the model is made, e.g. claude(id, { body: { … } }). agent("a") has no option "recursionLimit". Use \`limits: { turns }\`. agent("a") has no option "mcpServers". Use \`tools: mcpTools({ servers })\`, of @pawl/mcp.",
        "config: agent("a") has no option "onFinish". Listen to the run: run.on("run_ended", …). agent("a") has no option "onStepFinish". Listen to the run: run.on("turn_ended", …). agent("a") has no option "timeout". Use \`limits: { wallClockMs }\`.",
        "config: The agent "a" cannot be used: limits.maxTurns is not a limit; use turns, wallClockMs, toolCalls, inputTokens, outputTokens, costUsd, errorTurns, toolFailures.",
        "config: The agent "a" cannot be used: limits.costUsd must be a number above 0; got a string. Infinity lifts the limit.",
        "config: The agent "a" cannot be used: limits.turns must be a number above 0, not NaN. Infinity lifts the limit.",
        "config: The agent "a" cannot be used: costUsd is limited, but claude-scripted has no prices. Give it some, in US dollars per million tokens: pricing: { input, output, cacheRead, cacheWrite5m, cacheWrite1h }, e.g. by pricingOf("claude-sonnet-5-5") of @pawl/anthropic.",
        "config: The agent "a" cannot be used: it has a hook without a name.",
        "config: The agent "a" cannot be used: its hook "h" has "beforeCall", which is not a method of hooks and would never be called.",
        "config: pricing of claude-scripted, the model of "a", needs \`cacheRead\`, \`cacheWrite5m\` and \`cacheWrite1h\` too, in US dollars per million tokens.",
      ]
    `);
  });

  it("U6 runtime() and its methods", async () => {
    expect(
      await said(
        () => runtime(),
        () => runtime({ agent: made, store }),
        () => runtime({ agents: made, store }),
        () => runtime({ agents: { a: made }, store }),
        () => runtime({ agents: [base], store }),
        () => runtime({ agents: [made] }),
        () => runtime({ agents: [made], store: "postgres://ada:secret@db" }),
        () => runtime({ agents: [made], store, logger: console }),
        () => pawl.run("typo", { userId: "u1", input: "Hi" }),
        () => pawl.run("a", { input: "Hi" }),
        () => pawl.run("a", { userId: "u1", messages: [] }),
        () => pawl.run("a", { userId: "u1", prompt: "Hi" }),
        () => pawl.run("a", { userId: "u1" }),
        () => pawl.run("a", { userId: "u1", input: undefined }),
        () => pawl.run("a", { userId: "u1", input: 42 }),
        () => pawl.run("a", { userId: "u1", input: null }),
        () => pawl.run("a", { userId: "u1", input: " " }),
        () => pawl.run("a", { userId: "u1", input: { text: "Hi" } }),
        () => pawl.run("a", { userId: "u1", input: "Hi", answers: [{ callId: "c", value: 1 }] }),
        () => pawl.run("a", { userId: "u1", text: "Hi" }),
        () => pawl.run("a", { userId: "u1", content: "Hi" }),
        () => pawl.run("a", { userId: "u1", sessionId, answers: { callId: "c", value: 1 } }),
        () => pawl.run("a", { userId: "u1", sessionId, answers: [] }),
        () => pawl.run("a", { userId: "u1", sessionId, retry: true }),
        () => pawl.run("a", { userId: "u1", input: "Hi", maxTokens: 5 }),
        () => pawl.run("a", { userId: "u1", input: "Hi", thread_id: "t", maxTurns: 3, stream: true }),
        () => pawl.run("a", "Hi"),
        () => pawl.run("a"),
        () => pawl.run("a", { userId: "u1", input: [{ role: "user", content: "Hi" }] }),
        () => pawl.run("a", { userId: "u1", answer: { callId: "c", value: 1 } }),
        () => pawl.run("a", { userId: "u1", answers: [{ callId: "c", value: 1 }] }),
        () => pawl.run("a", { userId: "u1", sessionId, answers: [{ id: "c", value: 1 }] }),
        () => pawl.run("a", { userId: "u1", sessionId, answers: [{ seq: 3, answer: 1 }] }),
        () => pawl.run("a", { userId: "u1", sessionId, answers: ["yes"] }),
        () => pawl.view(sessionId),
        () => pawl.view({ userId: "u1" }),
        () => pawl.view(sessionId, { user: "u1" }),
        () => pawl.stop(sessionId, "u1"),
        () => pawl.follow(sessionId, { after: 3 }),
        () => pawl.fork(sessionId, { userId: "u1", seq: 3 }),
        () => pawl.redact(sessionId, { userId: "u1" }),
        () => pawl.startContextAt(sessionId, { userId: "u1" }),
        () => pawl.getOrCreateSession("a", { userId: "u1" }),
        () => pawl.drain({ timeout: 5 }),
        () => pawl.drain(5_000),
      ),
    ).toMatchInlineSnapshot(`
      [
        "config: runtime() takes an object of options with \`agents\` and \`store\`; got undefined.",
        "config: runtime() has no option "agent". Use \`agents\`, a list of agents. runtime() needs \`agents\`, a list, e.g. agents: [coach].",
        "config: \`agents\` of runtime() must be a list, e.g. agents: [coach]; got an object.",
        "config: \`agents\` of runtime() must be a list, e.g. agents: [coach]; got an object.",
        "config: \`agents[0]\` of runtime() must be made by agent(); got an object.",
        "config: runtime() needs \`store\`, an EventStore, e.g. memoryStore().",
        "config: \`store\` of runtime() must be an EventStore, e.g. memoryStore(); got a string.",
        "config: runtime() has no option "logger". Use \`onError\`, or the store withEventLines(store) of @pawl/core/inspect.",
        "not_found: The runtime has no agent "typo". It has: a.",
        "invalid_input: run() needs \`userId\`, a string.",
        "invalid_input: run() has no option "messages". Send the new message as \`input\`; the session has the earlier ones.",
        "invalid_input: run() has no option "prompt". Use \`input\`.",
        "invalid_input: run() needs one of \`input\` (the text of a message), \`answers\` and \`retry\` (the id of a run); all are undefined.",
        "invalid_input: run() needs one of \`input\` (the text of a message), \`answers\` and \`retry\` (the id of a run); all are undefined.",
        "invalid_input: \`input\` of run() must be the text of the new message, e.g. "Hello", or a list of parts; got a number.",
        "invalid_input: \`input\` of run() must be the text of the new message, e.g. "Hello", or a list of parts; got null.",
        "invalid_input: The message is empty: \`input\` of run() needs visible text.",
        "invalid_input: \`input\` of run() must be the text of the new message, e.g. "Hello", or a list of parts; got an object.",
        "invalid_input: run() takes only one of \`input\`, \`answers\` and \`retry\`; got \`input\` and \`answers\`.",
        "invalid_input: run() has no option "text". Use \`input\`.",
        "invalid_input: run() has no option "content". Use \`input\`.",
        "invalid_input: \`answers\` of run() must be a list, e.g. [{ callId, value }]; got an object.",
        "invalid_input: \`answers\` must have at least one answer.",
        "invalid_input: \`retry\` of run() must be the id of the run that failed; got a boolean.",
        "invalid_input: run() has no option "maxTokens". It is an option of agent().",
        "invalid_input: run() has no option "thread_id". Use \`sessionId\`. run() has no option "maxTurns". Use \`limits: { turns }\` of agent(). run() has no option "stream". A run always streams: read its events, its \`textStream\` or its \`result\`.",
        "invalid_input: run() takes an object of options with \`userId\`; got a string.",
        "invalid_input: run() takes an object of options with \`userId\`; got undefined.",
        "invalid_input: \`input[0]\` of run() is a message. Send only the new one; the session has the earlier ones.",
        "invalid_input: run() has no option "answer". Use \`answers\`, a list.",
        "invalid_input: \`answers\` and \`retry\` need a \`sessionId\`.",
        "invalid_input: \`answers[0]\` has no option "id". Use \`callId\`. \`answers[0]\` needs \`callId\`, a string.",
        "invalid_input: \`answers[0]\` has no option "seq". Use \`question\`. \`answers[0]\` has no option "answer". Use \`value\`. \`answers[0]\` needs \`callId\`, a string.",
        "invalid_input: \`answers[0]\` takes an object of options with \`callId\`; got a string.",
        "invalid_input: view() takes an object of options with \`userId\`; got undefined.",
        "invalid_input: view() needs the id of a session, a string; got an object.",
        "invalid_input: view() has no option "user". Use \`userId\`. view() needs \`userId\`, a string.",
        "invalid_input: stop() takes an object of options with \`userId\`; got a string.",
        "invalid_input: follow() has no option "after". The options of follow() are afterSeq, live, signal, untilIdle, resume, caller, credentials.",
        "invalid_input: fork() has no option "seq". Use \`afterSeq\` or \`atSeq\`.",
        "invalid_input: redact() takes an object of options with \`userId\`; got undefined.",
        "invalid_input: startContextAt() needs \`fromSeq\`, a number.",
        "invalid_input: getOrCreateSession() needs the id of the user, a string; got an object.",
        "invalid_input: drain() has no option "timeout". Use \`timeoutMs\`.",
        "invalid_input: drain() takes an object of options; got a number.",
      ]
    `);
  });

  it("U6 an approval that is answered in another form", async () => {
    const look = { name: "look", description: "Looks.", input: z.object({}), execute: () => "" };
    const model = scriptedModel(() => ({ tools: [{ name: "look", input: {} }] }));
    const asking = agent({ ...base, model, tools: [tool(look)], hooks: [core.approval({ when: ["look"] })] });
    const pawl = runtime({ agents: [asking], store: memoryStore() });
    const { sessionId, pending } = await pawl.run("a", { userId: "u1", input: "Hi" }).result;
    const answered = (value: unknown) => () =>
      pawl.run("a", { userId: "u1", sessionId, answers: [{ callId: pending[0].callId, value }] });
    expect(
      await said(answered("y"), answered(true), answered({ approve: true }), answered(undefined)),
    ).toMatchInlineSnapshot(`
      [
        "invalid_answer: The answer does not match the question's schema: Instance type "string" is invalid. Expected "object". Answer { approved: true } or { approved: false }.",
        "invalid_answer: The answer does not match the question's schema: Instance type "boolean" is invalid. Expected "object". Answer { approved: true } or { approved: false }.",
        "invalid_answer: The answer does not match the question's schema: approved: is missing; approve: is not known here; the fields are approved, reason. Answer { approved: true } or { approved: false }.",
        "invalid_answer: The answer does not match the question's schema: Instance type "null" is invalid. Expected "object". Answer { approved: true } or { approved: false }.",
      ]
    `);
  });

  it("U6 hooks", async () => {
    const reservations = memoryReservations();
    const account = "u1";
    expect(
      await said(
        () => js.approval(),
        () => js.approval({ tools: ["t"] }),
        () => js.approval({ when: "t" }),
        () => js.permissions({ deny: ["t"] }),
        () => js.permissions({ allow: { work: "t" } }),
        () => js.reservation({ reservations, account, limit: 1, amount: 1, tll: 5 }),
        () => js.reservation({ reservations, account, limit: "1", amount: 1 }),
        () => js.reservation({ reservations: {}, account, limit: 1, amount: 1 }),
        () => js.reservation({ reservations, account, limit: 1 }),
        () => js.reservation({ store: reservations, limit: 1, amount: 1 }),
        () => js.reservation({ reservations, account, limit: 1, amount: 1, ttlMs: -1 }),
      ),
    ).toMatchInlineSnapshot(`
      [
        "config: approval() takes an object of options with \`when\`; got undefined.",
        "config: approval() has no option "tools". Use \`when\`. approval() needs \`when\`.",
        "config: \`when\` of approval() must be a list of tool names or a function; got a string.",
        "config: permissions() has no option "deny". Use \`check\`. permissions() needs \`allow\`, an object.",
        "config: \`allow["work"]\` of permissions() must be a list of tool names; got a string.",
        "config: reservation() has no option "tll". The options of reservation() are name, reservations, account, limit, amount, limitUsd, amountUsd, ttlMs, retryMs, message, clock.",
        "config: \`limit\` of reservation() must be a number or a function; got a string.",
        "config: \`reservations\` of reservation() must be Reservations, e.g. memoryReservations(); got an object.",
        "config: reservation() needs \`limit\` and \`amount\` in tokens, or \`limitUsd\` and \`amountUsd\` in US dollars; got limit.",
        "config: reservation() has no option "store". Use \`reservations\`. reservation() needs \`reservations\`, an object. reservation() needs \`account\`.",
        "config: ttlMs of reservation() must be a number from 1 to 1073741824, not -1.",
      ]
    `);
  });

  it("U6 sub-agents, checkpoints, stores and models", async () => {
    expect(
      await said(
        () => js.agentTool({ description: "Helps." }),
        () => js.agentTool({ agent: base, description: "Helps." }),
        () => js.agentTool({ agent: made }),
        () => js.agentTool({ agent: made, description: "Helps.", limits: { turns: "3" } }),
        () => js.agentTool({ agent: made, description: "Helps.", limits: { maxTurns: 3 } }),
        () => js.summarize({ model }),
        () => js.summarize({ model: "claude", whenTokens: 1_000 }),
        () => js.summarize({ model, whenTokens: 1_000, prompt: "Be short." }),
        () => js.dropOldResults(),
        () => js.dropOldResults({ whenTokens: 1, keep: 3 }),
        () => js.withBlobs(store),
        () => js.withBlobs(memoryBlobs(), store),
        () => js.withBlobs(store, memoryBlobs(), { aboveBytes: "1kB" }),
        () => js.withBlobs(store, memoryBlobs(), { above: 5 }),
        () => js.memoryStore({ clock: Date }),
        () => js.memoryFiles({ dir: "/tmp" }),
        () => js.memoryReservations({ clock: 5 }),
        () => js.sanitize("x", { tag: "a" }),
        () => js.withEventLines(),
        () => js.resilient(model, { fallbacks: [model] }),
        () => js.resilient(model, { fallback: "claude" }),
        () => js.withRetry(model, { maxRetries: 3 }),
        () => js.withFallback(model, undefined),
        () => js.stopOnFailedTurns("3"),
      ),
    ).toMatchInlineSnapshot(`
      [
        "config: agentTool() needs \`agent\`, or \`agents\`.",
        "config: \`agent\` of agentTool() must be made by agent(); got an object.",
        "config: agentTool() needs \`description\`, a string.",
        "config: limits.turns of "a" must be a number above 0; got a string.",
        "config: limits.maxTurns of "a" is not a limit; use turns, wallClockMs, toolCalls, inputTokens, outputTokens, costUsd.",
        "config: summarize() needs \`whenTokens\`, a number.",
        "config: \`model\` of summarize() must be a ModelClient, e.g. claude("claude-sonnet-5-5"); got a string.",
        "config: summarize() has no option "prompt". Use \`instructions\`.",
        "config: dropOldResults() takes an object of options with \`whenTokens\`; got undefined.",
        "config: dropOldResults() has no option "keep". The options of dropOldResults() are whenTokens, keepTurns.",
        "config: The second argument of withBlobs() must be a BlobStore, e.g. memoryBlobs(); got undefined.",
        "config: The store of withBlobs() must be an EventStore, e.g. memoryStore(); got an object.",
        "config: \`aboveBytes\` of withBlobs() must be a number; got a string.",
        "config: withBlobs() has no option "above". The options of withBlobs() are aboveBytes.",
        "config: memoryStore() has no option "clock". The options of memoryStore() are now.",
        "config: memoryFiles() has no option "dir". The options of memoryFiles() are now.",
        "config: \`clock\` of memoryReservations() must be an object; got a number.",
        "config: sanitize() has no option "tag". Did you mean \`tags\`?",
        "config: The store of withEventLines() must be an EventStore, e.g. memoryStore(); got undefined.",
        "config: resilient() has no option "fallbacks". Did you mean \`fallback\`?",
        "config: \`fallback\` of resilient() must be a ModelClient, e.g. claude("claude-sonnet-5-5"); got a string.",
        "config: withRetry() has no option "maxRetries". The options of withRetry() are retries, baseMs, maxMs, jitter, sleep, random.",
        "config: Each model of withFallback() must be a ModelClient, e.g. claude("claude-sonnet-5-5"); got undefined.",
        "config: turns of stopOnFailedTurns() must be a number above 0; got a string.",
      ]
    `);
  });

  it("U6 parts of options", async () => {
    // The two runs are in order, but for the listeners that are given to them.
    expectPrinted("pawl: The script of");
    const { diskFiles } = (await import("../../src/disk.ts")) as never as typeof js;
    const run = () => pawl.run("a", { userId: "u1", input: "Hi" });
    expect(
      await said(
        () => tool({ ...t, status: { running: "Looking …" } }),
        () => tool({ ...t, status: { start: () => "Looking …" } }),
        () => agent({ ...base, hooks: [null] }),
        () => agent({ ...base, hooks: ["approval"] }),
        () => agent({ ...base, stopWhen: [3] }),
        () => agent({ ...base, checkpointWhen: [{ tokens: 1_000 }] }),
        () => agent({ ...base, stopMessages: { turn_limit: 5 } }),
        () => runtime({ agents: [made], store, tail: {} }),
        () => pawl.run(),
        () => pawl.run({ agent: "a", userId: "u1", input: "Hi" }),
        () => pawl.run("a", { userId: "", input: "Hi" }),
        () => pawl.run("a", { userId: "u1", input: "Hi", signal: new AbortController() }),
        () => pawl.run("a", { userId: "u1", input: [{ type: "file", url: "https://a.b/c.png" }] }),
        () => pawl.follow(sessionId, { signal: new AbortController() }),
        () => run().on("text_delta"),
        () => run().off("text", () => undefined),
        () => js.askModel(model, "Hi"),
        () => js.askModel({ model, prompt: "Hi" }),
        () => js.askModel(model, { messages: [] }, {}),
        () => js.sanitize(5),
        () => js.toJsonSchema({ city: "string" }),
        () => js.validate({ city: "string" }, { city: "Oslo" }),
        () => diskFiles({ directory: "files" }),
        () => diskFiles(),
      ),
    ).toMatchInlineSnapshot(`
      [
        "config: \`status\` of tool("t") has no option "running". The options of \`status\` of tool("t") are start, done.",
        "config: \`start\` of \`status\` of tool("t") must be a string; got a function.",
        "config: \`hooks[0]\` of agent("a") must be a hook, e.g. approval({ when: ["pay"] }); got null.",
        "config: \`hooks[0]\` of agent("a") must be a hook, e.g. approval({ when: ["pay"] }); got a string.",
        "config: \`stopWhen[0]\` of agent("a") must be a function, e.g. stopOnFailedTurns(3); got a number.",
        "config: \`checkpointWhen[0]\` of agent("a") must be a function, e.g. summarize({ … }); got an object.",
        "config: \`stopMessages.turn_limit\` of agent("a") must be a string; got a number.",
        "config: \`tail\` of runtime() must be a LiveTail, e.g. localTail() of @pawl/core/store; got an object.",
        "not_found: Expected an agent of this runtime, or its name; got undefined.",
        "not_found: Expected an agent of this runtime, or its name; got an object.",
        "invalid_input: \`userId\` of run() is empty.",
        "invalid_input: \`signal\` of run() must be an AbortSignal, e.g. the \`signal\` of an AbortController; got an object.",
        "invalid_input: \`input[0]\` of run() has no option "url". Load the file, and give its bytes as \`data\`.",
        "invalid_input: \`signal\` of follow() must be an AbortSignal, e.g. the \`signal\` of an AbortController; got an object.",
        "config: The listener for "text_delta" must be a function; got undefined.",
        "config: There is no event "text". The events are text_delta, thinking_delta, tool_input_delta, output_delta, tool_status, tool_progress, transient_part, agent_delta, turn_ended, attempt_restarted, user_message, assistant_message, tool_result, knowledge, artifact, note, output, prefix, checkpoint, redaction, run_started, run_suspended, run_left, run_recovered, agent_changed, run_ended, stop_requested, task_started, effect_started, effect_ended, tool_call, tool_started, tool_suspended, tool_answered, data_part, llm_request, llm_response, spending, error.",
        "config: askModel() takes an object of options; got a string.",
        "config: The first argument of askModel() must be a ModelClient, e.g. claude("claude-sonnet-5-5"); got an object.",
        "config: The last of the \`messages\` of askModel() must be the user's.",
        "config: sanitize() takes a string; got a number.",
        "config: The schema of toJsonSchema() cannot describe itself as JSON Schema. It is a plain object: wrap it in z.object({ … }) of zod, from 4.2 on, or, if it is JSON Schema, in jsonSchema({ … }).",
        "config: validate() takes a schema, e.g. z.object({ … }) of zod; got an object.",
        "config: diskFiles() needs \`directory\`, a string; got an object.",
        "config: diskFiles() needs \`directory\`, a string; got undefined.",
      ]
    `);
  });

  it("U6 no message has a value, which may be a secret", async () => {
    const secret = "sk-ant-api03-secret";
    const messages = await said(
      () => runtime(secret),
      () => runtime({ agents: [made], store: secret }),
      () => agent({ ...base, model: secret, maxTokens: secret }),
      () => agent({ ...base, limits: { turns: secret } }),
      () => agent({ ...base, maxTokens: secret }),
      () => js.summarize({ model: secret, whenTokens: secret }),
      () => js.withRetry(model, { retries: secret }),
      () => pawl.run("a", { userId: 5, input: secret, knowledge: secret }),
    );
    expect(messages.join("\n")).not.toContain("secret");
    expect(messages).not.toContain("accepted");
  });
});

describe("O1 U6 a cost limit needs the prices of every model that may answer", () => {
  const pricing = { input: 1, output: 1, cacheRead: 1, cacheWrite5m: 1, cacheWrite1h: 1 };
  const priced = scriptedModel([], { id: "priced", pricing });
  const free = scriptedModel([], { id: "free" });
  const limited = (model: core.ModelClient) => () => core.agent({ ...base, model, limits: { costUsd: 1 } });

  it.each<[string, core.ModelClient]>([
    ["withFallback()", core.withFallback(priced, free)],
    ["resilient()", core.resilient(priced, { fallback: free })],
    ["a fallback in a fallback", core.withFallback(priced, core.withFallback(priced, free))],
    ["a wrapper around a fallback", core.withRetry(core.withFallback(priced, free))],
  ])("O1 U6 %s without prices for its fallback", (_title, model) => {
    expect(limited(model)).toThrow("costUsd is limited, but free has no prices.");
    expect(() => core.agent({ ...base, model })).not.toThrow();
  });

  it("O1 a fallback with prices is fine, and so is a sub-agent's", () => {
    expect(limited(core.resilient(priced, { fallback: [priced] }))).not.toThrow();
    const sub = core.agent({ ...base, name: "sub", model: core.withFallback(priced, free) });
    const tools = [core.agentTool({ agent: sub, description: "Helps." })];
    expect(() => core.agent({ ...base, model: priced, tools, limits: { costUsd: 1 } })).toThrow(
      "costUsd is limited, but free has no prices.",
    );
  });
});
