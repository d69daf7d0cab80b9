import { strictModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { assertSoundLog } from "../../../../test/support/invariants.ts";
import { agent, approval, type Hook, memoryStore, runtime } from "../../src/index.ts";
import { transfer } from "../support/airline.ts";
import {
  agents,
  done,
  ends,
  frontDesk,
  invoice,
  readInvoice,
  skips,
  speakers,
  user,
} from "../support/front-desk.ts";

describe("F16 a hand-over to another agent", () => {
  it("ends the run and starts one of the other agent in the same append", async () => {
    const appends: string[][] = [];
    const world = frontDesk({ desk: [transfer("billing")], billing: [done] });
    const append: typeof world.store.append = (id, events, options) => {
      appends.push(events.map(({ type }) => type));
      return world.store.append(id, events, options);
    };
    await world.say("My invoice", {}, world.boot({ ...world.store, append }));
    const end = appends.find((types) => types.includes("run_ended"));
    expect(end?.slice(end.indexOf("run_ended"))).toEqual(["run_ended", "run_started", "prefix"]);
    const log = await world.log();
    expect(agents(log)).toEqual(["desk", "billing"]);
    const [first, second] = ends(log);
    expect(first?.next).toEqual({ run_id: second?.run_id, messages: [], agent: "billing" });
    assertSoundLog(log);
  });

  it("gives the other agent the whole conversation, its own instructions and its own tools", async () => {
    const world = frontDesk({ desk: [transfer("billing")], billing: [readInvoice, done] });
    await world.say("My invoice, please");
    const [request] = world.billing.requests;
    expect(JSON.stringify(request?.system)).toContain("You know invoices.");
    expect(request?.tools?.map((one) => "name" in one && one.name)).toEqual(["invoice", "transfer_to_desk"]);
    const text = JSON.stringify(request?.messages);
    expect(text).toContain("My invoice, please");
    expect(text).toContain('The agent \\"billing\\" continues.');
    expect(world.billing.rejected).toEqual([]);
  });

  it("is followed by the caller of the first run, who gets the other agent's answer", async () => {
    const world = frontDesk({ desk: [transfer("billing")], billing: [{ text: "You owe 7." }] });
    expect((await world.say("My invoice")).text).toBe("You owe 7.");
  });

  it("lasts: the next messages go to the other agent, in any process", async () => {
    const world = frontDesk({ desk: [transfer("billing")], billing: [done, done, done] });
    for (const input of ["My invoice", "And the next?", "Thanks"]) await world.say(input);
    const log = await world.log();
    expect(agents(log)).toEqual(["desk", "billing", "billing", "billing"]);
    expect(log.filter(({ type }) => type === "prefix")).toHaveLength(2);
    expect((await world.store.sessions.get("s1"))?.agent).toBe("desk");
  });

  it("goes there and back, and both agents read what the other said", async () => {
    const world = frontDesk({
      desk: [transfer("billing"), { text: "We open at 9." }, done],
      billing: [{ text: "You owe 7." }, transfer("desk")],
    });
    await world.say("My invoice");
    expect((await world.say("When do you open?")).text).toBe("We open at 9.");
    await world.say("Thanks");
    expect(speakers(await world.log())).toEqual(["desk", "billing", "billing", "desk", "desk"]);
    expect(JSON.stringify(world.desk.requests.at(-1)?.messages)).toContain("You owe 7.");
  });

  it("names who speaks in each part of the view, and the one who speaks now", async () => {
    const world = frontDesk({ desk: [{ text: "A moment.", ...transfer("billing") }], billing: [done] });
    await world.say("My invoice");
    const { messages, run } = await world.boot().view("s1", { userId: "u1" });
    const spoken = messages.map(({ parts }) => parts.map(({ type, role }) => `${type} ${role}`));
    expect(spoken).toEqual([["text undefined"], ["text desk", "tool desk"], ["text billing"]]);
    expect(run?.role).toBe("billing");
  });

  it("waits for an approval, and happens in the process that gets the answer", async () => {
    const world = frontDesk(
      { desk: [transfer("billing")], billing: [done] },
      { desk: { hooks: [approval({ when: ["transfer_to_billing"] })] } },
    );
    const { pending } = await world.say("My invoice");
    expect(agents(await world.log())).toEqual(["desk"]);
    const answers = [{ callId: pending?.[0]?.callId ?? "", value: { approved: true } }];
    await world.boot().run("desk", { ...user, answers }).result;
    expect(agents(await world.log())).toEqual(["desk", "billing"]);
  });

  it("continues in another process after a question of the other agent", async () => {
    const world = frontDesk(
      { desk: [transfer("billing")], billing: [readInvoice, done] },
      { billing: { hooks: [approval({ when: ["invoice"] })] } },
    );
    const { pending } = await world.say("My invoice");
    const answers = [{ callId: pending?.[0]?.callId ?? "", value: { approved: true } }];
    const { actions } = await world.boot().run("desk", { ...user, answers }).result;
    expect(actions.map(({ result }) => result)).toEqual(["Invoice 7."]);
    expect(agents(await world.log())).toEqual(["desk", "billing"]);
  });

  it("happens once a turn: the first transfer counts, the others are skipped", async () => {
    const other = agent({ name: "other", model: strictModel({ script: [done] }), instructions: "x" });
    const world = frontDesk(
      { desk: [transfer("other", "billing")], billing: [] },
      { desk: { handOverTo: { billing: "Invoices.", other: "Else." } }, others: [other] },
    );
    await world.say("Hi");
    const log = await world.log();
    expect(agents(log)).toEqual(["desk", "other"]);
    expect(skips(log).sort()).toEqual(["surplus", undefined]);
  });

  it("lets the other calls of its turn run first", async () => {
    const world = frontDesk(
      { desk: [{ tools: [...(transfer("billing").tools ?? []), ...readInvoice.tools] }], billing: [done] },
      { desk: { tools: [invoice] } },
    );
    await world.say("My invoice");
    expect(JSON.stringify(world.billing.requests[0]?.messages)).toContain("Invoice 7.");
  });

  it("is limited and billed by run: the other agent has its own limits", async () => {
    const world = frontDesk(
      { desk: [transfer("billing")], billing: [readInvoice, done] },
      { desk: { limits: { turns: 1 } }, billing: { limits: { turns: 2 } } },
    );
    expect((await world.say("My invoice")).stop.type).toBe("end_turn");
    expect(ends(await world.log()).map(({ turns }) => turns)).toEqual([1, 2]);
  });

  it("keeps notes of roles apart: they end with it, and come again after it", async () => {
    const roles = { front: { instructions: "Be brief." } };
    const world = frontDesk(
      { desk: [transfer("billing"), done], billing: [transfer("desk")] },
      { desk: { roles } },
    );
    await world.say("My invoice");
    expect(JSON.stringify(world.billing.requests[0]?.messages)).toContain("roles are void");
    const last = JSON.stringify(world.desk.requests.at(-1)?.messages);
    expect(last.split("Be brief.")).toHaveLength(3);
    expect(speakers(await world.log())).toEqual(["front", "billing", "front"]);
  });

  it("stays after its result was redacted", async () => {
    const world = frontDesk({ desk: [transfer("billing")], billing: [done, done] });
    await world.say("My invoice");
    const result = (await world.log()).find(({ type }) => type === "tool_result");
    await world.boot().redact("s1", result?.seq ?? 0, { userId: "u1" });
    await world.say("And?");
    expect(agents(await world.log())).toEqual(["desk", "billing", "billing"]);
  });
  it("keeps the caller of the run, and bills each run by itself", async () => {
    const seen: unknown[] = [];
    const spy: Hook = { name: "spy", beforeRun: ({ caller, agent: name }) => void seen.push([name, caller]) };
    const world = frontDesk(
      { desk: [transfer("billing")], billing: [readInvoice, done] },
      { desk: { hooks: [spy] }, billing: { hooks: [spy] } },
    );
    await world.say("My invoice", { caller: { workspace: "w1" } });
    expect(seen).toEqual([
      ["desk", { workspace: "w1" }],
      ["billing", { workspace: "w1" }],
    ]);
    expect(ends(await world.log()).map(({ turns }) => turns)).toEqual([1, 2]);
  });

  it("has an end: after ten of them since the user's last message, a transfer is skipped", async () => {
    const world = frontDesk({
      desk: { rules: ({ messages }) => endless(messages, "billing") },
      billing: { rules: ({ messages }) => endless(messages, "desk") },
    });
    await world.say("Hi");
    const log = await world.log();
    expect(agents(log)).toHaveLength(11);
    expect(skips(log).at(-1)).toBe("surplus");
    await world.say("Hi again");
    expect(agents(await world.log())).toHaveLength(22);
  });

  it("is in a fork, too", async () => {
    const world = frontDesk({ desk: [transfer("billing")], billing: [done, done] });
    await world.say("My invoice");
    const pawl = world.boot();
    const { id } = await pawl.fork("s1", { userId: "u1" });
    await pawl.run("desk", { ...user, sessionId: id, input: "And?" }).result;
    expect(agents(await Array.fromAsync(world.store.read(id)))).toEqual(["desk", "billing", "billing"]);
  });

  it("can be that of an agent whose tools are a function, to another one", async () => {
    const world = frontDesk(
      { desk: [transfer("billing"), done], billing: [readInvoice, transfer("desk")] },
      { desk: { tools: () => [] }, billing: { tools: () => [invoice] } },
    );
    await world.say("My invoice");
    const log = await world.log();
    expect(agents(log)).toEqual(["desk", "billing", "desk"]);
    expect(world.billing.requests[0]?.tools?.map((one) => "name" in one && one.name)).toEqual([
      "invoice",
      "transfer_to_desk",
    ]);
    assertSoundLog(log);
  });
});

/** Transfers without end, and answers once a transfer was skipped. */
function endless(messages: readonly unknown[], to: string) {
  return JSON.stringify(messages.at(-1)).includes("Not run") ? done : transfer(to);
}

describe("F16 agent() and runtime() refuse a hand-over", () => {
  const made = (options: object) =>
    agent({ name: "a", instructions: "x", model: strictModel({ script: [] }), ...options });

  it.each<[string, object, string]>([
    ["to the agent itself", { handOverTo: { a: "x" } }, "other agents"],
    ["without saying what for", { handOverTo: { b: 1 } }, "what they are for"],
    ["as a list", { handOverTo: ["b"] }, "what they are for"],
    ["as a string", { handOverTo: "b" }, "what they are for"],
    ["as null", { handOverTo: null }, "what they are for"],
    ["beside an output", { handOverTo: { b: "x" }, output: invoice.input }, "a run has only one output"],
    [
      "beside a role of the same name",
      {
        handOverTo: { b: "x" },
        roles: { b: { instructions: "x", to: ["c"] }, c: { instructions: "x", to: ["b"] } },
      },
      'two tools named "transfer_to_b"',
    ],
  ])("%s", (_case, options, message) => {
    expect(() => made(options)).toThrow(message);
  });

  it("to an agent that the runtime lacks", () => {
    expect(() => runtime({ agents: [made({ handOverTo: { b: "x" } })], store: memoryStore() })).toThrow(
      '"a" hands over to "b"',
    );
  });
});
