import { strictModel, testClock } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { agent, agentTool, memoryStore, runtime, type Schema, tool } from "../../../src/index.ts";
import { never, setup } from "../../support/setup.ts";
import { calling, echo, text } from "../../support/tools.ts";

const wallClockMs = 5_000;

/** A schema of which the check with this number, and all that follow, never settle. */
function hanging(schema: z.ZodType, from: number): { schema: Schema; checks(): number } {
  const { validate, ...described } = schema["~standard"];
  let checks = 0;
  return {
    schema: {
      "~standard": {
        ...described,
        validate: (value: unknown) => {
          checks += 1;
          return checks < from ? validate(value) : never();
        },
      },
    } as Schema,
    checks: () => checks,
  };
}

const asking = (answer: Schema) =>
  tool({ name: "ask", description: "", input: text, suspends: { answer }, execute: () => "asked" });

describe("a schema whose check never settles", () => {
  it.each(["stop", "land"] as const)(
    "L4 T3 of an input ends with the run at its deadline (%s)",
    async (onLimit) => {
      const clock = testClock();
      const store = memoryStore({ now: clock.now });
      const { schema, checks } = hanging(text, 1);
      const { tool: plain } = echo("echo", { input: schema as never });
      const world = setup(
        [{ tools: [calling("echo")] }, { text: "So far." }, { text: "Fine." }],
        { tools: [plain], limits: { wallClockMs }, onLimit },
        { testing: { clock }, store },
      );
      const running = world.say("Go");
      while (checks() === 0) await clock.advance(1);
      await clock.advance(wallClockMs + 100);
      const { stop, sessionId } = await running;
      expect(stop.type).toBe("deadline");
      expect(await world.of(sessionId, "tool_result")).toMatchObject([{ data: { success: false } }]);
      expect((await world.say("And now?", { sessionId })).stop.type).toBe("end_turn");
      expect(world.model.rejected).toEqual([]);
    },
  );

  it("L4 P2 of an answer that is on record ends with the run at its deadline", async () => {
    const clock = testClock();
    const { schema, checks } = hanging(z.string(), 2);
    const world = setup(
      [{ tools: [calling("ask", "a", "toolu_1")] }, { text: "Fine." }],
      { tools: [asking(schema)], limits: { wallClockMs } },
      { testing: { clock }, store: memoryStore({ now: clock.now }) },
    );
    const { sessionId } = await world.say("Go");
    const running = world.answer(sessionId, "toolu_1", "yes");
    while (checks() < 2) await clock.advance(1);
    await clock.advance(wallClockMs + 100);
    expect((await running).stop.type).toBe("deadline");
    expect(await world.of(sessionId, "tool_result")).toHaveLength(1);
    expect((await world.say("And now?", { sessionId })).stop.type).toBe("end_turn");
    expect(world.model.rejected).toEqual([]);
  });

  it.each([1, 2])(
    "L4 P5 of an answer to an agent's question ends with its caller's run (check %s)",
    async (from) => {
      const clock = testClock();
      const store = memoryStore({ now: clock.now });
      const { schema, checks } = hanging(z.string(), from);
      const worker = agent({
        name: "worker",
        instructions: "Work.",
        model: strictModel({ script: [{ tools: [calling("ask")] }, { text: "Never." }] }),
        tools: [asking(schema)],
      });
      const world = setup(
        [{ tools: [{ name: "worker", id: "toolu_w", input: { task: "Do it." } }] }, { text: "Fine." }],
        { tools: [agentTool({ agent: worker, description: "" })], limits: { wallClockMs } },
        { testing: { clock }, store },
      );
      const { sessionId } = await world.say("Go");
      const running = world.answer(sessionId, "toolu_w", "yes");
      while (checks() < from) await clock.advance(1);
      await clock.advance(wallClockMs + 100);
      expect((await running).stop.type).toBe("deadline");
      expect((await world.say("And now?", { sessionId })).stop.type).toBe("end_turn");
      expect(world.model.rejected).toEqual([]);
    },
  );

  it("L4 P5 of an answer that comes in: it is refused, the question waits on, and a later answer counts", async () => {
    const clock = testClock();
    const store = memoryStore({ now: clock.now });
    const script = [{ tools: [calling("ask", "a", "toolu_1")] }, { text: "Fine." }];
    const { schema, checks } = hanging(z.string(), 1);
    const options = { limits: { wallClockMs } };
    const world = setup(script, { tools: [asking(schema)], ...options }, { testing: { clock }, store });
    const { sessionId } = await world.say("Go");
    const refused = expect(world.answer(sessionId, "toolu_1", "yes")).rejects.toMatchObject({
      code: "invalid_answer",
    });
    while (checks() === 0) await clock.advance(1);
    await clock.advance(wallClockMs + 100);
    await refused;
    expect(await world.of(sessionId, "tool_answered")).toEqual([]);
    const next = runtime({
      agents: [agent({ ...world.agent, tools: [asking(z.string())], hooks: [], stopWhen: [] })],
      store,
      testing: { clock },
    });
    const answers = [{ callId: "toolu_1", value: "yes" }];
    const { stop } = await next.run("tester", { userId: "u1", sessionId, answers }).result;
    expect(stop.type).toBe("end_turn");
  });
});
