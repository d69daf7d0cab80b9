import { agent, jsonSchema, memoryStore, runtime, tool } from "@pawl/core";
import { handler } from "@pawl/sse";
import { scriptedModel } from "@pawl/testing";
import { expect, it, onTestFinished } from "vitest";
import { connectTo, serve } from "../../packages/mcp/test/support/servers.ts";
import { standstill } from "../attacks/parts/standstill.ts";
import { pause } from "../support/pause.ts";
import { never } from "../support/shared/shared.ts";
import { soak } from "../support/soak.ts";
import { until } from "../support/until.ts";

/** Work of other users, and what ada does meanwhile again and again. */
interface Row {
  /** Resolves once all that mallory does has begun and, unless it hangs, is over. */
  flood(): Promise<unknown>;
  /** Resolves once ada's work has begun. */
  ada(): Promise<unknown>;
}

const isOf = (user: string, value: unknown) => JSON.stringify(value).includes(user);

/** A process with one agent. mallory's runs hang if `hangs` says so; those with `wait` wait for a time. */
function process({ hangs = false, dueAt = 0 } = {}) {
  const begun = new Set<string>();
  const wait = tool({
    name: "wait",
    description: "Waits.",
    input: jsonSchema({ type: "object" }),
    execute: (_, { answered, wait }) => answered ?? wait({ at: new Date(dueAt) }),
  });
  const model = scriptedModel(async ({ messages }) => {
    const [id] = /ada \d+/.exec(JSON.stringify(messages)) ?? [];
    if (id !== undefined) begun.add(id);
    if (hangs && isOf("mallory", messages)) await never();
    if (dueAt > 0 && isOf("mallory", messages) && !isOf("tool_result", messages))
      return { tools: [{ name: "wait", input: {} }] };
    return { text: "Done." };
  });
  const one = agent({ name: "a", instructions: "i", model, tools: [wait] });
  const store = memoryStore();
  const pawl = runtime({ agents: [one], store, onError: () => undefined });
  let count = 0;
  /** Runs something for ada, until her model is asked. */
  const ada = async () => {
    count += 1;
    const id = `ada ${count}`;
    await pawl.run("a", { userId: "ada", input: id }).started;
    await until(() => begun.has(id));
  };
  const mallory = (signal?: AbortSignal) =>
    pawl.run("a", { userId: "mallory", input: "I am mallory.", ...(signal && { signal }) });
  return { pawl, store, ada, mallory };
}

const times = (count: number) => Array.from({ length: count }, (_, n) => n);

/** Does something so often, over 20 connections: each one sends its next request after the answer. */
async function requests(count: number, send: () => Promise<unknown>): Promise<void> {
  let left = count;
  const connection = async () => {
    while (left > 0) {
      left -= 1;
      await send();
      await pause(0, "the next request comes over a socket");
    }
  };
  await Promise.all(times(20).map(connection));
}

const rows: Record<string, () => Row> = {
  "runs that are stopped at once": () => {
    const { ada, mallory } = process({ hangs: true });
    const stopped = async () => {
      const stop = new AbortController();
      const { started, result } = mallory(stop.signal);
      await started;
      stop.abort();
      await result;
    };
    return { ada, flood: () => requests(soak(50, 3_000), stopped) };
  },
  "runs that hang": () => {
    const { ada, mallory } = process({ hangs: true });
    return { ada, flood: () => requests(soak(100, 4_000), () => mallory().started) };
  },
  "runs that end": () => {
    const { ada, mallory } = process();
    return { ada, flood: () => requests(soak(100, 4_000), () => mallory().result) };
  },
  "bodies of a megabyte": () => {
    const { ada, pawl } = process();
    const serving = handler({ runtime: pawl, agent: "a", authorize: () => ({ userId: "mallory" }) });
    const body = `{"input":${"[".repeat(50)}${"{},".repeat(250_000)}{}${"]".repeat(50)}}`;
    const post = async () => {
      const headers = { "content-type": "application/json" };
      const response = await serving(new Request("http://localhost/runs", { method: "POST", headers, body }));
      expect(response.status).toBeGreaterThanOrEqual(400);
      await response.body?.cancel();
    };
    return { ada, flood: () => requests(soak(40, 400), post) };
  },
  "waits that end at the same moment": () => {
    const count = soak(100, 10_000);
    const dueAt = Date.now() + soak(2_000, 60_000);
    const { ada, mallory, store } = process({ dueAt });
    return {
      ada,
      flood: async () => {
        await requests(count, () => {
          const { started, result } = mallory();
          result.catch(() => undefined);
          return started;
        });
        const isOpen = async () =>
          (await store.sessions.list({ limit: count, userId: "mallory" })).some(
            ({ openRun }) => openRun !== null,
          );
        while (await isOpen()) await pause(500, "between two looks at all runs");
      },
    };
  },
  "calls of an MCP server that fails for mallory only": () => {
    const served = serve(
      (server) => void server.registerResource("page", "docs://page", {}, async () => ({ contents: [] })),
      (request, body) =>
        body !== "" && request.headers.get("authorization") === "Bearer mallory"
          ? new Response(null, { status: 500 })
          : undefined,
    );
    const server = connectTo(served, { token: ({ userId }) => userId });
    onTestFinished(() => server.close());
    const read = async (userId: string) => await server.readResource("docs://page", { userId });
    const flood = () => requests(soak(100, 5_000), () => read("mallory").catch(() => undefined));
    return { ada: () => read("ada"), flood };
  },
};

it.each(Object.entries(rows))(
  "B8 the work of another user begins within a second beside many %s",
  async (name, make) => {
    const { ada, flood } = make();
    await ada();
    const seen: number[] = [];
    let isOver = false;
    const begun = performance.now();
    const { longestMs } = await standstill(async () => {
      const flooding = flood().finally(() => {
        isOver = true;
      });
      do {
        const asked = performance.now();
        await ada();
        seen.push(performance.now() - asked);
        await pause(50, "ada asks now and then");
      } while (!isOver);
      await flooding;
    });
    const slow = seen.filter((ms) => ms > 1_000).length;
    const longest = Math.round(Math.max(...seen));
    const seconds = Math.round((performance.now() - begun) / 1_000);
    soak.report(
      `${name}: ${seconds} s, ada asked ${seen.length} times, ${slow} of them began after more than a second, the slowest after ${longest} ms; the event loop stood still for at most ${longestMs} ms of processor time`,
    );
    // In processor time: on a busy machine, ada also waits for other processes.
    expect(longestMs).toBeLessThan(1_000);
    expect(slow).toBeLessThanOrEqual(soak(seen.length, seen.length / 50));
  },
  600_000,
);
