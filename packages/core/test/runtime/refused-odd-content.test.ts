import { strictModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { assertSoundLog } from "../../../../test/support/invariants.ts";
import { type ContentBlock, type Json, memoryStore, tool } from "../../src/index.ts";
import {
  bad,
  filtered,
  REFUSALS,
  type Rules,
  refusing,
  says,
  talk,
  texts,
  windowOf,
} from "../support/refusing.ts";

describe("content that is long in other ways than one text", () => {
  it("B1 drops the oldest messages if there are too many to shorten", async () => {
    const { say, model, checkpoints } = talk(windowOf(8_000, () => says("Hello. ".repeat(20))));
    for (let n = 0; n < 60; n += 1)
      expect((await say(`Number ${n}. ${"short ".repeat(20)}`)).stop.type).toBe("end_turn");
    expect((await checkpoints()).some(({ reason }) => reason === "start")).toBe(true);
    expect(texts(model.requests.at(-1) as never)).toContain("Number 59.");
    expect(model.rejected).toEqual([]);
  });

  it.each<[string, Json]>([
    ["a list of many numbers", { rows: Array.from({ length: 10_000 }, (_, n) => n % 10) }],
    ["many short texts", { rows: Array.from({ length: 1_000 }, () => "twenty characters yes") }],
    ["quotes, which count twice in JSON", { rows: '"'.repeat(12_000) }],
  ])("B1 shortens the input of a call that is long for %s", async (_, input) => {
    const write = tool({
      ...{ name: "write", description: "Writes.", execute: () => "Saved." },
      input: z.object({ rows: z.any() }),
    });
    const rules = windowOf(16_000, (request) =>
      texts({ ...request, messages: request.messages.slice(-1) }).includes("Write")
        ? { tools: [{ name: "write", input }] }
        : says("Done."),
    );
    const { say, model } = talk(rules, { tools: [write], maxTokens: 30_000 });
    for (const message of ["Write", "Hello"]) expect((await say(message)).stop.type).toBe("end_turn");
    const bodies = model.requests.map(texts);
    expect(new Set(bodies).size).toBe(bodies.length);
  });

  it.each<[string, readonly ContentBlock[]]>([
    ["many small blocks", Array.from({ length: 900 }, (_, n) => ({ type: "text", text: `Row ${n}` }))],
    [
      "a document of text",
      [{ type: "document", source: { type: "text", media_type: "text/plain", data: "d".repeat(30_000) } }],
    ],
  ])("B1 shortens a result that is long for %s", async (_, blocks) => {
    const list = tool({
      ...{
        name: "list",
        description: "Lists.",
        input: z.object({}),
        execute: () => "",
        format: () => [...blocks],
      },
      maxResultChars: 100_000,
    });
    const rules = windowOf(16_000, (request) =>
      texts({ ...request, messages: request.messages.slice(-1) }).includes("List")
        ? { tools: [{ name: "list", input: {} }] }
        : says("Done."),
    );
    const { say, model } = talk(rules, { tools: [list] });
    for (const message of ["List", "Hello"]) expect((await say(message)).stop.type).toBe("end_turn");
    expect(model.rejected).toEqual([]);
  });

  it("B1 reads the limit among several numbers, and no number that cannot be one", async () => {
    const words = (tokens: number) =>
      `Request 4999999999: this model's maximum context length is 8000 tokens. However, you requested ${tokens + 500} tokens (${tokens} in the messages).`;
    const { say, model, errors } = talk(windowOf(8_000, () => says("Hello."), words));
    expect((await say("x".repeat(60_000))).stop.type).toBe("end_turn");
    expect(texts(model.requests.at(-1) as never).length).toBeGreaterThan(4_000);
    expect(errors).toEqual([]);
  });
});

describe("an answer of the model that a filter refuses later", () => {
  it("B1 is left out with the second message that is refused, and that message is answered", async () => {
    const rules: Rules = (request) => (bad(request) ? filtered : says("FORBIDDEN words"));
    const { say, model } = talk(rules);
    const stops = [];
    for (const input of ["one", "two", "three", "four"]) stops.push((await say(input)).stop.type);
    expect(stops).toEqual(["end_turn", "refusal", "end_turn", "refusal"]);
    expect(model.rejected).toEqual([]);
  });
});

describe.each(REFUSALS)("an earlier conversation that is refused later by %s", (_, refusal) => {
  it("B1 is left out with the second message after a change of the model", async () => {
    const store = memoryStore();
    const model = strictModel({ model: "claude-haiku-4-5", rules: () => says("Hello.") });
    const before = talk(() => says(""), { model }, { store });
    await before.stops("FORBIDDEN", "Tell me more", "And more", "Thanks");
    const [{ sessionId = "" } = {}] = await before.log();
    const after = talk(
      refusing(refusal, () => says("Fine.")),
      {},
      { store },
    );
    const say = async (input: string) =>
      (await after.pawl.run("helper", { userId: "ada", sessionId, input }).result).stop.type;
    // The model's own refusal counts from the second in a row, so it takes one message more.
    const refusals = refusal === filtered ? ["refusal"] : ["refusal", "refusal"];
    for (const stop of [...refusals, "end_turn", "end_turn"]) expect(await say("Hello again")).toBe(stop);
    expect(model.requests).toHaveLength(4);
    expect(after.model.rejected).toEqual([]);
  });

  it("B1 is left out in steps that double if the same model has accepted it", async () => {
    let isStrict = false;
    const { stops, say, model, log } = talk((request) =>
      isStrict && bad(request) ? refusal : says("Hello."),
    );
    await say("FORBIDDEN");
    for (let n = 0; n < 20; n += 1) await say(`Number ${n}`);
    isStrict = true;
    const later = await stops("one", "two", "three", "four", "five", "six", "seven");
    expect(later.at(-1)).toBe("end_turn");
    expect(later.indexOf("end_turn")).toBeLessThan(7);
    expect(model.rejected).toEqual([]);
    assertSoundLog(await log());
  });

  it("B1 keeps the conversation of a user who insists once", async () => {
    const { stops, say, model } = talk(refusing(refusal, () => says("Hello.")));
    for (const input of ["one", "two", "three"]) await say(input);
    await stops("FORBIDDEN", "FORBIDDEN again");
    expect(await stops("Hello")).toEqual(["end_turn"]);
    const last = texts(model.requests.at(-1) as never);
    for (const input of ["one", "two", "three", "Hello"]) expect(last).toContain(input);
  });
});

describe("an answer that the model has paused", () => {
  it.each([
    ["context_length_exceeded", "context_window"],
    ["content_filter", "refusal"],
  ])("B1 ends its run if it is refused as %s, and the next message is answered", async (errorCode, stop) => {
    const search = (n: number) => ({
      type: "server_tool_use",
      id: `srvtoolu_${n}`,
      name: "web_search",
      input: {},
    });
    const found = (n: number) => ({
      type: "web_search_tool_result",
      tool_use_id: `srvtoolu_${n}`,
      content: [
        {
          type: "web_search_result",
          url: "https://a.test",
          title: "FOUND".repeat(2_000),
          encrypted_content: "e",
        },
      ],
    });
    const { say, model } = talk((request) => {
      if (texts(request).includes("FOUND")) return { fault: { status: 400, message: "No.", errorCode } };
      if (!texts(request).includes("Search") || texts(request).includes("Hello")) return says("Fine.");
      return { content: [{ type: "text", text: "I search." }, search(1), found(1)], stop: "pause_turn" };
    });
    expect((await say("Search")).stop.type).toBe(stop);
    expect((await say("Hello")).stop.type).toBe("end_turn");
    expect(model.rejected).toEqual([]);
  });
});
