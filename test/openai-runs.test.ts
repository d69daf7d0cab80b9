import { claude } from "@pawl/anthropic";
import {
  type AgentOptions,
  agent,
  type ModelClient,
  memoryStore,
  type RunOptions,
  type RunResult,
  runtime,
  tool,
  withFallback,
  withIdleWatchdog,
  withRetry,
} from "@pawl/core";
import { openai } from "@pawl/openai";
import { type HttpApi, messagesApi, openaiApi, type Reply } from "@pawl/testing";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { assertSoundLog, ofType } from "./support/invariants.ts";
import { allowPrinted, expectPrinted } from "./support/printed.ts";
import { ODD } from "./support/provoked.ts";
import { soak } from "./support/soak.ts";
import { type World, world } from "./support/world.ts";

const open: HttpApi[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((api) => api.close()));
});

type Message = { role: string; content?: unknown; tool_calls?: { id: string }[]; tool_call_id?: string };
type Body = { messages: Message[]; [field: string]: unknown };

async function chat(options: Parameters<typeof openaiApi>[0]): Promise<HttpApi> {
  const api = await openaiApi(options);
  open.push(api);
  return api;
}

/** Creates an agent whose model is reached over HTTP. */
async function overHttp(
  script: readonly Reply[],
  options: Partial<AgentOptions<unknown>> = {},
  around: (model: ModelClient) => ModelClient = (model) => model,
) {
  const api = await chat({ script });
  const model = around(openai("gpt-5.4-mini", { apiKey: "k", baseURL: api.url }));
  const store = memoryStore();
  const pawl = runtime({
    agents: [agent({ name: "tester", instructions: "You are a test.", ...options, model })],
    store,
  });
  return {
    api,
    pawl,
    bodies: () => api.requests.map(({ body }) => body as Body),
    say: (input: string, more: Partial<RunOptions> = {}): Promise<RunResult> =>
      pawl.run("tester", { userId: "u1", input, ...more }).result,
    log: async (sessionId: string) => {
      const log = await Array.fromAsync(store.read(sessionId));
      assertSoundLog(log);
      expect(api.rejected).toEqual([]);
      return log;
    },
  };
}

const echo = tool({
  name: "echo",
  description: "Says it again.",
  input: z.object({ text: z.string() }),
  execute: ({ text }) => {
    if (text === "fail") throw new Error("It broke.");
    return text;
  },
});
const ask = tool({
  name: "ask",
  description: "Asks the user.",
  input: z.object({ question: z.string() }),
  suspends: { answer: z.object({ text: z.string() }) },
});
const saying = (...texts: string[]) => texts.map((text) => ({ name: "echo", input: { text } }));

