import {
  agent,
  jsonSchema,
  memoryFiles,
  memoryStore,
  PawlError,
  runtime,
  tool,
  withCircuitBreaker,
} from "@pawl/core";
import { newCircuit } from "@pawl/core/model";
import { remoteTools } from "@pawl/remote";
import { scriptedModel } from "@pawl/testing";
import { expect, it, onTestFinished } from "vitest";
import { connectTo, serve } from "../packages/mcp/test/support/servers.ts";
import { settled } from "./support/settled.ts";
import { until } from "./support/until.ts";

/** How often mallory does the worst that is allowed. */
const TIMES = 20;

/** Something that users share in a process. */
interface Shared {
  /** Does the worst that a user may do, once. It may never end. */
  worst(userId: string, signal: AbortSignal): Promise<unknown>;
  /** Does what is ordinary. Resolves once it has begun. */
  ordinary(userId: string): Promise<unknown>;
  /** Ends one piece of mallory's work, so that another may begin. Without it, ada's has to begin at once. */
  step?(): Promise<void>;
}

const never = () => new Promise<never>(() => undefined);

/** Runs of a process with two places. Each run works until `step()`. */
function placesOfRuns(): Shared {
  const working: (() => void)[] = [];
  const begun: string[] = [];
  const ada = Promise.withResolvers<void>();
  const work = tool({
    name: "work",
    description: "Works.",
    input: jsonSchema({ type: "object" }),
    execute: async (_, { userId }) => {
      begun.push(userId);
      if (userId === "ada") ada.resolve();
      if (userId === "mallory") await new Promise<void>((resolve) => working.push(resolve));
      return "Done.";
    },
  });
  const model = scriptedModel(({ messages }) =>
    JSON.stringify(messages.at(-1)).includes("tool_result")
      ? { text: "Ok." }
      : { tools: [{ name: "work", input: {} }] },
  );
  const worker = agent({ name: "worker", instructions: "Work.", model, tools: [work] });
  const pawl = runtime({ agents: [worker], store: memoryStore(), concurrency: 2 });
  onTestFinished(async () => {
    for (let left = TIMES; left > 0; left -= 1) {
      for (const resolve of working.splice(0)) resolve();
      await settled();
    }
    await pawl.drain();
  });
  const run = async (userId: string) => await pawl.run(worker, { userId, input: "Go" }).started;
  return {
    worst: async (userId) => {
      await run(userId);
      return await never();
    },
    ordinary: async (userId) => {
      await run(userId);
      await ada.promise;
    },
    step: async () => {
      await until(() => working.length > 0);
      const before = begun.length;
      working.shift()?.();
      await until(() => begun.length > before);
    },
  };
}

/** Places for reads of sessions, and for files. */
function placesOfReads(): Shared {
  const reader = agent({ name: "reader", instructions: "i", model: scriptedModel([]) });
  const pawl = runtime({ agents: [reader], store: memoryStore(), files: memoryFiles() });
  const enter = async (userId: string, signal?: AbortSignal) =>
    await pawl.enterRead({ userId, sessionId: `of ${userId}`, ...(signal && { signal }) });
  return { worst: enter, ordinary: (userId) => enter(userId) };
}

/** An MCP server whose calls hang for mallory, or end as `fails` says. */
function mcpServerOf(outcome: "hangs" | "fails"): Shared {
  const served = serve(
    (server) => void server.registerResource("page", "docs://page", {}, async () => ({ contents: [] })),
    async (request, body) => {
      if (body === "" || JSON.parse(body).method !== "resources/read") return undefined;
      if (request.headers.get("authorization") !== "Bearer mallory") return undefined;
      if (outcome === "fails") return new Response(null, { status: 500 });
      await new Promise((resolve) => request.signal.addEventListener("abort", resolve));
      return undefined;
    },
  );
  const server = connectTo(served, { token: ({ userId }) => userId });
  onTestFinished(() => server.close());
  const read = async (userId: string, signal?: AbortSignal) =>
    await server.readResource("docs://page", { userId, ...(signal && { signal }) });
  return { worst: read, ordinary: (userId) => read(userId) };
}

