import type { Reply } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { type HandModel, handModel } from "../../../sse/test/support/hand-model.ts";
import { agent, agentTool, type SessionEvent } from "../../src/index.ts";
import { localTail } from "../../src/store.ts";
import { newView, reduceView } from "../../src/view.ts";
import { setup, stored, user } from "../support/setup.ts";
import { askWith, calling, echo, text } from "../support/tools.ts";

const ask = askWith(text);
const tasks = (...ids: string[]): Reply => ({
  tools: ids.map((id) => ({ name: "worker", id, input: { task: "Write." } })),
});

function world(model: HandModel, script: readonly Reply[], showsText = true) {
  const worker = agent({ name: "scribe", model, instructions: "Write.", tools: [ask, echo().tool] });
  const tail = localTail();
  const listening = new Map<string, number>();
  const counted: typeof tail = {
    ...tail,
    subscribe(id, onChange) {
      listening.set(id, (listening.get(id) ?? 0) + 1);
      const leave = tail.subscribe(id, onChange);
      return () => {
        listening.set(id, (listening.get(id) ?? 0) - 1);
        leave();
      };
    },
  };
  const tools = [
    agentTool({
      agent: worker,
      name: "worker",
      description: "",
      ...(showsText && { shows: "text" as const }),
    }),
  ];
  return { ...setup(script, { tools }, { tail: counted, times: { pollMs: 600_000 } }), listening, tail };
}

/** A reader that reads until the session has settled. */
function reader(events: AsyncIterable<SessionEvent>) {
  const seen: SessionEvent[] = [];
  const done = (async () => {
    for await (const event of events) seen.push(event);
  })();
  return {
    done,
    seen,
    said: () => seen.flatMap((event) => (event.type === "agent_delta" ? [event.data.text] : [])).join(""),
    part: () =>
      seen
        .reduce(reduceView, newView())
        .messages.at(-1)
        ?.parts.find(({ type }) => type === "tool"),
  };
}