describe("runs over Chat Completions", () => {
  it("L1 L5 runs tools side by side, and every request extends the one before it", async () => {
    const at = await overHttp(
      [{ text: "Two.", tools: saying("a", "fail") }, { tools: saying("b") }, { text: "Done." }],
      { tools: [echo] },
    );
    const { sessionId, stop, text } = await at.say("Go");
    expect([stop.type, text]).toEqual(["end_turn", "Two.\n\nDone."]);
    await at.log(sessionId);
    const bodies = at.bodies().map(({ messages }) => messages);
    for (const [n, messages] of bodies.slice(1).entries()) {
      expect(messages.slice(0, bodies[n]?.length)).toEqual(bodies[n]);
    }
    expect(bodies.at(-1)?.map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      "tool",
      "assistant",
      "tool",
    ]);
    expect(bodies.at(-1)?.[4]?.content).toMatch(/^Error: /);
  });

  it("L6 waits for the user in the middle of a turn, and continues", async () => {
    const script = [
      { tools: [...saying("a"), { name: "ask", input: { question: "Which?" } }] },
      { text: "Fine." },
    ];
    const at = await overHttp(script, { tools: [echo, ask] });
    const first = await at.say("Go");
    expect(first.stop.type).toBe("suspended");
    const { sessionId } = first;
    const log = await at.log(sessionId);
    const callId = ofType(log, "tool_suspended")[0]?.data.call_id as string;
    const answers = [{ callId, value: { text: "This one" } }];
    const done = await at.pawl.run("tester", { userId: "u1", sessionId, answers }).result;
    expect(done.stop.type).toBe("end_turn");
    await at.log(sessionId);
    expect(JSON.stringify(at.bodies().at(-1)?.messages.at(-1))).toContain("This one");
  });

  it.each<[string, Reply, string]>([
    ["a refusal", { text: "I will not.", stop: "refusal" }, "refusal"],
    ["a filtered answer", { text: "Half", stop: "content_filter" }, "refusal"],
    ["an answer that is cut off", { text: "One two three", clip: 5 }, "max_tokens"],
    ["a call that is cut off", { tools: saying("abcdef"), clip: 8 }, "max_tokens"],
    ["a reason that nobody knows", { text: "x", stop: "cosmic_ray" }, "error"],
  ])("L7 L18 ends with %s, and the next message is answered", async (_title, reply, type) => {
    if (type === "error") expectPrinted("pawl: The model stopped for an unknown reason: cosmic_ray");
    const at = await overHttp([reply, { text: "Fine." }], { tools: [echo] });
    const { sessionId, stop } = await at.say("Go");
    expect(stop.type).toBe(type);
    expect((await at.say("Again", { sessionId })).stop.type).toBe("end_turn");
    await at.log(sessionId);
  });

  it("L12 tries again after a failure, and keeps what the first attempt cost", async () => {
    const script: Reply[] = [
      { fault: { status: 429, retryAfter: 1 } },
      { text: "Half an", fault: { cut: 2 } },
      { text: "Whole." },
    ];
    const waits: number[] = [];
    const sleep = async (ms: number) => void waits.push(ms);
    const at = await overHttp(script, {}, (model) =>
      withRetry(withIdleWatchdog(model), { jitter: 0, sleep }),
    );
    const { sessionId, text } = await at.say("Go");
    expect(text).toBe("Whole.");
    expect(waits[0]).toBe(1000);
    expect(ofType(await at.log(sessionId), "llm_request")).toHaveLength(3);
  });

  it("L13 counts tokens and cost, and stops at a limit", async () => {
    const usage = { input_tokens: 100, cache_read_input_tokens: 900, output_tokens: 1_000 };
    const at = await overHttp(Array(9).fill({ tools: saying("a"), usage }), {
      tools: [echo],
      limits: { outputTokens: 2_500 },
    });
    const { sessionId, stop } = await at.say("Go");
    expect(stop.type).toBe("token_limit");
    const [response] = ofType(await at.log(sessionId), "llm_response");
    expect(response?.data.tokens).toMatchObject({ prompt: 100, cached: 900, completion: 1_000 });
    expect(response?.data.cost_cents).toBeCloseTo((100 * 0.75 + 900 * 0.075 + 1_000 * 4.5) / 10_000, 9);
  });

  it("L9 stops in the middle of an answer", async () => {
    const at = await overHttp([{ text: "Hello there", fault: { stall: 2 } }]);
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 100);
    const result = await at.say("Go", { signal: stop.signal });
    expect(result.stop.type).toBe("aborted");
    await at.log(result.sessionId);
  });

  it("L11 has structured output from a tool that is forced", async () => {
    const report = tool({
      name: "report",
      description: "Reports.",
      input: z.object({ city: z.string(), celsius: z.number() }),
      execute: (input) => input,
      endsRun: true,
    });
    const at = await overHttp([{ tools: [{ name: "report", input: { city: "Oslo", celsius: 12 } }] }], {
      tools: [report],
      toolOnly: true,
    });
    const { stop, actions, sessionId } = await at.say("Oslo?");
    expect(stop.type).toBe("terminal_tool");
    expect(actions).toMatchObject([{ success: true, result: { city: "Oslo", celsius: 12 } }]);
    expect(at.bodies()[0]).toMatchObject({ tool_choice: "required", parallel_tool_calls: false });
    await at.log(sessionId);
  });

  it("L12 takes over from Claude in the middle of a run, without its thinking, and hands back", async () => {
    const think = { thinking: "Secret thoughts." };
    const first = await messagesApi({
      script: [{ ...think, tools: saying("a") }, { fault: { status: 529 } }, { text: "Back." }],
    });
    open.push(first);
    const second = await chat({ script: [{ tools: saying("b"), text: "I go on." }] });
    const thinking = { type: "adaptive", display: "summarized" } as const;
    const model = withFallback(
      claude("claude-sonnet-5-5", { apiKey: "k", baseURL: first.url, thinking }),
      openai("gpt-5.4-mini", { apiKey: "k", baseURL: second.url }),
    );
    const store = memoryStore();
    const pawl = runtime({
      agents: [agent({ name: "tester", instructions: "Test.", tools: [echo], model })],
      store,
    });
    const { stop, sessionId, text } = await pawl.run("tester", { userId: "u1", input: "Go" }).result;
    expect([stop.type, text]).toEqual(["end_turn", "I go on.\n\nBack."]);
    expect([first.rejected, second.rejected]).toEqual([[], []]);
    const sent = JSON.stringify(second.requests[0]?.body);
    expect(sent).toContain('"role":"tool"');
    expect(sent).not.toMatch(/Secret|thinking|signature|cache_control/);
    expect(JSON.stringify(first.requests.at(-1)?.body)).toContain("I go on.");
    assertSoundLog(await Array.fromAsync(store.read(sessionId)));
  });
});

