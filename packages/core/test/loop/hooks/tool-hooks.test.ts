import { beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { expectPrinted } from "../../../../../test/support/printed.ts";
import { type Hook, memoryStore, type OutcomeChange, type ToolChange, tool } from "../../../src/index.ts";
import { allowFailedHooks, failures, named, sound } from "../../support/hooks.ts";
import { never, setup, stored, user } from "../../support/setup.ts";
import { calling, echo, text } from "../../support/tools.ts";

beforeEach(allowFailedHooks);

const before = (change: unknown, name = "a"): Hook =>
  named(name, { beforeTool: () => change as ToolChange | undefined });
const after = (change: unknown, name = "a"): Hook =>
  named(name, { afterTool: () => change as OutcomeChange });
const once = [{ tools: [calling("echo")] }, { text: "Ok." }, { text: "Fine." }];

describe("beforeTool", () => {
  it("H1 changes the input, each hook upon the last; it is checked, and stored as what the tool was given", async () => {
    const seen: unknown[] = [];
    const { tool, ran } = echo();
    const add = (more: string): Hook =>
      named(more, {
        beforeTool: async ({ input, arguments: made }) => {
          seen.push([input, made]);
          return { input: { text: `${(input as { text: string }).text}${more}` } };
        },
      });
    const world = setup(once, { tools: [tool], hooks: [add("b"), add("c")] });
    const { sessionId, actions } = await world.say("Go");
    expect(ran).toEqual(["abc"]);
    expect(seen).toEqual([
      [{ text: "a" }, { text: "a" }],
      [{ text: "ab" }, { text: "a" }],
    ]);
    expect((await world.of(sessionId, "tool_started"))[0]?.data.input).toEqual({ text: "abc" });
    expect(actions).toMatchObject([{ args: { text: "a" }, result: "echo abc" }]);
    expect(JSON.stringify(world.model.requests[1])).toContain('"input":{"text":"a"}');
    await sound(world, sessionId);
  });

  it("H1 P2 lets a tool ask about its changed input", async () => {
    for (const payload of [undefined, (input: { text: string }) => input]) {
      const suspends = { answer: z.string(), ...(payload && { payload }) };
      const ask = tool({ name: "echo", description: "", input: text, suspends });
      const world = setup(once, { tools: [ask], hooks: [before({ input: { text: "b" } })] });
      expect((await world.say("Go")).pending).toMatchObject([{ kind: "echo", payload: { text: "b" } }]);
    }
  });

  it("H1 C5 T3 clips an answer in the tool's place, and answers a schema that throws with a failure", async () => {
    expectPrinted("failed: schema down");
    const { tool: plain } = echo("echo", { maxResultChars: 100 });
    const long = setup(once, { tools: [plain], hooks: [before({ result: "x".repeat(500) })] });
    const { sessionId } = await long.say("Go");
    expect((await long.of(sessionId, "tool_result"))[0]?.data.content).toHaveLength(100);
    const throwing = {
      ...text,
      "~standard": {
        ...text["~standard"],
        validate: () => {
          throw new Error("schema down");
        },
      },
    };
    const broken = tool({ name: "echo", description: "", input: throwing as never, execute: () => "never" });
    expect((await setup(once, { tools: [broken] }).say("Go")).actions).toMatchObject([
      { success: false, result: "schema down" },
    ]);
  });

  it("H1 T3 lets no input through that does not fit, and hands on what the schema makes of it", async () => {
    const { tool: plain, ran } = echo();
    const world = setup(once, { tools: [plain], hooks: [before({ input: { text: 5 } })] });
    const { sessionId, actions } = await world.say("Go");
    expect(ran).toEqual([]);
    expect(actions[0]).toMatchObject({
      success: false,
      result: expect.stringContaining("The changed input does not match the tool's schema: text"),
    });
    await sound(world, sessionId);
    const seen: unknown[] = [];
    const parsing = tool({
      name: "echo",
      description: "",
      input: z.object({ text: z.string().trim(), times: z.number().default(2) }),
      execute: (input) => void seen.push(input),
    });
    const second = setup(once, { tools: [parsing], hooks: [before({ input: { text: " b " } })] });
    await second.say("Go");
    expect(seen).toEqual([{ text: "b", times: 2 }]);
  });

  it.each([
    ["denies", { deny: "No." }, { success: false, result: "No." }],
    ["answers in the tool's place", { result: { known: 1 } }, { success: true, result: { known: 1 } }],
    [
      "skips",
      { result: "Later.", skipped: "waiting" },
      { success: false, skipped: "waiting", result: "Later." },
    ],
  ])("H1 %s, and then nobody else is asked and nothing runs", async (_what, change, result) => {
    const asked: string[] = [];
    const { tool, ran } = echo();
    const hooks = [
      before(undefined),
      before(change, "b"),
      named("c", { beforeTool: () => void asked.push("c"), afterTool: () => void asked.push("c") }),
    ];
    const world = setup(once, { tools: [tool], hooks });
    const { sessionId, actions } = await world.say("Go");
    expect(actions[0]).toMatchObject(result);
    expect({ ran, asked }).toEqual({ ran: [], asked: [] });
    const [stored] = await world.of(sessionId, "tool_result");
    expect(stored?.data.skipped).toBe("skipped" in change ? "waiting" : undefined);
    expect(await world.of(sessionId, "tool_started")).toEqual([]);
    await sound(world, sessionId);
  });

  it("H1 denies a call whose hook throws or returns an invalid value, logs it and notifies onError", async () => {
    const circle: { self?: unknown } = {};
    circle.self = circle;
    const undescribable = { "~standard": { version: 1, vendor: "x", validate: () => ({ value: 1 }) } };
    for (const said of [
      () => {
        throw new Error("boom");
      },
      async () => {
        throw new Error("boom");
      },
      () => ({}),
      () => "no",
      () => ({ result: 10n }),
      () => ({ input: circle }),
      () => ({ ask: { kind: "k", payload: null, answer: undescribable } }),
    ]) {
      const told: string[] = [];
      const { tool, ran } = echo();
      const world = setup(once, {
        tools: [tool],
        hooks: [named("bad", { beforeTool: said as never, onError: ({ code }) => void told.push(code) })],
      });
      const { sessionId, actions } = await world.say("Go");
      expect(actions[0]).toMatchObject({ success: false, result: "A check of this call failed." });
      expect({ ran, told }).toEqual({ ran: [], told: ["hook_failed"] });
      expect(failures(await world.log(sessionId))).toEqual(["beforeTool of bad"]);
      await sound(world, sessionId);
    }
  });

  it("H1 L9 ends the run from within a turn by stopping it, and onStop may say why", async () => {
    const { tool, ran } = echo();
    const guard = named("guard", {
      beforeTool: async ({ callId }, { sessionId, userId }) => {
        if (callId === "toolu_1") await world.pawl.stop(sessionId, { userId });
        return undefined;
      },
      onStop: (stop) => (stop.type === "aborted" ? { type: "blocked", message: "Not today." } : undefined),
    });
    const script = [{ tools: [calling("echo", "a", "toolu_1")] }, { text: "Fine." }];
    const world = setup(script, { tools: [tool], hooks: [guard] });
    const { sessionId, stop } = await world.say("Go");
    expect(stop).toEqual({ type: "blocked", message: "Not today." });
    expect(ran).toEqual([]);
    await sound(world, sessionId);
  });

  it("H1 is not asked about calls of unknown tools, nor about input that does not fit", async () => {
    const asked: string[] = [];
    const { tool } = echo();
    const hooks = [named("a", { beforeTool: ({ callId }) => void asked.push(callId) })];
    const tools = [calling("nosuch"), { name: "echo", input: {} }, calling("echo", "a", "toolu_ok")];
    const world = setup([{ tools }, { text: "Ok." }, { text: "Fine." }], { tools: [tool], hooks });
    const { sessionId } = await world.say("Go");
    expect(asked).toEqual(["toolu_ok"]);
    await sound(world, sessionId);
  });

  it("H1 L7 gives the changed input again to an idempotent tool that was cut off, without asking again", async () => {
    let clock = 0;
    const base = memoryStore({ now: () => clock });
    const runs: string[] = [];
    const made = (hang: boolean) =>
      tool({
        name: "echo",
        description: "",
        input: text,
        idempotent: true,
        execute: ({ text: said }, { idempotencyKey }) => {
          runs.push(`${said} ${idempotencyKey.split(":").at(-1)}`);
          return hang ? never() : "ok";
        },
      });
    const script = [{ tools: [calling("echo", "a", "toolu_e")] }];
    const old = setup(
      script,
      { tools: [made(true)], hooks: [before({ input: { text: "first" } })] },
      { store: base },
    );
    const { sessionId, runId } = await old.pawl.run("tester", { ...user, input: "Go" }).started;
    await stored(old, sessionId, "tool_started");
    clock += 60_000;
    const next = setup(
      [{ text: "Done." }, { text: "Fine." }],
      { tools: [made(false)], hooks: [before({ deny: "Not now." })] },
      { store: base },
    );
    expect(await next.pawl.sweep()).toBe(1);
    for await (const _ of next.pawl.follow(sessionId, { untilIdle: { runId } }));
    expect(runs).toEqual(["first toolu_e", "first toolu_e"]);
    const started = await next.of(sessionId, "tool_started");
    expect(started.map(({ data }) => data.input)).toEqual([{ text: "first" }, { text: "first" }]);
    await sound(next, sessionId);
  });
});

describe("afterTool", () => {
  it("H1 rewrites what is stored and sent, in the opposite order, each upon the last", async () => {
    const { tool } = echo();
    const wrap = (name: string): Hook =>
      named(name, {
        afterTool: async ({ result, success }) => ({ result: `${name}(${result}, ${success})` }),
      });
    const world = setup(once, { tools: [tool], hooks: [wrap("a"), wrap("b")] });
    const { sessionId, actions } = await world.say("Go");
    expect(actions[0]?.result).toBe("a(b(echo a, true), true)");
    expect(JSON.stringify(world.model.requests[1]?.messages)).toContain("a(b(echo a, true), true)");
    await sound(world, sessionId);
  });

  it("H1 shows the model no word of a result that was rewritten, also of one that the tool formats", async () => {
    const { tool } = echo("echo", { format: (result: unknown) => `<${result}>` });
    const hooks = [
      after({ result: "hidden" }),
      named("sees", { afterTool: ({ content }) => ({ content: `${content}!` }) }),
    ];
    const world = setup(once, { tools: [tool], hooks });
    const { sessionId } = await world.say("Go");
    expect((await world.of(sessionId, "tool_result"))[0]?.data).toMatchObject({
      result: "hidden",
      content: "<hidden>",
    });
    const only = setup(once, { tools: [tool], hooks: [hooks[1] as Hook] });
    const { sessionId: other } = await only.say("Go");
    expect((await only.of(other, "tool_result"))[0]?.data).toMatchObject({
      result: "echo a",
      content: "<echo a>!",
    });
    await sound(world, sessionId);
  });

  it("H1 L5 makes a failure of a success, with nothing of what the tool had decided", async () => {
    const done = tool({
      name: "echo",
      description: "",
      input: text,
      endsRun: "completed",
      shortenInput: ["text"],
      execute: (_input, { setMode, completeSession }) => {
        setMode("deep");
        completeSession();
        return "done";
      },
    });
    const long = { tools: [calling("echo", "a long text ".repeat(20))] };
    const world = setup([long, { text: "Ok." }, { text: "Fine." }], {
      tools: [done],
      hooks: [after({ success: false })],
    });
    const { stop, sessionId } = await world.say("Go");
    expect(stop.type).toBe("end_turn");
    expect((await world.of(sessionId, "tool_result"))[0]?.data).toEqual({
      call_id: expect.any(String),
      tool_name: "echo",
      success: false,
      result: "done",
    });
    expect((await world.store.sessions.get(sessionId))?.status).toBe("active");
    expect(JSON.stringify(world.model.requests[1])).toContain("a long text a long text");
    await sound(world, sessionId);
  });

  it("H1 makes a success of a failure", async () => {
    const { tool } = echo("echo", {
      execute: () => {
        throw new Error("down");
      },
    });
    const world = setup(once, { tools: [tool], hooks: [after({ success: true, result: "from the cache" })] });
    const { sessionId, actions } = await world.say("Go");
    expect(actions[0]).toMatchObject({ success: true, result: "from the cache" });
    expect(JSON.stringify(world.model.requests[1])).not.toContain("is_error");
    await sound(world, sessionId);
  });

  it("H1 L7 cannot make the session invalid, whatever it says", async () => {
    const blank = [{ type: "text", text: " " }];
    for (const [change, failed] of [
      [{ content: blank }, true],
      [{ content: [] }, true],
      [{ content: { a: 1 } }, true],
      [{ content: [{ text: "x" }] }, true],
      [{ result: 10n }, true],
      [{ success: false, result: "" }, false],
      [{ success: false, content: " " }, false],
      [{ success: false, content: "" }, false],
      [{ success: false, result: null }, false],
      [{ result: undefined, success: undefined, content: undefined }, false],
      [{ result: "half \ud83d a pair" }, false],
    ] as const) {
      const { tool } = echo();
      const world = setup(once, { tools: [tool], hooks: [after(change)] });
      const { sessionId, stop } = await world.say("Go");
      expect(stop.type).toBe("end_turn");
      const log = await sound(world, sessionId);
      expect(failures(log)).toEqual(failed ? ["afterTool of a"] : []);
    }
  });

  it("H1 C5 clips what a hook has made of a result, and keeps the whole; notes on inputs stay as they are", async () => {
    const { tool } = echo("echo", { maxResultChars: 200, shortenInput: ["text"] });
    const long = "a long text ".repeat(30);
    const script = [{ tools: [calling("echo", long)] }, { text: "Ok." }, { text: "Fine." }];
    const world = setup(script, { tools: [tool], hooks: [after({ result: "x".repeat(1_000) })] });
    const { sessionId, actions } = await world.say("Go");
    expect(actions[0]?.result).toHaveLength(1_000);
    const [result] = await world.of(sessionId, "tool_result");
    expect(String(result?.data.content)).toMatch(/clipped: \d+ of 1000 chars/);
    expect(String(result?.data.content).length).toBeLessThanOrEqual(200);
    expect(JSON.stringify(world.model.requests[1])).toContain(`[saved: ${long.length} chars]`);
    await sound(world, sessionId);
  });

  it("H1 is called for every call that ran, and for no other", async () => {
    const told: string[] = [];
    const { tool: good } = echo("good");
    const { tool: bad } = echo("bad", {
      execute: () => {
        throw new Error("no");
      },
    });
    const hooks = [
      before(undefined),
      named("gate", {
        beforeTool: ({ input }) => ((input as { text: string }).text === "x" ? { deny: "No." } : undefined),
      }),
      named("watch", {
        afterTool: ({ tool, success, input }) =>
          void told.push(`${tool.name} ${success} ${JSON.stringify(input)}`),
      }),
    ];
    const tools = [calling("good"), calling("bad"), calling("good", "x"), calling("nosuch")];
    const world = setup([{ tools }, { text: "Ok." }, { text: "Fine." }], { tools: [good, bad], hooks });
    const { sessionId } = await world.say("Go");
    expect(told.sort()).toEqual(['bad false {"text":"a"}', 'good true {"text":"a"}']);
    await sound(world, sessionId);
  });

  it("L9 keeps the tool's own result when a hook hangs under a stop", async () => {
    const { tool } = echo();
    const control = new AbortController();
    let hang = true;
    const hook = named("hang", {
      afterTool: () => {
        control.abort();
        return hang ? never() : undefined;
      },
    });
    const world = setup(once, { tools: [tool], hooks: [hook] });
    const { stop, sessionId, actions } = await world.say("Go", { signal: control.signal });
    expect({ type: stop.type, result: actions[0]?.result }).toEqual({ type: "aborted", result: "echo a" });
    hang = false;
    await sound(world, sessionId);
  });
});
