import { describe, expect, it } from "vitest";
import { agent, approval, type Hook, memoryStore, runtime, type Tool, tool } from "../../../src/index.ts";
import { failures, named, sound } from "../../support/hooks.ts";
import { never, setup, user } from "../../support/setup.ts";
import { calling, echo, text } from "../../support/tools.ts";

const SECRET = "secret-7";
const script = [{ text: SECRET, tools: [calling("echo", SECRET)] }, { text: "Ok." }, { text: "Fine." }];

const boom = (): never => {
  throw new Error("boom");
};

/** A hook that guards. It works again once `armed` is off. */
function guard(methods: Partial<Record<keyof Hook, () => unknown>>) {
  const state = { armed: true };
  const only = Object.entries(methods).map(([name, call]) => [
    name,
    () => (state.armed ? call?.() : undefined),
  ]);
  return { state, hook: { name: "guard", guards: true, ...Object.fromEntries(only) } as Hook };
}

function world(hook: Hook, more: readonly Hook[] = []) {
  const reported: Error[] = [];
  const { tool: echoing, ran } = echo();
  const made = setup(
    script,
    { tools: [echoing], hooks: [hook, ...more] },
    { onError: (e) => reported.push(e as Error) },
  );
  return { ...made, reported, ran };
}

describe("a hook that guards and fails", () => {
  it.each([
    "beforeRun",
    "beforeTurn",
    "beforeModel",
    "afterModel",
    "afterTool",
    "afterTurn",
    "onStop",
  ] as const)("H3 in %s ends the run as an error, which is reported once", async (method) => {
    const { state, hook } = guard({ [method]: boom });
    const made = world(hook);
    const { stop, sessionId } = await made.say("Go");
    expect(stop).toMatchObject({
      type: "error",
      cause: expect.stringContaining(`${method} of "guard": boom`),
    });
    expect(failures(await made.log(sessionId))).toEqual([`${method} of guard`]);
    expect(made.reported.map(({ message }) => message)).toEqual([
      `${method} of "guard" (agent "tester"): boom`,
    ]);
    expect((made.reported[0]?.cause as Error | undefined)?.stack).toContain("guarding-hooks.test");
    state.armed = false;
    await sound(made, sessionId);
  });

  it("H3 in afterModel stores and shows no part of the answer, runs no call, and charges it", async () => {
    const made = world(guard({ afterModel: boom }).hook);
    const { sessionId, text: said, usage } = await made.say("Go");
    expect([said, made.ran]).toEqual(["", []]);
    expect(usage.outputTokens).toBeGreaterThan(0);
    const seen = [await made.log(sessionId), await made.pawl.view(sessionId, user)];
    expect(JSON.stringify(seen)).not.toContain(SECRET);
  });

  it("H3 in afterTool withholds the result from the model and from pages", async () => {
    const { state, hook } = guard({ afterTool: boom });
    const made = world(hook);
    const { sessionId, actions } = await made.say("Go");
    expect(made.ran).toEqual([SECRET]);
    expect(actions[0]).toMatchObject({ success: false, result: expect.stringContaining("withheld") });
    const [result] = await made.of(sessionId, "tool_result");
    expect(JSON.stringify(result)).not.toContain(SECRET);
    state.armed = false;
    await sound(made, sessionId);
    expect(JSON.stringify(made.model.requests.at(-1)?.messages)).not.toContain(`echo ${SECRET}`);
  });

  it("H3 in afterTool withholds what the tool has reported and made, too", async () => {
    const leaky = tool({
      name: "echo",
      description: "",
      input: text,
      execute: (_, context) => {
        context.report({ summary: SECRET, sources: [{ id: "s", title: SECRET }] });
        context.createArtifact({ type: "note", title: SECRET, summary: {}, payload: {} });
        return "fine";
      },
    });
    const { hook } = guard({ afterTool: boom });
    const replies = [{ tools: [calling("echo")] }, { text: "Ok." }];
    const made = setup(replies, { tools: [leaky], hooks: [hook] }, { onError: () => undefined });
    const { sessionId } = await made.say("Go");
    expect(JSON.stringify(await made.log(sessionId))).not.toContain(SECRET);
  });

  it("H3 in beforeTool denies the call, and the run goes on", async () => {
    const made = world(guard({ beforeTool: boom }).hook);
    const { stop, actions } = await made.say("Go");
    expect([stop.type, actions[0]?.success, made.ran]).toEqual(["end_turn", false, []]);
    expect(made.reported.map(({ message }) => message)).toEqual([
      'beforeTool of "guard" (agent "tester"): boom',
    ]);
  });

  it("H3 lets nothing pass if it hangs and the run is stopped meanwhile", async () => {
    for (const method of ["afterModel", "afterTool"] as const) {
      const control = new AbortController();
      const { hook } = guard({
        [method]: () => {
          control.abort();
          return never();
        },
      });
      const made = world(hook);
      const { stop, sessionId } = await made.say("Go", { signal: control.signal });
      expect(stop.type).toBe("aborted");
      const results = await made.of(sessionId, method === "afterModel" ? "assistant_message" : "tool_result");
      expect(JSON.stringify(results)).not.toContain(SECRET);
    }
  });

  it("H3 counts what it may not return as a failure, too", async () => {
    const { stop, text: said } = await world(guard({ afterModel: () => ({ content: 5 }) }).hook).say("Go");
    expect([stop.type, said]).toEqual(["error", ""]);
  });

  it("H3 is refused if `guards` is not a boolean", () => {
    const wrong = { name: "wrong", guards: "yes" } as never;
    expect(() => setup(script, { hooks: [wrong] })).toThrow("`guards` of its hook");
  });
});

