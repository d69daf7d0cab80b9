import { PawlError, withCircuitBreaker } from "@pawl/core";
import { newCircuit } from "@pawl/core/model";
import { remoteTools } from "@pawl/remote";
import { scriptedModel } from "@pawl/testing";
import { onTestFinished } from "vitest";
import { connectTo, serve } from "../../../packages/mcp/test/support/servers.ts";
import { settled } from "../settled.ts";
import type { Shared } from "./shared.ts";

/** An MCP server whose calls hang for mallory, or end as `fails` says. */
export function mcpServerOf(outcome: "hangs" | "fails"): Shared {
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

/** A model behind a circuit breaker, whose calls mallory stops, that refuses what mallory sends, or that fails for it. */
export function modelOf(outcome: "stopped" | "refused" | "failing"): Shared {
  const model = withCircuitBreaker(
    scriptedModel(async ({ messages }) => {
      const isMallory = JSON.stringify(messages).includes("mallory");
      if (isMallory && outcome === "stopped") await settled();
      if (isMallory && outcome === "failing") return { fault: { status: 529 } };
      return isMallory && outcome === "refused" ? { fault: { status: 400 } } : { text: "Hello." };
    }),
  );
  const call = async (userId: string, signal: AbortSignal) => {
    const messages = [
      { role: "user" as const, content: [{ type: "text" as const, text: `I am ${userId}.` }] },
    ];
    const request = { system: [], tools: [], messages, maxTokens: 10 };
    for await (const _ of model.stream(request, { signal, userId }));
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
export function remoteLists(): Shared {
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
export function trials(): Shared {
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
