import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import {
  agent,
  approval,
  type EventStore,
  memoryStore,
  type RuntimeOptions,
  runtime,
  tool,
} from "@pawl/core";
import { type Reply, strictModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { settled } from "../../../test/support/settled.ts";
import { mcpHandler } from "../src/server.ts";
import { connectTo } from "./support/servers.ts";
import { calls, parked, resultOf, settle, world } from "./support/world.ts";

const TASKS = "io.modelcontextprotocol/tasks";

/** An agent whose tool `work` takes until `finish()` is called, in a process of its own over this store. */
function serveAgent(
  script: readonly Reply[],
  store: EventStore = memoryStore(),
  taskAfterMs = 20,
  workLimits: RuntimeOptions<unknown>["workLimits"] & {} = {},
) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const work = tool({
    name: "work",
    description: "Works.",
    input: z.object({}),
    execute: async (_, { signal }) => {
      await Promise.race([
        promise,
        new Promise((_, no) => signal.addEventListener("abort", () => no(signal.reason))),
      ]);
      return "Worked.";
    },
  });
  const pay = tool({ name: "pay", description: "Pays.", input: z.object({}), execute: () => "Paid." });
  const clerk = agent({
    name: "clerk",
    model: strictModel({ script: [...script] }),
    instructions: "You work.",
    tools: [work, pay],
    hooks: [approval({ when: ["pay"] })],
  });
  const pawl = runtime({ agents: [clerk], store, times: { pollMs: 10, abortGraceMs: 20 }, workLimits });
  const handler = mcpHandler({
    runtime: pawl,
    agent: clerk,
    description: "Works.",
    stateKey: "k".repeat(40),
    taskAfterMs,
    authorize: (request) => ({ userId: request.headers.get("authorization")?.slice(7) ?? "nobody" }),
  });
  const fetcher = ((input: string, init?: RequestInit) => handler(new Request(input, init))) as typeof fetch;
  return { fetch: fetcher, finish: () => resolve(), pawl, store };
}

/** A store that counts how many reads of a run's text are open at the same time. */
function countingReads() {
  const store = memoryStore();
  let open = 0;
  let most = 0;
  const read: EventStore["read"] = async function* (id, options) {
    const isCounted = options?.types?.includes("assistant_message") === true;
    if (isCounted) most = Math.max(most, ++open);
    try {
      for (let turn = 0; isCounted && turn < 10; turn += 1) await settled();
      yield* store.read(id, options);
    } finally {
      if (isCounted) open -= 1;
    }
  };
  return { store: { ...store, read }, most: () => most };
}

