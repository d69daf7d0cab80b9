import { type Reply, strictModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  agent,
  agentTool,
  approval,
  type EventStore,
  type Hook,
  type Tool,
  type ToolContext,
} from "../../src/index.ts";
import {
  answer,
  asked,
  askFirst,
  call,
  note,
  path,
  rest,
  versions,
  withDefault,
} from "../support/consent.ts";
import { code } from "../support/errors.ts";
import { sound } from "../support/hooks.ts";
import { setup, stored, user } from "../support/setup.ts";
import { dyingStore, has } from "../support/stores.ts";

describe("an approval whose call would run differently after a deploy", () => {
  it.each([
    ["a new default", withDefault, { path: "/a", wipe: true }],
    ["a renamed field", z.object({ file: z.string().default("/") }), { file: "/" }],
    ["a narrowed field", z.object({ path: z.string().transform((said) => said.slice(0, 1)) }), { path: "/" }],
  ])("B9 F25 is asked again, and only the new answer counts: %s", async (_, schema, shown) => {
    const { boot, sessionId, question } = await asked();
    const { tool: changed, ran } = note(schema);
    const next = boot(changed);
    const { pending } = await answer(next, sessionId, question);
    expect(ran).toEqual([]);
    expect(pending).toMatchObject([
      { kind: "approval", payload: { tool: "note", input: shown }, changed: ["input"] },
    ]);
    expect((await next.pawl.view(sessionId, user)).pending).toEqual(pending);
    for (const stale of [question, undefined as never])
      await expect(answer(next, sessionId, stale)).rejects.toSatisfy(code("already_answered"));
    expect(ran).toEqual([]);
    await answer(boot(changed), sessionId, pending[0]?.seq ?? 0);
    expect(ran).toEqual([shown]);
    await sound(next, sessionId);
  });

  it("B9 F25 does not run if the schema takes its input no more: the model reads why, and a new call is asked about", async () => {
    const { boot, sessionId, question } = await asked();
    const { tool: narrowed, ran } = note(z.object({ path: z.string().startsWith("/home") }));
    const again = { tools: [{ name: "note", id: "toolu_n2", input: { path: "/home/a" } }] };
    const next = boot(narrowed, [again, ...rest]);
    const { pending } = await answer(next, sessionId, question);
    const [result] = await next.of(sessionId, "tool_result");
    expect(result?.data.result).toMatch(/does not match.*This tool has changed since you were given it/);
    expect(pending).toMatchObject([{ callId: "toolu_n2", payload: { input: { path: "/home/a" } } }]);
    expect(ran).toEqual([]);
    await sound(next, sessionId);
  });

  it("B9 is asked again after a crash between the answer and the run, by the process that continues", async () => {
    const { boot, store, sessionId, question } = await asked();
    const dying = dyingStore(store, (events) => has(events, "tool_answered"));
    const old = boot(note().tool, rest, {}, dying);
    void answer(old, sessionId, question);
    await stored(old, sessionId, "tool_answered");
    const { tool: changed, ran } = note(withDefault);
    const next = boot(changed);
    await next.pawl.sweep();
    await expect.poll(async () => (await next.of(sessionId, "tool_suspended")).length).toBe(2);
    expect((await next.pawl.view(sessionId, user)).pending).toMatchObject([{ changed: ["input"] }]);
    expect(ran).toEqual([]);
  });

  it("B9 does not run again after a crash while it ran, though the tool is idempotent", async () => {
    const { boot, store, sessionId, question } = await asked(note(path, { idempotent: true }).tool);
    const dying = dyingStore(store, (events) => has(events, "tool_started"));
    const old = boot(note(path, { idempotent: true }).tool, rest, {}, dying);
    void answer(old, sessionId, question);
    await stored(old, sessionId, "tool_started");
    const { tool: changed, ran } = note(withDefault, { idempotent: true });
    const next = boot(changed);
    await next.pawl.sweep();
    await stored(next, sessionId, "run_ended");
    expect((await next.of(sessionId, "tool_result"))[0]?.data.result).toMatch(
      /outcome of this call is unknown: .*the tool has changed since/,
    );
    expect(ran).toEqual([]);
  });

  it("B9 runs again after a crash with what a hook has made of the answer", async () => {
    const edits: Hook = {
      name: "edits",
      beforeTool: ({ answer: given, input }) =>
        given === undefined
          ? { ask: { kind: "edit", payload: input as never, answer: path } }
          : { input: given },
    };
    const lower = z.object({ path: z.string().transform((said) => said.toLowerCase()) });
    const made = () => note(lower, { idempotent: true });
    const { boot, store, sessionId, question } = await asked(made().tool, { hooks: [edits] });
    const dying = dyingStore(store, (events) => has(events, "tool_started"));
    const old = boot(made().tool, rest, { hooks: [edits] }, dying);
    void answer(old, sessionId, question, { path: "/B" });
    await stored(old, sessionId, "tool_started");
    const { tool: same, ran } = made();
    const next = boot(same, rest, { hooks: [edits] });
    await next.pawl.sweep();
    await stored(next, sessionId, "run_ended");
    expect(ran).toEqual([{ path: "/b" }]);
  });

  it("B9 does not continue after a question of its own with another input", async () => {
    const asking = (input: z.ZodType) => {
      const execute = (given: unknown, { answered, ask }: ToolContext) => {
        if (answered === undefined) ask({ kind: "sure", payload: {}, answer: z.boolean() });
        ran.push(given);
      };
      const { ran, tool: made } = note(input, { execute });
      return { ran, tool: made };
    };
    const { boot, sessionId, question } = await asked(asking(path).tool);
    const { pending } = await answer(boot(asking(path).tool), sessionId, question);
    expect(pending).toMatchObject([{ kind: "sure" }]);
    const { tool: changed, ran } = asking(withDefault);
    const next = boot(changed);
    await answer(next, sessionId, pending[0]?.seq ?? 0, true as never);
    expect((await next.of(sessionId, "tool_result"))[0]?.data.result).toMatch(
      /has changed since its question/,
    );
    expect(ran).toEqual([]);
  });

  it("B9 H1 shows the new input to the hooks before the one that asks", async () => {
    const guard: Hook = {
      name: "guard",
      beforeTool: ({ input }) => ("wipe" in (input as object) ? { deny: "Never wipe." } : undefined),
    };
    const { boot, sessionId, question } = await asked(note().tool, { hooks: [guard, ...askFirst] });
    const { tool: changed, ran } = note(withDefault);
    const { actions } = await answer(
      boot(changed, rest, { hooks: [guard, ...askFirst] }),
      sessionId,
      question,
    );
    expect(actions).toMatchObject([{ success: false, result: "Never wipe." }]);
    expect(ran).toEqual([]);
  });

  it("B9 is not asked again after a no", async () => {
    const { boot, sessionId, question } = await asked();
    const { tool: changed, ran } = note(withDefault);
    const { actions } = await answer(boot(changed), sessionId, question, { approved: false, reason: "No." });
    expect(actions).toMatchObject([{ success: false, result: "The user did not approve this call: No." }]);
    expect(ran).toEqual([]);
  });

  it("B9 does not run if nobody asks about what it is now", async () => {
    const when = [approval({ when: ({ input }) => !("wipe" in (input as object)) })];
    const { boot, sessionId, question } = await asked(note().tool, { hooks: when });
    const { tool: changed, ran } = note(withDefault);
    const { actions } = await answer(boot(changed, rest, { hooks: when }), sessionId, question);
    expect(actions).toMatchObject([
      {
        success: false,
        result: /^Not run: this call is not what the user was asked about any more \(input\)/,
      },
    ]);
    expect(ran).toEqual([]);
  });

  it("B9 is asked again by a sub-agent, whose caller passes the question on", async () => {
    const { store } = versions();
    const boot = (one: Tool, script: readonly Reply[], ofHelper: readonly Reply[]) => {
      const model = strictModel({ script: [...ofHelper] });
      const helper = agent({ name: "helper", instructions: "Help.", model, tools: [one], hooks: askFirst });
      const tools = [agentTool({ agent: helper, description: "Helps." })];
      return setup(script, { tools }, { store });
    };
    const task = { name: "helper", id: "toolu_n", input: { task: "Do it." } };
    const first = await boot(note().tool, [{ tools: [task] }], [call]).say("Go");
    const { tool: changed, ran } = note(withDefault);
    const next = boot(changed, rest, rest);
    const { pending } = await answer(next, first.sessionId, first.pending[0]?.seq ?? 0);
    expect(pending).toMatchObject([{ payload: { input: { path: "/a", wipe: true } }, changed: ["input"] }]);
    expect(ran).toEqual([]);
    await answer(next, first.sessionId, pending[0]?.seq ?? 0);
    expect(ran).toEqual([{ path: "/a", wipe: true }]);
  });
});

