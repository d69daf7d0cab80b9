import { type Json, jsonSchema } from "@pawl/core";
import { describe, expect, it } from "vitest";
import { expectPrinted } from "../../../../test/support/printed.ts";
import { agUi, aiSdk } from "../../src/index.ts";
import { type AgEvent, httpAgent, reloaded, say } from "../support/agents.ts";
import { chat, eventually, history, type Message, textOf } from "../support/chat.ts";
import { type HandModel, handModel } from "../support/hand-model.ts";
import { confirm, look, serve } from "../support/served.ts";

const output = jsonSchema({
  type: "object",
  properties: { city: { type: "string" }, days: { type: "array", items: { type: "number", maximum: 60 } } },
  required: ["city", "days"],
});
const oslo = { city: "Oslo", days: [12, 14] };
const long = { city: "O".repeat(200), days: [12, 14] };

/** A model with output formats, or one that has to call a tool. */
const WAYS = [
  ["an output format", (): HandModel => ({ ...handModel(), outputFormat: (schema) => schema })],
  ["a tool", handModel],
] as const;

/** Writes an object, piece by piece, by either way. */
async function write(model: HandModel, value: Json, pieces = 4, hold?: () => Promise<void>): Promise<void> {
  const turn = await model.turn();
  const json = JSON.stringify(value);
  const size = Math.ceil(json.length / pieces);
  if (model.outputFormat === undefined)
    return turn.end([{ id: `c${Math.random()}`.replace(".", ""), name: "final_answer", input: value }]);
  for (let at = 0; at < json.length; at += size) {
    turn.say(json.slice(at, at + size));
    await hold?.();
  }
  turn.end();
}

describe.each(WAYS)("an object by %s", (_, modelOf) => {
  const isFormat = modelOf().outputFormat !== undefined;

  describe.each([6, 7] as const)("in useChat of AI SDK %i", (version) => {
    it("F2 X3 is a data part that grows, and is the same after a reload", async () => {
      const model = modelOf();
      const served = await serve(model, { dialect: aiSdk(), output });
      const page = chat(version, served);
      const sent = page.sendMessage({ text: "Oslo?" });
      const data = () =>
        page.messages
          .at(-1)
          ?.parts.flatMap((part) => (part.type === "data-output" ? [part as object] : [])) ?? [];
      const seen = new Set([JSON.stringify(data())]);
      await write(model, long, 3, async () => {
        await eventually(() => !seen.has(JSON.stringify(data())));
        seen.add(JSON.stringify(data()));
      });
      await sent;
      const part = { type: "data-output", id: "output", data: { value: long, final: true } };
      expect(data()).toEqual([part]);
      if (isFormat) expect(seen.size).toBeGreaterThan(3);
      expect(textOf(page.messages.at(-1))).toBe("");
      expect((await history(served, page.id)).at(-1)?.parts).toContainEqual(part);
      expect(page.status).toBe("ready");
    });

    it("F2 X3 is withdrawn if it is wrong, and replaced by the next one", async () => {
      const model = modelOf();
      const served = await serve(model, { dialect: aiSdk(), output });
      const page = chat(version, served);
      const sent = page.sendMessage({ text: "Oslo?" });
      const isShown = () => page.messages.at(-1)?.parts.some(({ type }) => type === "data-output") === true;
      await write(model, { city: "x".repeat(200), days: [99] }, 2, () => eventually(isShown));
      await write(model, oslo);
      await sent;
      const parts = page.messages.at(-1)?.parts.filter(({ type }) => type.startsWith("data-"));
      expect(parts).toEqual([{ type: "data-output", id: "output", data: { value: oslo, final: true } }]);
      const types = (of: Message | undefined) => of?.parts.map(({ type }) => type);
      expect(types(page.messages.at(-1))).toEqual(types((await history(served, page.id)).at(-1)));
    });

    it("F2 is an error without an object if the second one is wrong too", async () => {
      const model = modelOf();
      const served = await serve(model, { dialect: aiSdk(), output });
      const page = chat(version, served);
      const sent = page.sendMessage({ text: "Oslo?" });
      await write(model, { city: "x".repeat(200), days: [99] }, 2);
      await write(model, { city: "x".repeat(200), days: [99] }, 2);
      await sent;
      expect(page.status).toBe("error");
      const finals = page.messages
        .flatMap(({ parts }) => parts)
        .filter((part) => JSON.stringify(part).includes('"final":true'));
      expect(finals).toEqual([]);
    });
  });

  describe.each(["0.0.59", "1.0"] as const)("in AG-UI %s", (version) => {
    it("F2 X3 is in the state while it grows, and the result of the run", async () => {
      expectPrinted("AG-UI clients send `state`, which the agent does not read.");
      const model = modelOf();
      const served = await serve(model, { dialect: agUi(), output });
      const agent = httpAgent(version, served) as ReturnType<typeof httpAgent> & { state: object };
      agent.state = { own: 1 };
      const saying = say(agent, "Oslo?");
      const states = new Set([JSON.stringify(agent.state)]);
      await write(model, long, 3, async () => {
        await eventually(() => !states.has(JSON.stringify(agent.state)));
        states.add(JSON.stringify(agent.state));
      });
      const events: AgEvent[] = await saying;
      expect(agent.state).toEqual({ own: 1, output: long });
      if (isFormat) expect(states.size).toBeGreaterThan(3);
      expect(events.at(-1)).toMatchObject({ type: "RUN_FINISHED", result: long });
      expect(events.filter(({ type }) => type.startsWith("TEXT") || type.startsWith("TOOL"))).toEqual([]);
      const page = await reloaded(version, served, agent.threadId);
      expect(page.messages.map(({ role }) => role)).toEqual(["user"]);
      const body = await (await served.ask(`/runs/${agent.threadId}`)).json();
      expect(body).toMatchObject({ state: { output: long } });
    });
  });

  it("F2 X3 sends at most about ten times its length, however small its pieces are", async () => {
    if (!isFormat) return;
    const model = modelOf();
    const served = await serve(model, { dialect: aiSdk(), output });
    const large = { city: "O".repeat(20_000), days: [] };
    const asked = served.ask("/runs", {
      json: {
        id: "t",
        trigger: "submit-message",
        messages: [{ id: "m", role: "user", parts: [{ type: "text", text: "?" }] }],
      },
    });
    await write(model, large, 4_000, async () => await new Promise((resolve) => setImmediate(resolve)));
    const text = await (await asked).text();
    expect(text.length).toBeGreaterThan(40_000);
    expect(text.length).toBeLessThan(300_000);
  });

  it("F2 comes after tools and questions too", async () => {
    const model = modelOf();
    const served = await serve(model, { dialect: aiSdk(), output, tools: [look, confirm] });
    const page = chat(7, served);
    const sent = page.sendMessage({ text: "Oslo?" });
    (await model.turn()).end([{ id: "q1", name: "confirm", input: { question: "Sure?" } }]);
    await sent;
    const answered = page.addToolOutput({ tool: "confirm", toolCallId: "q1", output: { yes: true } });
    await write(model, oslo);
    await answered;
    await eventually(
      () => JSON.stringify(page.messages).includes('"final":true'),
      () => page.messages,
    );
    expect(page.messages.at(-1)?.parts.at(-1)).toMatchObject({ data: { value: oslo, final: true } });
  });
});
