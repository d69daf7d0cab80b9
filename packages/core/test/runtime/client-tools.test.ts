import { describe, expect, it } from "vitest";
import * as z from "zod";
import { approval, tool } from "../../src/index.ts";
import { newView, reduceView } from "../../src/view.ts";
import { code } from "../support/errors.ts";
import { family, sessionId as parentId, task } from "../support/family.ts";
import { type Options, setup, types, user } from "../support/setup.ts";

const place = z.object({ city: z.string() });
const locate = tool({
  name: "locate",
  description: "Returns where the user is.",
  input: z.object({ exact: z.boolean().default(false) }),
  runsIn: "client",
  output: place,
});
const look = tool({ name: "look", description: "Looks.", input: z.object({}), execute: () => "Nothing." });
const calling = (...names: string[]) => ({
  tools: names.map((name, at) => ({ name, id: `toolu_${at}`, input: {} })),
});

/** Starts a run whose page has to run a tool. */
async function waiting(options: Options = {}, script = [calling("locate"), { text: "Bonn!" }]) {
  const world = setup(script, { tools: [locate], ...options });
  const { sessionId, pending } = await world.say("Where am I?");
  const send = (more: object, who = user) =>
    world.pawl.run("tester", {
      ...who,
      sessionId,
      answers: [{ callId: "toolu_0", ...more }] as never,
    }).result;
  const results = async () =>
    (await world.of(sessionId, "tool_result")).map(({ data: { success, result } }) => ({ success, result }));
  return { ...world, sessionId, pending, send, results };
}

