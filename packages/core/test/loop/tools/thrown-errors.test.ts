import { describe, expect, it } from "vitest";
import * as z from "zod";
import { agentTool, type Hook, type ToolOutcome, tool } from "../../../src/index.ts";
import { named } from "../../support/hooks.ts";
import { setup } from "../../support/setup.ts";
import { calling, echo } from "../../support/tools.ts";

const script = [{ tools: [calling("echo")] }, { text: "Ok." }];
const input = z.object({ text: z.string() });
const token = "tok_0123456789abcdef";

/** A tool that throws this value. */
const throwing = (thrown: unknown) =>
  tool({
    name: "echo",
    description: "Echoes.",
    input,
    execute: () => {
      throw thrown;
    },
  });

/** A hook that keeps the outcomes that it gets. */
function watching(): { hook: Hook; outcomes: ToolOutcome[] } {
  const outcomes: ToolOutcome[] = [];
  const hook = named("watch", {
    afterTool: (outcome) => {
      outcomes.push(outcome);
      return undefined;
    },
  });
  return { hook, outcomes };
}

describe("H1 `afterTool` gets what a tool threw", () => {
  it("with its class, stack and cause, which the log lacks", async () => {
    const bug = new TypeError("Cannot read properties of undefined (reading 'id')", {
      cause: new Error("deep"),
    });
    const { hook, outcomes } = watching();
    const world = setup(script, { tools: [throwing(bug)], hooks: [hook] });
    const { sessionId, actions } = await world.say("Go");
    expect(outcomes.map(({ success, error }) => [success, error === bug])).toEqual([[false, true]]);
    expect(actions).toMatchObject([{ success: false, result: bug.message }]);
    expect(JSON.stringify(await world.log(sessionId))).not.toMatch(/deep|thrown-errors/);
  });

  it.each([undefined, null, "text", 0])("also if it is %j", async (thrown) => {
    const { hook, outcomes } = watching();
    await setup(script, { tools: [throwing(thrown)], hooks: [hook] }).say("Go");
    expect(outcomes).toHaveLength(1);
    expect(outcomes[0]).toHaveProperty("error", thrown);
  });

  it("in every hook, whatever the hooks before it changed; also if one spreads its argument", async () => {
    const bug = new Error("down");
    const { hook, outcomes } = watching();
    const mends = named("mends", {
      afterTool: (outcome) => ({ ...outcome, success: true, result: "a default" }),
    });
    const onlySpreads = named("spreads", { afterTool: (outcome) => ({ ...outcome }) });
    // `after…` hooks are called in reverse order.
    const world = setup(script, { tools: [throwing(bug)], hooks: [hook, mends, onlySpreads] });
    const { actions } = await world.say("Go");
    expect(actions).toMatchObject([{ success: true, result: "a default" }]);
    expect(outcomes).toMatchObject([{ success: true, result: "a default" }]);
    expect(outcomes[0]?.error).toBe(bug);
  });

  it("and nothing for a tool that threw nothing", async () => {
    const { hook, outcomes } = watching();
    await setup(script, { tools: [echo().tool], hooks: [hook] }).say("Go");
    expect(outcomes).toHaveLength(1);
    expect(outcomes[0]).not.toHaveProperty("error");
  });

  it("F17 without the caller's credentials", async () => {
    const bug = Object.assign(new Error(`401 for ${token}`), { headers: { authorization: token } });
    const { hook, outcomes } = watching();
    const world = setup(script, { tools: [throwing(bug)], hooks: [hook] });
    await world.say("Go", { credentials: { token } });
    const [{ error } = {}] = outcomes;
    expect(error).toBeInstanceOf(Error);
    expect((error as Error).message).toBe("401 for …");
    expect((error as Error).stack).not.toContain(token);
    expect(JSON.stringify(error)).not.toContain(token);
  });
});

