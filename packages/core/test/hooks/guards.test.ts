import type { Reply } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { memoryStore, tool } from "../../src/index.ts";
import { named, sound } from "../support/hooks.ts";
import { setup, stored, user } from "../support/setup.ts";
import { dyingStore, has } from "../support/stores.ts";
import { calling, echo, nothing } from "../support/tools.ts";

const last: readonly Reply[] = [{ text: "Ok." }, { text: "Fine." }];
const failing = (name = "bad") =>
  echo(name, {
    execute: () => {
      throw new Error("no");
    },
  }).tool;
const turns = (...calls: Parameters<typeof calling>[]) =>
  calls.map((call) => ({ tools: [calling(...call)] }));

/** A shop with one cart. */
function shop() {
  const cart: string[] = [];
  const get = tool({ name: "get_cart", description: "", input: nothing, execute: () => [...cart] });
  const add = echo("add_item", { execute: ({ text }: { text: string }) => cart.push(text) }).tool;
  return { cart, tools: [get, add] };
}

describe("the duplicate guard", () => {
  it("T11 skips a call that has succeeded with the same arguments, in whatever order they are, if nothing has run since", async () => {
    const { tool, ran } = echo();
    const world = setup([...turns(["echo", "a"], ["echo", "a"], ["echo", "a"], ["echo", "b"]), ...last], {
      tools: [tool],
    });
    const { sessionId, actions } = await world.say("Go");
    expect(ran).toEqual(["a", "b"]);
    expect(actions[1]?.result).toMatch(/Not run again: "echo" has succeeded with this input/);
    expect((await world.of(sessionId, "tool_result")).map(({ data }) => data.skipped)).toEqual([
      undefined,
      "duplicate",
      "duplicate",
      undefined,
    ]);
    await sound(world, sessionId);
  });

  it("T11 runs an equal call again once another call has run, e.g. reads a cart that has changed", async () => {
    const { cart, tools } = shop();
    const [get, add] = [{ name: "get_cart" }, { name: "add_item", input: { text: "tea" } }];
    const world = setup([...[get, add, get, add].map((call) => ({ tools: [call] })), ...last], { tools });
    const { sessionId, actions } = await world.say("Two teas, one by one");
    expect(actions.map(({ result }) => result)).toEqual([[], 1, ["tea"], 2]);
    expect(cart).toEqual(["tea", "tea"]);
    await sound(world, sessionId);
  });

  it("T11 runs both equal calls of one turn", async () => {
    const { cart, tools } = shop();
    const add = { name: "add_item", input: { text: "tea" } };
    const world = setup([{ tools: [add, add] }, ...last], { tools, toolConcurrency: 1 });
    const { sessionId } = await world.say("Two teas");
    expect(cart).toEqual(["tea", "tea"]);
    await sound(world, sessionId);
  });

  it("T11 runs both equal calls of one turn, also if the process died between them", async () => {
    let clock = 0;
    const base = memoryStore({ now: () => clock });
    const dying = dyingStore(base, (events) => has(events, "tool_result"));
    const { cart, tools } = shop();
    const add = { name: "add_item", input: { text: "tea" } };
    const options = { tools, toolConcurrency: 1 };
    const old = setup([{ tools: [add, add] }], options, { store: dying });
    const { sessionId, runId } = await old.pawl.run("tester", { ...user, input: "Two teas" }).started;
    await stored(old, sessionId, "tool_result");
    clock += 60_000;
    const next = setup([...last], options, { store: base });
    await next.pawl.sweep();
    for await (const _ of next.pawl.follow(sessionId, { untilIdle: { runId } }));
    expect(cart).toEqual(["tea", "tea"]);
    await sound(next, sessionId);
  });

  it("T11 runs an equal call again if another call ran beside it, or comes in the same turn", async () => {
    const { tools } = shop();
    const [get, add] = [{ name: "get_cart" }, { name: "add_item", input: { text: "tea" } }];
    const beside = setup([{ tools: [get, add] }, { tools: [get] }, ...last], { tools });
    expect((await beside.say("Go")).actions.at(-1)?.result).toEqual(["tea"]);
    const other = shop();
    const together = setup([{ tools: [get] }, { tools: [add, get] }, ...last], { tools: other.tools });
    const { sessionId } = await together.say("Go");
    expect((await together.of(sessionId, "tool_result")).map(({ data }) => data.skipped)).not.toContain(
      "duplicate",
    );
  });

  it("T11 calls that did not run do not count as run", async () => {
    const { tool, ran } = echo();
    const hooks = [
      named("no", { beforeTool: ({ tool: { name } }) => (name === "bad" ? { deny: "No." } : undefined) }),
    ];
    const world = setup([...turns(["echo"], ["bad"], ["echo"]), ...last], {
      tools: [tool, failing()],
      hooks,
    });
    await world.say("Go");
    expect(ran).toEqual(["a"]);
  });

  it("T11 a tool that is not `repeatable` runs once with the same input, whatever has run since", async () => {
    const once = echo("once", { repeatable: false });
    const { tool } = echo();
    const world = setup([...turns(["once"], ["echo"], ["once"]), ...last], { tools: [once.tool, tool] });
    const { sessionId } = await world.say("Go");
    expect(once.ran).toEqual(["a"]);
    await sound(world, sessionId);
  });

  it("T11 runs again what failed, what is repeatable, and what another run did", async () => {
    let fails = true;
    const moody = echo("moody", {
      execute: () => {
        if (fails) throw new Error("no");
        return "ok";
      },
    }).tool;
    const poll = echo("poll", { repeatable: true });
    const plain = echo("plain", { repeatable: false });
    const tools = [calling("moody"), calling("poll"), calling("plain")];
    const world = setup([{ tools }, { tools }, { text: "Ok." }, { tools: [calling("plain")] }, ...last], {
      tools: [moody, poll.tool, plain.tool],
      hooks: [
        named("mends", {
          afterTurn: () => {
            fails = false;
            return undefined;
          },
        }),
      ],
    });
    const { sessionId, actions } = await world.say("Go");
    expect(actions.map(({ success }) => success)).toEqual([false, true, true, true, true, false]);
    expect({ poll: poll.ran, plain: plain.ran }).toEqual({ poll: ["a", "a"], plain: ["a"] });
    await world.say("Again", { sessionId });
    expect(plain.ran).toEqual(["a", "a"]);
    await sound(world, sessionId);
  });

  it("T11 knows of calls that another process made in the run", async () => {
    let clock = 0;
    const store = memoryStore({ now: () => clock });
    const { tool, ran } = echo();
    const old = setup(
      [{ tools: [calling("echo")] }, { text: "x", fault: { stall: 1 } }],
      { tools: [tool] },
      { store },
    );
    const { sessionId, runId } = await old.pawl.run("tester", { ...user, input: "Go" }).started;
    await stored(old, sessionId, "tool_result");
    clock += 60_000;
    const next = setup([{ tools: [calling("echo")] }, ...last], { tools: [tool] }, { store });
    await next.pawl.sweep();
    for await (const _ of next.pawl.follow(sessionId, { untilIdle: { runId } }));
    expect(ran).toEqual(["a"]);
    await sound(next, sessionId);
  });
});

