import { describe, expect, it } from "vitest";
import * as z from "zod";
import { agent, agentTool, approval, memoryStore, PawlError, runtime, tool } from "../../src/index.ts";
import { setup } from "../support/setup.ts";
import { look } from "../support/tools.ts";

describe("an agent that could not work is refused when it is defined, even where no compiler checked it", () => {
  it.each<[string, object, RegExp]>([
    ["an option", { onlimit: "land" }, /agent\("tester"\) has no option "onlimit"/],
    [
      "userData.per",
      { userData: { read: () => "", per: "day" } },
      /`per` of .* must be "turn" or "run"; got "day"/,
    ],
    ["resultTag", { resultTag: "a b" }, /`resultTag` of .* must be the name of an XML tag .* got "a b"/],
    ["a resultTag of Pawl's own", { resultTag: "Note" }, /that Pawl does not use itself/],
    ["onLimit", { onLimit: "lnd" }, /`onLimit` of .* must be "stop" or "land"; got "lnd"/],
    ["a limit's name", { limits: { turn: 3 } }, /limits\.turn is not a limit/],
    [
      "a limit of runs on a session",
      { sessionLimits: { errorTurns: 3 } },
      /sessionLimits\.errorTurns is not a limit/,
    ],
    ["a hook without a name", { hooks: [{ beforeTool: () => undefined }] }, /a hook without a name/],
    [
      "a hook's method",
      { hooks: [{ name: "h", beforTool: () => undefined, beforeTools: () => undefined }] },
      /"beforeTools", which is not a method of hooks/,
    ],
    [
      "the tool of an approval",
      { hooks: [approval({ when: ["look", "remove"] })] },
      /"approval" needs a tool "remove"/,
    ],
  ])("T6 H1 for %s", (_what, options, message) => {
    expect(() => setup([], { tools: [look], ...options })).toThrow(PawlError);
    expect(() => setup([], { tools: [look], ...options })).toThrow(message);
  });

  it.each<[string, object, RegExp]>([
    ["two tools of one name", { tools: [look, look] }, /two tools/],
    ["instructions that say nothing", { instructions: " " }, /instructions/],
    ["no failed turns", { limits: { errorTurns: 0 } }, /limits\.errorTurns must be a number above 0/],
    ["a limit of nothing", { limits: { turns: 0 } }, /limits\.turns/],
    [
      "an output that JSON Schema cannot express",
      { output: z.object({ at: z.date() }) },
      /The schema of `output` of agent\("tester"\) has a part that .*Date cannot .*For a date, use z\.iso\.datetime\(\)/,
    ],
    [
      "a list of clients' tools",
      { clientTools: [look] },
      /`clientTools` of agent\("tester"\) must be true or false: clients offer the tools themselves/,
    ],
  ])("T1 for %s", (_what, options, message) => {
    expect(() => setup([], options)).toThrow(message);
  });

  it("for something that is not a model", () => {
    const options = { name: "a", instructions: "Help." };
    for (const model of [undefined, "claude-sonnet-5-5", {}])
      expect(() => agent({ ...options, model: model as never })).toThrow(
        /(?:`model` of agent\("a"\) must be|agent\("a"\) needs `model`,) a ModelClient/,
      );
    expect(() => agentTool({ agent: undefined as never, description: "x" })).toThrow(PawlError);
  });

  it("and so is a runtime without a store, or with deps that nothing makes", () => {
    expect(() => runtime({ agents: [] } as never)).toThrow(/runtime\(\) needs `store`, an EventStore/);
    expect(() => runtime({ agents: [], store: memoryStore(), deps: {} as never })).toThrow(
      /`deps` of runtime\(\) must be a function/,
    );
  });

  it("a run without a user is refused", async () => {
    const { pawl } = setup([{ text: "Hi." }]);
    const run = pawl.run("tester", { input: "Go" } as never);
    await expect(run.result).rejects.toMatchObject({ code: "invalid_input" });
  });
});

it("L17 a fault in the program ends the run as an error, and is reported to the operator", async () => {
  const told: unknown[] = [];
  const fault = new TypeError("no database");
  const deps = () => Promise.reject(fault);
  const { say } = setup([{ text: "Never." }], {}, { deps, onError: (error) => told.push(error) });
  expect((await say("Go")).stop.type).toBe("error");
  expect(told).toEqual([fault]);
});

it("P5 a pending question has the fields of a suspension, and no internals", async () => {
  const remove = tool({ name: "remove", description: "", input: z.object({}), execute: () => "gone" });
  const { say } = setup([{ tools: [{ name: "remove" }] }], {
    tools: [remove],
    hooks: [approval({ when: ["remove"] })],
  });
  const { pending } = await say("Go");
  expect(Object.keys(pending[0] ?? {}).sort()).toEqual([
    "answerSchema",
    "callId",
    "kind",
    "payload",
    "seq",
    "toolName",
  ]);
});
