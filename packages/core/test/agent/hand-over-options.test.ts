import { strictModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { approval, memoryFiles, tool } from "../../src/index.ts";
import { transfer } from "../support/airline.ts";
import { agents, done, frontDesk, held, isQueued, readInvoice, user } from "../support/front-desk.ts";

/** A picture of one pixel. */
const picture = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const withPicture = [
  { type: "text" as const, text: "Look" },
  { type: "file" as const, data: picture },
];
const locate = { name: "locate", description: "Locates.", inputSchema: { type: "object" } };

/** A model that reads only text. */
const blind = (reply = done) => ({ ...strictModel({ rules: () => reply }), reads: [] });
/** A model that reads pictures, too. */
const seeing = strictModel({ rules: () => done });

describe("F16 after a hand-over, a message is checked by the options of the agent that speaks:", () => {
  it("its model must read the pictures", async () => {
    const world = frontDesk(
      { desk: [transfer("billing")], billing: [] },
      { billing: { model: blind() }, runtime: { files: memoryFiles() } },
    );
    await world.say("My invoice");
    const refused = world.boot().run("desk", { ...user, input: withPicture }).result;
    await expect(refused).rejects.toThrow("cannot read files of the type image/png");
  });

  it("it gets pictures that the first agent's model cannot read", async () => {
    const first = blind(transfer("billing") as typeof done);
    const world = frontDesk(
      { desk: [], billing: [] },
      { desk: { model: first }, billing: { model: seeing }, runtime: { files: memoryFiles() } },
    );
    await world.say("My invoice");
    await world.boot().run("desk", { ...user, input: withPicture }).result;
    expect(JSON.stringify(seeing.requests.at(-1)?.messages)).toContain("image/png");
  });

  it("a picture is accepted if the model of any of its roles reads it", async () => {
    const roles = {
      first: { instructions: "x", to: ["second"] },
      second: { instructions: "x", model: seeing },
    };
    const world = frontDesk(
      { desk: [], billing: [] },
      { desk: { model: blind(), roles }, runtime: { files: memoryFiles() } },
    );
    expect((await world.boot().run("desk", { userId: "u1", input: withPicture }).result).text).toBe("Done.");
  });

  it("it gets the client's tools if it accepts some, and the first agent does not", async () => {
    const world = frontDesk(
      { desk: [transfer("billing")], billing: [done, done] },
      { billing: { clientTools: true } },
    );
    await world.say("My invoice", { clientTools: [locate] });
    await world.say("And?", { clientTools: [locate] });
    const names = world.billing.requests.at(-1)?.tools?.map((one) => "name" in one && one.name);
    expect(names).toContain("locate");
  });

  it("it ignores the client's tools if only the first agent accepts some", async () => {
    const world = frontDesk(
      { desk: [transfer("billing")], billing: [done, done] },
      { desk: { clientTools: true } },
    );
    await world.say("My invoice", { clientTools: [locate] });
    expect((await world.say("And?", { clientTools: [locate] })).text).toBe("Done.");
    expect(JSON.stringify(world.billing.requests.at(-1)?.tools)).not.toContain("locate");
  });

  it("a client's tool must not have the name of one of its tools, and may have that of a first one's", async () => {
    const open = { clientTools: true };
    const world = frontDesk(
      { desk: [transfer("billing")], billing: [done, done] },
      { desk: { ...open, tools: [tool({ ...hello, name: "locate" })] }, billing: open },
    );
    await world.say("My invoice");
    await world.say("And?", { clientTools: [locate] });
    const taken = [{ ...locate, name: "invoice" }];
    await expect(world.say("Again", { clientTools: taken })).rejects.toThrow('named "invoice"');
  });

  it("no agent accepts tools: they are refused", async () => {
    const world = frontDesk({ desk: [transfer("billing")], billing: [done] });
    await world.say("My invoice");
    await expect(world.say("And?", { clientTools: [locate] })).rejects.toThrow("accepts no tools");
  });

  it.each([
    ["queue", undefined],
    [undefined, "queue"],
  ] as const)("`whenBusy` is that of the agent whose run is in progress (%s, %s)", async (own, first) => {
    const gate = held();
    const world = frontDesk(
      { desk: [transfer("billing")], billing: [done, done] },
      {
        desk: first ? { whenBusy: first } : {},
        billing: { hooks: [{ name: "gate", beforeRun: gate.wait }], ...(own && { whenBusy: own }) },
      },
    );
    const pawl = world.boot();
    const talk = world.say("My invoice", {}, pawl);
    await gate.reached;
    const second = pawl.run("desk", { ...user, input: "The last one" });
    if (own === undefined) await expect(second.result).rejects.toThrow("still being answered");
    else await expect.poll(async () => (await world.log()).some(isQueued)).toBe(true);
    gate.open();
    await Promise.all([talk, own && second.result]);
    expect(agents(await world.log())).toEqual(["desk", "billing"]);
  });

  it("an answer is checked by the schema of its tool", async () => {
    const even = tool({
      name: "number",
      description: "Asks for a number.",
      input: z.object({}),
      suspends: { answer: z.number().refine((value) => value % 2 === 0, "must be even") },
    });
    const world = frontDesk(
      { desk: [transfer("billing")], billing: [{ tools: [{ name: "number", input: {} }] }, done] },
      { billing: { tools: [even] } },
    );
    const { pending } = await world.say("My invoice");
    const answer = (value: number) =>
      world.boot().run("desk", { ...user, answers: [{ callId: pending?.[0]?.callId ?? "", value }] }).result;
    await expect(answer(3)).rejects.toThrow("must be even");
    expect((await answer(4)).text).toBe("Done.");
  });

  it("a context that starts anew keeps its user data", async () => {
    const userData = { read: () => "<name>Ada</name>" };
    const world = frontDesk(
      { desk: [transfer("billing")], billing: [done, done, done] },
      { billing: { userData } },
    );
    await world.say("My invoice");
    await world.say("And?");
    const last = (await world.log()).findLast(({ type }) => type === "user_message");
    await world.boot().startContextAt("s1", { userId: "u1", fromSeq: last?.seq ?? 0 });
    await world.say("Thanks");
    expect(JSON.stringify(world.billing.requests.at(-1))).toContain("Ada");
  });
});

const hello = { name: "hello", description: "Says hello.", input: z.object({}), execute: () => "Hello." };

describe("F16 the agent that takes over gets the caller and the credentials of the run:", () => {
  const token = "secret-token-of-ada";
  const seen: unknown[] = [];
  const spy = tool({
    name: "invoice",
    description: "Reads an invoice.",
    input: z.object({}),
    idempotent: true,
    execute: (_input, { caller, credentials }) => {
      seen.push([caller, credentials]);
      return "Invoice 7.";
    },
  });
  const from = { caller: { workspace: "w1" }, credentials: { token } };

  it("in its hooks, tools and functions, and the log has no credentials", async () => {
    seen.length = 0;
    const world = frontDesk(
      { desk: [transfer("billing")], billing: [readInvoice, done] },
      {
        billing: {
          tools: ({ caller, credentials }) => {
            seen.push([caller, credentials]);
            return [spy];
          },
          hooks: [{ name: "spy", beforeRun: (c) => void seen.push([c.caller, c.credentials]) }],
        },
        runtime: {
          deps: (_session, run) => void seen.push([run.caller, run.credentials]),
        },
      },
    );
    await world.say("My invoice", from);
    expect(seen.length).toBeGreaterThanOrEqual(4);
    for (const one of seen) expect(one).toEqual([{ workspace: "w1" }, { token }]);
    expect(JSON.stringify(await world.log())).not.toContain(token);
  });

  it("not in another process: the run asks for them, and goes on for the same caller", async () => {
    seen.length = 0;
    const world = frontDesk(
      { desk: [transfer("billing")], billing: [readInvoice, done] },
      { billing: { tools: [spy], hooks: [approval({ when: ["invoice"] })] } },
    );
    const { pending } = await world.say("My invoice", from);
    const answers = [{ callId: pending?.[0]?.callId ?? "", value: { approved: true } }];
    const asking = await world.boot().run("desk", { ...user, answers }).result;
    expect(seen).toEqual([]);
    const [question] = asking.pending ?? [];
    expect(question?.kind).toBe("credentials");
    const again = [{ callId: question?.callId ?? "", value: true }];
    const { text } = await world.boot().run("desk", { ...user, answers: again, ...from }).result;
    expect([text, seen]).toEqual(["Done.", [[{ workspace: "w1" }, { token }]]]);
  });

  it("of the message that starts the run, if one arrives before the hand-over", async () => {
    seen.length = 0;
    const gate = held();
    const world = frontDesk(
      { desk: [transfer("billing")], billing: [readInvoice, done] },
      {
        desk: { whenBusy: "queue", hooks: [{ name: "gate", afterTool: gate.wait }] },
        billing: { tools: [spy] },
      },
    );
    const pawl = world.boot();
    const first = world.say("My invoice", from, pawl);
    await gate.reached;
    const other = { caller: { workspace: "w2" }, credentials: { token: "secret-token-of-bob" } };
    const second = pawl.run("desk", { ...user, input: "Mine, too", ...other });
    await expect.poll(async () => (await world.log()).some(isQueued)).toBe(true);
    gate.open();
    await Promise.all([first, second.result]);
    expect(seen).toEqual([[{ workspace: "w2" }, { token: "secret-token-of-bob" }]]);
  });

  it("also if the process has an engine, which then keeps the run in this process", async () => {
    seen.length = 0;
    const world = frontDesk(
      { desk: [transfer("billing")], billing: [readInvoice, done] },
      { billing: { tools: [spy] }, runtime: { concurrency: 1 } },
    );
    await world.say("My invoice", from);
    expect(seen).toEqual([[{ workspace: "w1" }, { token }]]);
  });
});
