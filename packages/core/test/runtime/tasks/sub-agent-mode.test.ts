import { type Reply, strictModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { agent, agentTool, memoryStore, permissions, runtime, tool } from "../../../src/index.ts";
import { user } from "../../support/setup.ts";
import { askWith, calling, echo, text } from "../../support/tools.ts";

const hooks = [permissions({ allow: { talk: ["ask", "deeper"], work: ["ask", "deeper", "write"] } })];
const ask = askWith(text);
const task = (name: string) => ({ tools: [{ name, id: `toolu_${name}`, input: { task: "Write it." } }] });
const enter = tool({
  name: "enter",
  description: "Sets the mode.",
  input: text,
  execute: ({ text: mode }, { setMode }) => setMode(mode === "none" ? null : mode),
});
/** Sets the mode that the user answers. */
const choose = tool({
  name: "choose",
  description: "Lets the user set the mode.",
  input: text,
  suspends: { answer: z.string() },
  execute: (_, { setMode, answer }) => setMode(answer),
});

/** A caller whose worker may write where the type allows it, and hands its tasks on where `deep`. */
function world(caller: readonly Reply[], worker: readonly Reply[], deep = false) {
  const store = memoryStore();
  const write = echo("write", { repeatable: true });
  const made = (name: string, script: readonly Reply[], tools: Parameters<typeof agent>[0]["tools"] & {}) =>
    agent({
      name,
      instructions: "Do it.",
      model: strictModel({ script }),
      tools,
      hooks: name === "host" ? [] : hooks,
    });
  const writer = made("writer", worker, [ask, write.tool]);
  const deeper = agentTool({ agent: writer, name: "deeper", description: "" });
  const first = deep ? made("first", [task("deeper"), { text: "Ok." }], [deeper]) : writer;
  const host = made("host", caller, [
    agentTool({ agent: first, name: "worker", description: "" }),
    enter,
    choose,
  ]);
  const pawl = runtime({ agents: [host], store, times: { storeRetryMs: [] } });
  const denied = async (child: string) =>
    (await Array.fromAsync(store.read(child))).flatMap((event) =>
      event.type === "tool_result" && !event.data.success ? [event.data.result] : [],
    );
  return {
    store,
    wrote: write.ran,
    denied,
    say: (type: string) => pawl.run("host", { ...user, input: "Go", metadata: { type } }).result,
    answer: (sessionId: string, callId: string, value: string) =>
      pawl.run("host", { ...user, sessionId, answers: [{ callId, value }] }).result,
  };
}

const writing: Reply[] = [{ tools: [calling("write")] }, { text: "Done." }];

describe("an agent as a tool", () => {
  it.each([false, true])(
    "T5 goes by the mode that its caller is in, at any depth (deep: %s)",
    async (deep) => {
      const caller = [{ tools: [calling("enter", "talk")] }, task("worker"), { text: "Ok." }];
      const made = world(caller, writing, deep);
      const { sessionId, stop } = await made.say("work");
      expect(stop.type).toBe("end_turn");
      expect(made.wrote).toEqual([]);
      const child = `${sessionId}:toolu_worker`;
      const writer = deep ? `${child}:toolu_deeper` : child;
      expect(await made.denied(writer)).toEqual([expect.stringContaining('not allowed in "talk"')]);
      expect((await made.store.sessions.get(writer))?.metadata.type).toBe("talk");
    },
  );

  it("T5 may do what the caller's mode allows, and goes by its type again where there is no mode", async () => {
    const caller = (mode: string) => [{ tools: [calling("enter", mode)] }, task("worker"), { text: "Ok." }];
    const allowed = world(caller("work"), writing);
    await allowed.say("talk");
    expect(allowed.wrote).toEqual(["a"]);
    const back = world(caller("none"), writing);
    await back.say("talk");
    expect(back.wrote).toEqual([]);
  });

  it("T5 resumes after a question in the mode that its caller has by then", async () => {
    const both = { tools: [...task("worker").tools, calling("choose", "?", "toolu_choose")] };
    const made = world([both, { text: "Ok." }], [{ tools: [calling("ask")] }, ...writing]);
    const { sessionId, pending } = await made.say("work");
    expect(pending.map(({ callId }) => callId)).toEqual(["toolu_worker", "toolu_choose"]);
    await made.answer(sessionId, "toolu_choose", "talk");
    const { stop } = await made.answer(sessionId, "toolu_worker", "yes");
    expect(stop.type).toBe("end_turn");
    expect(made.wrote).toEqual([]);
    expect(await made.denied(`${sessionId}:toolu_worker`)).toHaveLength(1);
  });
});
