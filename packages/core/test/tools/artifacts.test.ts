import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type Artifact, artifactIn, memoryStore, type ToolContext, tool } from "../../src/index.ts";
import { named, sound } from "../support/hooks.ts";
import { setup } from "../support/setup.ts";
import { beforeAppend } from "../support/stores.ts";

const any = z.object({}).loose();
const plan = { type: "plan", title: "A plan", payload: { steps: ["warm up", "run"] }, summary: { steps: 2 } };

/** Makes an artifact, and does what else it is told. */
const make = (then: (context: ToolContext, id: string) => unknown = (_, id) => ({ artifact_id: id })) =>
  tool({
    name: "make",
    description: "",
    input: any,
    execute: (_, context: ToolContext) => then(context, context.createArtifact(plan)),
  });

const fetchIt = (found: (artifact: Artifact | undefined) => void) =>
  tool({
    name: "show",
    description: "",
    input: z.object({ id: z.string() }),
    execute: async ({ id }, { artifact }: ToolContext) => {
      const known = await artifact(id);
      found(known);
      return known === undefined ? "there is none" : known.title;
    },
  });

describe("artifacts", () => {
  it("E5 are stored in the append of the result that names them, with an id of their own", async () => {
    const appends: string[][] = [];
    const inner = memoryStore();
    const store = beforeAppend(inner, (events) => {
      appends.push(events.map(({ type }) => type));
    });
    const world = setup(
      [{ tools: [{ name: "make" }] }, { text: "Ok." }, { text: "Fine." }],
      { tools: [make()] },
      { store },
    );
    const { sessionId, actions } = await world.say("Go");
    const [event] = await world.of(sessionId, "artifact");
    expect(event?.data).toEqual({
      artifact_id: expect.stringMatching(/^art_[0-9a-f-]{36}$/),
      type: "plan",
      schema_version: "1",
      title: "A plan",
      summary: { steps: 2 },
      auto_start: false,
      payload: { steps: ["warm up", "run"] },
    });
    expect(actions[0]?.result).toEqual({ artifact_id: event?.data.artifact_id });
    expect(appends.find((types) => types.includes("artifact"))?.slice(0, 2)).toEqual([
      "tool_result",
      "artifact",
    ]);
    await sound(world, sessionId);
  });

  it("E5 C1 show the model their summary behind the result, and never their payload", async () => {
    const world = setup([{ tools: [{ name: "make" }] }, { text: "Ok." }], { tools: [make()] });
    await world.say("Go");
    const [, results] = (world.model.requests[1]?.messages ?? []).slice(1);
    expect(JSON.stringify(world.model.requests)).not.toContain("warm up");
    expect(results).toMatchObject({
      role: "user",
      content: [
        { type: "tool_result" },
        { type: "text", text: expect.stringContaining('"summary":{"steps":2}') },
      ],
    });
  });

  it("E5 are found by their id in a later run and by another process, within their session only", async () => {
    const store = memoryStore();
    const one = setup([{ tools: [{ name: "make" }] }, { text: "Ok." }], { tools: [make()] }, { store });
    const { sessionId } = await one.say("Go");
    const [event] = await one.of(sessionId, "artifact");
    const id = event?.data.artifact_id ?? "";
    const found: (Artifact | undefined)[] = [];
    const tools = [fetchIt((known) => found.push(known))];
    const script = [
      { tools: [{ name: "show", input: { id } }] },
      { text: "There." },
      { tools: [{ name: "show", input: { id } }] },
      { text: "Nothing." },
    ];
    const two = setup(script, { tools }, { store });
    await two.say("Show it", { sessionId });
    const { sessionId: other } = await two.say("Show it");
    expect(found).toEqual([event?.data, undefined]);
    expect(await artifactIn(store, sessionId, id)).toEqual(event?.data);
    expect(await artifactIn(store, other, id)).toBeUndefined();
  });

  it("E5 are not there if the call has failed, also where a hook says so", async () => {
    const failing = make(() => {
      throw new Error("no");
    });
    const deny = named("deny", { afterTool: () => ({ success: false, result: "No." }) });
    for (const options of [{ tools: [failing] }, { tools: [make()], hooks: [deny] }]) {
      const world = setup([{ tools: [{ name: "make" }] }, { text: "Ok." }, { text: "Fine." }], options);
      const { sessionId, actions } = await world.say("Go");
      expect(actions[0]).toMatchObject({ success: false });
      expect(await world.of(sessionId, "artifact")).toEqual([]);
      await sound(world, sessionId);
    }
  });

  it("E5 T3 refuse a draft that lacks something, and the model is told", async () => {
    const drafts = [
      { ...plan, title: " " },
      { ...plan, type: undefined },
      { ...plan, payload: ["a"] },
      { ...plan, payload: 5 },
      { ...plan, summary: "x" },
    ];
    for (const draft of drafts) {
      const bad = tool({
        name: "make",
        description: "",
        input: any,
        execute: (_, context: ToolContext) => context.createArtifact(draft as never),
      });
      const world = setup([{ tools: [{ name: "make" }] }, { text: "Ok." }, { text: "Fine." }], {
        tools: [bad],
      });
      const { sessionId, actions } = await world.say("Go");
      expect(actions[0]).toMatchObject({ success: false, result: expect.stringContaining("artifact") });
      await sound(world, sessionId);
    }
  });

  it("E5 say nothing any more when they are redacted", async () => {
    const found: (Artifact | undefined)[] = [];
    const tools = [make(), fetchIt((known) => found.push(known))];
    const store = memoryStore();
    const one = setup([{ tools: [{ name: "make" }] }, { text: "Ok." }], { tools }, { store });
    const { sessionId } = await one.say("Go");
    const [event] = await one.of(sessionId, "artifact");
    await one.pawl.redact(sessionId, event?.seq ?? 0, { userId: "u1" });
    const input = { id: event?.data.artifact_id ?? "" };
    const two = setup([{ tools: [{ name: "show", input }] }, { text: "Gone." }], { tools }, { store });
    await two.say("Show it", { sessionId });
    expect(found).toMatchObject([{ title: "[redacted]", payload: {} }]);
  });
});

describe("what tools and hooks read of the log", () => {
  it("E5 P2 is what other processes have stored too, so that nothing need be kept in memory", async () => {
    const store = memoryStore();
    const count = tool({
      name: "count",
      description: "",
      input: any,
      repeatable: true,
      execute: async (_, { read }: ToolContext) =>
        (await Array.fromAsync(read({ types: ["tool_result"] }))).length,
    });
    const script = [{ tools: [{ name: "count" }] }, { text: "Ok." }];
    const one = setup(script, { tools: [count] }, { store });
    const { sessionId } = await one.say("Go");
    const two = setup(script, { tools: [count] }, { store });
    const { actions } = await two.say("Again", { sessionId });
    expect(actions[0]?.result).toBe(1);
  });

  it("E5 shows nothing of what was redacted", async () => {
    const seen: unknown[] = [];
    const look = named("look", {
      beforeRun: async ({ read }) => {
        for await (const event of read({ types: ["user_message"] })) seen.push(event.data);
        return undefined;
      },
    });
    const world = setup([{ text: "Ok." }, { text: "Ok." }], { hooks: [look] });
    const { sessionId } = await world.say("My secret");
    const [message] = await world.of(sessionId, "user_message");
    await world.pawl.redact(sessionId, message?.seq ?? 0, { userId: "u1" });
    await world.say("Hi", { sessionId });
    expect(seen).toEqual([{ message: "My secret" }, { message: "[redacted]" }, { message: "Hi" }]);
  });
});
