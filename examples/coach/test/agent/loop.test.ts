import { memoryFiles, memoryStore } from "@pawl/core";
import { strictModel } from "@pawl/testing";
import { describe, expect, it, vi } from "vitest";
import { expectPrinted } from "../../../../test/support/printed.ts";
import { coach, coachLimits, fileIndex, readMarkdown, type Summarize, userFiles } from "../../src/index.ts";
import { calling, coached, ruledCoach, saving, scriptedCoach, tempDir } from "../support/harness.ts";

const capture = (n: number): [string, object] => [
  "save_file",
  { file_type: "capture", content: `Thought ${n}` },
];
const bad: [string, object] = ["save_file", { file_type: "diary", content: "x" }];
const bye: [string, object] = ["complete_session", { type: "session", summary: "We spoke." }];

describe("the summary of a session (bug 1 of 002)", () => {
  it("L17 X1 is made exactly once, after the last text, even if a tool and a text block both end the session", async () => {
    const files = memoryFiles();
    const texts: string[] = [];
    const summarize = vi.fn<Summarize>(({ text, summary }) => {
      texts.push(text);
      return `${summary} And more.`;
    });
    const script = [
      { text: "One moment.", tools: calling(bye)[0]?.tools ?? [] },
      { tools: [{ name: "complete_session", input: { type: "session", summary: "Twice." } }] },
      { text: "Sleep well.\n[SESSION_COMPLETE]" },
    ];
    const { ask, log } = await ruledCoach(undefined, { files, summarize, script });
    const { sessionId } = await ask({ input: "Bye" });
    expect(summarize).toHaveBeenCalledTimes(1);
    expect(texts).toEqual(["One moment.\n\nSleep well."]);
    const own = userFiles(files, "ada");
    const [summary, ...more] = await fileIndex(own, "session-summaries");
    expect(more).toEqual([]);
    expect(await readMarkdown(own, summary?.path ?? "")).toEqual({
      attributes: {
        type: "session-summary",
        date: "2026-11-21",
        session_type: "open_conversation",
        session: sessionId,
      },
      body: "We spoke. And more.",
    });
    const types = (await Array.fromAsync(log.read(sessionId))).map(({ type }) => type);
    expect(types.lastIndexOf("assistant_message")).toBeLessThan(types.indexOf("effect_started"));
    expect(types.filter((type) => type === "effect_started")).toHaveLength(1);
  });

  it("L17 is not made for an arc or for an open session, and its failure loses nothing else", async () => {
    expectPrinted('pawl: afterRun of "session-summary" (agent "coach"): down');
    const summarize = vi.fn<Summarize>(() => Promise.reject(new Error("down")));
    const arc: [string, object] = ["enter_structured_arc", { arc: "open_day" }];
    const script = [...calling(arc), ...calling(["complete_session", { type: "arc" }]), ...calling(bye)];
    const { ask, pawl } = await ruledCoach(undefined, { summarize, script });
    const { sessionId } = await ask({ input: "Hi" });
    await ask({ sessionId, input: "Done with it" });
    expect(summarize).not.toHaveBeenCalled();
    expect((await ask({ sessionId, input: "Bye" })).stop.type).toBe("end_turn");
    expect(summarize).toHaveBeenCalledTimes(1);
    expect((await pawl.view(sessionId, { userId: "ada" })).session.status).toBe("completed");
  });

  it("L17 is there once after a crash while it was made", async () => {
    const [log, files] = [memoryStore(), memoryFiles()];
    let isDead = false;
    const never = new Promise<never>(() => undefined);
    const mortal: typeof log = {
      ...log,
      append: (...args) => (isDead ? never : log.append(...args)),
      renew: (...args) => (isDead ? never : log.renew(...args)),
    };
    const dying: Summarize = () => {
      isDead = true;
      return never;
    };
    const first = coached(strictModel({ script: calling(bye) }), {
      log: mortal,
      files,
      summarize: dying,
      leaseTtlMs: 150,
    });
    const run = first.pawl.run("coach", { userId: "ada", input: "Bye" });
    const { sessionId } = await run.started;
    run.result.catch(() => undefined);
    await expect.poll(() => isDead).toBe(true);
    const summarize = vi.fn<Summarize>(() => "Made by the second one.");
    const second = coached(strictModel({ script: [] }), { log, files, summarize });
    await expect.poll(() => second.pawl.sweep()).toBe(1);
    await expect.poll(async () => (await log.sessions.get(sessionId))?.status).toBe("completed");
    expect(summarize).toHaveBeenCalledTimes(1);
    const own = userFiles(files, "ada");
    const made = await fileIndex(own, "session-summaries");
    expect(made).toHaveLength(1);
    expect((await readMarkdown(own, made[0]?.path ?? ""))?.body).toBe("Made by the second one.");
  });
});

