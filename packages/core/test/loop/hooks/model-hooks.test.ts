import { beforeEach, describe, expect, it } from "vitest";
import type { Hook } from "../../../src/index.ts";
import { allowFailedHooks, failures, named, sound } from "../../support/hooks.ts";
import { setup } from "../../support/setup.ts";
import { calling, echo } from "../../support/tools.ts";

beforeEach(allowFailedHooks);

describe("afterModel", () => {
  const rewriting = (change: (content: readonly { type: string }[]) => unknown): Hook =>
    named("a", { afterModel: ({ content }) => change(content) as never });

  it("H1 C12 stores and sends again what it has made of a text; thinking before it stays", async () => {
    const world = setup(
      [
        { thinking: "Hm.", text: "My card is 4111.", tools: [calling("echo")] },
        { text: "Ok." },
        { text: "Fine." },
      ],
      {
        tools: [echo().tool],
        hooks: [
          rewriting((content) => ({
            content: content.map((block) =>
              block.type === "text" ? { type: "text", text: "My card is …" } : block,
            ),
          })),
        ],
      },
    );
    const { text: said, sessionId } = await world.say("Go");
    expect(said).toBe("My card is …\n\nMy card is …");
    expect(JSON.stringify(world.model.requests)).not.toContain("4111");
    const [answer] = await world.of(sessionId, "assistant_message");
    expect(answer?.data.content.map(({ type }) => type)).toEqual(["thinking", "text", "tool_use"]);
    await sound(world, sessionId);
  });

  it("H1 removes one text, or all text of an answer", async () => {
    const world = setup(
      [{ text: "Secret.", tools: [calling("echo")] }, { text: "Secret." }, { text: "Fine." }],
      {
        tools: [echo().tool],
        hooks: [rewriting((content) => ({ content: content.filter(({ type }) => type !== "text") }))],
      },
    );
    const { text: said, stop, sessionId } = await world.say("Go");
    expect({ said, type: stop.type }).toEqual({ said: "", type: "end_turn" });
    await sound(world, sessionId);
    expect(JSON.stringify(world.model.requests)).not.toContain("Secret");
  });

  it("H1 C12 keeps only the text of a text block that was changed", async () => {
    const more = { note: 1, cache_control: { type: "ephemeral" }, citations: [{}] };
    const world = setup([{ text: "A" }, { text: "B" }, { text: "C" }, { text: "D" }, { text: "E" }], {
      hooks: [rewriting((content) => ({ content: content.map((block) => ({ ...block, ...more })) }))],
    });
    const { sessionId } = await world.say("Go");
    for (const word of ["on", "and on", "and on"]) await world.say(word, { sessionId });
    await sound(world, sessionId);
  });

  const thinking = { thinking: "Hm.", text: "Look.", tools: [calling("echo")] };
  it.each([
    [
      "another input of a call",
      (content: readonly object[]) =>
        content.map((block) => ("input" in block ? { ...block, input: { text: "evil" } } : block)),
    ],
    ["a call left out", (content: readonly object[]) => content.slice(0, -1)],
    [
      "a call added",
      (content: readonly object[]) => [
        ...content,
        { type: "tool_use", id: "toolu_x", name: "echo", input: { text: "b" } },
      ],
    ],
    [
      "other thinking",
      (content: readonly object[]) => [
        { type: "thinking", thinking: "I should.", signature: "x" },
        ...content.slice(1),
      ],
    ],
    ["no thinking", (content: readonly object[]) => content.slice(1)],
    ["a text before the thinking", (content: readonly object[]) => [{ type: "text", text: "x" }, ...content]],
    ["no list", () => "Look."],
    ["nothing", () => undefined],
    ["a text without text", (content: readonly object[]) => [content[0], { type: "text" }, content[2]]],
    ["null", (content: readonly object[]) => [...content, null]],
  ])("H1 refuses %s, logs it and keeps the answer", async (_what, change) => {
    const { tool, ran } = echo();
    const world = setup([thinking, { text: "Ok." }, { text: "Fine." }], {
      tools: [tool],
      hooks: [
        named("a", {
          afterModel: ({ content }, { run }) =>
            run.turns === 0 ? ({ content: change(content) } as never) : undefined,
        }),
      ],
    });
    const { sessionId, text: said } = await world.say("Go");
    expect(said).toBe("Look.\n\nOk.");
    expect(failures(await world.log(sessionId))).toEqual(["afterModel of a"]);
    expect(ran).toEqual(["a"]);
    await sound(world, sessionId);
  });

  it("H1 L8 rewrites an answer that was cut off or refused, and a cut call is still not sent", async () => {
    const shout = rewriting((content) => ({
      content: content.map((block) =>
        "text" in block ? { ...block, text: String(block.text).toUpperCase() } : block,
      ),
    }));
    for (const reply of [
      { text: "one two three", clip: 7 },
      { text: "one two", tools: [calling("echo")], clip: 5 },
      { text: "one two", stop: "refusal" },
    ]) {
      const { tool, ran } = echo();
      const world = setup([reply, { text: "Fine." }], { tools: [tool], hooks: [shout] });
      const { sessionId, stop } = await world.say("Go");
      expect(stop.type).toBe("stop" in reply ? "refusal" : "max_tokens");
      expect(JSON.stringify((await world.of(sessionId, "assistant_message"))[0]?.data.content)).toContain(
        "ONE TWO",
      );
      expect(ran).toEqual([]);
      await sound(world, sessionId);
      const sent = JSON.stringify(world.model.requests[1]?.messages);
      expect(sent.includes("ONE TWO")).toBe(!("stop" in reply));
      expect(sent).not.toContain("tool_use");
    }
  });
});
