import { strictModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { dropOldResults, type Hook, summarize, tool } from "../../src/index.ts";
import { base64 } from "../support/file-runs.ts";
import { png } from "../support/files.ts";
import { type Asked, bad, filtered, type Rules, says, talk, texts, windowOf } from "../support/refusing.ts";

describe("a request that is too long", () => {
  it.each([
    ["says how many tokens are allowed", undefined],
    ["says only that it is too long", () => "prompt is too long"],
  ])(
    "B1 one message that is longer than the window is shortened, and the next one works: the API %s",
    async (_, words) => {
      const { say, model, checkpoints } = talk(windowOf(20_000, () => says("Hello."), words));
      await say("hello");
      const first = await say("漢".repeat(70_000));
      const second = await say("hello again");
      const third = await say("and again");
      expect([second.stop.type, third.stop.type]).toEqual(["end_turn", "end_turn"]);
      expect(words === undefined ? first.stop.type : "end_turn").toBe("end_turn");
      expect((await checkpoints())[0]).toMatchObject({ only: "refused", refused: { by: "size" } });
      expect(model.rejected).toEqual([]);
    },
  );

  it("B1 one message of thirty times the window needs no third one, though the API names no numbers", async () => {
    const { say, model } = talk(
      windowOf(
        4_000,
        () => says("Hello."),
        () => "prompt is too long",
      ),
    );
    await say("漢".repeat(120_000));
    expect((await say("hello again")).stop.type).toBe("end_turn");
    expect(model.rejected).toEqual([]);
  });

  it("B1 asks the strategies first, though the context is shorter than they wait for", async () => {
    const read = tool({
      name: "read",
      description: "Reads.",
      input: z.object({}),
      maxResultChars: 8_000,
      execute: () => "漢".repeat(7_000),
    });
    const rules = windowOf(20_000, (request) =>
      texts({ ...request, messages: request.messages.slice(-1) }).includes("Read")
        ? { tools: [{ name: "read", input: {} }] }
        : says("Done."),
    );
    const strategies = [dropOldResults({ whenTokens: 60_000, keepTurns: 1 })];
    const { say, checkpoints } = talk(rules, { tools: [read], checkpointWhen: strategies });
    for (let n = 0; n < 5; n += 1) expect((await say("Read")).stop.type).toBe("end_turn");
    const made = await checkpoints();
    expect(made.some(({ only }) => only === undefined)).toBe(true);
  });

  it("B1 shortens the longest entries alone", async () => {
    const { say, model } = talk(
      windowOf(20_000, () => says("Hello.")),
      {},
    );
    await say("I am Ada, and I like tea.");
    await say("a".repeat(15_000));
    expect((await say("b".repeat(15_000))).stop.type).toBe("end_turn");
    const sent = texts(model.requests.at(-1) as never);
    expect(sent).toContain("I am Ada, and I like tea.");
    expect(sent).toContain("[clipped: ");
  });

  it("B1 shortens the inputs of calls and the model's own long answers, too", async () => {
    const write = tool({
      name: "write",
      description: "Writes.",
      input: z.object({ text: z.string() }),
      execute: () => "Saved.",
    });
    const rules = windowOf(20_000, (request) => {
      const last = texts({ ...request, messages: request.messages.slice(-1) });
      if (last.includes("Write")) return { tools: [{ name: "write", input: { text: "w".repeat(12_000) } }] };
      return says(last.includes("Talk") ? "t".repeat(9_000) : "Hello.");
    });
    const { say } = talk(rules, { tools: [write], maxTokens: 20_000 });
    for (const input of ["Write", "Talk", "Write", "Talk", "Hello", "Hello"])
      expect((await say(input)).stop.type).toBe("end_turn");
  });

  it("B1 ends the run by name if the instructions alone are too long", async () => {
    const { say, errors } = talk(() => ({ fault: { status: 400, message: "prompt is too long" } }), {
      instructions: "i".repeat(30_000),
    });
    expect((await say("hello")).stop.type).toBe("context_window");
    expect(errors).toEqual([]);
  });

  it("B1 has the summary of a strategy stand for what is too long", async () => {
    const small = strictModel({ rules: () => says("They said much.") });
    const rules = windowOf(20_000, () => says("Hello."));
    const { say, checkpoints } = talk(rules, {
      checkpointWhen: [summarize({ model: small, whenTokens: 90_000, keepTurns: 1 })],
    });
    for (let n = 0; n < 4; n += 1) expect((await say("c".repeat(6_000))).stop.type).toBe("end_turn");
    expect((await checkpoints()).some(({ reason }) => reason === "summary")).toBe(true);
  });
});

const look = tool({
  name: "look",
  description: "Looks.",
  input: z.object({}),
  execute: () => "FORBIDDEN words of a page",
});
const refused = { text: "", stop: "refusal" };
const looks: Rules = (request) =>
  texts(request).includes("Look") && !texts(request).includes("tool_result")
    ? { tools: [{ name: "look", input: {} }] }
    : says("4");

describe("content that a filter refuses", () => {
  it("B1 a message ends its run as a refusal, and the next one is answered", async () => {
    const { say, checkpoints, model } = talk((request, ...rest) =>
      bad(request) ? filtered : looks(request, ...rest),
    );
    expect((await say("FORBIDDEN words")).stop.type).toBe("refusal");
    expect((await say("What is 2 + 2?")).stop.type).toBe("end_turn");
    expect(await checkpoints()).toMatchObject([{ refused: { by: "filter", events: [{ keep: 0 }] } }]);
    expect(texts(model.requests.at(-1) as never)).toContain("left out: the model's provider refused this");
  });

  it("B1 a tool's result is left out at once, and the run goes on", async () => {
    const { say, model } = talk((request, ...rest) => (bad(request) ? filtered : looks(request, ...rest)), {
      tools: [look],
    });
    expect((await say("Look.")).stop.type).toBe("end_turn");
    expect((await say("What is 2 + 2?")).stop.type).toBe("end_turn");
    expect(model.requests).toHaveLength(4);
    expect(model.rejected).toEqual([]);
  });

  it("B1 knowledge is left out alone: the message that it came with is answered", async () => {
    const recall: Hook = {
      name: "recall",
      beforeRun: async ({ append }) =>
        void (await append({ type: "knowledge", data: { source: "web", data: "FORBIDDEN" } })),
    };
    const { say, model } = talk((request, ...rest) => (bad(request) ? filtered : looks(request, ...rest)), {
      hooks: [recall],
    });
    expect((await say("What is 2 + 2?")).stop.type).toBe("end_turn");
    expect(texts(model.requests.at(-1) as never)).toContain("What is 2 + 2?");
  });
});

describe("what the model refuses to answer", () => {
  it("B1 a message is left out from the second refusal on", async () => {
    const { say, checkpoints } = talk((request, ...rest) =>
      bad(request) ? refused : looks(request, ...rest),
    );
    expect((await say("FORBIDDEN words")).stop.type).toBe("refusal");
    expect(await checkpoints()).toEqual([]);
    expect((await say("What is 2 + 2?")).stop.type).toBe("end_turn");
    expect(await checkpoints()).toMatchObject([{ refused: { by: "model", events: [{ keep: 0 }] } }]);
    expect((await say("And 3 + 3?")).stop.type).toBe("end_turn");
  });

  it("B1 a tool's result is left out, too", async () => {
    const { say } = talk((request, ...rest) => (bad(request) ? refused : looks(request, ...rest)), {
      tools: [look],
    });
    expect((await say("Look.")).stop.type).toBe("refusal");
    expect((await say("What is 2 + 2?")).stop.type).toBe("end_turn");
  });

  it("B1 a new message that the model refuses as well ends its run, and the one after that is answered", async () => {
    const { say, model } = talk((request, ...rest) => (bad(request) ? refused : looks(request, ...rest)));
    const stops = [];
    for (const input of ["FORBIDDEN one", "FORBIDDEN two", "What is 2 + 2?"])
      stops.push((await say(input)).stop.type);
    expect(stops).toEqual(["refusal", "refusal", "end_turn"]);
    expect(model.requests).toHaveLength(4);
  });

  it("B1 a refusal after an answer begins anew: nothing is left out", async () => {
    let n = 0;
    const { say, checkpoints } = talk(() => (++n % 2 === 1 ? refused : says("Fine.")));
    for (const input of ["one", "two", "three", "four"]) await say(input);
    expect(await checkpoints()).toEqual([]);
  });
});

describe("thinking that another model has signed", () => {
  it("B1 is left out after the provider has refused it", async () => {
    const thought = (request: Asked) => texts(request).includes('"thinking"');
    let refuses = false;
    const { say, checkpoints } = talk((request) =>
      refuses && thought(request)
        ? { fault: { status: 400, message: "messages.1.content.0: Invalid `signature` in `thinking` block" } }
        : { thinking: "Hm.", text: "Hello." },
    );
    expect((await say("Hi")).stop.type).toBe("end_turn");
    refuses = true;
    expect((await say("Hi")).stop.type).toBe("end_turn");
    expect(await checkpoints()).toMatchObject([{ refused: { by: "signature", events: [] } }]);
  });
});

describe("pictures of tools, without a file store", () => {
  const picture = base64(png(30, 20));
  const draw = tool({
    name: "draw",
    description: "Draws.",
    input: z.object({}),
    execute: () => "Drawn.",
    format: () => [
      { type: "image" as const, source: { type: "base64", media_type: "image/png", data: picture } },
    ],
  });
  const count = (request: Asked) => texts(request).split('"image"').length - 1;
  const draws: Rules = (request) =>
    texts({ ...request, messages: request.messages.slice(-1) }).includes("Draw")
      ? { tools: [{ name: "draw", input: {} }] }
      : says("Seen.");

  it("B1 keeps the newest if the provider says that there are too many", async () => {
    const most = 3;
    const { say, model } = talk(
      (request, ...rest) =>
        count(request) > most
          ? { fault: { status: 400, message: `At most ${most} image(s) may be provided in one request.` } }
          : draws(request, ...rest),
      { tools: [draw] },
    );
    for (let n = 0; n < 6; n += 1) expect((await say("Draw")).stop.type).toBe("end_turn");
    expect(count(model.requests.at(-1) as never)).toBeGreaterThan(0);
  });

  it("B1 does not send more than 100", async () => {
    const many = tool({
      ...{ name: "draw", description: "Draws.", input: z.object({}), execute: () => "Drawn." },
      format: () =>
        Array.from({ length: 30 }, () => ({
          type: "image" as const,
          source: { type: "base64", media_type: "image/png", data: picture },
        })),
    });
    let most = 0;
    const { say } = talk(
      (request, ...rest) => {
        most = Math.max(most, count(request));
        return draws(request, ...rest);
      },
      { tools: [many] },
    );
    for (let n = 0; n < 5; n += 1) await say("Draw");
    expect(most).toBeGreaterThan(50);
    expect(most).toBeLessThanOrEqual(100);
  });
});
