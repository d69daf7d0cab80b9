import { DiagLogLevel, diag, SpanStatusCode, type Tracer } from "@opentelemetry/api";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import {
  agent,
  agentTool,
  type Hook,
  type ModelClient,
  memoryStore,
  runtime,
  type Tool,
  type ToolContext,
  tool,
  withRetry,
} from "@pawl/core";
import { localEngine } from "@pawl/core/store";
import { type Reply, scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type SpanOptions, withSpans } from "../src/index.ts";

const add = tool({
  name: "add",
  description: "Adds.",
  input: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
});
const fail = tool({
  name: "fail",
  description: "Fails.",
  input: z.object({}),
  execute: () => {
    throw new Error("secret host");
  },
});
const ask = tool({
  name: "ask",
  description: "Asks.",
  input: z.object({}),
  suspends: { answer: z.string() },
});
const calling = (name: string, input = {}): Reply => ({ tools: [{ name, id: `toolu_${name}`, input }] });

function setup(
  model: ModelClient | Reply[],
  tools: readonly Tool[] = [],
  options: SpanOptions = {},
  hooks: readonly Hook[] = [],
) {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const log = memoryStore();
  const coach = agent({
    name: "coach",
    model: Array.isArray(model) ? scriptedModel(model) : model,
    instructions: "Be kind.",
    tools,
    hooks,
  });
  const store = withSpans(log, { tracer: provider.getTracer("test"), ...options });
  const process = () =>
    runtime({ agents: [coach], store: withSpans(log, { tracer: provider.getTracer("test"), ...options }) });
  const spans = () => exporter.getFinishedSpans();
  const named = (name: string): ReadableSpan => {
    const span = spans().find((one) => one.name === name);
    if (span === undefined) throw new Error(`no ${name} among ${spans().map((one) => one.name)}`);
    return span;
  };
  return { process, store, log, spans, named };
}

const user = { userId: "ada" };
const idOf = (span: ReadableSpan) => span.spanContext().spanId;