const reply: fc.Arbitrary<Reply> = fc.oneof(
  fc.record({
    text: fc.constantFrom("", "Hm.", " \n ", "half \ud83d"),
    tools: fc.array(
      fc.record({
        name: fc.constantFrom("save", "fetch", "fail", "odd", "ask", "no_such_tool"),
        input: fc.constantFrom<object>({ value: "a" }, { value: "" }, { value: "ü\u2028" }, { wrong: 1 }),
        id: fc.constantFrom("call_0", "functions.save:0", "same_id_again", `call_${"x".repeat(50)}`),
      }),
      { maxLength: 3 },
    ) as fc.Arbitrary<Reply["tools"] & object>,
  }),
  fc.record({ text: fc.constant("Cut"), clip: fc.nat(3) }),
  fc.constantFrom<Reply>(
    { text: "No.", stop: "refusal" },
    { content: [] },
    { text: "x", stop: "tool_use" },
    { text: "half an answer", fault: { cut: 3 } },
    { text: "half", fault: { midStream: "server_error" } },
    { fault: { status: 503 } },
  ),
);

it("C1 makes no request that the API refuses, whatever the model says and whenever the user speaks", {
  timeout: soak(60_000, 1_800_000),
}, async () => {
  // The three faults of a reply. Each is printed if it outlasts the retries.
  allowPrinted("pawl: The server had an error while processing your request.");
  allowPrinted("pawl: The engine is currently overloaded", "pawl: terminated");
  allowPrinted("pawl: The model stopped ", ODD);
  const step = fc.constantFrom("message", "answer", "message");
  await fc.assert(
    fc.asyncProperty(
      fc.array(reply, { maxLength: 8 }),
      fc.array(step, { minLength: 1, maxLength: 4 }),
      async (replies, steps) => {
        const api = await chat({ rules: (_request, { n }) => replies[n] ?? { text: "Done." } });
        const model = openai("gpt-5.4-mini", { apiKey: "k", baseURL: api.url });
        const made: World = world(() => ({}), {
          thinking: false,
          around: () => withRetry(model, { retries: 2, jitter: 0, sleep: async () => undefined }),
        });
        const pawl = made.boot();
        const { id: sessionId } = await pawl.getOrCreateSession("tester", "u1");
        for (const does of steps) {
          if (does === "answer") {
            const waiting = ofType(await made.log(sessionId), "tool_suspended").at(-1);
            if (waiting === undefined) continue;
            const answers = [{ callId: waiting.data.call_id, value: { text: "ok" } }];
            // The questions may be answered or closed already.
            await pawl.run("tester", { userId: "u1", sessionId, answers }).result.catch(() => undefined);
          } else await pawl.run("tester", { userId: "u1", sessionId, input: "Go" }).result;
        }
        expect(api.rejected).toEqual([]);
        assertSoundLog(await made.log(sessionId));
        await api.close();
      },
    ),
    { numRuns: soak(40, 2_000) },
  );
});
