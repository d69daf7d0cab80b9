import type { Reply } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { named, sound } from "../support/hooks.ts";
import { setup } from "../support/setup.ts";
import { calling, echo } from "../support/tools.ts";

const last: readonly Reply[] = [{ text: "Ok." }, { text: "Fine." }];
const failing = () =>
  echo("bad", {
    execute: () => {
      throw new Error("no");
    },
  }).tool;

describe("stopOnFailedTurns()", () => {
  const bads: readonly [string, Reply][] = [
    ["a failing tool", { tools: [calling("bad")] }],
    ["an unknown tool", { tools: [calling("nosuch")] }],
    ["a denied call", { tools: [calling("denied")] }],
    ["bad input", { tools: [{ name: "echo", input: { text: 5 } }] }],
    [
      "all of them at once",
      { tools: [calling("bad"), calling("nosuch"), calling("denied"), { name: "echo", input: {} }] },
    ],
  ];
  const options = () => ({
    tools: [failing(), echo("denied").tool, echo("echo", { repeatable: true }).tool],
    hooks: [
      named("gate", { beforeTool: ({ tool }) => (tool.name === "denied" ? { deny: "No." } : undefined) }),
    ],
    limits: { toolFailures: 9 },
  });

  it.each(bads)("L5 ends a run after two turns of %s, with words, and logs it", async (_what, bad) => {
    const told: string[] = [];
    const { hooks, ...rest } = options();
    const watch = named("watch", { onError: ({ code }) => void told.push(code) });
    const world = setup([bad, bad, ...last], { ...rest, hooks: [...hooks, watch] });
    const { stop, sessionId, turns } = await world.say("Go");
    expect({ type: stop.type, turns }).toEqual({ type: "circuit_open", turns: 2 });
    expect(stop.message).toMatch(/nothing that I tried has worked/);
    expect(told).toEqual(["circuit_open"]);
    expect((await world.of(sessionId, "error")).map(({ data }) => data.code)).toEqual(["circuit_open"]);
    expect((await world.store.sessions.get(sessionId))?.status).toBe("error");
    await sound(world, sessionId);
  });

  const bad = { tools: [calling("bad")] };
  it.each([
    ["one success between them", [bad, { tools: [calling("echo")] }, bad], 4],
    ["a success in the first of them", [{ tools: [calling("bad"), calling("echo")] }, bad], 3],
    ["a success in the last of them", [bad, { tools: [calling("echo"), calling("bad")] }, bad], 4],
    [
      "a success before the failures of a turn",
      [bad, { tools: [calling("bad"), calling("echo"), calling("bad")] }],
      3,
    ],
  ] as const)("L5 continues after %s", async (_what, script, turns) => {
    const world = setup([...script, ...last], options());
    const result = await world.say("Go");
    expect({ type: result.stop.type, turns: result.turns }).toEqual({ type: "end_turn", turns });
    await sound(world, result.sessionId);
  });

  it("L5 takes a skipped call for neither a success nor a failure", async () => {
    const { tool } = echo("once");
    const twice = { tools: [calling("bad"), calling("once")] };
    const world = setup([{ tools: [calling("once")] }, twice, twice, ...last], {
      ...options(),
      tools: [failing(), { ...tool, repeatable: false }],
    });
    const { stop, turns, sessionId } = await world.say("Go");
    expect({ type: stop.type, turns }).toEqual({ type: "circuit_open", turns: 3 });
    await sound(world, sessionId);
  });

  it("L5 opens after as many turns as the agent says, and counts anew in the next run", async () => {
    const world = setup([bad, bad, bad, bad, { text: "Ok." }, ...last], {
      ...options(),
      limits: { errorTurns: 3, toolFailures: 9 },
    });
    const { stop, turns, sessionId } = await world.say("Go");
    expect({ type: stop.type, turns }).toEqual({ type: "circuit_open", turns: 3 });
    expect((await world.say("Again", { sessionId })).stop.type).toBe("end_turn");
    await sound(world, sessionId);
  });
});