describe("O3 spans of a run", () => {
  it("are its time at work, and in it each request and each tool, with names and numbers of the conventions", async () => {
    const { process, spans, named } = setup([calling("add", { a: 1, b: 2 }), { text: "Three." }], [add]);
    const { sessionId } = await process().run("coach", { ...user, input: "Add" }).result;
    expect(spans().map(({ name }) => name)).toEqual([
      "chat claude-scripted",
      "execute_tool add",
      "chat claude-scripted",
      "invoke_agent coach",
    ]);
    const run = named("invoke_agent coach");
    expect(run.attributes).toMatchObject({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": "coach",
      "gen_ai.conversation.id": sessionId,
      "pawl.stop": "end_turn",
      "pawl.turns": 2,
    });
    for (const span of spans().slice(0, 3)) expect(span.parentSpanContext?.spanId).toBe(idOf(run));
    const { attributes } = named("chat claude-scripted");
    expect(attributes).toMatchObject({
      "gen_ai.provider.name": "anthropic",
      "gen_ai.request.model": "claude-scripted",
      "gen_ai.response.finish_reasons": ["tool_use"],
    });
    expect(attributes["gen_ai.usage.input_tokens"]).toBeGreaterThanOrEqual(
      Number(attributes["gen_ai.usage.cache_read.input_tokens"]),
    );
    expect(named("execute_tool add").attributes).toMatchObject({ "gen_ai.tool.call.id": "toolu_add" });
  });

  it("say nothing that anybody said, and of tools only what is asked for", async () => {
    const script = [calling("add", { a: 41, b: 1 }), { text: "The answer." }];
    const silent = setup(script, [add]);
    await silent.process().run("coach", { ...user, input: "A secret question" }).result;
    const said = JSON.stringify(
      silent.spans().map(({ name, attributes, events }) => [name, attributes, events]),
    );
    expect(said).not.toMatch(/secret|answer|kind/);
    expect(silent.named("execute_tool add").attributes).not.toHaveProperty(["gen_ai.tool.call.arguments"]);
    expect(silent.named("execute_tool add").attributes).not.toHaveProperty(["gen_ai.tool.call.result"]);
    const open = setup(script, [add], { content: true });
    await open.process().run("coach", { ...user, input: "A secret question" }).result;
    expect(open.named("execute_tool add").attributes).toMatchObject({
      "gen_ai.tool.call.arguments": '{"a":41,"b":1}',
      "gen_ai.tool.call.result": "42",
    });
  });

  it("H3 have the input of a call that asks each time that it runs", async () => {
    const answer = z.object({ yes: z.boolean() });
    const asking = tool({
      name: "asking",
      description: "Asks.",
      input: z.object({ n: z.number() }),
      execute: (_, context) => context.answered?.value ?? context.ask({ kind: "sure", payload: {}, answer }),
    });
    const open = setup([calling("asking", { n: 1 }), { text: "Done." }], [asking], { content: true });
    const pawl = open.process();
    const { sessionId, pending } = await pawl.run("coach", { ...user, input: "Hi" }).result;
    const answers = pending.map(({ callId }) => ({ callId, value: { yes: true } }));
    await pawl.run("coach", { ...user, sessionId, answers }).result;
    const spans = open.spans().filter(({ name }) => name === "execute_tool asking");
    expect(spans.map(({ attributes }) => attributes["gen_ai.tool.call.arguments"])).toEqual([
      '{"n":1}',
      '{"n":1}',
    ]);
  });

  it("F22 have what a tool reports, and its summary only if it is asked for", async () => {
    const search = tool({
      name: "search",
      description: "Searches.",
      input: z.object({}),
      execute: (_, { report }: ToolContext) => {
        report({ costUsd: 0.0023, connector: "gmail", fragments: ["m1", "m2"], summary: "A secret" });
        throw Object.assign(new Error("secret host"), { code: "ECONNREFUSED" });
      },
    });
    for (const content of [false, true]) {
      const { process, named } = setup([calling("search"), { text: "Ok." }], [search], { content });
      await process().run("coach", { ...user, input: "Go" }).result;
      const { attributes } = named("execute_tool search");
      expect(attributes).toMatchObject({
        "pawl.cost_usd": 0.0023,
        "pawl.tool.connector": "gmail",
        "pawl.tool.fragments": ["m1", "m2"],
        "error.type": "ECONNREFUSED",
      });
      expect(attributes["pawl.tool.summary"]).toBe(content ? "A secret" : undefined);
      expect(named("invoke_agent coach").attributes["pawl.cost_usd"]).toBe(0.0023);
    }
  });

  it("show what failed, without its words", async () => {
    const script: Reply[] = [{ fault: { status: 529 } }, calling("fail"), { text: "Well." }];
    const model = withRetry(scriptedModel(script), { baseMs: 1 });
    const { process, spans, named } = setup(model, [fail]);
    await process().run("coach", { ...user, input: "Go" }).result;
    expect(spans()[0]).toMatchObject({
      name: "chat claude-scripted",
      status: { code: SpanStatusCode.ERROR },
      attributes: { "error.type": "model_error" },
    });
    expect(named("execute_tool fail").attributes["error.type"]).toBe("tool_error");
    expect(named("invoke_agent coach").status.code).toBe(SpanStatusCode.UNSET);
    expect(JSON.stringify(spans().map(({ attributes, status }) => [attributes, status]))).not.toContain(
      "secret",
    );
  });

  it("end where the user is waited for; the next one is linked, and in another process is there all the same", async () => {
    const { process, log, spans } = setup(
      [calling("ask"), { text: "Fine." }, calling("ask"), { text: "Ok." }],
      [ask],
    );
    const here = process();
    const { sessionId } = await here.run("coach", { ...user, input: "Go" }).result;
    const [, first] = spans();
    expect(first?.name).toBe("invoke_agent coach");
    const answers = [{ callId: "toolu_ask", value: "yes" }];
    await here.run("coach", { ...user, sessionId, answers }).result;
    const second = spans().at(-1);
    expect(second?.links.map(({ context }) => context.spanId)).toEqual([first && idOf(first)]);
    const other = await here.run("coach", { ...user, input: "Again" }).result;
    await process().run("coach", { ...user, sessionId: other.sessionId, answers }).result;
    expect(spans().at(-1)).toMatchObject({ name: "invoke_agent", links: [] });
    expect(spans().at(-2)?.parentSpanContext?.spanId).toBe(idOf(spans().at(-1) as ReadableSpan));
    expect((await Array.fromAsync(log.read(sessionId))).at(-1)?.type).toBe("run_ended");
  });

  it.each(["append", "renew"] as const)(
    "end when another process has taken the run over, told by %s",
    async (by) => {
      const { store, log, spans } = setup([]);
      await store.sessions.create({ id: "s", userId: "u", agent: "coach" });
      const lease = await store.acquire("s", "here", 1);
      if (lease === undefined) throw new Error("The lease is free.");
      const run = { run_id: "r", agent: "coach", agent_version: "1" };
      const note = { type: "note", data: { text: "" } } as const;
      await store.append("s", [{ type: "run_started", data: run }], { appendId: "1", lease });
      await expect.poll(async () => await log.acquire("s", "elsewhere", 1_000)).toBeDefined();
      expect(spans()).toEqual([]);
      if (by === "renew") expect(await store.renew(lease, 1_000)).toBe(false);
      else await expect(store.append("s", [note], { appendId: "2", lease })).rejects.toThrow();
      expect(spans().map(({ name, attributes }) => [name, attributes["error.type"]])).toEqual([
        ["invoke_agent coach", "lost"],
      ]);
    },
  );

  it("Q1 end where another process gets the run, and those of that process are linked", async () => {
    const { spans, store } = setup([]);
    const engine = localEngine();
    const coach = agent({ name: "coach", model: scriptedModel([{ text: "Hi." }]), instructions: "Be kind." });
    const shared = { agents: [coach], store, engine };
    const front = runtime({ ...shared, concurrency: 0 });
    await front.run("coach", { ...user, input: "Hi" }).started;
    await expect.poll(() => spans().map(({ name }) => name)).toEqual(["invoke_agent coach"]);
    const worker = runtime({ ...shared, concurrency: 1 });
    worker.start();
    await expect.poll(() => spans().length).toBe(3);
    const [given, , last] = spans();
    expect(last?.links.map(({ context }) => context.spanId)).toEqual([idOf(given as ReadableSpan)]);
    await worker.drain();
  });

  it("F25 name the version of the agent that worked in each process", async () => {
    const exporter = new InMemorySpanExporter();
    const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    const log = memoryStore();
    const boot = (version: string, script: Reply[]) => {
      const model = scriptedModel(script);
      const coach = agent({ name: "coach", version, model, instructions: "Be kind.", tools: [ask] });
      return runtime({ agents: [coach], store: withSpans(log, { tracer: provider.getTracer("test") }) });
    };
    const { sessionId, pending } = await boot("1", [calling("ask")]).run("coach", { ...user, input: "Go" })
      .result;
    const answers = pending.map(({ callId }) => ({ callId, value: "yes" }));
    await boot("2", [{ text: "Done." }]).run("coach", { ...user, sessionId, answers }).result;
    const versions = exporter
      .getFinishedSpans()
      .filter(({ name }) => name.startsWith("invoke_agent"))
      .map(({ attributes }) => attributes["gen_ai.agent.version"]);
    expect(versions).toEqual(["1", "2"]);
  });

  it("F25 name the new version after a crash too", async () => {
    const { store, named } = setup([]);
    await store.sessions.create({ id: "s", userId: "u", agent: "coach" });
    const [run_id, tools] = ["r", { removed: [], changed: [] }];
    const stop = { type: "end_turn", message: "" };
    const tokens = { prompt: 0, completion: 0, cached: 0, cache_write: 0, cache_write_1h: 0, total: 0 };
    const ended = { run_id, stop, session_status: "active", turns: 0, tokens, cost_cents: 0 } as const;
    await store.append(
      "s",
      [
        { type: "run_recovered", data: { run_id } },
        { type: "agent_changed", data: { run_id, from: "1", to: "2", tools } },
      ],
      { appendId: "1" },
    );
    await store.append("s", [{ type: "run_ended", data: ended }], { appendId: "2" });
    expect(named("invoke_agent").attributes["gen_ai.agent.version"]).toBe("2");
  });

  it("of a sub-agent stand below the call that it works for", async () => {
    const helper = agent({
      name: "helper",
      model: scriptedModel([{ text: "Found." }]),
      instructions: "Help.",
    });
    const looking = agentTool({ agent: helper, description: "Looks." });
    const { process, named } = setup([calling("helper", { task: "Look" }), { text: "Done." }], [looking]);
    await process().run("coach", { ...user, input: "Go" }).result;
    expect(named("invoke_agent coach/helper").parentSpanContext?.spanId).toBe(
      idOf(named("execute_tool helper")),
    );
  });

  it("F35 of an agent that a tool or a hook runs stand below its call, or below the hook's run", async () => {
    const named = (name: string) =>
      agent({ name, model: scriptedModel(() => ({ text: name })), instructions: "Help." });
    const [first, second, hooked] = [named("first"), named("second"), named("hooked")];
    const flow = tool({
      name: "flow",
      description: "Runs agents.",
      input: z.object({}),
      idempotent: true,
      execute: async (_, { runAgent }) => {
        const tasks = [first, second].map((one) => runAgent(one, "Go", { key: one.name }));
        return (await Promise.all(tasks)).map(({ text }) => text).join();
      },
    });
    const hook: Hook = {
      name: "briefing",
      beforeRun: async ({ runAgent }) => void (await runAgent(hooked, "Go", { key: "k" })),
    };
    const at = setup([calling("flow"), { text: "Done." }], [flow], {}, [hook]);
    await at.process().run("coach", { ...user, input: "Go" }).result;
    const parentOf = (name: string) => at.named(name).parentSpanContext?.spanId;
    const call = idOf(at.named("execute_tool flow"));
    expect([parentOf("invoke_agent coach/first"), parentOf("invoke_agent coach/second")]).toEqual([
      call,
      call,
    ]);
    expect(parentOf("invoke_agent coach/hooked")).toBe(idOf(at.named("invoke_agent coach")));
    // Their use is charged in the caller's log, and is no model call of the caller.
    expect(at.spans().filter(({ name }) => name.startsWith("chat"))).toHaveLength(5);
  });

  it("never cost a run anything: a tracer that throws is told of, and the log is whole", async () => {
    const told: unknown[] = [];
    const log = (...args: unknown[]) => told.push(args);
    diag.setLogger(
      { error: log, warn: log, info: log, debug: log, verbose: log },
      { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true },
    );
    const tracer = {
      startSpan: () => {
        throw new Error("no tracer");
      },
    } as unknown as Tracer;
    const { process } = setup([{ text: "Hello." }], [], { tracer });
    expect((await process().run("coach", { ...user, input: "Hi" }).result).text).toBe("Hello.");
    expect(told.length).toBeGreaterThan(0);
    diag.disable();
  });
});
