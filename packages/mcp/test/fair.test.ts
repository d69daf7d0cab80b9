import { agent, memoryStore, runtime, type StoredOf } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { expect, it, onTestFinished } from "vitest";
import { until } from "../../../test/support/until.ts";
import { type McpServerOptions, mcpTools } from "../src/index.ts";
import { connectTo, serve } from "./support/servers.ts";
import { text } from "./support/world.ts";

/** What the server does with a call: it answers, never answers, answers 500, or is not there. */
type Behaviour = "answers" | "hangs" | "fails" | "is gone";

/** A server with one tool that any user may call, and what it does with the calls of each. */
function world(options: Partial<McpServerOptions<never>> = {}) {
  const behaviours = new Map<string, Behaviour>();
  /** The users whose calls have reached the server. */
  const seen: string[] = [];
  const aborted = (signal: AbortSignal) =>
    new Promise<undefined>((resolve) => signal.addEventListener("abort", () => resolve(undefined)));
  const served = serve(
    (server) => {
      server.registerTool("it", {}, async () => text("ran"));
      server.registerResource("page", "docs://page", {}, async () => ({ contents: [] }));
    },
    async (request, body) => {
      const { method } = body === "" ? { method: "" } : JSON.parse(body);
      if (method !== "tools/call" && method !== "resources/read") return undefined;
      const who = request.headers.get("authorization")?.slice("Bearer ".length) ?? "";
      const behaviour = behaviours.get(who);
      if (behaviour === "is gone")
        throw Object.assign(new TypeError("fetch failed"), { cause: { code: "ECONNREFUSED" } });
      seen.push(who);
      if (behaviour === "hangs") await aborted(request.signal);
      return behaviour === "fails" ? new Response(null, { status: 500 }) : undefined;
    },
  );
  const server = connectTo(served, { token: ({ userId }) => userId, ...options });
  const caller = agent({
    name: "caller",
    instructions: "You call.",
    model: scriptedModel(({ messages }) =>
      JSON.stringify(messages.at(-1)).includes("tool_result")
        ? { text: "Ok." }
        : { tools: [{ name: "mcp__test__it", input: {} }] },
    ),
    tools: mcpTools({ servers: [server], waitMs: 30_000 }),
    toolsTimeoutMs: 40_000,
  });
  const store = memoryStore();
  const pawl = runtime({ agents: [caller], store, times: { abortGraceMs: 20 } });
  const begin = (userId: string) => pawl.run(caller, { userId, input: "Go" });
  const counted = (userId: string) => seen.filter((who) => who === userId).length;
  /** Calls the tool for a user. Returns what came of it. */
  const call = async (userId: string) => {
    const { sessionId } = await begin(userId).result;
    const [event] = await Array.fromAsync(store.read(sessionId, { types: ["tool_result"] }));
    const { success, report } = (event as StoredOf<"tool_result">).data;
    return success ? "ran" : report?.code;
  };
  /** Begins calls for a user, and waits until the server has so many of them. */
  const hang = async (userId: string, calls: number, reached = calls) => {
    behaviours.set(userId, "hangs");
    const before = counted(userId);
    const runs = Array.from({ length: calls }, () => begin(userId));
    await until(() => counted(userId) >= before + reached);
    return runs;
  };
  const stop = async (run: ReturnType<typeof begin>, userId: string) => {
    const { sessionId } = await run.started;
    await pawl.stop(sessionId, { userId });
    await run.result;
  };
  onTestFinished(() => server.close());
  return { behaviours, seen, server, call, hang, stop, counted };
}

it("B8 a user who stops calls, however often, keeps nobody from a server, not even himself", async () => {
  const { behaviours, call, hang, stop } = world();
  await call("ada");
  for (let n = 0; n < 20; n += 1) for (const run of await hang("mallory", 1)) await stop(run, "mallory");
  expect(await call("ada")).toBe("ran");
  behaviours.set("mallory", "answers");
  expect(await call("mallory")).toBe("ran");
});

it("B8 a user whose calls take too long is kept from a server alone", async () => {
  const { call, hang } = world({ timeoutMs: 1_000 });
  await call("ada");
  for (const _ of [1, 2]) {
    const runs = await hang("mallory", 3);
    for (const { actions } of await Promise.all(runs.map(({ result }) => result)))
      expect(actions[0]?.result).toMatch(/outcome .* unknown/);
  }
  expect(await call("mallory")).toBe("mcp_circuit_open");
  expect(await call("ada")).toBe("ran");
});

it("B8 a user whose calls hang has half of the places, so another's call begins at once", async () => {
  const { call, hang, stop, counted } = world({ concurrency: 8 });
  await call("ada");
  const runs = await hang("mallory", 20, 4);
  expect(await call("ada")).toBe("ran");
  expect(counted("mallory")).toBe(4);
  await Promise.all(runs.map((run) => stop(run, "mallory")));
});

it("B8 a call that waited too long for its turn is reported as not sent, and not as unknown", async () => {
  const { behaviours, server, call, counted } = world({ concurrency: 1, timeoutMs: 1_000 });
  await call("ada");
  behaviours.set("mallory", "hangs");
  const control = new AbortController();
  const user = { userId: "mallory", signal: control.signal };
  const reading = server.readResource("docs://page", user).catch(() => undefined);
  await until(() => counted("mallory") === 1);
  const before = counted("ada");
  expect(await call("ada")).toBe("mcp_busy");
  expect(counted("ada")).toBe(before);
  control.abort();
  await reading;
  expect(await call("ada")).toBe("ran");
});

it("B8 T14 failures of two users keep all from a server that does not answer", async () => {
  const { behaviours, call } = world({ breaker: { failures: 3 } });
  for (const userId of ["ada", "mallory", "bob"]) {
    expect(await call(userId)).toBe("ran");
    behaviours.set(userId, "fails");
  }
  await call("carol");
  for (const userId of ["mallory", "mallory", "mallory"])
    expect(await call(userId)).toBe("mcp_outcome_unknown");
  expect(await call("carol")).toBe("ran");
  for (const userId of ["ada", "bob", "ada"]) expect(await call(userId)).toBe("mcp_outcome_unknown");
  expect(await call("carol")).toBe("mcp_circuit_open");
});

it("B8 T14 failures to connect keep all from a server, also those of one user", async () => {
  const { behaviours, call } = world();
  await call("ada");
  await call("mallory");
  behaviours.set("mallory", "is gone");
  for (let n = 0; n < 5; n += 1) expect(await call("mallory")).toBe("mcp_unreachable");
  expect(await call("ada")).toBe("mcp_circuit_open");
});