describe("H1 `onError` of the runtime gets what application code threw before a tool began", () => {
  const helper = (agents: () => unknown) =>
    agentTool({
      name: "echo",
      description: "Asks an expert.",
      input,
      message: ({ text }) => text,
      agents: agents as () => undefined,
    });
  const broken = z.object({ text: z.string() }).refine(() => {
    throw new RangeError("schema");
  });
  const asks = { answer: z.string(), payload: (): string => (undefined as unknown as { a: string }).a };
  const plain = { name: "echo", description: "Echoes." };

  it.each([
    ["`agents` that returns no agent", helper(() => "law"), { code: "config" }],
    [
      "`agents` that throws",
      helper(() => {
        throw new RangeError("no table");
      }),
      { cause: { name: "RangeError" } },
    ],
    ["a schema", tool({ ...plain, input: broken, execute: () => "" }), { cause: { name: "RangeError" } }],
    ["`payload`", tool({ ...plain, input, suspends: asks }), { cause: { name: "TypeError" } }],
  ])("%s, besides the call's result", async (_, made, error) => {
    const errors: unknown[] = [];
    const world = setup(script, { tools: [made] }, { onError: (error) => errors.push(error) });
    const { actions, stop } = await world.say("Go");
    expect(errors).toMatchObject([{ ...error, stack: expect.stringContaining("at ") }]);
    const { message, cause } = errors[0] as Error & { cause: Error };
    expect(message).toBe(`A call of the tool "echo" of the agent "tester" failed: ${cause.message}`);
    expect(actions).toMatchObject([{ success: false, result: cause.message }]);
    expect(stop.type).toBe("end_turn");
  });

  it("but not what a tool itself throws", async () => {
    const errors: unknown[] = [];
    const passing = Object.assign(new TypeError("fetch failed"), { cause: new Error("ECONNREFUSED") });
    for (const error of [new Error("no such row"), new RangeError("bug"), passing]) {
      const world = setup(script, { tools: [throwing(error)] }, { onError: (error) => errors.push(error) });
      await world.say("Go");
    }
    expect(errors).toEqual([]);
  });

  it("B5 a bug of the tool, which only the model has read, once", async () => {
    const buggy = tool({
      ...plain,
      input,
      execute: ({ text }) => (text as unknown as { rows: string[] }).rows[0],
    });
    const errors: Error[] = [];
    const world = setup(
      [...script, ...script],
      { tools: [buggy] },
      { onError: (error) => errors.push(error as Error) },
    );
    const { sessionId, actions } = await world.say("Go");
    await world.say("Go", { sessionId });
    expect(actions[0]?.result).toMatch(/^Cannot read properties of undefined/);
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^The tool "echo" of the agent "tester" seems to have a bug, which only its model has read: TypeError: Cannot read properties of undefined \(reading '0'\) at /,
      ),
    ]);
    expect(errors[0]?.cause).toBeInstanceOf(TypeError);
  });

  it("B5 a method of the context that refuses its arguments, which only the model has read", async () => {
    const careless = tool({
      ...plain,
      input,
      execute: (_, { askModel }) => askModel({} as never, {} as never),
    });
    const errors: Error[] = [];
    const onError = (error: unknown) => void errors.push(error as Error);
    await setup(script, { tools: [careless] }, { onError }).say("Go");
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^The tool "echo" of the agent "tester" seems to have a bug, which only its model has read: PawlError: .*askModel.*[^:]\.$/,
      ),
    ]);
  });

  it.each([
    [
      "throws",
      () => (undefined as unknown as { text: string }).text,
      /default form: TypeError: Cannot read properties of undefined .* at /,
    ],
    [
      "returns what the API would refuse",
      () => [{ type: "video" }],
      /It must return a text or a list of content blocks/,
    ],
  ])(
    "B5 a `format` that %s, once: the model gets the result in its default form",
    async (_, format, cause) => {
      const made = tool({ ...plain, input, execute: () => ({ rows: 3 }), format });
      const errors: Error[] = [];
      const onError = (error: unknown) => void errors.push(error as Error);
      const world = setup([...script, ...script], { tools: [made] }, { onError });
      const { sessionId } = await world.say("Go");
      await world.say("Go", { sessionId });
      expect(errors.map(({ message }) => message)).toEqual([
        expect.stringMatching(/^`format` of the tool "echo" of the agent "tester" failed, so the model got /),
      ]);
      expect(errors[0]?.message).toMatch(cause);
      expect(JSON.stringify(world.model.requests.at(-1)?.messages)).toContain("rows");
    },
  );

  it("B5 nothing for a `format` that leaves the result empty", async () => {
    const errors: unknown[] = [];
    const made = tool({ ...plain, input, execute: () => "", format: () => [] });
    await setup(script, { tools: [made] }, { onError: (error) => errors.push(error) }).say("Go");
    expect(errors).toEqual([]);
  });
});