describe("an approval whose call runs as it was shown", () => {
  it("B9 F25 asks nothing again for a new version, description or implementation of an own tool", async () => {
    const { boot, sessionId, question } = await asked();
    const { tool: changed, ran } = note(path, { description: "Writes a note.", idempotent: true });
    const next = boot(changed);
    expect((await answer(next, sessionId, question)).stop.type).toBe("end_turn");
    expect(ran).toEqual([{ path: "/a" }]);
    expect(await next.of(sessionId, "tool_suspended")).toHaveLength(1);
  });

  it.each<[string, () => z.ZodType]>([
    [
      "a default that differs each time",
      () => z.object({ id: z.string().default(() => crypto.randomUUID()) }),
    ],
    [
      "a transform to what JSON lacks",
      () =>
        z.object({
          at: z
            .string()
            .default("2026-01-01")
            .transform((said) => new Date(said)),
        }),
    ],
    [
      "a transform that would change its own result",
      () => z.object({ path: z.string().transform((said) => `${said}!`) }),
    ],
    [
      "a value that JSON cannot hold",
      () => z.object({ path: z.string().transform((said) => BigInt(said.length)) }),
    ],
  ])("B9 runs with the input that was shown: %s", async (_, schema) => {
    const asks: Hook = {
      name: "asks",
      beforeTool: ({ answer: given, input }) => {
        seen.push(input);
        return given === undefined ? { ask: { kind: "sure", payload: {}, answer: z.object({}) } } : undefined;
      },
    };
    const seen: unknown[] = [];
    const { boot, sessionId, question } = await asked(note(schema()).tool, { hooks: [asks] });
    const { tool: same, ran } = note(schema());
    await answer(boot(same, rest, { hooks: [asks] }), sessionId, question, {});
    expect(ran).toEqual([seen[0]]);
  });

  it("B9 F25 runs with the input that was shown if only the schema's default is gone", async () => {
    const before = z.object({ path: z.string().default("/b") });
    const { boot, sessionId, question } = await asked(note(before).tool, {}, [
      { tools: [{ name: "note", id: "toolu_n", input: {} }] },
    ]);
    const { tool: changed, ran } = note(path);
    await answer(boot(changed), sessionId, question);
    expect(ran).toEqual([{ path: "/b" }]);
  });

  it("B9 F25 follows the old rules for a question that an earlier version of Pawl has stored", async () => {
    const { boot, store } = versions();
    const old: EventStore = {
      ...store,
      append: async (sessionId, events, options) =>
        await store.append(
          sessionId,
          events.map((event) => withoutConsent(event as never)) as never,
          options,
        ),
    };
    const { sessionId, pending } = await boot(note().tool, [call], {}, old).say("Go");
    const { tool: changed, ran } = note(withDefault);
    await answer(boot(changed), sessionId, pending[0]?.seq ?? 0);
    expect(ran).toEqual([{ path: "/a", wipe: true }]);
  });
});

/** Returns an event as an earlier version of Pawl stores it. */
function withoutConsent(event: { type: string; data: object }): object {
  const { about: _, ...data } = event.data as { about?: unknown };
  return { ...event, data };
}