describe("a hook that fails and does not guard", () => {
  it.each(["afterModel", "beforeTool", "afterTool", "afterTurn", "onStop", "afterRun"] as const)(
    "H3 in %s is reported once with its stack, its name and the agent's, and the run goes on",
    async (method) => {
      let calls = 0;
      const once = () => {
        calls += 1;
        return calls === 1 ? boom() : undefined;
      };
      const made = world(named("bad", { [method]: once }));
      expect((await made.say("Go")).stop.type).toBe("end_turn");
      expect(made.reported.map(({ message }) => message)).toEqual([
        `${method} of "bad" (agent "tester"): boom`,
      ]);
      expect((made.reported[0]?.cause as Error | undefined)?.stack).toContain("guarding-hooks.test");
    },
  );

  it("H3 in onError is reported, and so is what it was called for", async () => {
    const made = world(named("bad", { onError: boom }), [named("worse", { afterTurn: boom })]);
    await made.say("Go");
    expect(new Set(made.reported.map(({ message }) => message))).toEqual(
      new Set(['afterTurn of "worse" (agent "tester"): boom', 'onError of "bad" (agent "tester"): boom']),
    );
  });
});

describe("what else the application gives to an agent", () => {
  const reportOf = async (options: object, replies: Parameters<typeof setup>[0] = script) => {
    const reported: Error[] = [];
    const made = setup(replies, options as never, { onError: (e) => reported.push(e as Error) });
    await made.say("Go");
    for (const { cause } of reported) expect((cause as Error).stack).toContain("guarding-hooks.test");
    return reported.map(({ message }) => message);
  };

  it("H3 is reported if `userData` fails, once", async () => {
    expect(await reportOf({ userData: { read: boom } }, [{ text: "Hi." }])).toEqual([
      '`userData` of the agent "tester" failed: boom',
    ]);
    let calls = 0;
    const second = () => {
      calls += 1;
      return calls === 1 ? "Ada" : boom();
    };
    expect(await reportOf({ tools: [echo().tool], userData: { read: second, per: "turn" } })).toEqual([
      '`userData` of the agent "tester" failed: boom',
    ]);
  });

  it("H3 is reported if `format`, or the `payload` of a question, fails", async () => {
    expect(await reportOf({ tools: [echo("echo", { format: boom }).tool] })).toEqual([
      expect.stringContaining('`format` of the tool "echo" of the agent "tester" failed'),
    ]);
    const suspends = { answer: text, payload: boom };
    const asks = tool({ name: "echo", description: "", input: text, suspends } as never);
    expect(await reportOf({ tools: [asks] })).toEqual([
      'A call of the tool "echo" of the agent "tester" failed: boom',
    ]);
  });

  it("H3 is reported if `stopWhen` fails", async () => {
    expect(await reportOf({ stopWhen: [boom] })).toEqual(['stopWhen of the agent "tester": boom']);
  });
});

describe("an approval of a tool that a function does not return", () => {
  const gone = tool({ name: "delete", description: "", input: text, execute: () => "gone" });
  const make = (tools: () => readonly Tool[]) => {
    const reported: string[] = [];
    const made = setup(
      { rules: () => ({ text: "Hi." }) },
      { tools: tools as never, hooks: [approval({ when: ["erase"] })] },
      { onError: (error) => reported.push((error as Error).message) },
    );
    return { ...made, reported };
  };

  it("H3 is reported once: a tool with a new name would run unasked", async () => {
    const made = make(() => [gone as Tool]);
    for (const _ of [1, 2]) expect((await made.say("Go")).stop.type).toBe("end_turn");
    expect(made.reported).toEqual([
      expect.stringContaining(
        '"approval" guards the tool "erase", which the function `tools` of the agent "tester"',
      ),
    ]);
  });

  it("H3 is not reported while the function returns it", async () => {
    const made = make(() => [{ ...gone, name: "erase", spec: { ...gone.spec, name: "erase" } } as Tool]);
    await made.say("Go");
    expect(made.reported).toEqual([]);
  });

  it("H3 is refused at the start if the tools are a list", () => {
    const model = setup([]).model;
    const make = () =>
      agent({
        name: "a",
        model,
        instructions: "Help.",
        tools: [gone],
        hooks: [approval({ when: ["erase"] })],
      });
    expect(() => runtime({ agents: [make()], store: memoryStore() })).toThrow('needs a tool "erase"');
  });
});
