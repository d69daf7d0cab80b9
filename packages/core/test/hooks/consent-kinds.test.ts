import { type Reply, strictModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { agent, agentTool, approval, type Hook, type Tool, tool } from "../../src/index.ts";
import { answer, asked, call, note, path, rest, versions, withDefault } from "../support/consent.ts";
import { sound } from "../support/hooks.ts";
import { stored } from "../support/setup.ts";
import { dyingStore, has } from "../support/stores.ts";

describe("an approval of a call of another kind", () => {
  it.each<[string, (said: string) => unknown, (said: string) => unknown]>([
    ["a bigint", (said) => BigInt(said), (said) => BigInt(said) * 1000n],
    ["a Map", (said) => new Map([["cents", said]]), (said) => new Map([["cents", `${said}000`]])],
    ["a Set", (said) => new Set([said]), (said) => new Set([said, "wipe"])],
    ["bytes", (said) => new TextEncoder().encode(said).buffer, () => new ArrayBuffer(9)],
    ["an expression", (said) => new RegExp(said), () => /.*/],
    ["what JSON writes as null", () => Number.POSITIVE_INFINITY, () => Number.NaN],
    ["a field that JSON drops", () => ({ only: Symbol.for("one") }), () => ({ only: undefined, all: 1n })],
  ])("B9 F25 is asked again about a value that JSON cannot hold: %s", async (_, before, after) => {
    const sums = (parse: (said: string) => unknown) => z.object({ path: z.string().transform(parse) });
    const asks: Hook = {
      name: "asks",
      beforeTool: ({ answer: given }) =>
        given === undefined ? { ask: { kind: "sure", payload: {}, answer: z.object({}) } } : undefined,
    };
    const one = { tools: [{ name: "note", id: "toolu_n", input: { path: "10" } }] };
    const { boot, sessionId, question } = await asked(note(sums(before)).tool, { hooks: [asks] }, [one]);
    const { tool: changed, ran } = note(sums(after));
    const { pending } = await answer(boot(changed, rest, { hooks: [asks] }), sessionId, question, {});
    expect(pending).toMatchObject([{ changed: ["input"] }]);
    expect(ran).toEqual([]);
  });

  it("B9 F25 gives a sub-agent no other task than the one that was shown, after a crash before it began", async () => {
    const { store, boot } = versions();
    const got: string[] = [];
    const helping = (input: z.ZodType, script: readonly Reply[]) => {
      const helper = agent({
        name: "helper",
        instructions: "Help.",
        model: strictModel({ script: [...script] }),
        hooks: [{ name: "sees", beforeRun: ({ message }: never) => void got.push(message) } as never],
      });
      const message = (given: unknown) => JSON.stringify(given);
      return agentTool({ agent: helper, description: "Helps.", input: input as never, message } as never);
    };
    const ask = { hooks: [approval({ when: ["helper"] })] };
    const one = { tools: [{ name: "helper", id: "toolu_n", input: { path: "/a" } }] };
    const { sessionId, pending } = await boot(helping(path, []), [one], ask).say("Go");
    const dying = dyingStore(store, (events) => has(events, "tool_started"));
    const old = boot(helping(path, []), rest, ask, dying);
    void answer(old, sessionId, pending[0]?.seq ?? 0);
    await stored(old, sessionId, "tool_started");
    const next = boot(helping(withDefault, rest), rest, ask);
    await next.pawl.sweep();
    await stored(next, sessionId, "run_ended");
    const child = await Array.fromAsync(store.read(`${sessionId}:toolu_n`, { types: ["user_message"] }));
    expect(child).toEqual([]);
    expect((await next.of(sessionId, "tool_result"))[0]?.data.result).toMatch(
      /^Not run: this call is not what the user/,
    );
  });
});

describe("the question of a tool", () => {
  const answers = z.object({ sure: z.boolean() });
  const suspending = (input: z.ZodType, runs = true) => {
    const ran: unknown[] = [];
    const execute = (given: unknown) => {
      ran.push(given);
      return "done";
    };
    const suspends = { answer: answers, kind: "sure" };
    const made = { name: "note", description: "", input, suspends, ...(runs && { execute }) };
    return { ran, tool: tool(made as never) as Tool };
  };

  it("B9 F25 that precedes its run is asked again if the input would be another one", async () => {
    const { boot, sessionId, question } = await asked(suspending(path).tool, { hooks: [] });
    const { tool: changed, ran } = suspending(withDefault);
    const next = boot(changed, rest, { hooks: [] });
    const { pending } = await answer(next, sessionId, question, { sure: true });
    expect(pending).toMatchObject([
      { kind: "sure", payload: { path: "/a", wipe: true }, changed: ["input"] },
    ]);
    expect(ran).toEqual([]);
    await answer(next, sessionId, pending[0]?.seq ?? 0, { sure: true });
    expect(ran).toEqual([{ path: "/a", wipe: true }]);
    await sound(next, sessionId);
  });

  it("B9 F25 whose answer would have been the result runs nothing that it has not shown", async () => {
    const { boot, sessionId, question } = await asked(suspending(path, false).tool, { hooks: [] });
    const { tool: changed, ran } = suspending(withDefault);
    const { pending } = await answer(boot(changed, rest, { hooks: [] }), sessionId, question, { sure: true });
    expect(pending).toMatchObject([{ payload: { path: "/a", wipe: true }, changed: ["input"] }]);
    expect(ran).toEqual([]);
  });

  it("B9 of a tool whose `suspends` was replaced has the new schema and time", async () => {
    const { tool: one } = suspending(path, false);
    const expires = { afterMs: 1_000, default: { no: 1 } };
    const replaced = { ...one, suspends: { answer: z.object({ no: z.number() }), expires } } as never;
    const { boot } = versions();
    const { pending } = await boot(replaced, [call], { hooks: [] }).say("Go");
    expect(pending[0]?.answerSchema).toMatchObject({ required: ["no"] });
    expect(pending[0]?.expires).toMatchObject({ default: { no: 1 } });
  });

  it("F25 that lets nothing run is not asked again: its answer is the result", async () => {
    const { boot, sessionId, question } = await asked(suspending(path, false).tool, { hooks: [] });
    const next = boot(suspending(withDefault, false).tool, rest, { hooks: [] });
    const { actions } = await answer(next, sessionId, question, { sure: true });
    expect(actions).toMatchObject([{ success: true, result: { sure: true } }]);
  });
});
