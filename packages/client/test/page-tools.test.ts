import { type Json, jsonSchema, memoryStore, tool } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { expectPrinted } from "../../../test/support/printed.ts";
import { settled as quiet } from "../../../test/support/settled.ts";
import type { AgentClientOptions, PageTool } from "../src/index.ts";
import { clientOf, expectSame, isIdle, look, type Served, serve, when } from "./support/clients.ts";
import "./support/locks.ts";

const city = jsonSchema<{ city: string }>({
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
});
const locate = tool({
  name: "locate",
  description: "Returns where the user is.",
  input: jsonSchema<{ exact?: boolean }>({ type: "object", properties: { exact: { type: "boolean" } } }),
  runsIn: "client",
  output: city,
});
const call = (name = "locate", input: Json = { exact: true }) => ({ tools: [{ name, input }] as never });
type Run = PageTool["execute"];

/** Serves an agent that calls a tool of the page, and a page that runs it. */
async function page(
  execute: Run,
  {
    script = [call(), { text: "Done." }],
    options = {},
    served,
  }: {
    script?: Parameters<typeof scriptedModel>[0];
    options?: Partial<AgentClientOptions>;
    served?: Served;
  } = {},
) {
  const model = scriptedModel(script);
  const own = served ?? (await serve(model, { tools: [locate, look], clientTools: true }));
  const client = clientOf(own, { tools: { locate: { execute } }, ...options });
  return { served: own, client, model };
}

const results = async ({ store }: Served, sessionId = "") => {
  const log = await Array.fromAsync(store.read(sessionId, { types: ["tool_result"] }));
  return log.map(({ data }) => data as { success: boolean; result: Json });
};

/** Takes away the locks, which Node has like a browser. */
function withoutLocks(): void {
  const before = Object.getOwnPropertyDescriptor(navigator, "locks");
  Object.defineProperty(navigator, "locks", { value: undefined, configurable: true });
  onTestFinished(() => {
    if (before) Object.defineProperty(navigator, "locks", before);
    else Reflect.deleteProperty(navigator, "locks");
  });
}