describe("the loop", () => {
  it("L3 L4 L5 L13 has the limits of its sources", () => {
    const { limits, maxTokens } = coach({ model: strictModel() });
    expect({ ...limits, maxTokens }).toMatchObject({
      turns: 5,
      wallClockMs: 55_000,
      toolCalls: 15,
      errorTurns: 2,
      maxTokens: 4_096,
    });
  });

  it("L2 bug 2 of 002: runs calls only if the stop reason is tool_use", async () => {
    expectPrinted('pawl: The model ended its answer (end_turn) with a call of "save_file". It was not run.');
    const files = memoryFiles();
    const ended = {
      text: "Done.",
      tools: [{ name: "save_file", input: { file_type: "capture", content: "x" } }],
      stop: "end_turn",
    };
    const { ask } = await scriptedCoach([ended], undefined, { files });
    const { stop, actions } = await ask({ input: "Go" });
    expect(actions.filter(({ success }) => success === true)).toEqual([]);
    expect(await files.list()).toEqual([]);
    expect(stop.message).not.toBe("");
    const used = await scriptedCoach(saving({ file_type: "capture", content: "x" }), undefined, { files });
    await used.ask({ input: "Go" });
    expect(await files.list()).toHaveLength(1);
  });

  it("L8 bug 3 of 002: reports an answer that was cut off, and writes nothing for its incomplete call", async () => {
    const files = memoryFiles();
    const cut = {
      text: "I will save",
      tools: [{ name: "save_file", input: { file_type: "capture", content: "x" } }],
      clip: 20,
    };
    const { ask, model } = await ruledCoach(undefined, {
      files,
      script: [cut, { text: "Where were we?" }],
    });
    const { stop, sessionId } = await ask({ input: "Go" });
    expect(stop.type).toBe("max_tokens");
    expect(stop.message).toMatch(/\w+/);
    expect(await files.list()).toEqual([]);
    await ask({ sessionId, input: "Go on" });
    expect(model.rejected).toEqual([]);
  });

  it("X1 bug 4 of 002: writes a tool's files to the user of the session", async () => {
    const files = memoryFiles();
    const { ask } = await scriptedCoach([...saving(capture(1)[1]), ...saving(capture(2)[1])], undefined, {
      files,
    });
    await ask({ input: "Go", userId: "ada" });
    await ask({ input: "Go", userId: "bob" });
    const folders = (await files.list()).map(({ path }) => path.split("/")[0]);
    expect(folders).toEqual(["ada", "bob"]);
  });

  it("L13 runs fifteen calls of a request, refuses the sixteenth, and counts from zero in the next request", async () => {
    const files = memoryFiles();
    const many = (from: number) => Array.from({ length: 8 }, (_, n) => capture(from + n));
    const script = [
      ...calling(...many(0)).slice(0, 1),
      ...calling(...many(8)).slice(0, 1),
      ...calling(capture(99)),
    ];
    const { ask } = await scriptedCoach(script, undefined, { files });
    const { actions, stop, sessionId } = await ask({ input: "Go" });
    expect(actions.filter(({ success }) => success)).toHaveLength(coachLimits.toolCalls);
    expect(actions.filter(({ success }) => !success)).toHaveLength(1);
    expect(stop.type).not.toBe("error");
    expect((await ask({ sessionId, input: "More" })).actions).toMatchObject([{ success: true }]);
    expect(await files.list()).toHaveLength(16);
  });

  it("L3 L5 ends with a message to the user after five turns, or after two in which every call failed", async () => {
    const endless = (call: [string, object]) => (_: unknown, n: number) =>
      ({ tools: [{ name: call[0], input: { ...call[1], attributes: { energy: `${n}` } } }] }) as never;
    const five = await (await scriptedCoach(endless(capture(0)))).ask({ input: "Go" });
    expect([five.stop.type, five.turns]).toEqual(["turn_limit", 5]);
    const two = await (await scriptedCoach(endless(bad))).ask({ input: "Go" });
    expect([two.stop.type, two.turns]).toEqual(["circuit_open", 2]);
    for (const { stop } of [five, two]) expect(stop.message.length).toBeGreaterThan(10);
  });

  it("L6 L7 saves three files at once: if one fails, only its own call is an error", async () => {
    const dir = await tempDir();
    const { ask, model } = await ruledCoach(dir, { script: calling(capture(1), bad, capture(2)) });
    const { actions } = await ask({ input: "Go" });
    expect(actions.map(({ success }) => success)).toEqual([true, false, true]);
    const results = Object(model.requests[1]?.messages.at(-1)).content as {
      type: string;
      is_error?: boolean;
    }[];
    expect(results.map(({ type, is_error }) => [type, is_error === true])).toEqual([
      ["tool_result", false],
      ["tool_result", true],
      ["tool_result", false],
    ]);
  });
});
