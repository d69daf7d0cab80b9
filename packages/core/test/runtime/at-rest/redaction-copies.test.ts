import { type Reply, scriptedModel, strictModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { assertSoundLog } from "../../../../../test/support/invariants.ts";
import { loadState } from "../../../src/fold/load.ts";
import {
  agent,
  agentTool,
  type Hook,
  readShown,
  type Tool,
  type ToolContext,
  tool,
} from "../../../src/index.ts";
import { named } from "../../support/hooks.ts";
import { type Setup, setup, user } from "../../support/setup.ts";
import { askWith, calling, echo, text } from "../../support/tools.ts";

const SECRET = /secret/;

/** All that can be read of a session after a redaction. */
async function readable(world: Setup, sessionId: string): Promise<string> {
  const shown = await Array.fromAsync(readShown(world.store, sessionId));
  const followed: unknown[] = [];
  for await (const event of world.pawl.follow(sessionId)) {
    followed.push(event);
    if ("seq" in event && event.seq === shown.length) break;
  }
  const { messages, pending } = await world.pawl.view(sessionId, user);
  const { calls, entries, unsent: waiting } = await loadState(world.store, sessionId);
  return JSON.stringify([shown, followed, messages, pending, [...calls.values()], entries, waiting]);
}

const redactAll = async (world: Setup, sessionId: string, ...types: readonly string[]) => {
  for (const { seq, type } of await world.log(sessionId))
    if (types.includes(type)) await world.pawl.redact(sessionId, seq, user);
};

describe("a redaction leaves no copy", () => {
  it("E11 in the result of a message that is sent again", async () => {
    const { tool: plain } = echo();
    const world = setup([{ text: "secret plan", tools: [calling("echo", "secret")] }, { text: "Done." }], {
      tools: [plain],
    });
    const { sessionId, text: said } = await world.say("Go", { clientMessageId: "m1" });
    expect(said).toMatch(SECRET);
    await redactAll(world, sessionId, "assistant_message", "tool_result");
    const again = await world.say("Go", { sessionId, clientMessageId: "m1" });
    expect(again.text).toContain("[redacted]");
    expect(JSON.stringify(again)).not.toMatch(SECRET);
    expect(await readable(world, sessionId)).not.toMatch(SECRET);
  });

  it("F26 E11 in the default of a question that expires", async () => {
    const expires = { afterMs: 60_000, default: "secret" };
    const asks = tool({
      name: "ask",
      description: "",
      input: text,
      suspends: { answer: z.string(), expires },
    });
    const world = setup([{ tools: [calling("ask", "?")] }, { text: "Fine." }], { tools: [asks] });
    const { sessionId } = await world.say("Go");
    await world.say("Never mind", { sessionId });
    expect(await readable(world, sessionId)).toMatch(SECRET);
    await redactAll(world, sessionId, "assistant_message");
    expect(await readable(world, sessionId)).not.toMatch(SECRET);
    await world.pawl.drain();
  });

  it("F20 E11 in the answer to a question, in what the next process folds from the log", async () => {
    const world = setup([{ tools: [calling("ask", "?")] }, { text: "Fine." }, { text: "Bye." }], {
      tools: [askWith(text)],
      hooks: [
        named("asks", {
          beforeRun: ({ answer, run }) =>
            answer === undefined && run.turns === 0
              ? { ask: { kind: "hook", payload: "Sure?", answer: z.string() } }
              : undefined,
        }),
      ],
    });
    const { sessionId, pending } = await world.say("Go");
    const asked = await world.answer(sessionId, pending[0]?.callId ?? "", "secret of the hook");
    await world.answer(sessionId, asked.pending[0]?.callId ?? "", "secret of the tool");
    const answers = async () => {
      const { calls, asked } = await loadState(world.store, sessionId);
      return JSON.stringify([...calls.values(), ...asked.values()].map(({ answer }) => answer));
    };
    expect(await answers()).toMatch(/secret of the tool.*secret of the hook/);
    const [ofHook] = await world.of(sessionId, "tool_answered");
    await redactAll(world, sessionId, "tool_result");
    await world.pawl.redact(sessionId, ofHook?.seq ?? 0, user);
    expect(await answers()).not.toMatch(SECRET);
    expect(await readable(world, sessionId)).not.toMatch(SECRET);
  });

  it("F22 E11 in what a tool has reported about its result; its connector stays", async () => {
    const search = tool({
      name: "search",
      description: "",
      input: text,
      execute: (_, { report }: ToolContext) => {
        report({ connector: "gmail", fragments: ["secret-1"], summary: "a secret" });
        return "secret";
      },
    });
    const world = setup([{ tools: [calling("search")] }, { text: "Done." }, { text: "Fine." }], {
      tools: [search],
    });
    const { sessionId } = await world.say("Go");
    await redactAll(world, sessionId, "tool_result");
    const all = await readable(world, sessionId);
    expect(all).not.toMatch(SECRET);
    expect(all).toContain('"report":{"connector":"gmail","summary":"[redacted]"}');
  });

  it("T3 of an input that could not be read, in the call and in the result that says why", async () => {
    const world = setup(
      [{ tools: [{ name: "echo", input: ["secret"] as never }] }, { text: "Oh." }, { text: "Fine." }],
      {
        tools: [echo().tool],
      },
    );
    const { sessionId } = await world.say("Go");
    expect(JSON.stringify(await world.of(sessionId, "tool_call"))).toMatch(SECRET);
    expect(JSON.stringify(await world.of(sessionId, "tool_result"))).toMatch(SECRET);
    await redactAll(world, sessionId, "assistant_message");
    expect(await readable(world, sessionId)).not.toMatch(SECRET);
    await goesOn(world, sessionId);
  });

  it("H1 of an input that a hook has changed, in what the next process folds from the log", async () => {
    const hook = named("changes", { beforeTool: () => ({ input: { text: "secret" } }) });
    const asking = askWith(text);
    const tools = [echo("echo", { execute: () => "ok" }).tool, asking];
    const world = setup([{ tools: [calling("echo"), calling("ask", "b", "toolu_q")] }, { text: "Ok." }], {
      tools,
      hooks: [hook],
    });
    const { sessionId } = await world.say("Go");
    await world.answer(sessionId, "toolu_q", "yes");
    await redactAll(world, sessionId, "assistant_message");
    expect(await readable(world, sessionId)).not.toMatch(SECRET);
  });

  it("of a message and of knowledge in what came with them", async () => {
    const world = setup([{ text: "Hi." }]);
    const { sessionId } = await world.say("secret", {
      params: { draft: "secret" },
      knowledge: [{ source: "search", data: "secret", params: { query: "secret" } }],
    });
    await redactAll(world, sessionId, "user_message", "knowledge");
    expect(await readable(world, sessionId)).not.toMatch(SECRET);
  });

  it.each(["prefix", "knowledge"])("of user data wherever it was told (%s)", async (type) => {
    let known = "a name";
    const world = setup([{ text: "Hi." }, { text: "Yes." }, { text: "Fine." }, { text: "Good." }], {
      userData: { read: () => known },
    });
    const { sessionId } = await world.say("Go");
    known = "secret name";
    await world.say("More", { sessionId });
    const [, second] = await world.of(sessionId, "user_message");
    await world.pawl.startContextAt(sessionId, { ...user, fromSeq: second?.seq ?? 0 });
    const shown = async () =>
      (await Array.fromAsync(readShown(world.store, sessionId))).filter((e) => e.type === type);
    expect(JSON.stringify(await shown())).toMatch(SECRET);
    await world.pawl.redact(sessionId, (await shown())[0]?.seq ?? 0, user);
    expect(await readable(world, sessionId)).not.toMatch(SECRET);
    known = "another name";
    await world.say("And now?", { sessionId });
    expect(JSON.stringify(world.model.requests.at(-1))).not.toMatch(SECRET);
    expect(JSON.stringify(world.model.requests.at(-1))).toContain("another name");
    expect(world.model.rejected).toEqual([]);
  });
});

const goesOn = async (world: Setup, sessionId: string) => {
  expect((await world.say("And now?", { sessionId })).stop.type).toBe("end_turn");
  expect(world.model.rejected).toEqual([]);
};

describe("a redaction of a task", () => {
  const ask = askWith(text);
  const given = (name: string) => ({ name, id: `toolu_${name}`, input: { task: "a secret task" } });

  /** An agent whose worker hands its task on to another one, which asks first and answers something secret. */
  function family() {
    const made = (name: string, script: readonly Reply[], tools: readonly Tool[]) =>
      agent({ name, instructions: "Work.", model: strictModel({ script }), tools });
    const deeper = made(
      "deeper",
      [{ tools: [calling("ask", "a secret question")] }, { thinking: "secret", text: "a secret answer" }],
      [ask],
    );
    const worker = made(
      "worker",
      [{ tools: [given("deeper")] }, { text: "a secret result" }],
      [agentTool({ agent: deeper, description: "" })],
    );
    return setup([{ tools: [given("worker")] }, { text: "Done." }, { text: "Fine." }], {
      tools: [agentTool({ agent: worker, description: "" })],
    });
  }
  const everything = async (world: Setup, sessionId: string) => {
    const sessions = [sessionId, `${sessionId}:toolu_worker`, `${sessionId}:toolu_worker:toolu_deeper`];
    const logs = await Promise.all(sessions.map((id) => Array.fromAsync(readShown(world.store, id))));
    for (const id of sessions) assertSoundLog(await world.log(id));
    return logs.map((log) => JSON.stringify(log));
  };

  it("E11 takes back what the agents below have said of it", async () => {
    const world = family();
    const { sessionId } = await world.say("Go");
    await world.answer(sessionId, "toolu_worker", "a secret yes");
    for (const log of await everything(world, sessionId)) expect(log).toMatch(SECRET);
    await redactAll(world, sessionId, "assistant_message");
    const [own, ...below] = await everything(world, sessionId);
    expect(own).toContain("a secret result");
    for (const log of below) expect(log).not.toMatch(SECRET);
    await redactAll(world, sessionId, "tool_result");
    for (const log of await everything(world, sessionId)) expect(log).not.toMatch(SECRET);
    // What was taken back once is not taken back again.
    const redactions = await world.of(`${sessionId}:toolu_worker`, "redaction");
    expect(new Set(redactions.map(({ data }) => data.seq)).size).toBe(redactions.length);
    // A prefix has the agent's instructions and user data. Another one would follow each redaction of it.
    expect(redactions.map(({ data }) => data.of)).not.toContain("prefix");
    const before = await world.log(`${sessionId}:toolu_worker`);
    await redactAll(world, sessionId, "tool_result");
    expect(await world.log(`${sessionId}:toolu_worker`)).toEqual(before);
    await goesOn(world, sessionId);
  });

  it("E11 also where the task was left in its middle", async () => {
    const world = family();
    const { sessionId } = await world.say("Go");
    expect((await world.say("Never mind", { sessionId })).stop.type).toBe("end_turn");
    const child = `${sessionId}:toolu_worker`;
    // As it is where what was to end it has failed.
    const said = [
      { type: "run_started", data: { run_id: "r", agent: "tester/worker", agent_version: "1" } },
      { type: "user_message", data: { message: "secret" } },
    ] as const;
    await world.store.append(child, said, { appendId: "left", session: { openRun: "r" } });
    await redactAll(world, sessionId, "tool_result", "assistant_message");
    for (const log of await everything(world, sessionId)) expect(log).not.toMatch(SECRET);
  });

  it("E11 F35 takes back what agents below a hook and a tool have said of it", async () => {
    const judge = agent({
      name: "judge",
      instructions: "Judge.",
      model: scriptedModel(() => ({ text: "a secret thing, judged" })),
    });
    const hook: Hook = {
      name: "judging",
      beforeRun: async ({ runAgent, message }) =>
        void (await runAgent(judge, (await message())?.text ?? "", { key: "k" })),
    };
    const flow = tool({
      name: "flow",
      description: "",
      input: z.object({ text: z.string() }),
      idempotent: true,
      execute: async ({ text: given }, { runAgent }) => (await runAgent(judge, given, { key: "k" })).text,
    });
    const world = setup(
      [
        { tools: [calling("flow", "a secret call", "toolu_1")] },
        { text: "Done." },
        { text: "Fine." },
        { text: "Fine." },
      ],
      { tools: [flow], hooks: [hook] },
    );
    const { sessionId } = await world.say("a secret message");
    await world.say("harmless", { sessionId });
    const tasks = await world.of(sessionId, "task_started");
    expect(tasks.map(({ data }) => data.by)).toEqual(["judging", "flow", "judging"]);
    const below = async () =>
      await Promise.all(
        tasks.map(async ({ data }) => {
          const log = await Array.fromAsync(readShown(world.store, `${sessionId}:${data.task_id}`));
          return SECRET.test(JSON.stringify(log));
        }),
      );
    expect(await below()).toEqual([true, true, true]);
    const [message] = await world.of(sessionId, "user_message");
    await world.pawl.redact(sessionId, message?.seq ?? 0, user);
    expect(await below()).toEqual([false, true, true]);
    await redactAll(world, sessionId, "assistant_message");
    expect(await below()).toEqual([false, false, true]);
    await goesOn(world, sessionId);
  });

  it("E11 leaves a session alone that only goes by such a name", async () => {
    const world = setup([{ tools: [calling("echo", "secret", "toolu_1")] }, { text: "Done." }], {
      tools: [echo().tool],
    });
    const sessionId = "s1";
    await world.store.sessions.create({ id: sessionId, userId: "u1", agent: "tester" });
    const other = { id: "s1:toolu_1", userId: "u1", agent: "tester" };
    await world.store.sessions.create(other);
    await world.store.append(other.id, [{ type: "note", data: { text: "mine" } }], { appendId: "a" });
    await world.say("Go", { sessionId });
    await redactAll(world, sessionId, "assistant_message");
    expect(await world.log(other.id)).toHaveLength(1);
  });
});