describe("the failure budget", () => {
  const five = [1, 2, 3, 4, 5].map((n) => ({ tools: [calling("bad", `${n}`), calling("echo", `${n}`)] }));

  it("T12 refuses a tool after three failures in a row, for the rest of the run, and tells the model once", async () => {
    const asked: string[] = [];
    const hooks = [named("watch", { beforeTool: ({ tool }) => void asked.push(tool.name) })];
    const world = setup([...five, { text: "Ok." }, { tools: [calling("bad", "6")] }, ...last], {
      tools: [failing(), echo().tool],
      hooks,
    });
    const { sessionId, actions } = await world.say("Go");
    const results = actions.filter(({ tool }) => tool === "bad").map(({ result }) => result);
    expect(results.slice(0, 3)).toEqual(["no", "no", "no"]);
    for (const result of results.slice(3))
      expect(result).toMatch(/Not run: "bad" has failed 3 times in a row/);
    expect(asked.filter((name) => name === "bad")).toHaveLength(3);
    const notes = await world.of(sessionId, "note");
    expect(notes.map(({ data }) => data.text)).toEqual([
      expect.stringMatching(/^"bad" has failed 3 times in a row/),
    ]);
    const told = world.model.requests.findIndex(({ messages }) =>
      JSON.stringify(messages).includes("cannot be used for the rest"),
    );
    expect(told).toBe(3);
    expect(new Set(world.model.requests.map(({ tools }) => JSON.stringify(tools))).size).toBe(1);
    const again = await world.say("Again", { sessionId });
    expect(again.actions[0]?.result).toBe("no");
    await sound(world, sessionId);
  });

  it("T12 begins to count anew with a success; skipped calls count as nothing", async () => {
    let n = 0;
    const moody = echo("bad", {
      repeatable: false,
      execute: () => {
        n += 1;
        if (n === 3) return "ok";
        throw new Error("no");
      },
    }).tool;
    const texts = ["1", "2", "3", "4", "5", "3", "6", "7"];
    const script = texts.map((said, at) => ({ tools: [calling("bad", said), calling("echo", `${at}`)] }));
    const world = setup([...script, ...last], { tools: [moody, echo().tool] });
    const { sessionId } = await world.say("Go");
    expect(n).toBe(6);
    const at = world.model.requests.findIndex(({ messages }) =>
      JSON.stringify(messages).includes("cannot be used"),
    );
    expect(at).toBe(7);
    await sound(world, sessionId);
  });

  it("T12 tells it once though the process died between the note and the request", async () => {
    let clock = 0;
    const base = memoryStore({ now: () => clock });
    const dying = dyingStore(base, (events) => has(events, "note"));
    const options = { tools: [failing(), echo().tool], limits: { toolFailures: 1 } };
    const old = setup([...five.slice(0, 1)], options, { store: dying });
    const { sessionId, runId } = await old.pawl.run("tester", { ...user, input: "Go" }).started;
    await stored(old, sessionId, "note");
    clock += 60_000;
    const next = setup([...five.slice(1, 2), ...last], options, { store: base });
    await next.pawl.sweep();
    for await (const _ of next.pawl.follow(sessionId, { untilIdle: { runId } }));
    expect(await next.of(sessionId, "note")).toHaveLength(1);
    expect((await next.of(sessionId, "tool_result")).at(-2)?.data.result).toMatch(
      /Not run: "bad" has failed 1 times/,
    );
    await sound(next, sessionId);
  });
});

