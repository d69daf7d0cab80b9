import { acceptedContent, createRequestStateCodec, inputRequired } from "@modelcontextprotocol/server";
import { type EventStore, memoryStore } from "@pawl/core";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import * as z from "zod";
import type { McpServerOptions } from "../src/index.ts";
import { sealOf } from "../src/tools/seal.ts";
import { connectTo, type Register, type Served, serve } from "./support/servers.ts";
import { calls, resultOf, text, world } from "./support/world.ts";

const form = z.object({ ok: z.boolean() });
const elicit = (message = "Really?") => inputRequired.elicit({ message, requestedSchema: form as never });
const key = "k".repeat(32);

/** A server whose tool `erase` asks first, and keeps what it needs in a signed state. */
function erasing(more: { ttlSeconds?: number; annotations?: object } = {}) {
  const codec = createRequestStateCodec<{ files: number }>({ key, ttlSeconds: more.ttlSeconds ?? 600 });
  const ran: unknown[] = [];
  const register: Register = (server) => {
    server.registerTool(
      "erase",
      { description: "", inputSchema: z.object({ path: z.string() }), annotations: more.annotations ?? {} },
      async ({ path }, ctx) => {
        const given = ctx.mcpReq.inputResponses;
        const state = ctx.mcpReq.requestState<{ files: number }>();
        const answer = given && acceptedContent(given, "confirm", form);
        ran.push({ path, answer: answer ?? null, state: state ?? null });
        if (answer !== undefined) return text(answer.ok ? `Erased ${path}.` : "Kept.");
        if (given?.confirm !== undefined) return text("Declined.");
        return inputRequired({
          inputRequests: { confirm: elicit(`Erase ${path}?`) },
          requestState: await codec.mint({ files: 3 }, ctx),
        });
      },
    );
  };
  return { ran, register, codec };
}

const withState = (register: Register, verify: unknown): Served => {
  const served = serve(register, undefined, { requestState: { verify } });
  return served;
};

/** A process of its own. */
const boot = (served: Served, store: EventStore, options: Partial<McpServerOptions<never>> = {}, left = 0) =>
  world([connectTo(served, options)], calls("erase", { path: "/a" }).slice(left), { store });

const yes = { action: "accept", content: { ok: true } };

