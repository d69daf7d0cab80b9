import type { StrictModelOptions } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { expectPrinted } from "../../../../test/support/printed.ts";
import { memoryFiles, memoryStore, tool } from "../../src/index.ts";
import { base64, filing } from "../support/file-runs.ts";
import { png } from "../support/files.ts";
import { until } from "../support/setup.ts";
import { dyingStore } from "../support/stores.ts";

const hello = { text: "I see." };
const good = png(30, 20, { seed: 1 });
/** A picture with a valid header, whose pixels the API cannot decode. */
const broken = png(30, 20, { seed: 2 });
const file = (data: Uint8Array, name?: string) => ({ type: "file" as const, data, ...(name && { name }) });
const refusal = {
  status: 400,
  message: "messages.0.content.0.image.source.base64.data: Could not process image",
};

/** The API refuses each request that has the broken picture. */
const strict =
  (otherwise: Exclude<StrictModelOptions["rules"], undefined> = () => hello, fault = refusal) =>
  (...given: Parameters<typeof otherwise>) =>
    JSON.stringify(given[0].messages).includes(base64(broken)) ? { fault } : otherwise(...given);

describe("a file that the model's API refuses", () => {
  it("F1 E2 is left out, and the model answers without it, in this run and in all others", async () => {
    const { say, sent, log, pawl, model } = filing(strict());
    const { sessionId } = await say([file(good, "good.png"), { type: "text", text: "What is this?" }]);
    const input = [file(broken, "broken.png"), file(good), { type: "text" as const, text: "And this?" }];
    const { stop, text } = await say(input, { sessionId });
    expect([stop.type, text]).toEqual(["end_turn", "I see."]);
    const note = {
      type: "text",
      text: '[The file "broken.png" (image/png, 30 × 20 pixels) is left out: the model could not read it.]',
    };
    const before = sent();
    expect(before).toMatchObject([
      { type: "image" },
      { text: "What is this?" },
      note,
      { type: "text" },
      { text: "And this?" },
    ]);
    const errors = (await log(sessionId)).filter(({ type }) => type === "error");
    expect(errors).toMatchObject([
      { data: { code: "model_error", context: { status: 400, will_retry: true } } },
    ]);
    expect((await say("Thanks.", { sessionId })).text).toBe("I see.");
    expect(sent().slice(0, before.length)).toEqual(before);
    const { messages } = await pawl.view(sessionId, { userId: "ada" });
    expect(messages.flatMap(({ parts }) => parts).filter(({ type }) => type === "file")).toHaveLength(3);
    expect(model.rejected).toEqual([]);
    expect(model.requests).toHaveLength(4);
  });

  it("F1 E2 is left out of a tool's result, too, and a PDF or text that is too long of its message", async () => {
    const draw = tool({
      name: "draw",
      description: "Draws.",
      input: z.object({}),
      execute: () => "Drawn.",
      format: () => [
        { type: "image", source: { type: "base64", media_type: "image/png", data: base64(broken) } },
      ],
    });
    const rules = strict(({ messages }) =>
      JSON.stringify(messages).includes("tool_result") ? hello : { tools: [{ name: "draw", input: {} }] },
    );
    const { say, sent } = filing(rules, { tools: [draw] });
    expect((await say("Draw!")).stop.type).toBe("end_turn");
    expect(JSON.stringify(sent())).toContain("the model could not read it");
    const long = filing(
      strict(undefined, { status: 400, message: "prompt is too long: 250000 tokens > 200000 maximum" }),
    );
    expect((await long.say([file(broken)])).stop.type).toBe("end_turn");
  });

  it("F1 E2 does not leave out files for a failure of another kind, nor earlier files", async () => {
    for (const fault of [
      { status: 401, message: "invalid x-api-key for image" },
      { status: 400, message: "Your credit balance is too low to access the API." },
      { status: 400, message: "tools.0.custom.input_schema: JSON schema is invalid" },
    ]) {
      expectPrinted(`pawl: ${fault.message}`);
      const { say, log, model } = filing(strict(undefined, fault));
      const { sessionId, stop } = await say([file(broken)]);
      expect(stop.type).toBe("error");
      expect((await log(sessionId)).filter(({ type }) => type === "checkpoint")).toEqual([]);
      expect(model.requests).toHaveLength(1);
    }
    let refuses = false;
    const { say, model } = filing(() => (refuses ? { fault: refusal } : hello));
    const { sessionId } = await say([file(good)]);
    refuses = true;
    expectPrinted("Could not process image");
    expect((await say("Again?", { sessionId })).stop.type).toBe("error");
    expect(model.requests).toHaveLength(2);
  });

  it("F1 E2 is left out alone: a message that came during the request keeps its files", async () => {
    let isQueued = false;
    const rules: StrictModelOptions["rules"] = async ({ messages }) => {
      if (!JSON.stringify(messages).includes(base64(broken))) return hello;
      await until(() => isQueued);
      return { fault: refusal };
    };
    const { pawl, sent, model } = filing(rules, { whenBusy: "queue" });
    const first = pawl.run("looker", { userId: "ada", input: [file(broken)] });
    const { sessionId } = await first.started;
    await until(() => model.requests.length === 1);
    const second = pawl.run("looker", { userId: "ada", sessionId, input: [file(good)] });
    await second.started;
    isQueued = true;
    expect((await first.result).stop.type).toBe("end_turn");
    expect((await second.result).stop.type).toBe("end_turn");
    expect(sent()).toMatchObject([{ type: "text" }, { type: "image", source: { data: base64(good) } }]);
  });

  it("F1 E2 is tried without once: a request that is refused all the same ends the run", async () => {
    expectPrinted("Could not process image");
    const { say, model } = filing(() => ({ fault: refusal }));
    expect((await say([file(broken)])).stop.type).toBe("error");
    expect(model.requests).toHaveLength(2);
  });

  it("F1 P1 is left out once, whichever append the process dies at", async () => {
    let deaths = 0;
    for (let at = 1; ; at += 1) {
      let clock = 0;
      const log = memoryStore({ now: () => clock });
      const files = memoryFiles();
      let appends = 0;
      const store = dyingStore(log, () => ++appends === at);
      const first = filing(strict(), { store, files });
      const input = [file(broken)];
      const result = first.say(input, { clientMessageId: "m1" }).then(() => true);
      if (await Promise.race([result, until(() => store.dead).then(() => false)])) break;
      deaths += 1;
      clock += 60_000;
      const next = filing(strict(), { store: log, files });
      await next.pawl.sweep();
      const { sessionId, stop } = await next.say(input, { clientMessageId: "m1" });
      expect([at, stop.type]).toEqual([at, "end_turn"]);
      const events = await next.log(sessionId);
      expect(events.filter(({ type }) => type === "checkpoint")).toHaveLength(1);
    }
    expect(deaths).toBeGreaterThan(3);
  });
});