describe("an agent whose text is shown", () => {
  it("W4 is read while it writes, by late readers from the answer's beginning, and is not in the caller's log", async () => {
    const model = handModel();
    const made = world(model, [tasks("toolu_a"), { text: "It is written." }]);
    const run = made.pawl.run("tester", { ...user, input: "Go" });
    const early = reader(run);
    const { sessionId } = await run.started;
    const turn = await model.turn();
    turn.say("Once upon ");
    await expect.poll(early.said).toBe("Once upon ");
    expect(early.part()).toMatchObject({ phase: "running", said: { text: "Once upon " } });
    const {
      session_id,
      agent: who,
      tool_name,
      call_id,
    } = { ...(early.seen.at(-1)?.data as object) } as Record<string, string>;
    expect({ session_id, who, tool_name, call_id }).toEqual({
      session_id: `${sessionId}:toolu_a`,
      who: "scribe",
      tool_name: "worker",
      call_id: "toolu_a",
    });
    const lastSeq = (await made.log(sessionId)).length;
    const late = reader(made.pawl.follow(sessionId, { afterSeq: lastSeq, untilIdle: true }));
    await expect.poll(late.said).toBe("Once upon ");
    turn.say("a time.");
    await expect.poll(late.said).toBe("Once upon a time.");
    turn.end();
    await Promise.all([early.done, late.done]);
    expect(early.said()).toBe("Once upon a time.");
    expect((await run.result).text).toBe("It is written.");
    expect(early.part()).toMatchObject({ phase: "done", result: "Once upon a time." });
    expect(early.part()).not.toHaveProperty("said");
    const { messages } = await made.pawl.view(sessionId, user);
    expect(early.seen.reduce(reduceView, newView()).messages).toEqual(messages);
    expect(messages.at(-1)?.text).toBe("It is written.");
    expect(JSON.stringify(await made.log(sessionId))).not.toContain("agent_delta");
    expect([...made.listening.values()]).toEqual([0, 0]);
  });

  it("W4 keeps apart agents that write at the same time, and the answers of one agent", async () => {
    const model = handModel();
    const made = world(model, [tasks("toolu_a", "toolu_b"), { text: "Done." }]);
    const run = made.pawl.run("tester", { ...user, input: "Go" });
    const reading = reader(run);
    const [one, two] = [await model.turn(), await model.turn()];
    one.say("one");
    two.say("two");
    await expect.poll(reading.said).toHaveLength(6);
    one.end([{ id: "toolu_q", name: "ask", input: { text: "?" } }]);
    two.end();
    await reading.done;
    const { sessionId, pending } = await run.result;
    expect(pending).toHaveLength(1);
    const again = made.pawl.run("tester", {
      ...user,
      sessionId,
      answers: [{ callId: pending[0]?.callId ?? "", value: "yes" }],
    });
    const next = reader(again);
    const more = await model.turn();
    more.say("more");
    await expect.poll(next.said).toBe("more");
    const whole = [...reading.seen, ...next.seen].reduce(reduceView, newView());
    const parts = whole.messages.at(-1)?.parts.filter((part) => part.type === "tool") ?? [];
    expect(parts.map(({ said, result }) => said?.text ?? result).sort()).toEqual(["more", "two"]);
    more.end();
    await next.done;
    expect((await again.result).stop.type).toBe("end_turn");
    expect(new Set(made.listening.values())).toEqual(new Set([0]));
  });

  it("W4 is read answer by answer, and no longer than its call runs", async () => {
    const model = handModel();
    const made = world(model, [tasks("toolu_a", "toolu_b"), { text: "Done." }]);
    const run = made.pawl.run("tester", { ...user, input: "Go" });
    const early = reader(run);
    const { sessionId } = await run.started;
    const [one, two] = [await model.turn(), await model.turn()];
    one.say("a long first answer");
    await expect.poll(early.said).toBe("a long first answer");
    one.end([{ id: "toolu_e", ...calling("echo") }]);
    const next = await model.turn();
    next.say("the second");
    await expect.poll(early.said).toBe("a long first answerthe second");
    next.end();
    await stored(made, sessionId, "tool_result");
    await expect.poll(() => [...made.listening.values()].sort()).toEqual([0, 1, 1]);
    two.say("other");
    const late = reader(made.pawl.follow(sessionId, { untilIdle: true }));
    await expect.poll(late.said).toBe("other");
    two.end();
    await Promise.all([early.done, late.done]);
  });

  it("is shown nowhere unless its tool says so", async () => {
    const model = handModel();
    const made = world(model, [tasks("toolu_a"), { text: "Done." }], false);
    const run = made.pawl.run("tester", { ...user, input: "Go" });
    const reading = reader(run);
    const { sessionId } = await run.started;
    const turn = await model.turn();
    turn.say("private");
    expect(made.tail.peek(`${sessionId}:toolu_a`).live).toBeDefined();
    expect(made.tail.peek(sessionId).live?.agents.size).toBe(0);
    turn.end();
    await reading.done;
    expect(reading.seen.map(({ type }) => type)).not.toContain("agent_delta");
  });
});

it("K1 a piece of an agent's text that leaves a gap is ignored, one that overlaps counts once", () => {
  const stored = { sessionId: "s", v: 1, at: "", key: "" };
  const call = { type: "tool_use", id: "c", name: "worker", input: {} };
  const before = [
    { ...stored, seq: 1, type: "run_started", data: { run_id: "r", agent: "a", agent_version: "1" } },
    {
      ...stored,
      seq: 2,
      type: "assistant_message",
      data: { content: [call], disposition: "kept", stop_reason: "tool_use", attempt: 1, complete: 1 },
    },
  ] as unknown as SessionEvent[];
  const delta = (attempt: number, offset: number, text: string): SessionEvent => ({
    type: "agent_delta",
    data: {
      attempt,
      index: 0,
      offset,
      text,
      call_id: "c",
      tool_name: "worker",
      agent: "a",
      session_id: "s:c",
    },
  });
  const said = (...deltas: SessionEvent[]) =>
    [...before, ...deltas]
      .reduce(reduceView, newView())
      .messages.at(-1)
      ?.parts.map((part) => "said" in part && part.said?.text);
  expect(said(delta(3, 0, "abc"), delta(3, 2, "cd"), delta(3, 9, "x"))).toEqual(["abcd"]);
  expect(said(delta(3, 0, "abc"), delta(7, 4, "x"))).toEqual(["abc"]);
  expect(said(delta(3, 0, "abc"), delta(7, 0, "x"))).toEqual(["x"]);
});