describe("F12 a tool that runs in the page", () => {
  it("is asked as a question with the tool's name and input, and its answer is the call's result", async () => {
    const { pending, send, model, sessionId, log, pawl } = await waiting();
    expect(pending).toMatchObject([
      { callId: "toolu_0", clientTool: "locate", toolName: "locate", payload: { exact: false } },
    ]);
    expect((await pawl.view(sessionId, user)).pending).toEqual(pending);
    expect(await send({ value: { city: "Bonn" } })).toMatchObject({
      text: "Bonn!",
      stop: { type: "end_turn" },
    });
    expect(model.requests[1]?.messages.at(-1)?.content).toMatchObject([
      { type: "tool_result", tool_use_id: "toolu_0", content: '{"city":"Bonn"}' },
    ]);
    expect(types(await log(sessionId)).filter((type) => type.startsWith("tool_"))).toEqual([
      "tool_call",
      "tool_suspended",
      "tool_answered",
      "tool_result",
    ]);
    expect(model.rejected).toEqual([]);
  });

  it("is answered once, and by the session's owner only", async () => {
    const { send, results } = await waiting();
    await expect(send({ value: { city: "Rome" } }, { userId: "eve" })).rejects.toSatisfy(code("not_found"));
    await send({ value: { city: "Bonn" } });
    await expect(send({ value: { city: "Rome" } })).rejects.toSatisfy(code("already_answered"));
    expect(await results()).toEqual([{ success: true, result: { city: "Bonn" } }]);
  });

  it("fails with the page's error", async () => {
    const { send, results, model } = await waiting();
    await send({ error: "The user said no." });
    expect(await results()).toEqual([{ success: false, result: "The user said no." }]);
    expect(model.requests[1]?.messages.at(-1)?.content).toMatchObject([{ is_error: true }]);
  });

  it("fails if its result does not match, so that the run goes on", async () => {
    const { send, results, sessionId, of } = await waiting();
    expect((await send({ value: { city: 5 } })).stop.type).toBe("end_turn");
    const [{ success, result }] = (await results()) as [{ success: boolean; result: string }];
    expect([success, result]).toEqual([false, expect.stringMatching(/wrong result: .*city/)]);
    expect(await of(sessionId, "tool_answered")).toMatchObject([{ data: { value: null, error: result } }]);
    await expect(send({ value: { city: "Bonn" } })).rejects.toSatisfy(code("already_answered"));
  });

  it("reads its result through its schema, its format and its limit", async () => {
    const long = tool({
      name: "locate",
      description: "Reads the page.",
      input: z.object({}),
      runsIn: "client",
      output: z.object({ text: z.string().transform((text) => text.toUpperCase()) }),
      format: (result) => (result as { text: string }).text,
      maxResultChars: 200,
    });
    const { send, results, model } = await waiting({ tools: [long] });
    await send({ value: { text: "a".repeat(5_000) } });
    expect(await results()).toEqual([{ success: true, result: { text: "A".repeat(5_000) } }]);
    const [{ content }] = model.requests[1]!.messages.at(-1)!.content as unknown as [{ content: string }];
    expect(content).toMatch(/^A+\n\[clipped: \d+ of 5000 chars\]\nA+$/);
    expect(content.length).toBeLessThanOrEqual(200);
  });

  it("accepts any JSON without an output, and refuses other values", async () => {
    const any = tool({ name: "locate", description: "Reads.", input: z.object({}), runsIn: "client" });
    const { send, results, pending } = await waiting({ tools: [any] });
    expect(pending[0]?.answerSchema).toEqual({});
    await expect(send({ value: 5n })).rejects.toSatisfy(code("invalid_answer"));
    await send({ value: ["a", null, 5] });
    expect(await results()).toEqual([{ success: true, result: ["a", null, 5] }]);
  });

  it("runs with hooks around it: approved, with changed input, and with a changed result", async () => {
    const seen: unknown[] = [];
    const { send, pending, results, pawl, sessionId } = await waiting({
      hooks: [
        approval({ when: ["locate"] }),
        { name: "exactly", beforeTool: () => ({ input: { exact: true } }) },
        {
          name: "after",
          afterTool: ({ success, result }) => {
            seen.push([success, result]);
            return { result: { city: "Köln" } };
          },
        },
      ],
    });
    expect(pending).toMatchObject([{ kind: "approval" }]);
    expect(pending[0]).not.toHaveProperty("clientTool");
    await send({ value: { approved: true } });
    expect((await pawl.view(sessionId, user)).pending).toMatchObject([
      { clientTool: "locate", payload: { exact: true } },
    ]);
    await send({ value: { city: "Bonn" } });
    expect(seen).toEqual([[true, { city: "Bonn" }]]);
    expect(await results()).toEqual([{ success: true, result: { city: "Köln" } }]);
  });

  it("shows its failures to hooks too, and never runs if a hook denies it", async () => {
    const seen: unknown[] = [];
    const after = {
      name: "after",
      afterTool: ({ success, result }: { success: boolean; result: unknown }) =>
        void seen.push([success, result]),
    };
    const { send } = await waiting({ hooks: [after] });
    await send({ error: "No." });
    expect(seen).toEqual([[false, "No."]]);
    const denied = await waiting({ hooks: [{ name: "gate", beforeTool: () => ({ deny: "Not now." }) }] });
    expect(denied.pending).toEqual([]);
    expect(await denied.results()).toEqual([{ success: false, result: "Not now." }]);
  });

  it("waits while the other calls of its turn run, several at once", async () => {
    const script = [calling("locate", "look", "locate"), { text: "Bonn!" }];
    const { send, pending, results, pawl, sessionId, model } = await waiting(
      { tools: [locate, look] },
      script,
    );
    expect(pending.map(({ callId }) => callId)).toEqual(["toolu_0", "toolu_2"]);
    expect(await results()).toEqual([{ success: true, result: "Nothing." }]);
    await send({ callId: "toolu_2", error: "No." });
    const both = [{ callId: "toolu_0", value: { city: "Bonn" } }];
    await pawl.run("tester", { ...user, sessionId, answers: both }).result;
    expect(model.requests[1]?.messages.at(-1)?.content).toMatchObject([
      { content: '{"city":"Bonn"}' },
      { content: "Nothing." },
      { content: "No.", is_error: true },
    ]);
  });

  it("is closed by a new message, and the page's late result is refused", async () => {
    const script = [calling("locate"), { text: "Fine." }];
    const { send, say, sessionId, results } = await waiting({}, script);
    expect((await say("Never mind.", { sessionId })).text).toBe("Fine.");
    await expect(send({ value: { city: "Bonn" } })).rejects.toSatisfy(code("already_answered"));
    // The page may have run it.
    expect(await results()).toMatchObject([
      { success: false, result: expect.stringContaining("The outcome of this call is unknown") },
    ]);
  });

  it("is shown as waiting for the page, then with its result", async () => {
    const { send, log, sessionId } = await waiting();
    await send({ value: { city: "Bonn" } });
    let view = newView();
    const phases: unknown[] = [];
    for (const event of await log(sessionId)) {
      view = reduceView(view, event);
      const part = view.messages.at(-1)?.parts.find(({ type }) => type === "tool");
      if (event.type.startsWith("tool_") && part?.type === "tool") phases.push(part.phase);
    }
    expect(phases).toEqual(["running", "waiting", "done", "done"]);
    expect(view.pending).toEqual([]);
  });

  it("is redacted with its result: input and answer", async () => {
    const { send, pawl, sessionId, of } = await waiting();
    await send({ value: { city: "Bonn" } });
    const [result] = await of(sessionId, "tool_result");
    await pawl.redact(sessionId, result?.seq ?? 0, user);
    const view = await pawl.view(sessionId, user);
    expect(JSON.stringify(view.messages[1]?.parts)).not.toContain("city");
  });

  it("works in a sub-agent: the page sees the sub-agent's tool, by its own name", async () => {
    const script = [{ tools: [{ name: "locate", input: {} }] }, { text: "In Bonn." }];
    const world = family([{ tools: task("toolu_a") }, { text: "Bonn!" }], script, {
      callee: { tools: [locate] },
    });
    const { pending } = await world.say();
    expect(pending).toMatchObject([
      { callId: "toolu_a", toolName: "researcher", clientTool: "locate", payload: { exact: false } },
    ]);
    const answers = [{ callId: "toolu_a", value: { city: 5 } }];
    expect((await world.boot().run("host", { ...user, sessionId: parentId, answers }).result).text).toBe(
      "Bonn!",
    );
    expect(world.callee.requests[1]?.messages.at(-1)?.content).toMatchObject([
      { is_error: true, content: expect.stringContaining("wrong result") },
    ]);
    await world.check();
  });
});

