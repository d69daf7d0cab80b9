import { describe, expect, it } from "vitest";
import * as z from "zod";
import { assertSoundLog } from "../../../../test/support/invariants.ts";
import { type Hook, memoryStore, type Tool, tool } from "../../src/index.ts";
import { named } from "../support/hooks.ts";
import { type Options, setup, stored, until } from "../support/setup.ts";
import { beforeAppend, has } from "../support/stores.ts";
import { ask, echoTool, question } from "../support/tools.ts";

const echo = (text: string) => ({ name: "echo", input: { text } });
const done = { text: "Done." };

const SHORT: Readonly<Record<string, string>> = {
  assistant_message: "answer",
  tool_call: "call",
  llm_response: "usage",
  tool_started: "start",
  tool_result: "result",
  tool_suspended: "question",
  llm_request: "request",
  run_suspended: "suspended",
  run_ended: "end",
};

/** A setup whose appends are listed, each as the short names of its events. */
function listed(script: Parameters<typeof setup>[0], options: Options) {
  const appends: string[] = [];
  const inner = memoryStore();
  const store = beforeAppend(inner, (events) => {
    appends.push(events.map(({ type }) => SHORT[type] ?? type).join(" "));
  });
  return { ...setup(script, options, { store }), appends, inner };
}

describe("what is stored together", () => {
  it.each<[string, Parameters<typeof setup>[0], Options, string[]]>([
    ["an answer and the end", [done], {}, ["answer usage end"]],
    [
      "one call",
      [{ tools: [echo("a")] }, done],
      { tools: [echoTool] },
      ["answer call usage start", "result request", "answer usage end"],
    ],
    [
      "calls that finish together",
      [{ tools: [echo("a"), echo("b")] }, done],
      { tools: [echoTool] },
      ["answer call call usage start start", "result result request", "answer usage end"],
    ],
    [
      "a call that is refused",
      [{ tools: [{ name: "echo", input: { text: 1 } }] }, done],
      { tools: [echoTool] },
      ["answer call usage result request", "answer usage end"],
    ],
    [
      "a call that is refused beside one that runs",
      [{ tools: [{ name: "echo", input: { text: 1 } }, echo("b")] }, done],
      { tools: [echoTool] },
      ["answer call call usage result start", "result request", "answer usage end"],
    ],
    [
      "a question",
      [{ tools: [question] }, done],
      { tools: [ask] },
      ["answer call usage question", "suspended"],
    ],
    [
      "more calls than run at the same time",
      [{ tools: [echo("a"), echo("b"), echo("c")] }, done],
      { tools: [echoTool], toolConcurrency: 2 },
      [
        "answer call call call usage start start",
        "result result",
        "start",
        "result request",
        "answer usage end",
      ],
    ],
  ])("R2 %s", async (_, script, options, expected) => {
    const { say, appends, log } = listed(script, options);
    const { sessionId } = await say("Go");
    expect(appends.slice(1)).toEqual(expected);
    assertSoundLog(await log(sessionId));
  });

  it("R2 L6 a result is stored at once while a slower call of its turn is still running", async () => {
    const gate = Promise.withResolvers<string>();
    const slow = tool({ name: "slow", description: "", input: z.object({}), execute: () => gate.promise });
    const tools = [echoTool, slow];
    const world = listed([{ tools: [echo("quick"), { name: "slow" }] }, done], { tools });
    const run = world.pawl.run("tester", { userId: "u1", input: "Go" });
    const { sessionId } = await run.started;
    await stored(world, sessionId, "tool_result");
    gate.resolve("late");
    await run.result;
    expect(world.appends.slice(2)).toEqual(["result", "result request", "answer usage end"]);
  });

  it("R2 L3 L9 a stop that is stored during an answer keeps its calls from starting", async () => {
    const ran: string[] = [];
    const work = tool({
      name: "work",
      description: "",
      input: z.object({}),
      execute: () => void ran.push("work"),
    });
    // As from another process that this one has not heard of.
    const inner = memoryStore();
    let stops = true;
    const store = beforeAppend(inner, async (events, sessionId) => {
      if (!stops || !has(events, "tool_started")) return;
      stops = false;
      const [row] = await inner.sessions.list({ userId: "u1" });
      const data = { run_id: row?.openRun ?? "" };
      await inner.append(sessionId, [{ type: "stop_requested", data }], { appendId: "stop" });
    });
    const { say, log } = setup([{ tools: [{ name: "work" }] }], { tools: [work] }, { store });
    const { sessionId, stop } = await say("Go");
    expect(stop.type).toBe("aborted");
    expect(ran).toEqual([]);
    assertSoundLog(await log(sessionId));
  });

  it("R2 C12 a message that is stored while a tool runs is in the next request, whose number the log confirms", async () => {
    const inner = memoryStore();
    let comes = true;
    const store = beforeAppend(inner, async (events, sessionId) => {
      if (!comes || !has(events, "tool_result")) return;
      comes = false;
      const data = { message: "And hurry.", queued: true };
      await inner.append(sessionId, [{ type: "user_message", data }], { appendId: "other" });
    });
    const { say, log, model } = setup([{ tools: [echo("a")] }, done], { tools: [echoTool] }, { store });
    const { sessionId } = await say("Go");
    expect(model.rejected).toEqual([]);
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("And hurry.");
    const events = await log(sessionId);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1));
    assertSoundLog(events);
  });
});