describe("F12 a page runs its tools", () => {
  it("with the call's input, once, and nothing waits for the user meanwhile", async () => {
    const seen: unknown[] = [];
    const { client, served } = await page((input, { callId }) => {
      seen.push(input, typeof callId);
      return { city: "Bonn" };
    });
    const pending = new Set<number>();
    const phases = new Set<string>();
    client.subscribe(() => {
      pending.add(client.getState().pending.length);
      phases.add(client.getState().phase);
    });
    await client.send("Where am I?");
    const { sessionId, messages } = await when(
      client,
      (state) => isIdle(state) && state.run?.stop !== undefined,
    );
    expect(seen).toEqual([{ exact: true }, "string"]);
    expect(await results(served, sessionId)).toMatchObject([{ success: true, result: { city: "Bonn" } }]);
    expect(messages.at(-1)?.text).toBe("Done.");
    expect([pending, phases.has("suspended")]).toEqual([new Set([0]), false]);
    await expectSame(served, client);
  });

  it("and reports their errors as errors", async () => {
    expectPrinted("Error: The user said no.");
    const { client, served } = await page(() => {
      throw new Error("The user said no.");
    });
    await client.send("Where am I?");
    const { sessionId } = await when(client, ({ run }) => run?.stop !== undefined);
    expect(await results(served, sessionId)).toMatchObject([{ success: false, result: "The user said no." }]);
  });

  it("and ends with an error if the result is wrong, or the server does not take it", async () => {
    const wrong = await page(() => ({ town: "Bonn" }) as never);
    await wrong.client.send("Where am I?");
    const { sessionId } = await when(wrong.client, ({ run }) => run?.stop !== undefined);
    expect(await results(wrong.served, sessionId)).toMatchObject([
      { success: false, result: expect.stringContaining("wrong result") },
    ]);
    const large = await page(() => ({ city: "x".repeat(2_000_000) }));
    await large.client.send("Where am I?");
    const after = await when(large.client, ({ run }) => run?.stop !== undefined);
    expect(await results(large.served, after.sessionId)).toMatchObject([
      { success: false, result: expect.stringContaining("could not be sent") },
    ]);
  });

  it("after a reload too, if the page was closed before it had a result", async () => {
    const never = new Promise<Json>(() => undefined);
    let running: AbortSignal | undefined;
    const first = await page((_, { signal }) => {
      running = signal;
      return never;
    });
    await first.client.send("Where am I?");
    await expect.poll(() => running?.aborted).toBe(false);
    const { sessionId } = first.client.getState();
    first.client.close();
    expect(running?.aborted).toBe(true);
    const again = await page(() => ({ city: "Bonn" }), { served: first.served, options: { sessionId } });
    await when(again.client, ({ run }) => run?.stop !== undefined);
    expect(await results(first.served, sessionId)).toMatchObject([{ result: { city: "Bonn" } }]);
  });

  it("but not those of another page, which stay questions", async () => {
    const { client } = await page(() => null, { options: { tools: {} } });
    await client.send("Where am I?");
    const { pending } = await when(client, ({ phase }) => phase === "suspended");
    expect(pending).toMatchObject([{ clientTool: "locate", payload: { exact: true } }]);
  });

  it("and aborts them when the run is stopped", async () => {
    let running: AbortSignal | undefined;
    const { client } = await page((_, { signal }) => {
      running = signal;
      return new Promise<Json>((resolve) => signal.addEventListener("abort", () => resolve(null)));
    });
    await client.send("Where am I?");
    await expect.poll(() => running?.aborted).toBe(false);
    await client.stop();
    await when(client, ({ run }) => run?.stop?.type === "aborted");
    expect(running?.aborted).toBe(true);
    expect(client.getState().error).toBeUndefined();
  });

  it.each(["stop", "send"] as const)("and shows a call that %s() closes as failed", async (how) => {
    const { client, served } = await page(() => new Promise<Json>(() => undefined));
    const isDone = new Set<boolean>();
    client.subscribe(() => {
      const parts = client.getState().messages.flatMap((message) => message.parts);
      isDone.add(parts.some((part) => part.type === "tool" && part.phase === "done"));
    });
    await client.send("Where am I?");
    await when(client, ({ phase }) => phase === "toolExecuting");
    await client[how]("Never mind.");
    const { messages } = await when(client, (state) => isIdle(state) && state.run?.stop !== undefined);
    const call = messages.flatMap(({ parts }) => parts).find((part) => part.type === "tool");
    // A result of a call with the phase "done" has the type of the tool's results.
    expect(call).toMatchObject({ phase: "error", result: "It is not known whether this took effect." });
    expect(isDone).toEqual(new Set([false]));
    await expectSame(served, client);
  });

  it("and does not abort the signal of one that has succeeded", async () => {
    let given: AbortSignal | undefined;
    const { client } = await page((_, { signal }) => {
      given = signal;
      return { city: "Bonn" };
    });
    await client.send("Where am I?");
    await when(client, ({ run }) => run?.stop !== undefined);
    client.close();
    expect(given?.aborted).toBe(false);
  });

  it("beside tools of the server, several at once", async () => {
    const script = [
      {
        tools: [
          { name: "locate", input: {} },
          { name: "look", input: {} },
          { name: "locate", input: { exact: true } },
        ],
      },
      { text: "Done." },
    ];
    let n = 0;
    const { client, served } = await page(() => ({ city: `city ${++n}` }), { script });
    await client.send("Where am I?");
    const { sessionId } = await when(client, ({ run }) => run?.stop !== undefined);
    const all = (await results(served, sessionId)).map(({ result }) => JSON.stringify(result));
    expect(all.sort()).toEqual(['"found nothing"', '{"city":"city 1"}', '{"city":"city 2"}']);
  });

  it("sends a result again that could not be sent, without running the tool again", async () => {
    let ran = 0;
    let failed = 0;
    const flaky: typeof fetch = async (input, init) => {
      if (String(init?.body).includes("answers") && failed < 4) {
        failed += 1;
        throw new TypeError("offline");
      }
      return await fetch(input, init);
    };
    const { client } = await page(() => ({ city: `city ${++ran}` }), { options: { fetch: flaky } });
    await client.send("Where am I?");
    await when(client, ({ run }) => run?.stop !== undefined);
    expect([ran, failed]).toEqual([1, 4]);
  });
});