describe("F12 tool() refuses for the page", () => {
  const page = { name: "p", description: "P.", input: z.object({}), runsIn: "client" as const };
  it.each<[string, object, string]>([
    ["an execute", { ...page, execute: () => 1 }, "the page has it"],
    ["a question", { ...page, suspends: { answer: place } }, "is `output`"],
    ["a time limit", { ...page, timeoutMs: 5 }, "use `expires`"],
    ["another place", { ...page, runsIn: "browser" }, 'must be "client", or left out; got "browser".'],
    ["a promise to run again", { ...page, idempotent: true }, "cannot have `idempotent`"],
    [
      "a result that JSON Schema cannot express",
      { ...page, output: z.object({ at: z.date() }) },
      'The schema of `output` of tool("p") has a part that JSON Schema cannot express: Date cannot be represented in JSON Schema. For a date, use z.iso.datetime()',
    ],
    [
      "a default that does not match",
      { ...page, output: place, expires: { afterMs: 5, default: 1 } },
      "default",
    ],
    [
      "an output elsewhere",
      { ...page, runsIn: undefined, execute: () => 1, output: place },
      "only for tools",
    ],
    ["an expiry elsewhere", { ...page, runsIn: undefined, execute: () => 1, expires: {} }, "in `suspends`"],
  ])("%s", (_, options, message) => {
    expect(() => tool(options as never)).toThrow(message);
  });
});
