import { strictModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { assertRebuilds } from "../../../../test/support/rebuild.ts";
import { agent, agentTool, dropOldResults, memoryStore, runtime, tool } from "../../src/index.ts";
import { bad, lastOf, REFUSALS, type Rules, refusing, says, talk, texts } from "../support/refusing.ts";
import { until } from "../support/setup.ts";
import { dyingStore, has } from "../support/stores.ts";

const look = tool({
  ...{ name: "look", description: "Looks.", input: z.object({}) },
  execute: () => `FORBIDDEN ${"x".repeat(500)}`,
});
const looks: Rules = (request) =>
  lastOf(request).includes("Look") ? { tools: [{ name: "look", input: {} }] } : says("Fine.");
const ada = { userId: "ada" };

describe.each(REFUSALS)("what %s has refused", (_by, refusal) => {
  const rules = refusing(refusal, looks);

  it("B1 E2 stays left out in every fork of the session", async () => {
    const { stops, log, pawl, model } = talk(rules, { tools: [look] });
    await stops("FORBIDDEN", "one", "Look", "two", "FORBIDDEN", "three");
    const ends = (await log()).filter(({ type }) => type === "run_ended");
    for (const { seq: atSeq, sessionId } of ends) {
      const fork = await pawl.fork(sessionId, { ...ada, atSeq });
      const from = model.requests.length;
      const types: string[] = [];
      for (const input of ["four", "five"]) {
        const run = pawl.run("helper", { ...ada, sessionId: fork.id, input });
        types.push((await run.result).stop.type);
      }
      expect(types[1]).toBe("end_turn");
      expect(model.requests.length - from).toBeLessThanOrEqual(4);
      await assertRebuilds(
        [{ log: await log(fork.id), fromSeq: atSeq }],
        model.requests.slice(from) as never,
      );
    }
    expect(model.rejected).toEqual([]);
  });

  it("B1 can be redacted, before and after", async () => {
    const { stops, log, pawl, check } = talk(rules, { tools: [look] });
    await stops("FORBIDDEN", "one");
    const redact = async (type: string) => {
      const found = (await log()).find((event) => event.type === type);
      await pawl.redact(found?.sessionId ?? "", found?.seq ?? 0, ada);
    };
    await redact("user_message");
    await stops("Look", "two");
    await redact("tool_result");
    expect((await stops("FORBIDDEN", "three", "four")).slice(1)).toEqual(["end_turn", "end_turn"]);
    await check();
  });

  it("B1 stays left out after a strategy has dropped old results", async () => {
    const { stops, check, checkpoints } = talk(rules, {
      tools: [look],
      checkpointWhen: [dropOldResults({ whenTokens: 100, keepTurns: 1 })],
    });
    for (let n = 0; n < 3; n += 1)
      expect((await stops("FORBIDDEN", "one", "Look", "two")).at(-1)).toBe("end_turn");
    expect((await checkpoints()).length).toBeLessThan(20);
    await check();
  });

  it("B1 does not stop a sub-agent's caller", async () => {
    const callee = strictModel({ rules });
    const researcher = agent({ name: "researcher", instructions: "You look.", model: callee, tools: [look] });
    const delegate = agentTool({ agent: researcher, description: "Looks.", limits: {} });
    const go: Rules = (request) =>
      lastOf(request).includes("Go")
        ? { tools: [{ name: "researcher", input: { task: "Look" } }] }
        : says("Fine.");
    const { stops, check } = talk(go, { tools: [delegate] });
    expect(await stops("Go", "one", "Go", "two")).toEqual(Array(4).fill("end_turn"));
    expect(callee.rejected).toEqual([]);
    expect(callee.requests.length).toBeLessThanOrEqual(6);
    await check();
  });

  it("B1 is not sent again by the process that recovers the run", async () => {
    let clock = 0;
    const base = memoryStore({ now: () => clock });
    const dying = dyingStore(base, (events) => has(events, "checkpoint"));
    const { pawl, model, helper } = talk(rules, { tools: [look] }, { store: dying });
    const { sessionId } = await pawl.run("helper", { ...ada, input: "Look" }).started;
    const ended = async () => (await base.sessions.get(sessionId))?.openRun === null;
    await until(async () => dying.dead || (await ended()));
    // The model itself has to refuse twice.
    if (!dying.dead) void pawl.run("helper", { ...ada, sessionId, input: "one" }).result.catch(() => {});
    await until(() => dying.dead);
    const refused = model.requests.filter(bad).length;
    clock += 60_000;
    const next = runtime({ agents: [helper], store: base });
    expect(await next.sweep()).toBe(1);
    await until(ended);
    expect(model.requests.filter(bad)).toHaveLength(refused);
    expect(texts(model.requests.at(-1) as never)).toContain("left out");
    const { stop } = await next.run("helper", { ...ada, sessionId, input: "two" }).result;
    expect(stop.type).toBe("end_turn");
    expect(model.rejected).toEqual([]);
  });
});
