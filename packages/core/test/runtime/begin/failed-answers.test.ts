import { describe, expect, it } from "vitest";
import * as z from "zod";
import { approval, tool } from "../../../src/index.ts";
import { newView, reduceView } from "../../../src/view.ts";
import { code } from "../../support/errors.ts";
import { asking, family, sessionId as parentId, task } from "../../support/family.ts";
import { setup, user } from "../../support/setup.ts";

const camera = tool({
  name: "camera",
  description: "Takes a picture, on the user's device.",
  input: z.object({}),
  suspends: { answer: z.object({ url: z.string() }) },
});
const ran: string[] = [];
const book = tool({
  name: "book",
  description: "Books what the user chooses.",
  input: z.object({}),
  suspends: { answer: z.object({ seat: z.string() }) },
  execute: () => {
    ran.push("book");
    return "Booked.";
  },
});
const call = (name: string, id = "toolu_c") => ({ name, id, input: {} });
const script = (name = "camera") => [{ tools: [call(name)] }, { text: "A pity." }];

/** Starts a run whose call waits, and a way to answer that it failed. */
async function waiting(world = setup(script(), { tools: [camera] })) {
  const { sessionId, pending } = await world.say("Go");
  const fail = (error: unknown, more: object = {}) => {
    const answers = [{ callId: "toolu_c", error: error as string, ...more }];
    return world.pawl.run("tester", { ...user, sessionId, answers: answers as never }).result;
  };
  return { ...world, sessionId, pending, fail };
}

describe("P2 a tool that fails at the client", () => {
  it("is an error to the model, whatever the answer's schema", async () => {
    const { fail, model, sessionId, of } = await waiting();
    expect(await fail("No camera.")).toMatchObject({ text: "A pity.", stop: { type: "end_turn" } });
    expect(model.requests[1]?.messages.at(-1)?.content).toMatchObject([
      { type: "tool_result", tool_use_id: "toolu_c", is_error: true, content: "No camera." },
    ]);
    expect(await of(sessionId, "tool_answered")).toMatchObject([
      { data: { value: null, error: "No camera." } },
    ]);
    expect(model.rejected).toEqual([]);
  });

  it("reaches the model even without a reason", async () => {
    const { fail, model } = await waiting();
    await fail("");
    expect(model.requests[1]?.messages.at(-1)?.content).toMatchObject([
      { is_error: true, content: "It failed without an error message." },
    ]);
  });

  it("does not run on the server then", async () => {
    const { fail, model } = await waiting(setup(script("book"), { tools: [book] }));
    await fail("The list did not load.");
    expect([ran, model.requests[1]?.messages.at(-1)?.content]).toMatchObject([[], [{ is_error: true }]]);
  });

  it("is shown as an error from the answer on", async () => {
    const { fail, sessionId, log } = await waiting();
    await fail("No camera.");
    let view = newView();
    const phases: unknown[] = [];
    for (const event of await log(sessionId)) {
      view = reduceView(view, event);
      const part = view.messages.at(-1)?.parts.find(({ type }) => type === "tool");
      if (event.type.startsWith("tool_") && part?.type === "tool") phases.push([part.phase, part.result]);
    }
    expect(phases.slice(-2)).toEqual([
      ["error", "No camera."],
      ["error", "No camera."],
    ]);
  });

  it("is accepted once, for a waiting call, and from the session's owner only", async () => {
    const { fail, pawl, sessionId } = await waiting();
    const eve = { userId: "eve", sessionId, answers: [{ callId: "toolu_c", error: "Ha." }] };
    await expect(pawl.run("tester", eve).result).rejects.toSatisfy(code("not_found"));
    await expect(fail("x", { callId: "toolu_x" })).rejects.toSatisfy(code("unknown_call"));
    await fail("No camera.");
    await expect(fail("No camera.")).rejects.toSatisfy(code("already_answered"));
  });

  it("is refused with an explanation if it is not a text, too long, or sent with a value", async () => {
    const { fail } = await waiting();
    for (const error of [5, null, {}, "x".repeat(10_001)])
      await expect(fail(error)).rejects.toSatisfy(code("invalid_answer", "at most 10000 characters"));
    await expect(fail("x", { value: { url: "u" } })).rejects.toSatisfy(
      code("invalid_answer", "either a value or an error"),
    );
    expect((await fail("x".repeat(10_000))).stop.type).toBe("end_turn");
  });

  it("is no way around a question that a hook asks", async () => {
    const hooks = [approval({ when: ["camera"] })];
    const { fail, pending } = await waiting(setup(script(), { tools: [camera], hooks }));
    expect(pending).toMatchObject([{ kind: "approval" }]);
    await expect(fail("No camera.")).rejects.toSatisfy(code("invalid_answer", "does not accept an error"));
  });

  it("reaches the agent that does the work, which goes on", async () => {
    const world = family(
      [{ tools: task("toolu_a") }, { text: "Done." }],
      [asking("Which?"), { text: "Nobody could say." }],
    );
    await world.say();
    const answers = [{ callId: "toolu_a", error: "The page is broken." }];
    const result = await world.boot().run("host", { ...user, sessionId: parentId, answers }).result;
    expect(result.text).toBe("Done.");
    expect(world.callee.requests[1]?.messages.at(-1)?.content).toMatchObject([
      { is_error: true, content: "The page is broken." },
    ]);
    await world.check();
  });

  it("can be taken back like an answer", async () => {
    const { fail, pawl, sessionId, of } = await waiting();
    await fail("SECRET");
    const [result] = await of(sessionId, "tool_result");
    await pawl.redact(sessionId, result?.seq ?? 0, user);
    const { messages } = await pawl.view(sessionId, user);
    expect(JSON.stringify(messages)).not.toContain("SECRET");
  });
});