describe("F12 two tabs of one page", () => {
  it("run a call once where the browser has locks, and both show its result", async () => {
    let ran = 0;
    const isOpen = Promise.withResolvers<void>();
    const slow = async () => {
      ran += 1;
      await isOpen.promise;
      return { city: "Bonn" };
    };
    const { client, served } = await page(slow);
    await client.send("Where am I?");
    const { sessionId } = await when(client, (state) => state.sessionId !== undefined);
    const other = await page(slow, { served, options: { sessionId } });
    for (const tab of [client, other.client]) await when(tab, ({ phase }) => phase === "toolExecuting");
    await quiet();
    isOpen.resolve();
    for (const tab of [client, other.client]) await when(tab, ({ run }) => run?.stop !== undefined);
    expect(ran).toBe(1);
    expect(other.client.getState().error).toBeUndefined();
    await expectSame(served, client, other.client);
  });

  it("hand a call on if the one that runs it is closed", async () => {
    const ran: string[] = [];
    const first = await page((_, { signal }) => {
      ran.push("first");
      return new Promise<Json>((resolve) => signal.addEventListener("abort", () => resolve(null)));
    });
    await first.client.send("Where am I?");
    await expect.poll(() => ran).toEqual(["first"]);
    const { sessionId } = first.client.getState();
    const second = await page(
      () => {
        ran.push("second");
        return { city: "Bonn" };
      },
      { served: first.served, options: { sessionId } },
    );
    await when(second.client, ({ phase }) => phase === "toolExecuting");
    first.client.close();
    await when(second.client, ({ run }) => run?.stop !== undefined);
    expect(ran).toEqual(["first", "second"]);
  });

  it("may both run it where there are no locks; the first result counts", async () => {
    withoutLocks();
    const ran: string[] = [];
    const { client, served } = await page(async () => {
      ran.push("one");
      await expect.poll(() => ran.length).toBe(2);
      return { city: "Bonn" };
    });
    const { client: other } = await page(
      async () => {
        ran.push("other");
        await expect.poll(() => ran.length).toBe(2);
        return { city: "Rome" };
      },
      { served },
    );
    await client.send("Where am I?");
    const { sessionId } = await when(client, (state) => state.sessionId !== undefined);
    other.open(sessionId);
    for (const tab of [client, other]) await when(tab, ({ run }) => run?.stop !== undefined);
    expect(await results(served, sessionId)).toHaveLength(1);
    await expectSame(served, client, other);
  });
});

describe("F12 a page offers tools", () => {
  it("with their schemas, which check the input in the page", async () => {
    expectPrinted("The input does not match the tool's schema: part");
    const seen: unknown[] = [];
    const script = [call("read_page", { part: 5 }), call("read_page", { part: "top" }), { text: "Done." }];
    const { client, served, model } = await page(() => null, {
      script,
      options: {
        tools: {
          read_page: {
            description: "Reads a part of the page.",
            input: z.object({ part: z.string() }),
            execute: (input) => {
              seen.push(input);
              return "Hello";
            },
          },
        },
      },
    });
    await client.send("Read.");
    const { sessionId } = await when(client, ({ run }) => run?.stop !== undefined);
    expect(seen).toEqual([{ part: "top" }]);
    expect(await results(served, sessionId)).toMatchObject([
      { success: false, result: expect.stringContaining("part") },
      { success: true, result: "Hello" },
    ]);
    expect(model.requests[0]?.tools.at(-1)).toMatchObject({
      name: "read_page",
      input_schema: { type: "object", properties: { part: { type: "string" } }, required: ["part"] },
    });
  });

  it("B7 and tells the model ten mistakes of an input that has hundreds", async () => {
    expectPrinted("The input does not match the tool's schema: at.0");
    const script = [call("read_page", { at: Array.from({ length: 300 }, () => "top") }), { text: "Done." }];
    const at = { description: "Reads.", input: z.object({ at: z.array(z.number()) }), execute: () => null };
    const { client, served } = await page(() => null, { script, options: { tools: { read_page: at } } });
    await client.send("Read.");
    const { sessionId } = await when(client, ({ run }) => run?.stop !== undefined);
    const [first] = await results(served, sessionId);
    expect(String(first?.result).match(/at\.\d+/g)).toHaveLength(10);
  });

  it("only where the agent allows it", async () => {
    const served = await serve(scriptedModel([{ text: "Hi" }]), { tools: [look] });
    const tools = { read_page: { description: "Reads.", execute: () => null } };
    const client = clientOf(served, { tools });
    expect(await client.send("Read.")).toBe(false);
    expect(client.getState().error).toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("clientTools"),
    });
  });

  it("and a hostile one gets 400, whatever it sends", async () => {
    const served = await serve(scriptedModel([{ text: "Hi" }]), { clientTools: true, store: memoryStore() });
    const send = (tools: unknown) => served.ask("/runs", { json: { input: "Hi", tools } });
    const one = { name: "read", inputSchema: { type: "object" } };
    const deep = JSON.parse(`${'{"properties":{"a":'.repeat(45)}{}${"}}".repeat(45)}`);
    for (const tools of [
      "read",
      Array.from({ length: 10_000 }, (_, at) => ({ name: `t${at}` })),
      [{ ...one, description: "x".repeat(500_000) }],
      [{ ...one, inputSchema: { type: "object", ...deep } }],
      [{ ...one, inputSchema: { type: "object", $ref: "#" } }],
      JSON.parse('[{"name":"__proto__"}]'),
      [{ ...one, name: "look" }],
      [5],
    ]) {
      const response = await send(tools);
      expect([response.status, await response.json()]).toMatchObject([
        400,
        { error: { code: "invalid_input" } },
      ]);
    }
    expect((await send([one])).status).toBe(200);
    expect(served.errors).toEqual([]);
  });
});
