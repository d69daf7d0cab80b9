import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type Agent, guardrail, memoryStore, tool } from "../../../src/index.ts";
import { atEveryAppend, eventsOf } from "../../support/every-append.ts";
import { boot, caller, flowTool, run, worker } from "../../support/flows.ts";

const draw = tool({
  name: "draw",
  description: "Draws.",
  input: z.object({}),
  status: { start: "Drawing" },
  idempotent: true,
  execute: (_, { createArtifact }) => createArtifact({ type: "drawing", title: "A cat", payload: {} }),
});
const artist = () =>
  worker(
    "artist",
    (text) => (text.includes("tool_result") ? { text: "Drawn." } : { tools: [{ name: "draw", input: {} }] }),
    { tools: [draw] },
  );
const drawing = (shows?: "all") => {
  const one = artist();
  const options = { key: "k", ...(shows && { shows }) };
  return caller(flowTool(async (_, { runAgent }) => (await runAgent(one, "go", options)).text)) as Agent;
};

describe("what a task of context.runAgent() shows", () => {
  it("F35 T8 stores its artifacts in the caller's log once, wherever the process dies", async () => {
    const deaths = await atEveryAppend({
      agent: "caller",
      boot: (store) => boot(() => drawing())(store),
      check: (_, all, where) => {
        const [own, ...others] = eventsOf(all, "artifact", "s").map(({ data }) => data.artifact_id);
        expect({ where, others }).toEqual({ where, others: [] });
        const below = [...all.keys()].find((id) => id !== "s") ?? "";
        expect(eventsOf(all, "artifact", below).map(({ data }) => data.artifact_id)).toContain(own);
      },
    });
    expect(deaths).toBeGreaterThan(15);
  });

  it("F35 T8 shows its calls with the tool's call, also after a reload", async () => {
    const store = memoryStore();
    await run(drawing("all"), store);
    const events = await Array.fromAsync(store.read("s"));
    const call = events.find((event) => event.type === "tool_started")?.data;
    const parts = events.filter((event) => event.type === "data_part").map(({ data }) => data);
    expect(parts).toMatchObject(
      ["start", "done"].map((phase) => ({
        type: "data-agent-call",
        call_id: (call as { call_id: string }).call_id,
        data: { agent: "artist", tool_name: "draw", phase },
      })),
    );
  });

  it("F34 F35 is what the guards of its agent let through", async () => {
    const secret = "4711-SECRET";
    const careful = worker("careful", () => ({ text: `It is ${secret}.` }), {
      hooks: [guardrail({ output: ({ text }) => (text.includes(secret) ? { block: "No." } : undefined) })],
    });
    const flow = flowTool(async (_, { runAgent }) => {
      const { text, stop } = await runAgent(careful, "go", { key: "k", shows: "text" });
      return `${stop.type}: ${text}`;
    });
    const store = memoryStore();
    const pawl = boot(() => caller(flow) as Agent)(store);
    const handle = pawl.run("caller", { userId: "u", input: "go" });
    const seen = JSON.stringify(await Array.fromAsync(handle));
    const { text, sessionId } = await handle.result;
    expect(text).toBe('"blocked: "');
    expect(seen + JSON.stringify(await Array.fromAsync(store.read(sessionId)))).not.toContain(secret);
  });
});
