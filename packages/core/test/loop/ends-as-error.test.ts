import { type Reply, scriptedModel } from "@pawl/testing";
import { expect, it } from "vitest";
import { agent, agentTool, jsonSchema, type ModelClient, memoryStore, runtime } from "../../src/index.ts";
import { type Options, setup } from "../support/setup.ts";
import { echoTool } from "../support/tools.ts";

const throwing = (): never => {
  throw new Error("a bug");
};
const ends = { type: "error", message: "The app says so." };
const words = { text: "Hello." };

/** Runs that end as an error, each for another reason. */
const worlds: {
  [reason: string]: { script?: object[]; options?: Options; model?: ModelClient; deps?: () => never };
} = {
  "the model fails": { script: [{ fault: { status: 401 } }] },
  "its client throws what it likes": { model: { id: "odd", stream: throwing } },
  "its answer is malformed": {
    model: {
      id: "odd",
      stream: async function* () {
        yield null as never;
      },
    },
  },
  "it stops for an unknown reason": { script: [{ ...words, stop: "some_future_reason" }] },
  "it calls no tool although it says so": { script: [{ ...words, stop: "tool_use" }] },
  "it calls a tool with an invalid id": { script: [{ tools: [{ name: "echo", id: "no such id" }] }] },
  "it answers without a tool": {
    script: [words, words],
    options: { toolOnly: true, stopWhen: [() => undefined] },
  },
  "`deps` throws": { deps: throwing },
  "beforeRun throws": { options: { hooks: [{ name: "h", beforeRun: throwing }] } },
  "beforeTurn throws": { options: { hooks: [{ name: "h", beforeTurn: throwing }] } },
  "beforeModel throws": { options: { hooks: [{ name: "h", beforeModel: throwing }] } },
  "beforeRun stops the run": { options: { hooks: [{ name: "h", beforeRun: () => ({ stop: ends }) }] } },
  "beforeTurn stops the run": { options: { hooks: [{ name: "h", beforeTurn: () => ({ stop: ends }) }] } },
  "beforeModel stops the run": { options: { hooks: [{ name: "h", beforeModel: () => ({ stop: ends }) }] } },
  "onStop changes the reason": { script: [words], options: { hooks: [{ name: "h", onStop: () => ends }] } },
  "a stop condition throws": {
    script: [{ tools: [{ name: "echo", input: { text: "x" } }] }],
    options: { stopWhen: [throwing] },
  },
  "a stop condition says so": {
    script: [{ tools: [{ name: "echo", input: { text: "x" } }] }],
    options: { stopWhen: [() => ends] },
  },
};

it.each(Object.keys(worlds))(
  "U5 onError hears once of a run that ends as an error, because %s",
  async (reason) => {
    const { script = [], options, model, deps } = worlds[reason] ?? {};
    const seen: unknown[] = [];
    const world = setup(
      script as never,
      { tools: [echoTool], ...options },
      { onError: (error) => seen.push(error), ...(deps && { deps }) },
      (usual) => model ?? usual,
    );
    const { sessionId, stop } = await world.say("Go");
    expect((await world.of(sessionId, "run_ended")).map(({ data }) => data.stop.type)).toEqual(["error"]);
    expect(stop.type).toBe("error");
    expect(seen).toHaveLength(1);
  },
);

it("U5 onError hears once of a run that ends as an error, because the hook that asked is gone", async () => {
  const answer = jsonSchema<unknown>({});
  const asking = { name: "asks", beforeRun: () => ({ ask: { kind: "choice", payload: {}, answer } }) };
  const before = setup([], { hooks: [asking] });
  const { sessionId, pending } = await before.say("Go");
  const seen: unknown[] = [];
  const after = setup([], {}, { store: before.store, onError: (error) => seen.push(error) });
  const { stop } = await after.answer(sessionId, pending[0]?.callId ?? "", "yes");
  expect(stop.type).toBe("error");
  expect(seen).toMatchObject([{ message: expect.stringContaining('The hook "asks"') }]);
});

it("U5 onError hears nothing of a problem with an answer after which the run ends otherwise", async () => {
  const seen: unknown[] = [];
  const options: Options = { hooks: [{ name: "h", onStop: () => ({ type: "handled", message: "Later." }) }] };
  const world = setup([{ ...words, stop: "tool_use" }], options, { onError: (error) => seen.push(error) });
  expect((await world.say("Go")).stop.type).toBe("handled");
  expect(seen).toEqual([]);
});

it("U5 onError hears once of each run that ends as an error, also of sub-agents", async () => {
  const seen: unknown[] = [];
  const model = (name: string, script: Reply[]) => scriptedModel(script, { id: name });
  const odd = { ...words, stop: "some_future_reason" };
  const worker = agent({ name: "worker", instructions: "You work.", model: model("w", [odd, odd]) });
  const made = agent({
    name: "boss",
    instructions: "You ask the worker.",
    model: model("b", [{ tools: [{ name: "work", input: { task: "x" } }] }, odd]),
    tools: [agentTool({ agents: () => worker, name: "work", description: "Works." })],
  });
  const store = memoryStore();
  const pawl = runtime({ agents: [made, worker], store, onError: (error) => seen.push(error) });
  const { stop } = await pawl.run("boss", { userId: "u1", input: "Go" }).result;
  expect(stop.type).toBe("error");
  expect(seen.map(String)).toEqual([
    "PawlError: The model stopped for an unknown reason: some_future_reason",
    "PawlError: The model stopped for an unknown reason: some_future_reason",
  ]);
});