const ANY = { "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) } };

type Described = {
  resultType?: string;
  taskId: string;
  status: string;
  ttlMs: unknown;
  inputRequests?: Record<string, { method: string; params: { message: string } }>;
  result?: { content: { text: string }[]; structuredContent?: { session: string }; isError?: boolean };
};

/** The official client, with the extension or without. It gives its raw answers, too, because it knows no tasks. */
async function connect(
  served: { fetch: typeof fetch },
  userId: string,
  extensions: object = { [TASKS]: {} },
) {
  let last: Described | undefined;
  const tapped = (async (input: string, init?: RequestInit) => {
    const response = await served.fetch(input, init);
    const body = await response.clone().text();
    for (const line of body.split("\n")) {
      const json = /^(?:data: )?(\{.*\})$/.exec(line)?.[1];
      if (json !== undefined) last = JSON.parse(json).result ?? last;
    }
    return response;
  }) as typeof fetch;
  const client = new Client(
    { name: "official", version: "1" },
    {
      versionNegotiation: { mode: "auto" },
      capabilities: { elicitation: { form: {} }, extensions: extensions as never },
      inputRequired: { autoFulfill: false },
    },
  );
  const authProvider = { token: async () => userId };
  const url = new URL("https://x.example.com/mcp");
  await client.connect(new StreamableHTTPClientTransport(url, { fetch: tapped, authProvider }));
  const ask = async (method: string, params: object) =>
    (await client.request({ method, params } as never, ANY as never)) as Described;
  return {
    client,
    ask,
    get: (taskId: string) => ask("tasks/get", { taskId }),
    call: async (message: string, more: object = {}): Promise<Described> => {
      const params = { name: "ask", arguments: { message }, ...more };
      await client.callTool(params as never, { allowInputRequired: true } as never).catch(() => undefined);
      return last as Described;
    },
  };
}

const working: Reply[] = [{ tools: [{ name: "work", id: "w1", input: {} }] }, { text: "It is done." }];
const paying: Reply[] = [
  { tools: [{ name: "work", id: "w1", input: {} }] },
  { tools: [{ name: "pay", id: "p1", input: {} }] },
  { text: "It is paid." },
];

describe("a long run of a served agent", () => {
  it("F24 is a task for a client that takes tasks: working, then completed with the result", async () => {
    const served = serveAgent(working);
    const client = await connect(served, "ada");
    expect(client.client.getServerCapabilities()?.extensions).toEqual({ [TASKS]: {} });
    const task = await client.call("Go");
    expect(task).toMatchObject({ resultType: "task", status: "working", ttlMs: null });
    expect(await client.get(task.taskId)).toMatchObject({ taskId: task.taskId, status: "working" });
    served.finish();
    await expect.poll(async () => (await client.get(task.taskId)).status).toBe("completed");
    expect(await client.get(task.taskId)).toMatchObject({
      result: {
        resultType: "complete",
        content: [{ type: "text", text: "It is done." }],
        structuredContent: { text: "It is done." },
      },
    });
  });

  it("F24 is a result for a client that takes tasks if it is quick", async () => {
    const client = await connect(serveAgent([{ text: "Hello." }], memoryStore(), 5_000), "ada");
    expect(await client.call("Go")).toMatchObject({ resultType: "complete", content: [{ text: "Hello." }] });
  });

  it.each([
    ["a newer client without the extension", { mode: "auto" }],
    ["an older client", { mode: "legacy" }],
  ] as const)("F24 is a result for %s, however long it takes", async (_, versionNegotiation) => {
    const served = serveAgent(working);
    const client = new Client({ name: "official", version: "1" }, { versionNegotiation });
    const authProvider = { token: async () => "ada" };
    const url = new URL("https://x.example.com/mcp");
    await client.connect(new StreamableHTTPClientTransport(url, { fetch: served.fetch, authProvider }));
    setTimeout(served.finish, 200);
    const result = await client.callTool({ name: "ask", arguments: { message: "Go" } });
    expect(result.content).toEqual([{ type: "text", text: "It is done." }]);
  });

  it("F24 asks by the task, takes the answer once, and has the same key until then", async () => {
    const served = serveAgent(paying);
    const client = await connect(served, "ada");
    const { taskId } = await client.call("Go");
    served.finish();
    await expect.poll(async () => (await client.get(taskId)).status).toBe("input_required");
    const first = await client.get(taskId);
    expect((await client.get(taskId)).inputRequests).toEqual(first.inputRequests);
    const [[key, request] = []] = Object.entries(first.inputRequests ?? {});
    expect(request).toMatchObject({ method: "elicitation/create", params: { message: /Approve/ } });
    const inputResponses = { [key ?? ""]: { action: "accept", content: { approved: true } }, other: {} };
    const wrong = { [key ?? ""]: { action: "accept", content: { approved: "yes" } } };
    await expect(client.ask("tasks/update", { taskId, inputResponses: wrong })).rejects.toThrow(/not valid/);
    await client.ask("tasks/update", { taskId, inputResponses });
    await client.ask("tasks/update", { taskId, inputResponses });
    await expect.poll(async () => (await client.get(taskId)).status).toBe("completed");
    expect((await client.get(taskId)).result?.content).toEqual([{ type: "text", text: "It is paid." }]);
  });

  it("F24 L9 stops when the client cancels the task", async () => {
    const served = serveAgent(working);
    const client = await connect(served, "ada");
    const { taskId } = await client.call("Go");
    await client.ask("tasks/cancel", { taskId });
    await expect.poll(async () => (await client.get(taskId)).status).toBe("cancelled");
  });

  it("F24 L1 is found by another process, and after later runs of its session", async () => {
    const store = memoryStore();
    const served = serveAgent(working, store);
    const client = await connect(served, "ada");
    const { taskId } = await client.call("Go");
    served.finish();
    await expect.poll(async () => (await client.get(taskId)).status).toBe("completed");
    const other = serveAgent([{ text: "Later." }], store, 5_000);
    const second = await connect(other, "ada");
    const session = (await second.get(taskId)).result?.structuredContent?.session;
    await second.call("More", { arguments: { message: "More", session } });
    expect((await second.get(taskId)).result?.content).toEqual([{ type: "text", text: "It is done." }]);
  });

  it("F24 E11 does not exist for another user, nor does a made-up one", async () => {
    const served = serveAgent(working);
    const ada = await connect(served, "ada");
    const { taskId } = await ada.call("Go");
    const bob = await connect(served, "bob");
    const made = (given: unknown) => btoa(JSON.stringify(given));
    for (const id of [
      taskId,
      "x",
      "",
      made([]),
      made({}),
      made(["s", "r"]),
      made(["__proto__", "constructor"]),
    ])
      for (const method of ["tasks/get", "tasks/cancel", "tasks/update"])
        await expect(bob.ask(method, { taskId: id, inputResponses: {} })).rejects.toMatchObject({
          code: -32_602,
        });
    expect((await ada.get(taskId)).status).toBe("working");
    served.finish();
  });

  it("B7 is read within the runtime's limit of sessions, however many ask at once", async () => {
    const { store, most } = countingReads();
    const served = serveAgent(working, store, 20, { sessions: 2 });
    const client = await connect(served, "ada");
    const { taskId } = await client.call("Go");
    await Promise.all(Array.from({ length: 30 }, () => client.get(taskId)));
    expect(most()).toBeLessThanOrEqual(2);
    served.finish();
  });

  it("B7 is an error with a hint while the runtime reads too many sessions, and loses no task", async () => {
    const busy = ["w1", "w2"].map((id) => ({ tools: [{ name: "work", id, input: {} }] }));
    const script = [...busy, { text: "Done." }, { text: "Done." }];
    const served = serveAgent(script, memoryStore(), 20, { sessions: 1, waitMs: 10 });
    const client = await connect(served, "ada");
    const { taskId: first } = await client.call("Go");
    const place = await served.pawl.enterRead({ userId: "bob", sessionId: "other" });
    await expect(client.get(first)).rejects.toMatchObject({
      code: -32_000,
      message: expect.stringMatching(/Ask again after \d+ s/),
    });
    const second = await client.call("Go");
    expect(second).toMatchObject({ resultType: "task", status: "working", taskId: expect.any(String) });
    place.leave();
    for (const taskId of [first, second.taskId])
      expect(await client.get(taskId)).toMatchObject({ taskId, status: "working" });
    served.finish();
    for (const taskId of [first, second.taskId])
      await expect.poll(async () => (await client.get(taskId)).status).toBe("completed");
  });

  it("F24 is refused to a client that did not say that it takes tasks", async () => {
    const served = serveAgent(working);
    const { taskId } = await (await connect(served, "ada")).call("Go");
    const without = await connect(served, "ada", {});
    await expect(without.get(taskId)).rejects.toMatchObject({ code: -32_021 });
    served.finish();
  });

  it("F24 T14 parks a call of our own client: an agent that waits for an agent", async () => {
    const served = serveAgent(paying);
    const one = world([connectTo(served, { token: () => "ada" })], calls("ask", { message: "Pay." }));
    const { sessionId } = await one.begin("Go");
    expect(await parked(one, sessionId)).toMatchObject({ task: { wire: "v2" } });
    served.finish();
    expect(await settle(one, sessionId)).toMatchObject({
      kind: "elicitation",
      payload: { message: /Approve/ },
    });
    await one.answer(sessionId, { action: "accept", content: { approved: true } });
    await settle(one, sessionId);
    expect(await resultOf(one, sessionId)).toMatchObject({
      success: true,
      result: { content: [{ text: "It is paid." }] },
    });
  });
});
