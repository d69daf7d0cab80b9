import { agent, jsonSchema, memoryStore, runtime, tool } from "@pawl/core";
import { strictModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { trainer } from "../../src/dialects.ts";
import { agUi, type Dialect, handler } from "../../src/index.ts";
import { httpAgent, say } from "../support/agents.ts";
import { serve } from "../support/served.ts";

const handOverTo = { other: "It knows seats." };
const transfer = { tools: [{ id: "c1", name: "transfer_to_other", input: {} }] };
const paint = {
  name: "paint",
  description: "Paints the page.",
  parameters: { type: "object", properties: {} },
};

describe("F16 W2 after a hand-over, the handler reads a request by the options of the agent that speaks:", () => {
  it.each([
    ["gets them if it accepts some", false, true],
    ["is left without them if only the first agent accepts some", true, false],
  ] as const)("an agent %s", async (_case, first, second) => {
    const model = strictModel({ script: [transfer, { text: "Which?" }, { text: "Done." }] });
    const served = await serve(model, {
      dialect: agUi(),
      ...{ handOverTo, clientTools: first, other: { clientTools: second } },
    });
    const page = httpAgent("1.0", served, { threadId: "t1" });
    await say(page, "Another seat", { tools: [paint] });
    await say(page, "12A", { tools: [paint] });
    expect(page.messages.at(-1)?.content).toBe("Done.");
    expect(JSON.stringify(model.requests.at(-1)?.tools).includes("paint")).toBe(second);
    expect(served.errors).toEqual([]);
  });

  it("a tool of the page may have the name of one of the first agent's tools only", async () => {
    const own = tool({
      ...{ name: "paint", description: "Paints." },
      input: jsonSchema({ type: "object", properties: {} }),
      execute: () => "painted",
    });
    const model = strictModel({ script: [transfer, { text: "Which?" }, { text: "Done." }] });
    const served = await serve(model, {
      dialect: agUi(),
      ...{ handOverTo, tools: [own], clientTools: true, other: { clientTools: true, tools: [] } },
    });
    const page = httpAgent("1.0", served, { threadId: "t1" });
    await say(page, "Another seat");
    await say(page, "12A", { tools: [paint] });
    expect(JSON.stringify(model.requests.at(-1)?.tools)).toContain("A tool of the user's page");
  });
});

describe("F16 W2 a name that the dialect reserves is refused", () => {
  const status = tool({
    ...{ name: "status", description: "Tells." },
    input: jsonSchema({ type: "object", properties: {} }),
    execute: () => "fine",
  });
  const made = (dialect: Dialect, tools: Parameters<typeof agent>[0]["tools"]) => {
    const model = strictModel({ script: [transfer, { text: "Which?" }, { text: "Done." }] });
    const coach = agent({ name: "coach", model, instructions: "x", handOverTo });
    const other = agent({ name: "other", model, instructions: "x", tools: tools as never });
    const pawl = runtime({ agents: [coach, other], store: memoryStore() });
    return handler({ runtime: pawl, agent: "coach", dialect, authorize: () => ({ userId: "ada" }) });
  };

  it("if a tool of the other agent has it", () => {
    expect(() => made(trainer(), [status])).toThrow('The agent "other" has a tool "status"');
  });

  it("once the other agent's function returns such a tool", async () => {
    const model = strictModel({ script: [transfer, { text: "Which?" }, { text: "Done." }] });
    const served = await serve(model, {
      dialect: trainer(),
      ...{ handOverTo, other: { tools: () => [status] } },
    });
    const ask = async () =>
      await (await served.ask("/runs", { json: { message: "Hi", sessionId: "s1" } })).text();
    await served.store.sessions.create({ id: "s1", userId: "ada", agent: "coach" });
    await ask();
    await ask();
    expect(String(served.errors)).toContain('The agent "other" has a tool "status"');
  });
});
