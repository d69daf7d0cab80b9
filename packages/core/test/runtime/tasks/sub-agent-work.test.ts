import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type Json, type StoredEvent, type ToolContext, tool } from "../../../src/index.ts";
import { foldView } from "../../../src/view.ts";
import { family, ofType, sessionId, task } from "../../support/family.ts";
import { user } from "../../support/setup.ts";
import { beforeAppend, has } from "../../support/stores.ts";
import { ask, question } from "../../support/tools.ts";

const draw = tool({
  name: "draw",
  description: "Draws.",
  input: z.object({}),
  status: { start: "Drawing …", done: "Drawn." },
  execute: (_, { createArtifact, progress }: ToolContext) => {
    progress({ percent: 50 });
    return createArtifact({ type: "bar_chart", title: "GDP", payload: { data: [5.8] } });
  },
});
const drawing = { tools: [{ name: "draw", id: "toolu_d" }] };
const callee = { tools: [draw, ask] };
const asked = [{ tools: task("toolu_a") }, { text: "See the chart." }];

const titles = (log: readonly StoredEvent[]) =>
  log.flatMap((event) => (event.type === "artifact" ? [event.data.title] : []));

describe("F22 what a sub-agent's tools make", () => {
  it("F22 is an artifact of the caller, with the result of its call, for the view and for the model", async () => {
    const world = family(asked, [drawing, { text: "Here it is." }], { callee });
    await world.say();
    const log = await world.log();
    expect(titles(log)).toEqual(["GDP"]);
    const { messages } = await foldView(log);
    const parts = messages.at(-1)?.parts.map((part) => part.type);
    expect(parts).toEqual(["tool", "artifact", "text"]);
    expect(JSON.stringify(world.caller.requests[1]?.messages)).toContain("GDP");
    await world.check();
  });

  it("F22 is there while the sub-agent asks the user, and is stored once", async () => {
    const script = [drawing, { tools: [question] }, { text: "Here it is." }];
    const world = family(asked, script, { callee });
    await world.say();
    expect(titles(await world.log())).toEqual(["GDP"]);
    const answers = [{ callId: "toolu_a", value: "yes" }];
    await world.boot().run("host", { ...user, sessionId, answers }).result;
    expect(titles(await world.log())).toEqual(["GDP"]);
    await world.check();
  });

  it("F22 stays if the task fails", async () => {
    const script = [drawing, drawing, drawing];
    const world = family(asked, script, { callee, slice: { turns: 1 } });
    const { actions } = await world.say();
    expect(actions[0]?.success).toBe(false);
    expect(titles(await world.log())).toEqual(["GDP"]);
  });

  it.each(["tool_result", "artifact"] as const)(
    "F22 is stored once if the process dies before it stores %s",
    async (type) => {
      const world = family(asked, [drawing, { text: "Here it is." }], { callee });
      let died = false;
      const dying = beforeAppend(world.base, (events, id) => {
        if (died || id !== sessionId || !has(events, type)) return;
        died = true;
        throw new Error("killed");
      });
      await world.say(world.boot(dying, { onError: () => undefined })).catch(() => undefined);
      expect(died).toBe(true);
      const next = world.boot();
      await next.recover(sessionId);
      await Array.fromAsync(next.follow(sessionId, { untilIdle: true }));
      expect(titles(await world.log())).toEqual(["GDP"]);
      await world.check();
    },
  );
});

/** Runs the family with `shows: "all"`, and returns what readers get. */
async function shown() {
  const world = family(asked, [drawing, { text: "Here it is." }], { callee, delegate: { shows: "all" } });
  await world.base.sessions.create({ id: sessionId, userId: "u1", agent: "host" });
  const live: Json[] = [];
  for await (const event of world.boot().run("host", { ...user, sessionId, input: "Go" }))
    if (event.type === "tool_progress") live.push(event.data.data);
  return { world, live };
}

describe('F22 a sub-agent with shows: "all"', () => {
  it("F22 shows the status and progress of its calls as progress of the caller's call", async () => {
    const { live } = await shown();
    expect(live).toContainEqual({ agent: "researcher", tool_name: "draw", data: { percent: 50 } });
    expect(live.at(-1)).toEqual({ agent: "researcher", tool_name: "draw", phase: "done", message: "Drawn." });
  });

  it("F22 shows its calls after a reload, and not to the caller's model", async () => {
    const { world } = await shown();
    const parts = ofType(await world.log(), "data_part").map(({ data }) => data);
    const data = { agent: "researcher", tool_name: "draw", call_id: "toolu_d" };
    const part = { type: "data-agent-call", id: "toolu_a:toolu_d", call_id: "toolu_a" };
    expect(parts).toEqual([
      { ...part, data: { ...data, phase: "start", message: "Drawing …" } },
      { ...part, data: { ...data, phase: "done", message: "Drawn." } },
    ]);
    expect(JSON.stringify(world.caller.requests)).not.toContain("Drawing");
    await world.check();
  });
});

it('F22 shows: "all" shows each call once, also when another process continues the task', async () => {
  const script = [drawing, { tools: [question] }, { text: "Here it is." }];
  const world = family(asked, script, { callee, delegate: { shows: "all" } });
  await world.say();
  const answers = [{ callId: "toolu_a", value: "yes" }];
  await world.boot().run("host", { ...user, sessionId, answers }).result;
  const phases = ofType(await world.log(), "data_part").map(({ data }) => {
    const { data: shown } = data as unknown as { data: { tool_name: string; phase: string } };
    return `${shown.tool_name} ${shown.phase}`;
  });
  expect(phases).toEqual(["draw start", "draw done", "ask done"]);
  await world.check();
});

describe("F22 a sub-agent with history: true", () => {
  const delegate = { history: true };
  const textOfTask = (world: ReturnType<typeof family>) => JSON.stringify(world.callee.requests[0]?.messages);

  it("F22 reads the texts of the conversation before its task, and no calls", async () => {
    const script = [
      { text: "Hello, Ada." },
      { text: "Let me see.", tools: task("toolu_a") },
      { text: "Done." },
    ];
    const world = family(script, [{ text: "Found." }], { delegate });
    await world.say();
    await world.boot().run("host", { ...user, sessionId, input: "Who am I?" }).result;
    const text = textOfTask(world);
    expect(text).toContain(
      "User: Go\\n\\nAssistant: Hello, Ada.\\n\\nUser: Who am I?\\n\\nAssistant: Let me see.",
    );
    expect(text).not.toContain("toolu_");
    await world.check();
  });

  it("F22 reads nothing that was redacted, and the end of a long conversation only", async () => {
    const script = [{ text: "Hello, Ada." }, { tools: task("toolu_a") }, { text: "Done." }];
    const world = family(script, [{ text: "Found." }], { delegate });
    await world.say();
    const pawl = world.boot();
    const [first] = ofType(await world.log(), "user_message");
    await pawl.redact(sessionId, first?.seq ?? 0, { ...user, throughSeq: (await world.log()).length });
    await pawl.run("host", { ...user, sessionId, input: `${"x".repeat(39_900)} Who am I?` }).result;
    const text = textOfTask(world);
    expect(text).toContain("Who am I?");
    expect(text).not.toMatch(/redacted|Ada|User: Go/);
    expect(text.length).toBeLessThan(42_000);
  });

  it("F22 reads only its task by default", async () => {
    const world = family(asked, [{ text: "Found." }]);
    await world.say();
    expect(textOfTask(world)).not.toContain("Conversation");
  });
});