/** A model behind a circuit breaker, whose calls mallory stops, or that refuses what mallory sends. */
function modelOf(outcome: "stopped" | "refused"): Shared {
  const model = withCircuitBreaker(
    scriptedModel(async ({ messages }) => {
      const isMallory = JSON.stringify(messages).includes("mallory");
      if (isMallory && outcome === "stopped") await settled();
      return isMallory && outcome === "refused" ? { fault: { status: 400 } } : { text: "Hello." };
    }),
  );
  const call = async (userId: string, signal: AbortSignal) => {
    const messages = [
      { role: "user" as const, content: [{ type: "text" as const, text: `I am ${userId}.` }] },
    ];
    for await (const _ of model.stream({ system: [], tools: [], messages, maxTokens: 10 }, { signal }));
  };
  return {
    worst: async (userId) => {
      const control = new AbortController();
      const called = call(userId, control.signal);
      if (outcome === "stopped") control.abort();
      await called;
    },
    ordinary: (userId) => call(userId, AbortSignal.timeout(20_000)),
  };
}

/** The lists of tools of a server over HTTP, which never answers mallory. */
function remoteLists(): Shared {
  const tools = remoteTools({
    url: "https://tools.example.com",
    token: ({ userId }) => userId,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      if (request.headers.get("authorization") === "Bearer mallory")
        await new Promise((resolve) => request.signal.addEventListener("abort", resolve));
      return Response.json({ tools: [] });
    },
  });
  const list = async (userId: string, signal = new AbortController().signal) =>
    await tools({
      session: { id: `of ${userId}`, userId } as never,
      ...{ caller: {}, credentials: undefined, deps: undefined, signal },
    });
  return { worst: list, ordinary: (userId) => list(userId) };
}

/** A circuit that callers share, after it has cooled down: mallory's trial never ends. */
function trials(): Shared {
  let time = 0;
  const circuit = newCircuit({
    ...{ failures: 1, coolDownMs: 1_000, now: () => time },
    refusal: () => new PawlError("overloaded", "open"),
  });
  const first = circuit.begin("bob");
  first.failed(1);
  first.over();
  time = 1_000;
  return {
    worst: async (userId) => circuit.begin(userId),
    ordinary: async (userId) => circuit.begin(userId),
  };
}

it.each<[string, () => Shared, number]>([
  // Before ada's turn, one more run of mallory may begin for each place.
  ["the places of runs", placesOfRuns, 3],
  ["the places for reads of sessions", placesOfReads, 0],
  ["the places of an MCP server", () => mcpServerOf("hangs"), 0],
  ["the circuit of an MCP server", () => mcpServerOf("fails"), 0],
  ["the trials of a circuit", trials, 0],
  ["the circuit of a model whose calls are stopped", () => modelOf("stopped"), 0],
  ["the circuit of a model that refuses requests", () => modelOf("refused"), 0],
  ["the lists of remote tools", remoteLists, 0],
])(
  `B8 one user does the worst that is allowed ${TIMES} times with %s; another's work begins after few steps`,
  async (_, make, most) => {
    const { worst, ordinary, step } = make();
    const over = new AbortController();
    onTestFinished(() => over.abort());
    for (let n = 0; n < TIMES; n += 1) {
      worst("mallory", over.signal).catch(() => undefined);
      await settled();
    }
    const begun = ordinary("ada").then(() => true);
    let steps = 0;
    // Without steps it has to begin by itself; otherwise the test's time is over.
    while (!(await (step === undefined ? begun : Promise.race([begun, settled()]))) && steps <= most) {
      steps += 1;
      await step?.();
    }
    expect(steps).toBeLessThanOrEqual(most);
  },
);