describe("the application is called only once what it sees is stored", () => {
  const waits = (watch: () => Promise<void>): Tool =>
    tool({
      name: "echo",
      description: "",
      input: {
        "~standard": {
          version: 1,
          vendor: "test",
          validate: async (value: unknown) => {
            await watch();
            return { value };
          },
          jsonSchema: { input: () => ({ type: "object" }), output: () => ({ type: "object" }) },
        },
      } as never,
      execute: () => "ok",
    });

  it.each<[string, last: string, (watch: () => Promise<undefined>) => Options]>([
    ["beforeTool", "llm_response", (watch) => ({ hooks: [named("h", { beforeTool: watch })] })],
    ["afterTool", "tool_started", (watch) => ({ hooks: [named("h", { afterTool: watch })] })],
    ["afterTurn", "tool_result", (watch) => ({ hooks: [named("h", { afterTurn: watch })] })],
    ["beforeTurn", "tool_result", (watch) => ({ hooks: [named("h", { beforeTurn: watch })] })],
    ["beforeModel", "tool_result", (watch) => ({ hooks: [named("h", { beforeModel: watch })] })],
    ["onStop", "llm_response", (watch) => ({ hooks: [named("h", { onStop: watch })] })],
    ["afterRun", "effect_started", (watch) => ({ hooks: [named("h", { afterRun: watch })] })],
    ["userData", "tool_result", (watch) => ({ userData: { read: async () => `${await watch()}` } })],
    ["a checkpoint strategy", "tool_result", (watch) => ({ checkpointWhen: [watch] })],
  ])("R2 L3 %s", async (_, last, watched) => {
    const seen: string[] = [];
    const store = memoryStore();
    const watch = async () => {
      const [row] = await store.sessions.list({ userId: "u1" });
      const log = await Array.fromAsync(store.read(row?.id ?? ""));
      seen.push(log.at(-1)?.type ?? "");
      return undefined;
    };
    const { say } = setup(
      [{ tools: [echo("a")] }, done],
      { tools: [echoTool], ...watched(watch) },
      { store },
    );
    await say("Go");
    expect(seen).toContain(last);
    const allowed = ["user_message", "llm_request", "tool_started", "tool_result", "llm_response", last, ""];
    expect(allowed).toEqual(expect.arrayContaining(seen));
  });

  it("R2 L3 a schema that waits, e.g. for a database", async () => {
    const store = memoryStore();
    const seen: string[] = [];
    const watch = async () => {
      await until(async () => {
        const [row] = await store.sessions.list({ userId: "u1" });
        return has(await Array.fromAsync(store.read(row?.id ?? "")), "tool_call");
      });
      seen.push("stored");
    };
    const { say } = setup([{ tools: [echo("a")] }, done], { tools: [waits(watch)] }, { store });
    expect((await say("Go")).stop.type).toBe("end_turn");
    expect(seen).toEqual(["stored"]);
  });

  /** A setup that knows at once what is stored. */
  function watched(script: Parameters<typeof setup>[0], optionsWith: (look: () => void) => Options) {
    const inner = memoryStore();
    const isIn: string[] = [];
    const store = {
      ...inner,
      append: async (...given: Parameters<typeof inner.append>) => {
        const rows = await inner.append(...given);
        isIn.push(...rows.map(({ type }) => type));
        return rows;
      },
    };
    const seen: (string | undefined)[] = [];
    const errors: (string | undefined)[] = [];
    const world = setup(
      script,
      optionsWith(() => void seen.push(isIn.at(-1))),
      { store, onError: () => void errors.push(isIn.at(-1)) },
    );
    return { ...world, seen, errors };
  }

  it("R2 L3 L7 a stop condition of the application, which may tell others what it sees", async () => {
    const { say, seen } = watched([{ tools: [echo("a")] }, done], (look) => ({
      tools: [echoTool],
      stopWhen: [
        (run, session) => {
          // The first request is planned with what it is stored with.
          if (run.turns > 0 || session.run?.ended !== undefined) look();
          return undefined;
        },
      ],
    }));
    expect((await say("Go")).stop.type).toBe("end_turn");
    expect(seen).toContain("tool_result");
    expect(["tool_result", "llm_response"]).toEqual(expect.arrayContaining(seen));
  });

  it("R2 L3 the payload of a tool's question", async () => {
    const asks = tool({
      name: "asks",
      description: "",
      input: z.object({}),
      suspends: {
        answer: z.string(),
        payload: () => {
          throw new Error("no payload");
        },
      },
    });
    const { say, errors } = watched([{ tools: [{ name: "asks" }] }, done], () => ({ tools: [asks] }));
    expect((await say("Go")).stop.type).toBe("end_turn");
    expect(errors).toEqual(["llm_response"]);
    const other = watched([{ tools: [{ name: "shows" }] }], (look) => ({
      tools: [
        tool({
          name: "shows",
          description: "",
          input: z.object({}),
          suspends: {
            answer: z.string(),
            payload: () => {
              look();
              return {};
            },
          },
        }),
      ],
    }));
    await other.say("Go");
    expect(other.seen).toEqual(["llm_response"]);
  });

  it("R2 L3 onError, if a schema throws that the application has written", async () => {
    const broken = {
      "~standard": {
        version: 1,
        vendor: "test",
        validate: () => {
          throw new Error("broken schema");
        },
        jsonSchema: { input: () => ({ type: "object" }), output: () => ({ type: "object" }) },
      },
    };
    const { say, errors } = watched([{ tools: [{ name: "echo" }] }, done], () => ({
      tools: [tool({ name: "echo", description: "", input: broken as never, execute: () => "ok" })],
    }));
    expect((await say("Go")).stop.type).toBe("end_turn");
    expect(errors).toEqual(["llm_response"]);
  });

  it("R2 L3 onError, if a stop condition throws after an answer", async () => {
    const { say, errors } = watched([done], () => ({
      stopWhen: [
        (run) => {
          if (run.turns > 0) throw new Error("bad condition");
          return undefined;
        },
      ],
    }));
    await say("Go");
    expect(["llm_response", undefined]).toContain(errors[0]);
  });

  it("R2 a hook of every kind sees the same log as without merging: nothing is missing in what it reads", async () => {
    const lengths: [string, number, number][] = [];
    const store = memoryStore();
    const look = (method: string) => async (_given: unknown, context: unknown) => {
      const { read, sessionId } = context as { read: () => AsyncIterable<unknown>; sessionId: string };
      const inHook = (await Array.fromAsync(read())).length;
      lengths.push([method, inHook, (await Array.fromAsync(store.read(sessionId))).length]);
    };
    const methods = ["beforeTurn", "beforeModel", "afterModel", "beforeTool", "afterTool", "afterTurn"];
    const hook = {
      name: "all",
      ...Object.fromEntries([...methods, "onStop", "afterRun"].map((method) => [method, look(method)])),
    } as unknown as Hook;
    const { say } = setup([{ tools: [echo("a")] }, done], { tools: [echoTool], hooks: [hook] }, { store });
    await say("Go");
    expect(lengths.length).toBeGreaterThan(8);
    for (const [method, inHook, inLog] of lengths) expect([method, inHook]).toEqual([method, inLog]);
  });
});
