import { strictModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { summarize, tool } from "../../src/index.ts";
import {
  type Asked,
  filtered,
  lastOf,
  REFUSALS,
  type Rules,
  refusing,
  says,
  talk,
  texts,
} from "../support/refusing.ts";

const isCulprit = (request: Asked) => lastOf(request).includes("Culprit");
const note = tool({
  ...{ name: "note", description: "Notes.", input: z.object({ text: z.string() }) },
  execute: () => "Noted.",
});
const send = tool({
  ...{ name: "send", description: "Sends.", input: z.object({ text: z.string() }) },
  ...{ execute: () => "Sent.", endsRun: true },
});
const ended = (types: string[]) => types.every((type) => type === "end_turn" || type === "terminal_tool");

describe.each(REFUSALS)("what %s refuses is not the new message", (by, refusal) => {
  it.each<[string, Rules, Parameters<typeof talk>[1]]>([
    ["an answer", (request) => says(isCulprit(request) ? "FORBIDDEN" : "Fine."), {}],
    [
      "the input of a call",
      (request) =>
        isCulprit(request) ? { tools: [{ name: "note", input: { text: "FORBIDDEN" } }] } : says("Fine."),
      { tools: [note] },
    ],
    [
      "the answer of an agent that only calls tools",
      (request) => ({
        tools: [{ name: "send", input: { text: isCulprit(request) ? "FORBIDDEN" : "Fine." } }],
      }),
      { tools: [send], toolOnly: true },
    ],
    [
      "an output",
      (request) => ({ output: { text: isCulprit(request) ? "FORBIDDEN" : "Fine." } }),
      { output: z.object({ text: z.string() }) },
    ],
    [
      "an output that is not valid",
      (request) => ({ output: isCulprit(request) ? { other: "FORBIDDEN" } : { text: "Fine." } }),
      { output: z.object({ text: z.string() }) },
    ],
  ])("B1 but %s, which is left out", async (_, rules, options) => {
    const { stops, model, check } = talk(refusing(refusal, rules), options);
    await stops("Culprit", "one", "two");
    expect(ended(await stops("three", "four"))).toBe(true);
    expect(texts(model.requests.at(-1) as never)).not.toContain("FORBIDDEN");
    await check();
  });

  it("B1 but the summary of a strategy, which is left out", async () => {
    const small = strictModel({ rules: () => says("A FORBIDDEN summary.") });
    const { stops, checkpoints, check } = talk(
      refusing(refusal, () => says("Fine.")),
      { checkpointWhen: [summarize({ model: small, whenTokens: 300, keepTurns: 1 })] },
    );
    await stops("a".repeat(800), "b".repeat(800));
    const after = await stops("one", "two", "three");
    expect(after.slice(1)).toEqual(["end_turn", "end_turn"]);
    expect(by === "a filter" ? after[0] : "end_turn").toBe("end_turn");
    expect((await checkpoints()).map(({ reason }) => reason)).toContain("summary");
    await check();
  });
});

it("B1 leaves out a refused answer although the message that showed it was redacted", async () => {
  const { stops, log, pawl, check } = talk(
    refusing(filtered, (request) => says(isCulprit(request) ? "FORBIDDEN" : "Fine.")),
  );
  expect(await stops("Culprit", "one")).toEqual(["end_turn", "refusal"]);
  const message = (await log()).findLast(({ type }) => type === "user_message");
  await pawl.redact(message?.sessionId ?? "", message?.seq ?? 0, { userId: "ada" });
  expect(await stops("two")).toEqual(["end_turn"]);
  await check();
});

describe("user data that were refused", () => {
  const whole = ({ system, messages }: Asked) => JSON.stringify([system, messages]);

  it.each<[string, string, Rules]>([
    [
      "by a filter",
      "FORBIDDEN",
      (request) => (whole(request).includes("FORBIDDEN") ? filtered : says("Fine.")),
    ],
    [
      "as too long",
      "d".repeat(10_000),
      (request) => {
        const tokens = whole(request).length;
        const message = `prompt is too long: ${tokens} tokens > 6000 maximum`;
        return tokens > 6_000
          ? { fault: { status: 400, message, errorCode: "context_length_exceeded" } }
          : says("Fine.");
      },
    ],
  ])("B1 %s are not moved into the system prompt", async (_, data, rules) => {
    let read = "They like tea.";
    const small = strictModel({ rules: () => says("A summary.") });
    const { stops, checkpoints, check } = talk(rules, {
      userData: { read: () => read },
      checkpointWhen: [summarize({ model: small, whenTokens: 800, keepTurns: 1 })],
    });
    await stops("Hello");
    read = data;
    for (const letter of "abcdef") expect(await stops(letter.repeat(1_500))).toEqual(["end_turn"]);
    expect((await checkpoints()).filter(({ reason }) => reason === "summary").length).toBeGreaterThan(1);
    await check();
  });
});

describe("the note before the last turn", () => {
  it("B1 stays if a filter refuses the tool's result before it", async () => {
    const look = tool({
      ...{ name: "look", description: "Looks.", input: z.object({}), execute: () => "FORBIDDEN" },
    });
    const { stops, model, check } = talk(
      refusing(filtered, (request) =>
        lastOf(request).includes("Look") ? { tools: [{ name: "look", input: {} }] } : says("Fine."),
      ),
      { tools: [look], onLimit: "land", limits: { turns: 2 } },
    );
    expect(await stops("Look")).toEqual(["turn_limit"]);
    expect(texts(model.requests.at(-1) as never)).toContain("This is your last turn");
    expect(await stops("Hello")).toEqual(["end_turn"]);
    await check();
  });
});
