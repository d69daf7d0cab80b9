import { type Reply, strictModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type Agent, agent, memoryStore, runtime, tool } from "../../../src/index.ts";

const greeter = (name: string, text: string) =>
  agent({ name, model: strictModel({ script: [{ text }, { text }] }), instructions: "Greet." });

describe("U7 an agent is named by its object", () => {
  it("in run() and getOrCreateSession(), like by its name", async () => {
    const [one, two] = [greeter("one", "One."), greeter("two", "Two.")];
    const pawl = runtime({ agents: [one, two], store: memoryStore() });
    const { sessionId, text } = await pawl.run(two, { userId: "u", input: "Hi" }).result;
    expect(text).toBe("Two.");
    expect((await pawl.run("two", { userId: "u", sessionId, input: "Hi" }).result).text).toBe("Two.");
    expect((await pawl.getOrCreateSession(two, "u")).id).toBe(sessionId);
    expect((await pawl.getOrCreateSession(one, "u")).agent).toBe("one");
  });

  it("and refused if the runtime does not have this object", async () => {
    const mine = greeter("one", "One.");
    const pawl = runtime({ agents: [mine], store: memoryStore() });
    const run = async (wrong: unknown) =>
      await pawl.run(wrong as typeof mine, { userId: "u", input: "Hi" }).result.catch((error) => error);
    const twin = { code: "not_found", message: expect.stringContaining('another agent named "one"') };
    expect(await run(greeter("one", "Not me."))).toMatchObject(twin);
    expect(await run({ ...mine })).toMatchObject(twin);
    expect(await run(greeter("two", "Two."))).toMatchObject({
      message: 'The runtime has no agent "two". It has: one.',
    });
    for (const wrong of [undefined, null, {}, 5])
      expect(await run(wrong)).toMatchObject({ code: "not_found" });
    expect(await mine.model).toMatchObject({ requests: [] });
    await expect(pawl.getOrCreateSession({ ...mine } as Agent<never, "one">, "u")).rejects.toMatchObject(
      twin,
    );
  });
});

describe("U7 the output of a run", () => {
  const answer = tool({
    name: "answer",
    description: "Gives the final answer.",
    input: z.object({ city: z.string(), celsius: z.number().default(12) }),
    execute: (forecast) => forecast,
    endsRun: true,
  });
  const look = tool({ name: "look", description: "Looks.", input: z.object({}), execute: () => "seen" });
  const reply = (id: string, city: string) => ({ name: "answer", id, input: { city } });
  const run = async (...script: Reply[]) => {
    const made = agent({
      name: "forecaster",
      model: strictModel({ script }),
      instructions: "Forecast.",
      tools: [look, answer],
    });
    const pawl = runtime({ agents: [made], store: memoryStore() });
    return await pawl.run(made, { userId: "u", input: "Oslo?" }).result;
  };

  it("is the result of the tool that ended it, as the tool returned it", async () => {
    const { output, stop } = await run(
      { tools: [{ name: "look", input: {} }] },
      { tools: [reply("a", "Oslo")] },
    );
    expect([stop.type, output]).toEqual(["terminal_tool", { city: "Oslo", celsius: 12 }]);
  });

  it("is that of the first one that succeeded, if a turn has several", async () => {
    const bad = { name: "answer", id: "a", input: {} };
    const { output } = await run({ tools: [bad, reply("b", "Oslo"), reply("c", "Bergen")] });
    expect(output).toMatchObject({ city: "Oslo" });
  });

  it("is absent if no tool ended it", async () => {
    expect(await run({ text: "12 °C." })).not.toHaveProperty("output");
    const failed = await run({ tools: [{ name: "answer", input: {} }] }, { text: "I could not." });
    expect([failed.stop.type, "output" in failed]).toEqual(["end_turn", false]);
  });
});