describe("dependent calls", () => {
  it("T13 wait for the turn after the one that they depend on; independent ones run at once", async () => {
    const [first, second, third] = [
      echo("first"),
      echo("second", { dependsOn: ["first", "second"] }),
      echo("third"),
    ];
    const all = { tools: [calling("second"), calling("first"), calling("third")] };
    const world = setup([all, { tools: [calling("second")] }, ...last], {
      tools: [first.tool, second.tool, third.tool],
    });
    const { sessionId, actions } = await world.say("Go");
    expect(actions.map(({ result }) => result)).toEqual([
      'Waiting for "first": call this again when you have read its result.',
      "echo a",
      "echo a",
      "echo a",
    ]);
    expect([first.ran, second.ran, third.ran]).toEqual([["a"], ["a"], ["a"]]);
    expect((await world.of(sessionId, "tool_result")).map(({ data }) => data.skipped)).toContain("waiting");
    await sound(world, sessionId);
  });
});

describe("tools that wait for each other", () => {
  const waiting = (name: string, ...dependsOn: string[]) => echo(name, { dependsOn }).tool;

  it("T13 run the first of several calls of a tool that waits for itself", async () => {
    const one = echo("one", { dependsOn: ["one"], repeatable: true });
    const world = setup([{ tools: [calling("one"), calling("one")] }, ...last], { tools: [one.tool] });
    const { sessionId } = await world.say("Go");
    expect(one.ran).toEqual(["a"]);
    const skipped = (await world.of(sessionId, "tool_result")).map(({ data }) => data.skipped);
    expect(skipped).toHaveLength(2);
    expect(skipped).toContain("waiting");
    await sound(world, sessionId);
  });

  it("T13 are refused when the agent is defined; unknown names and long chains are not", () => {
    const tools = [waiting("a", "b"), waiting("b", "c", "elsewhere"), waiting("c", "c")];
    expect(() => setup([], { tools })).not.toThrow();
    expect(() => setup([], { tools: [...tools, waiting("d", "a", "e"), waiting("e", "d")] })).toThrow(
      /its tools depend on each other in a circle: d, e\./,
    );
  });
});