describe("what a server asks", () => {
  it("F24 P1 becomes a durable question, and its answer reaches the server with its state from another process", async () => {
    const { ran, register, codec } = erasing();
    const store = memoryStore();
    const first = boot(withState(register, codec.verify), store);
    const { sessionId, stop, pending } = await first.say("Go");
    expect(stop.type).toBe("suspended");
    expect(pending[0]).toMatchObject({
      kind: "elicitation",
      toolName: "mcp__test__erase",
      payload: { connector: "mcp::test", tool: "erase", mode: "form", message: "Erase /a?" },
    });
    expect(JSON.stringify(pending)).not.toMatch(/requestState|v1\./);
    await first.tools.close();
    const second = boot(withState(register, codec.verify), store, {}, 1);
    await second.answer(sessionId, yes);
    expect((await resultOf(second, sessionId)).result).toMatchObject({ content: [{ text: "Erased /a." }] });
    expect(ran).toEqual([
      { path: "/a", answer: null, state: null },
      { path: "/a", answer: { ok: true }, state: { files: 3 } },
    ]);
  });

  it("F24 P5 refuses an answer that does not match the server's form, and takes a no", async () => {
    const { register, codec, ran } = erasing();
    const one = boot(withState(register, codec.verify), memoryStore());
    const { sessionId } = await one.say("Go");
    for (const wrong of [
      { action: "accept" },
      { action: "accept", content: { ok: "yes" } },
      { ok: true },
      "yes",
    ])
      await expect(one.answer(sessionId, wrong)).rejects.toMatchObject({ code: "invalid_answer" });
    expect(ran).toHaveLength(1);
    await one.answer(sessionId, { action: "decline" });
    expect((await resultOf(one, sessionId)).result).toMatchObject({ content: [{ text: "Declined." }] });
  });

  it("F24 hides the server's state from users, and encrypts it in the log with `stateKey`", async () => {
    const { register, codec } = erasing();
    const store = memoryStore();
    const stateKey = "s".repeat(40);
    const first = boot(withState(register, codec.verify), store, { stateKey });
    const { sessionId } = await first.say("Go");
    expect(JSON.stringify(await first.log(sessionId))).not.toContain("v1.");
    const plain = boot(withState(register, codec.verify), memoryStore());
    const shown = await plain.say("Go");
    expect(JSON.stringify(await plain.log(shown.sessionId))).toContain("v1.");
    const second = boot(withState(register, codec.verify), store, { stateKey }, 1);
    await second.answer(sessionId, yes);
    expect(await resultOf(second, sessionId)).toMatchObject({ success: true });
  });

  it("B7 F24 encrypts a state of more bytes than a call can have arguments", async () => {
    const { close, open } = sealOf("s".repeat(40), "call");
    const state = "é".repeat(200_000);
    expect(await open(await close(state))).toBe(state);
  });

  it("F24 does not continue with a state that another key has sealed", async () => {
    const { register, codec, ran } = erasing();
    const store = memoryStore();
    const first = boot(withState(register, codec.verify), store, { stateKey: "s".repeat(40) });
    const { sessionId } = await first.say("Go");
    const second = boot(withState(register, codec.verify), store, { stateKey: "t".repeat(40) }, 1);
    await second.answer(sessionId, yes);
    expect(await resultOf(second, sessionId)).toMatchObject({
      success: false,
      result: expect.stringMatching(/cannot be read any more/),
    });
    expect(ran).toHaveLength(1);
  });

  it.each([
    { annotations: {}, trustAnnotations: true, success: false },
    { annotations: { idempotentHint: true }, trustAnnotations: false, success: false },
    { annotations: { idempotentHint: true }, trustAnnotations: true, success: true },
  ])("F24 begins again after the state has expired only if that is safe: $success", async (given) => {
    const { register, codec, ran } = erasing({ ttlSeconds: 1, annotations: given.annotations });
    const { trustAnnotations } = given;
    const one = boot(withState(register, codec.verify), memoryStore(), { trustAnnotations });
    const { sessionId } = await one.say("Go");
    // The state has the time of the wall, not of a clock that is given.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 2_100 });
    onTestFinished(() => void vi.useRealTimers());
    await one.answer(sessionId, yes);
    const { success, result } = await resultOf(one, sessionId);
    expect(success).toBe(given.success);
    if (given.success) expect(ran).toHaveLength(3);
    else expect(result).toMatch(/came too late/);
  });

  it("F24 P4 are asked one after the other, and sent together", async () => {
    const seen: unknown[] = [];
    const served = serve((server) => {
      server.registerTool("erase", { inputSchema: z.object({ path: z.string() }) }, async (_, ctx) => {
        const given = ctx.mcpReq.inputResponses;
        seen.push(given === undefined ? null : Object.keys(given));
        if (given !== undefined) return text("Done.");
        return inputRequired({ inputRequests: { a: elicit("A?"), b: elicit("B?"), c: elicit("C?") } });
      });
    });
    const one = boot(served, memoryStore());
    const { sessionId } = await one.say("Go");
    for (const message of ["A?", "B?", "C?"]) {
      const { pending } = await one.pawl.view(sessionId, { userId: "u1" });
      expect(pending).toMatchObject([{ payload: { message } }]);
      await one.answer(sessionId, yes);
    }
    expect(await resultOf(one, sessionId)).toMatchObject({ success: true });
    expect(seen).toEqual([null, ["a", "b", "c"]]);
  });

  const asking = (request: (round: number) => unknown): Served => {
    let round = 0;
    return serve((server) => {
      server.registerTool("erase", { inputSchema: z.object({ path: z.string() }) }, async () => {
        round += 1;
        return inputRequired({ inputRequests: { q: request(round) as never } });
      });
    });
  };

  it("F24 end at `maxQuestions` rounds", async () => {
    const one = boot(
      asking((round) => elicit(`Question ${round}?`)),
      memoryStore(),
      { maxQuestions: 2 },
    );
    const { sessionId } = await one.say("Go");
    await one.answer(sessionId, yes);
    await one.answer(sessionId, yes);
    expect(await resultOf(one, sessionId)).toMatchObject({
      success: false,
      result: expect.stringMatching(/2 times/),
    });
  });

  it("F24 are not asked again after a no", async () => {
    const one = boot(
      asking(() => elicit("Again?")),
      memoryStore(),
    );
    const { sessionId } = await one.say("Go");
    await one.answer(sessionId, { action: "decline" });
    expect(await resultOf(one, sessionId)).toMatchObject({
      success: false,
      result: expect.stringMatching(/did not want to answer/),
    });
  });

  it("F24 may be a page to open", async () => {
    const url = "https://pay.example.com/1";
    const page = {
      method: "elicitation/create",
      params: { mode: "url", message: "Pay", url, elicitationId: "e1" },
    };
    const one = boot(
      asking(() => page),
      memoryStore(),
    );
    const { pending } = await one.say("Go");
    expect(pending).toMatchObject([{ kind: "elicitation", payload: { mode: "url", url, message: "Pay" } }]);
  });

  it.each<[string, unknown]>([
    ["a sample of a model", { method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } }],
    [
      "a page that is a program",
      { method: "elicitation/create", params: { mode: "url", url: "javascript:1", message: "" } },
    ],
    [
      "an endless form",
      {
        method: "elicitation/create",
        params: {
          mode: "form",
          message: "x".repeat(60_000),
          requestedSchema: { type: "object", properties: {} },
        },
      },
    ],
    ...(
      [
        ["an object", { type: "object", properties: {} }],
        ["a list of texts without choices", { type: "array", items: { type: "string" } }],
        ["any value", {}],
        ["one of several schemas", { anyOf: [{ type: "string" }, { type: "number" }] }],
      ] as const
    ).map(([kind, field]): [string, unknown] => [
      `a form with ${kind} in it`,
      {
        method: "elicitation/create",
        params: { message: "?", requestedSchema: { type: "object", properties: { field } } },
      },
    ]),
  ])("B7 F24 are an error if they are %s", async (_title, request) => {
    const one = boot(
      asking(() => request),
      memoryStore(),
    );
    const { sessionId } = await one.say("Go");
    const { success } = await resultOf(one, sessionId);
    expect(success).toBe(false);
  });
});
