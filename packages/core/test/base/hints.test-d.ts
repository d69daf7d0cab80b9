import { describe, it } from "vitest";
import * as z from "zod";
import { agent, agentTool, type ModelClient, memoryStore, runtime, tool } from "../../src/index.ts";

const made = { model: {} as ModelClient, instructions: "x" };
const worker = agent({ name: "worker", ...made });
const pawl = runtime({ agents: [worker], store: memoryStore() });
const described = { name: "t", description: "d" };

describe("U6 U7 the compiler refuses option names of other libraries", () => {
  it("of agent()", () => {
    // @ts-expect-error Type 'never[]' is not assignable to type '"Use `roles` …"'
    agent({ name: "a", ...made, handoffs: [] });
    // @ts-expect-error Type 'never[]' is not assignable to type '"Use `guardrail({ … })` in `hooks`."'
    agent({ name: "a", ...made, inputGuardrails: [] });
    // @ts-expect-error in a variable, too
    agent({ name: "a", ...made, ...{ checkpointer: {} } });
  });

  it("of tool(), at the name and not at `execute`", () => {
    tool({
      ...described,
      // @ts-expect-error Type 'ZodObject<…>' is not assignable to type '"Use `input`."'
      parameters: z.object({}),
      execute: () => 1,
    });
    tool({
      ...described,
      input: z.object({}),
      // @ts-expect-error Type 'boolean' is not assignable to type '"Use `approval(…)` …"'
      needsApproval: true,
      execute: () => 1,
    });
  });

  it("of agentTool() and run()", () => {
    // @ts-expect-error Type 'string' is not assignable to type '"Use `name`."'
    agentTool({ agent: worker, description: "Works.", toolName: "work" });
    // @ts-expect-error Type 'string' is not assignable to type '"Use `sessionId`."'
    void pawl.run(worker, { userId: "u", input: "Hi", thread_id: "t" });
    // @ts-expect-error Type 'number' is not assignable to type '"Use `limits: { turns }` of agent()."'
    void pawl.run("worker", { userId: "u", input: "Hi", maxTurns: 3 });
  });

  it("of a role", () => {
    // @ts-expect-error Type 'string[]' is not assignable to type '"Use `to`, …"'
    agent({ name: "a", ...made, roles: { seats: { instructions: "x", handoffs: ["b"] } } });
  });

  it("and accepts options that are declared apart", () => {
    const options: Parameters<typeof tool>[0] = { ...described, input: z.object({}), execute: () => 1 };
    tool(options);
    agent<{ db: string }, "typed">({ name: "typed", ...made });
  });
});
