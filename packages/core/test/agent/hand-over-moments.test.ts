import { strictModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { crashingStore } from "../../../../test/support/crashing-store.ts";
import { assertSoundLog } from "../../../../test/support/invariants.ts";
import { byTurn } from "../../../../test/support/world.ts";
import { agent, agentTool, approval, type Hook, PawlError } from "../../src/index.ts";
import { transfer } from "../support/airline.ts";
import {
  agents,
  done,
  ends,
  type FrontDesk,
  frontDesk,
  held,
  invoice,
  isQueued,
  readInvoice,
  speakers,
  user,
} from "../support/front-desk.ts";

describe("F16 a hand-over to another agent", () => {
  it.each([
    ["queue", "afterTool", ["desk", "billing"]],
    ["interrupt", "afterTurn", ["desk", "billing"]],
  ] as const)(
    "gives a message that arrives during the run to the other agent (%s)",
    async (whenBusy, at, expected) => {
      const gate = held();
      const world = frontDesk(
        { desk: [{ ...transfer("billing"), text: "A moment." }], billing: [done] },
        { desk: { whenBusy, hooks: [{ name: "gate", [at]: gate.wait }] } },
      );
      const pawl = world.boot();
      const first = world.say("My invoice", {}, pawl);
      await gate.reached;
      const second = pawl.run("desk", { ...user, input: "The last one" });
      await expect.poll(async () => (await world.log()).some(isQueued)).toBe(true);
      gate.open();
      expect((await second.result).text).toBe("Done.");
      const { stop, text } = await first;
      expect([stop.type, text]).toEqual([
        whenBusy === "queue" ? "terminal_tool" : "interrupted",
        "A moment.",
      ]);
      const log = await world.log();
      expect(agents(log)).toEqual(expected);
      expect(ends(log)[0]?.next?.messages).toHaveLength(1);
      expect(speakers(log)).toEqual(expected);
      assertSoundLog(log);
    },
  );

  it("does not start the other agent's run if the user stops: the next message does", async () => {
    const gate = held();
    const world = frontDesk(
      { desk: [transfer("billing")], billing: [done] },
      { desk: { hooks: [{ name: "gate", afterTurn: gate.wait }] } },
    );
    const pawl = world.boot();
    const first = world.say("My invoice", {}, pawl);
    await gate.reached;
    await pawl.stop("s1", { userId: "u1" });
    gate.open();
    expect((await first).stop.type).toBe("aborted");
    expect(agents(await world.log())).toEqual(["desk"]);
    await world.say("Go on");
    expect(agents(await world.log())).toEqual(["desk", "billing"]);
  });

  it("counts if a message replaces the run while another call of its turn waits", async () => {
    const stopped: string[] = [];
    const spy: Hook = { name: "spy", onStop: (_stop, { agent: name }) => void stopped.push(name) };
    const world = frontDesk(
      { desk: [{ tools: [...(transfer("billing").tools ?? []), ...readInvoice.tools] }], billing: [done] },
      { desk: { tools: [invoice], hooks: [approval({ when: ["invoice"] }), spy] } },
    );
    await world.say("My invoice");
    await world.say("Never mind");
    const log = await world.log();
    expect(agents(log)).toEqual(["desk", "billing"]);
    expect(stopped).toEqual(["desk"]);
    assertSoundLog(log);
  });

  it("does not count if a hook turns its result into a failure", async () => {
    const deny: Hook = { name: "deny", afterTool: () => ({ success: false, result: "Denied." }) };
    const world = frontDesk({ desk: [transfer("billing"), done], billing: [] }, { desk: { hooks: [deny] } });
    await world.say("My invoice");
    expect(speakers(await world.log())).toEqual(["desk", "desk"]);
  });

  it("has a failed run of the other agent retried by that agent", async () => {
    const fault = { fault: { status: 400 } } as never;
    const world = frontDesk(
      { desk: [transfer("billing")], billing: [fault, done] },
      { runtime: { onError: () => undefined } },
    );
    const failed = await world.say("My invoice");
    expect(failed.stop.type).toBe("error");
    await world.boot().run("desk", { ...user, retry: failed.runId }).result;
    expect(agents(await world.log())).toEqual(["desk", "billing", "billing"]);
  });

  it("has the other agent's sub-agents work, also after a crash", async () => {
    const clerk = agent({
      name: "clerk",
      model: strictModel({ rules: () => ({ text: "Found." }) }),
      instructions: "x",
      handOverTo: { desk: "x" },
    });
    const find = agentTool({ agent: clerk, name: "find", description: "Finds." });
    const script = {
      desk: { rules: byTurn([transfer("billing")]) },
      billing: { rules: byTurn([done, { tools: [{ name: "find", input: { task: "it" } }] }, done]) },
    };
    for (let at = 1; at <= 12; at += 1) {
      const world = frontDesk(script, { billing: { tools: [find] } });
      await survive(world, at, "after");
      const log = await world.log();
      assertSoundLog(log);
      expect(log.flatMap(({ type, data }) => (type === "tool_result" ? [data.result] : []))).toContain(
        "Found.",
      );
    }
  });
});

it("C11 F16 a hand-over there and back happens once, killed before and after every append", async () => {
  let crashes = 0;
  const steps = byTurn([transfer("billing"), readInvoice, transfer("desk"), done]);
  for (const when of ["before", "after"] as const) {
    for (let at = 1; at <= 12; at += 1) {
      const world = frontDesk({ desk: { rules: steps }, billing: { rules: steps } });
      crashes += await survive(world, at, when);
      const log = await world.log();
      assertSoundLog(log);
      expect(agents(log)).toEqual(["desk", "billing", "desk"]);
      expect(
        log.flatMap(({ type, data }) => (type === "tool_result" ? (data.hand_over_to ?? []) : [])),
      ).toEqual(["billing", "desk"]);
      const { openRun, status } = (await world.store.sessions.get("s1")) ?? {};
      expect([openRun, status]).toEqual([null, "active"]);
    }
  }
  expect(crashes).toBeGreaterThan(8);
}, 60_000);

/** What a user and a supervisor do until the last run has ended. */
async function survive(world: FrontDesk, at: number, when: "before" | "after"): Promise<number> {
  let pawl = world.boot(crashingStore(world.store, at, when));
  let crashes = 0;
  for (let round = 0; round < 30; round += 1) {
    try {
      const log = (await world.store.sessions.get("s1")) ? await world.log() : [];
      if (ends(log).some(({ next }) => next === undefined)) return crashes;
      if (log.length === 0) await world.say("My invoice", {}, pawl);
      await pawl.sweep();
      for await (const _ of pawl.follow("s1", { afterSeq: log.length, untilIdle: true }));
    } catch (error) {
      if (!PawlError.is(error, "store_unavailable") && !PawlError.is(error, "session_busy")) throw error;
      crashes += 1;
      pawl = world.boot();
    }
  }
  throw new Error("the run does not come to an end");
}
