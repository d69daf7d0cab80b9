import { testClock } from "@pawl/testing";
import { beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { expectPrinted } from "../../../../../test/support/printed.ts";
import type { Hook, TurnChange } from "../../../src/index.ts";
import { allowFailedHooks, failures, named, sound } from "../../support/hooks.ts";
import { never, setup, stored } from "../../support/setup.ts";
import { calling, echo } from "../../support/tools.ts";

beforeEach(allowFailedHooks);

describe("a hook that throws", () => {
  const boom = () => {
    throw new Error("boom");
  };
  const later = async () => boom();

  it.each([
    ["beforeRun", 0],
    ["beforeTurn", 0],
    ["beforeModel", 0],
  ] as const)(
    "H1 in %s ends the run as an error before anything is asked of the model",
    async (method, asked) => {
      for (const fails of [boom, later]) {
        const told: string[] = [];
        let armed = true;
        expectPrinted(`pawl: ${method} of "bad" (agent "tester"): boom`);
        const hooks = [
          named("bad", { [method]: () => (armed ? fails() : undefined) }),
          named("watch", { onError: ({ code, message }) => void told.push(`${code} ${message}`) }),
        ];
        const world = setup([{ text: "Ok." }], { hooks });
        const { stop, sessionId } = await world.say("Go");
        expect(stop).toEqual({
          type: "error",
          message: "Something went wrong. Please try again.",
          cause: `${method} of "bad": boom`,
        });
        expect(world.model.requests).toHaveLength(asked);
        expect(failures(await world.log(sessionId))).toEqual([`${method} of bad`]);
        expect(told).toEqual([`hook_failed ${method} of "bad": boom`]);
        expect((await world.store.sessions.get(sessionId))?.status).toBe("error");
        armed = false;
        await sound(world, sessionId);
      }
    },
  );

  it.each(["afterModel", "afterTool", "afterTurn", "onStop", "onError"] as const)(
    "H1 in %s changes nothing, and is logged",
    async (method) => {
      for (const fails of [boom, later]) {
        if (method === "onError") expectPrinted("pawl: invalid_request_error");
        const { tool } = echo();
        const script = [{ text: "Look.", tools: [calling("echo"), calling("nosuch")] }, { text: "Ok." }];
        const fault = method === "onError" ? [{ text: "", fault: { status: 400 } }] : [];
        const world = setup([...fault, ...script, { text: "Again." }], {
          tools: [tool],
          hooks: [named("bad", { [method]: fails }), named("good", {})],
        });
        const { stop, text, sessionId } = await world.say("Go");
        const log = await world.log(sessionId);
        expect(new Set(failures(log))).toEqual(new Set([`${method} of bad`]));
        if (method === "onError") expect(stop.type).toBe("error");
        else expect({ type: stop.type, text }).toEqual({ type: "end_turn", text: "Look.\n\nOk." });
      }
    },
  );

  it("H1 in onError at a limit is logged too, though the run is over by then", async () => {
    const { tool } = echo("echo", { repeatable: true });
    const world = setup(
      [{ tools: [calling("echo", "1")] }, { tools: [calling("echo", "2")] }, { text: "Ok." }],
      { tools: [tool], limits: { turns: 1 }, hooks: [named("bad", { onError: boom })] },
    );
    const { stop, sessionId } = await world.say("Go");
    expect(stop.type).toBe("turn_limit");
    expect(failures(await world.log(sessionId))).toEqual(["onError of bad"]);
  });

  it("H1 is contained when it returns an invalid value", async () => {
    const nonsense = (value: unknown) => () => value as never;
    for (const [method, returned, said] of [
      ["beforeTurn", { maxTokens: 0 }, "maxTokens must be a whole number from 1, not 0."],
      ["beforeTurn", { maxTokens: Number.NaN }, "maxTokens must be a whole number from 1, not NaN."],
      ["beforeModel", { maxTokens: 1.5 }, "maxTokens must be a whole number from 1, not 1.5."],
      ["beforeTurn", { stop: undefined }, "A stop reason must be an object"],
      ["beforeModel", { stop: { type: "x" } }, "A stop reason must be an object"],
      ["beforeRun", {}, "beforeRun returned too few fields"],
      ["beforeTurn", 5, "beforeTurn returned a number"],
      ["beforeTurn", { model: {} }, "`model` must be a ModelClient"],
      ["beforeTurn", { tools: "one" }, "`tools` must be a list of tool names."],
      [
        "beforeTurn",
        { toolChoice: "auto" },
        'toolChoice.type must be "auto", "any", "tool" or "none", not "undefined".',
      ],
      [
        "beforeModel",
        { toolChoice: { type: "some" } },
        'toolChoice.type must be "auto", "any", "tool" or "none", not "some".',
      ],
    ] as const) {
      expectPrinted(`pawl: ${method} of "bad" (agent "tester"): ${said}`);
      const hook = named("bad", { [method]: nonsense(returned) });
      const world = setup([{ text: "Ok." }], { hooks: [hook] });
      const { stop, sessionId } = await world.say("Go");
      expect(stop.type).toBe("error");
      expect(failures(await world.log(sessionId))).toHaveLength(1);
    }
    for (const said of [{ type: "end_turn" }, { message: "x" }, 5, { type: 1, message: "x" }]) {
      const world = setup([{ text: "Ok." }, { text: "More." }], {
        hooks: [named("bad", { onStop: nonsense(said) })],
      });
      const { stop, sessionId } = await world.say("Go");
      expect(stop.type).toBe("end_turn");
      expect(failures(await world.log(sessionId))).toEqual(["onStop of bad"]);
      await sound(world, sessionId);
    }
  });

  it("L14 changes nothing with what it leaves undefined, or null", async () => {
    const change = { maxTokens: undefined, model: undefined, tools: undefined, toolChoice: undefined };
    const world = setup([{ text: "Ok." }, { text: "More." }], {
      tools: [echo().tool],
      hooks: [
        named("a", { beforeTurn: () => ({ maxTokens: 321, tools: ["echo"], toolChoice: { type: "auto" } }) }),
        named("b", { beforeTurn: () => change as unknown as TurnChange, beforeModel: () => null as never }),
      ],
    });
    const { sessionId } = await world.say("Go");
    expect((await world.of(sessionId, "llm_request"))[0]?.data.params).toEqual({
      max_tokens: 321,
      tool_choice: { type: "auto" },
      tools: ["echo"],
    });
    await sound(world, sessionId);
  });
});

describe("a hook that never returns", () => {
  const methods = [
    "beforeRun",
    "beforeTurn",
    "beforeModel",
    "afterModel",
    "beforeTool",
    "afterTool",
    "afterTurn",
  ] as const;

  it.each(methods)("L9 in %s is abandoned when the run is stopped", async (method) => {
    const { tool, ran } = echo();
    let hang = true;
    const control = new AbortController();
    const hook = named("hang", {
      [method]: () => {
        if (!hang) return undefined;
        control.abort();
        return never();
      },
    });
    const world = setup([{ text: "Look.", tools: [calling("echo")] }, { text: "Ok." }, { text: "Fine." }], {
      tools: [tool],
      hooks: [hook],
    });
    const { stop, sessionId } = await world.say("Go", { signal: control.signal });
    expect(stop.type).toBe("aborted");
    if (method === "beforeTool") expect(ran).toEqual([]);
    expect(failures(await world.log(sessionId))).toEqual([]);
    hang = false;
    await sound(world, sessionId);
  });

  it.each(methods)("L4 in %s is abandoned at the deadline", async (method) => {
    const { tool, ran } = echo();
    const clock = testClock();
    let hang = true;
    let hung: () => void = () => undefined;
    const hangs = new Promise<void>((resolve) => {
      hung = resolve;
    });
    const hook = named("hang", {
      [method]: () => {
        if (!hang) return undefined;
        hung();
        return never();
      },
    });
    const world = setup(
      [{ text: "Look.", tools: [calling("echo")] }, { text: "Ok." }, { text: "Fine." }],
      { tools: [tool], hooks: [hook], limits: { wallClockMs: 10_000 } },
      { testing: { clock } },
    );
    const result = world.say("Go");
    await hangs;
    await clock.advance(10_100);
    const { stop, sessionId } = await result;
    expect(stop.type).toBe("deadline");
    if (method === "beforeTool") expect(ran).toEqual([]);
    hang = false;
    await sound(world, sessionId);
  });

  it("L4 in beforeTool leaves the time for a last turn, in which nothing of it is heard any more", async () => {
    const { tool, ran } = echo();
    const clock = testClock();
    const asked: string[] = [];
    let hung: () => void = () => undefined;
    const hangs = new Promise<void>((resolve) => {
      hung = resolve;
    });
    const hooks = [
      named("hang", {
        beforeTool: () => {
          hung();
          return never();
        },
      }),
      named("next", { beforeTool: () => void asked.push("next") }),
    ];
    const world = setup(
      [{ tools: [calling("echo")] }, { text: "This far.", delayPerEventMs: 5 }, { text: "Fine." }],
      { tools: [tool], hooks, limits: { wallClockMs: 10_000 }, onLimit: "land" },
      { testing: { clock } },
    );
    const result = world.say("Go");
    await hangs;
    await clock.advance(8_100);
    const { stop, text, sessionId } = await result;
    expect({ type: stop.type, text }).toEqual({ type: "deadline", text: "This far." });
    expect({ ran, asked }).toEqual({ ran: [], asked: [] });
    expect(failures(await world.log(sessionId))).toEqual([]);
    await sound(world, sessionId);
  });

  it("L9 in onStop keeps a stopped run from ending for no longer than the grace", async () => {
    const control = new AbortController();
    control.abort();
    let hang = true;
    const world = setup([{ text: "Ok." }, { text: "Fine." }], {
      hooks: [named("hang", { onStop: () => (hang ? never() : undefined) })],
    });
    const { stop, sessionId } = await world.say("Go", { signal: control.signal });
    expect(stop.type).toBe("aborted");
    hang = false;
    await sound(world, sessionId);
  });

  it("L12 in onError has 5 s when the run is over, and the session is free meanwhile", async () => {
    const clock = testClock();
    const { tool } = echo();
    const world = setup(
      [{ tools: [calling("echo")] }, { text: "Fine." }],
      { tools: [tool], limits: { turns: 1 }, hooks: [named("hang", { onError: never })] },
      { testing: { clock } },
    );
    const { started, result } = world.pawl.run("tester", { userId: "u1", input: "Go" });
    const { sessionId } = await started;
    await stored(world, sessionId, "run_ended");
    expect((await world.say("Next", { sessionId })).stop.type).toBe("end_turn");
    await clock.advance(5_100);
    expect((await result).stop.type).toBe("turn_limit");
  });

  it("H1 has not failed if it throws because the run was stopped, and has if it throws by itself", async () => {
    const control = new AbortController();
    const hooks = [
      named("minds", {
        beforeTurn: (_plan, { signal }) => {
          control.abort();
          signal.throwIfAborted();
          return undefined;
        },
        onStop: () => {
          throw new Error("mine");
        },
      }),
    ];
    const world = setup([{ text: "Ok." }], { hooks });
    const { stop, sessionId } = await world.say("Go", { signal: control.signal });
    expect(stop.type).toBe("aborted");
    expect(failures(await world.log(sessionId))).toEqual(["onStop of minds"]);
  });
});

/** Does what each method of a hook may have to do with: one call of a tool, and an answer. */
async function errorsOf(hook: Hook): Promise<string[]> {
  const world = setup([{ tools: [calling("echo")] }, { text: "Ok." }], {
    tools: [echo().tool],
    hooks: [hook],
  });
  const { sessionId } = await world.say("Go");
  return [...new Set((await world.of(sessionId, "error")).map(({ data }) => data.message))];
}

const stop = { type: "blocked", message: "Not today." };
const PLAN = "it returns stop, model, maxTokens, toolChoice or tools";
const CALL = "it returns input, deny, result or ask";
const OUTCOME = "it returns success, result or content";

it.each<[string, unknown, string]>([
  ["beforeTool", { stop }, `beforeTool cannot end the run: ${CALL}`],
  ["beforeTool", { deny: "No.", stop }, `beforeTool cannot end the run: ${CALL}`],
  ["beforeTool", { denied: true, why: "x" }, `beforeTool returned "denied", "why": ${CALL}`],
  ["beforeTool", {}, `beforeTool returned too few fields: ${CALL}`],
  ["beforeTool", "no", `beforeTool returned a string: ${CALL}`],
  [
    "beforeTool",
    { ask: "Sure?" },
    "`ask` needs a `kind` (a string), a `payload` (JSON for the client, e.g. {}), and in `answer` the schema of answers; got no `kind`, `payload`, `answer`.",
  ],
  [
    "beforeTool",
    { ask: { kind: "sure", answer: { type: "boolean" } } },
    "`ask` needs a `kind` (a string), a `payload` (JSON for the client, e.g. {}), and in `answer` the schema of answers; got no `payload`.",
  ],
  [
    "beforeRun",
    { ask: { kind: "sure", payload: { of: new Map() }, answer: z.boolean() } },
    "`ask.payload` must be a value that JSON can represent; ask.payload.of is an instance of Map.",
  ],
  ["afterTool", { stop }, `afterTool cannot end the run: ${OUTCOME}`],
  ["afterTool", { results: "x" }, `afterTool returned "results": ${OUTCOME}`],
  ["afterModel", { stop }, "afterModel cannot end the run: it returns content"],
  ["afterModel", { text: "x" }, 'afterModel returned "text": it returns content'],
  ["beforeRun", { deny: "No." }, 'beforeRun returned "deny": it returns stop or ask'],
  [
    "beforeTurn",
    { maxTokns: 5 },
    'beforeTurn returned "maxTokns": it returns stop, model, maxTokens, toolChoice, tools or ask',
  ],
  ["beforeModel", { plan: { maxTokens: 5 } }, `beforeModel returned "plan": ${PLAN}`],
  [
    "afterTurn",
    { type: "blocked", message: "x" },
    'afterTurn returned "type", "message": it returns stop or continue',
  ],
  [
    "afterTurn",
    { stop: "blocked" },
    "A stop reason must be an object { type, message } of two strings; got a string.",
  ],
  [
    "beforeRun",
    { stop: undefined },
    "A stop reason must be an object { type, message } of two strings; got undefined.",
  ],
  [
    "beforeRun",
    { stop: { type: "blocked" } },
    "A stop reason must be an object { type, message } of two strings; got an object with no `message`.",
  ],
  [
    "afterTurn",
    { stop: { type: 5, message: ["x"] } },
    "A stop reason must be an object { type, message } of two strings; got an object with a number as `type` and a list as `message`.",
  ],
  ["onStop", { stop }, "onStop cannot end the run: it returns type and message"],
])("H1 %s that returns %j is logged with what it may return", async (method, returned, message) => {
  // Without what these return, there is no request to send.
  const endsRun = ["beforeRun", "beforeTurn", "beforeModel"].includes(method);
  if (endsRun) expectPrinted(`pawl: ${method} of "odd" (agent "tester"): ${message}`);
  expect(await errorsOf(named("odd", { [method]: () => returned }))).toEqual([
    `${method} of "odd": ${message}`,
  ]);
});

it("H1 ignores a name that it does not know beside one that it knows", async () => {
  const noted = named("noted", { beforeTurn: () => ({ maxTokens: 500, note: 1 }) as object });
  expect(await errorsOf(noted)).toEqual([]);
});

it("H1 lets a hook spread what it was given into what it returns", async () => {
  const spreads: Hook = {
    name: "spreads",
    beforeTurn: (plan) => ({ ...plan, maxTokens: 500 }),
    beforeModel: ({ plan }) => ({ ...plan }),
    afterModel: (answer) => ({ ...answer, content: [...answer.content] }),
    beforeTool: (call) => ({ ...call, input: { text: "b" } }),
    afterTool: (outcome) => ({ ...outcome, result: "changed" }),
    onStop: (reason) => ({ ...reason, message: "Bye." }),
  };
  expect(await errorsOf(spreads)).toEqual([]);
});

it("L14 sends of a tool choice what the API knows of it", async () => {
  for (const type of ["none", "auto"]) {
    const toolChoice = { type, disable_parallel_tool_use: true, name: "echo" } as never;
    const hooks = [named("a", { beforeTurn: () => ({ toolChoice }) })];
    const world = setup([{ text: "Ok." }, { text: "More." }], { tools: [echo().tool], hooks });
    await sound(world, (await world.say("Go")).sessionId);
  }
});
