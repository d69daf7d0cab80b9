import { type Reply, testClock } from "@pawl/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { assertExtends } from "../../../../../test/support/invariants.ts";
import { expectPrinted } from "../../../../../test/support/printed.ts";
import { rebuild } from "../../../../../test/support/rebuild.ts";
import { settled } from "../../../../../test/support/settled.ts";
import { sha256 } from "../../../src/base/sha256.ts";
import { type EventStore, type Hook, memoryStore } from "../../../src/index.ts";
import type { NewEvent } from "../../../src/store.ts";
import { allowFailedHooks, looking } from "../../support/hooks.ts";
import { type Setup, setup, until } from "../../support/setup.ts";
import { failingStore, has } from "../../support/stores.ts";
import { echoTool } from "../../support/tools.ts";

beforeEach(allowFailedHooks);

const tools = [{ type: "web_search_20260318", name: "web_search" }];
const search = (id: string) => ({ type: "server_tool_use", id, name: "web_search", input: { query: id } });
const found = (id: string) => ({ type: "web_search_tool_result", tool_use_id: id, content: [] });
const thought = { type: "thinking", thinking: "", signature: "" };
const said = (text: string) => ({ type: "text", text });
const paused = (...content: NonNullable<Reply["content"]>): Reply => ({ content, stop: "pause_turn" });
const world = (script: Reply[], options: Parameters<typeof setup>[1] = {}, store?: EventStore) =>
  setup({ script, body: { tools } }, options, store === undefined ? {} : { store });
const append = (at: Setup, sessionId: string, event: NewEvent) =>
  at.store.append(sessionId, [event], { appendId: crypto.randomUUID() });
const note: NewEvent = { type: "note", data: { text: "It is late." } };
const plain = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, part) => (key === "cache_control" ? undefined : part)));
const messagesOf = (at: Setup, n: number) => plain(at.model.requests.at(n)?.messages);

describe("an answer that the model has paused", () => {
  const first = [thought, said("I search."), search("srvtoolu_1")];
  const second = [found("srvtoolu_1"), said("More."), search("srvtoolu_2")];
  const last = [found("srvtoolu_2"), said("Here it is.")];

  it("L18 is sent back unchanged and last, as often as it is paused, and goes on as one message", async () => {
    const at = world([paused(...first), paused(...second), { content: last }, { text: "Bye." }]);
    const { sessionId, stop, turns, text } = await at.say("Go");
    expect({ stop, turns }).toEqual({ stop: { type: "end_turn", message: "Done." }, turns: 3 });
    expect(text).toBe("I search.\n\nMore.\n\nHere it is.");
    const answers = (await at.of(sessionId, "assistant_message")).map(({ data }) => data);
    expect(answers.map(({ disposition }) => disposition)).toEqual(["kept", "kept", "kept"]);
    const [one, two, three] = answers.map(({ content }) => content);
    const go = { role: "user", content: [said("Go")] };
    expect(messagesOf(at, 1)).toEqual([go, { role: "assistant", content: one }]);
    expect(messagesOf(at, 2)).toEqual([go, { role: "assistant", content: [...(one ?? []), ...(two ?? [])] }]);
    await at.say("Thanks", { sessionId });
    const whole = [one, two, three].flatMap((content) => content ?? []);
    expect(messagesOf(at, 3)).toEqual([
      go,
      { role: "assistant", content: whole },
      { role: "user", content: [said("Thanks")] },
    ]);
    expect(at.model.rejected).toEqual([]);
    expect(await rebuild(await at.log(sessionId))).toHaveLength(4);
  });

  it("L18 is continued five times in a row, and then the run ends with a reason and a sentence", async () => {
    const pauses = Array.from({ length: 6 }, (_, n) =>
      paused(...(n === 0 ? [] : [found(`srvtoolu_${n - 1}`)]), search(`srvtoolu_${n}`)),
    );
    const at = world([...pauses, { text: "Bye." }], { limits: { turns: 20 } });
    const { sessionId, stop, turns } = await at.say("Go");
    expect({ type: stop.type, turns }).toEqual({ type: "pause_limit", turns: 6 });
    expect(stop.message).toMatch(/continue/);
    expect((await at.of(sessionId, "error")).map(({ data }) => data)).toMatchObject([
      { code: "pause_limit", message: stop.message },
    ]);
    expect((await at.store.sessions.get(sessionId))?.status).toBe("error");
    expect((await at.say("Continue", { sessionId })).stop.type).toBe("end_turn");
    expect(at.model.rejected).toEqual([]);
    expect(JSON.stringify(at.model.requests.at(-1))).toContain("srvtoolu_4");
    expect(JSON.stringify(at.model.requests.at(-1))).not.toContain("srvtoolu_5");
  });

  it("L18 counts pauses in a row only", async () => {
    const pair = (n: number) => [
      paused(search(`srvtoolu_${n}`)),
      {
        content: [
          found(`srvtoolu_${n}`),
          { type: "tool_use", id: `toolu_${n}`, name: "echo", input: { text: "x" } },
        ],
      },
    ];
    const body = { tools: [...tools, { ...echoTool.spec }] } as never;
    const script = [0, 1, 2, 3, 4, 5, 6].flatMap(pair);
    const at = setup(
      { script: [...script, { text: "." }], body },
      { tools: [echoTool], limits: { turns: 30 } },
    );
    expect((await at.say("Go")).stop.type).toBe("end_turn");
    expect(at.model.rejected).toEqual([]);
  });

  it("L3 L18 counts as a turn, and a limit reached there leaves a valid conversation", async () => {
    const at = world([paused(...first), { text: "Bye." }], { limits: { turns: 1 } });
    const { sessionId, stop } = await at.say("Go");
    expect(stop.type).toBe("turn_limit");
    expect((await at.say("Well?", { sessionId })).stop.type).toBe("end_turn");
    expect(at.model.rejected).toEqual([]);
    const [, assistant] = messagesOf(at, 1) as { content: { type: string }[] }[];
    expect(assistant?.content.map(({ type }) => type)).toEqual(["thinking", "text"]);
    expect(await rebuild(await at.log(sessionId))).toHaveLength(2);
  });

  it.each([
    ["with a search that is still open", [search("srvtoolu_1")], [found("srvtoolu_1")]],
    ["with all searches done", [search("srvtoolu_1"), found("srvtoolu_1"), said("Hm.")], []],
  ])("C1 L18 lets nothing come between, paused %s: what arrives follows later", async (_, before, after) => {
    const at: Setup = setup(
      {
        body: { tools: [...tools, { ...echoTool.spec }] } as never,
        rules: async (_, { n }) => {
          const { id = "" } = (await at.store.sessions.list({ userId: "u1" }))[0] ?? {};
          if (n < 2) await append(at, id, note);
          if (n === 0) return paused(...before);
          if (n > 1) return { text: "Bye." };
          const call = { type: "tool_use", id: "toolu_1", name: "echo", input: { text: "x" } };
          return { content: [...after, call] };
        },
      },
      { tools: [echoTool] },
    );
    const { sessionId, stop } = await at.say("Go");
    expect({ stop: stop.type, rejected: at.model.rejected }).toEqual({ stop: "end_turn", rejected: [] });
    expect(JSON.stringify(at.model.requests[1])).not.toContain("late");
    const content = (messagesOf(at, 2) as { content: { type: string }[] }[]).at(-1)?.content;
    expect(content?.map(({ type }) => type)).toEqual(["tool_result", "text", "text"]);
    expect(await rebuild(await at.log(sessionId))).toHaveLength(3);
  });

  it.each([
    ["what came before", [said("a"), search("srvtoolu_1")], ["text"]],
    ["nothing, if thinking is all that came before", [thought, search("srvtoolu_1")], []],
    [
      "what does not depend on it",
      [said("a"), search("srvtoolu_1"), search("srvtoolu_2"), found("srvtoolu_2"), thought, said("b")],
      ["text", "server_tool_use", "web_search_tool_result", "text"],
    ],
  ])("L3 L18 keeps of a search that the run's end cuts off %s", async (_, content, kept) => {
    expectPrinted("pawl: Internal server error");
    const at = world([paused(...content), { fault: { status: 500 } }, { text: "Bye." }]);
    const { sessionId } = await at.say("Go");
    await at.say("Well?", { sessionId });
    expect(at.model.rejected).toEqual([]);
    const messages = messagesOf(at, 2) as { role: string; content: { type: string }[] }[];
    const answers = messages.filter(({ role }) => role === "assistant");
    expect(answers.flatMap((message) => message.content.map(({ type }) => type))).toEqual(kept);
    const log = await at.log(sessionId);
    expect(await rebuild(log)).toHaveLength(3);
    const [prefix, requests] = [await at.of(sessionId, "prefix"), await at.of(sessionId, "llm_request")];
    const { system, tools: offered } = prefix[0]?.data ?? {};
    const entries = messages.flatMap(({ role, content: blocks }) =>
      role === "user" ? blocks.map((block) => ({ role, blocks: [block] })) : [{ role, blocks }],
    );
    expect(requests.at(-1)?.data.prompt.hash).toBe(
      await sha256(JSON.stringify([system, offered]) + JSON.stringify(entries)),
    );
  });

  it("C1 L18 sends only results while a server tool is running, and the rest when it is done", async () => {
    const call = (id: string) => ({ type: "tool_use", id, name: "echo", input: { text: "x" } });
    const at: Setup = setup(
      {
        body: { tools: [...tools, { ...echoTool.spec }] } as never,
        rules: async (_, { n }) => {
          const { id } = (await at.store.sessions.list({ userId: "u1" }))[0] ?? { id: "" };
          if (n === 0) await append(at, id, note);
          if (n === 0) return { content: [search("srvtoolu_1"), call("toolu_1")] };
          return n === 1 ? { content: [found("srvtoolu_1"), call("toolu_2")] } : { text: "Bye." };
        },
      },
      { tools: [echoTool] },
    );
    const { stop } = await at.say("Go");
    expect({ stop: stop.type, rejected: at.model.rejected }).toEqual({ stop: "end_turn", rejected: [] });
    expect(JSON.stringify(at.model.requests[1])).not.toContain("late");
    expect(JSON.stringify(at.model.requests[2])).toContain("late");
  });

  it("L18 is continued by another process when the first one dies before or in the continuation", async () => {
    for (const broken of ["llm_request", "llm_response"] as const) {
      let clock = 0;
      let seen = 0;
      const base = memoryStore({ now: () => clock });
      const store = failingStore(base, (events) => {
        if (has(events, broken)) seen += 1;
        return seen >= 2;
      });
      const at = world(
        [paused(...second.slice(1)), { content: last }, { content: last }],
        { hooks: [looking] },
        store,
      );
      await expect(at.say("Go")).rejects.toThrow("down");
      const { id = "" } = (await base.sessions.list({ userId: "u1" }))[0] ?? {};
      clock += 60_000;
      const next = setup([], {}, { store: base }, () => at.model);
      expect(await next.pawl.sweep()).toBe(1);
      for await (const _ of next.pawl.follow(id, { untilIdle: true }));
      expect(messagesOf(at, -1)).toEqual([
        { role: "user", content: [said("Go")] },
        { role: "assistant", content: second.slice(1) },
      ]);
      expect((await at.of(id, "run_ended")).map(({ data }) => data.stop.type)).toEqual(["end_turn"]);
      expect(at.model.rejected).toEqual([]);
    }
  });

  it("L9 L12 L18 leaves a valid conversation when the continuation fails, is cut, refused or stopped", async () => {
    expectPrinted("pawl: Overloaded", "pawl: The model's answer was cut off.");
    const endings: [Reply, string][] = [
      [{ fault: { status: 529 } }, "error"],
      [{ content: [found("srvtoolu_1"), search("srvtoolu_2"), said("x")], fault: { cut: 9 } }, "error"],
      [{ content: last, stop: "refusal" }, "refusal"],
      [{ content: [found("srvtoolu_1"), said("A long text")], clip: 5 }, "max_tokens"],
    ];
    for (const [ending, type] of endings) {
      const at = world([paused(...first), ending, { text: "Bye." }]);
      const { sessionId, stop } = await at.say("Go");
      expect(stop.type).toBe(type);
      expect((await at.say("Well?", { sessionId })).text).toBe("Bye.");
      expect(at.model.rejected).toEqual([]);
    }
  });

  it("L2 L18 is a breach of contract with a call of ours in it: the call is not run, the run ends as an error", async () => {
    expectPrinted("pawl: The model paused its answer with a tool call in it.");
    const call = { type: "tool_use", id: "toolu_1", name: "echo", input: { text: "x" } };
    const body = { tools: [...tools, { ...echoTool.spec }] } as never;
    const script = [paused(search("srvtoolu_1"), said("And:"), call), { text: "Bye." }];
    const at = setup({ script, body }, { tools: [echoTool] });
    const { sessionId, stop, actions } = await at.say("Go");
    expect({ type: stop.type, actions }).toEqual({ type: "error", actions: [] });
    expect((await at.of(sessionId, "error")).map(({ data }) => data.code)).toEqual(["contract_violation"]);
    await at.say("Well?", { sessionId });
    expect(at.model.rejected).toEqual([]);
  });

  it("L3 L18 is continued in the run's last turn too, which ends it", async () => {
    const at = world(
      [paused(...first), { content: [found("srvtoolu_1"), said("So far.")] }, { text: "Bye." }],
      {
        limits: { turns: 2 },
        onLimit: "land",
      },
    );
    const { sessionId, stop, text } = await at.say("Go");
    expect({ type: stop.type, text }).toEqual({ type: "turn_limit", text: "I search.\n\nSo far." });
    await at.say("Well?", { sessionId });
    expect(at.model.rejected).toEqual([]);
  });

  it("H1 L18 is not rewritten by a hook, which counts as failed; its continuation may be", async () => {
    const hook: Hook = {
      name: "shout",
      afterModel: ({ content }) => ({
        content: content.map((block) => (block.type === "text" ? said("LOUD") : block)),
      }),
    };
    const more: Hook = { name: "more", afterModel: ({ content }) => ({ content: [...content, said("!")] }) };
    const at = world(
      [paused(said("I search."), search("srvtoolu_1")), { content: [found("srvtoolu_1"), said("x")] }],
      {
        hooks: [hook, more],
      },
    );
    const { sessionId, text } = await at.say("Go");
    expect(text).toBe("I search.\n\nLOUDLOUD");
    expect((await at.of(sessionId, "error")).map(({ data }) => data.code)).toEqual([
      "hook_failed",
      "hook_failed",
    ]);
    expect(at.model.rejected).toEqual([]);
  });

  it("C11 takes a search and its result out together when one of them is redacted or summed up", async () => {
    const script = [paused(...first), { content: last.with(0, found("srvtoolu_1")) }, { text: "Bye." }];
    const redacted = world(script);
    const { sessionId } = await redacted.say("Go");
    const [one] = await redacted.of(sessionId, "assistant_message");
    await redacted.pawl.redact(sessionId, one?.seq ?? 0, { userId: "u1" });
    await redacted.say("And?", { sessionId });
    let from: number | undefined;
    const seen: unknown[] = [];
    const summed = world(script, {
      checkpointWhen: [
        ({ entries }) => {
          seen.push(entries.at(-1)?.role);
          from = entries.findLast(({ role }) => role === "assistant")?.seq;
          return from === undefined ? undefined : { reason: "summary", fromSeq: from, summary: "Short." };
        },
      ],
    });
    await summed.say("And?", { sessionId: (await summed.say("Go")).sessionId });
    // Never asked in the middle of a paused answer.
    expect(seen).toEqual(["user", "user"]);
    for (const { model } of [redacted, summed]) {
      expect(model.rejected).toEqual([]);
      expect(JSON.stringify(model.requests[2])).toContain("Here it is.");
      expect(JSON.stringify(model.requests[2])).not.toContain("srvtoolu_1");
    }
  });

  const ourCall = (id: string) => ({ type: "tool_use", id, name: "echo", input: { text: "x" } });
  const withEcho = (script: Reply[], options: Parameters<typeof setup>[1] = {}, more = {}) =>
    setup(
      { script, body: { tools: [...tools, { ...echoTool.spec }] } as never },
      { tools: [echoTool], ...options },
      more,
    );

  it.each<[string, Reply, string[]]>([
    ["nothing", { content: [found("srvtoolu_1"), said("It says")], fault: { stall: 3 } }, ["text"]],
    [
      "half a text",
      { content: [found("srvtoolu_1"), said("It says and so on")], fault: { stall: 6 } },
      ["text", "server_tool_use", "web_search_tool_result", "text"],
    ],
  ])("L4 L18 lands while the API's own tool is running and has produced %s", async (_what, stalled, kept) => {
    const clock = testClock();
    const options = { limits: { wallClockMs: 10_000 }, onLimit: "land" as const };
    const script = [
      paused(said("I search."), search("srvtoolu_1")),
      stalled,
      { text: "So far." },
      { text: "Bye." },
    ];
    const at = setup({ script, body: { tools } }, options, {
      testing: { clock },
      store: memoryStore({ now: clock.now }),
    });
    const { id: sessionId } = await at.pawl.getOrCreateSession("tester", "u1");
    const running = at.say("Go", { sessionId });
    await until(() => at.model.requests.length >= 2);
    // Until the answer stalls.
    await settled();
    await clock.advance(8_100);
    const { stop, text } = await running;
    expect({ type: stop.type, last: text.split("\n\n").at(-1) }).toEqual({
      type: "deadline",
      last: "So far.",
    });
    const [, answer, note] = messagesOf(at, 2) as { content: { type: string }[] }[];
    expect(answer?.content.map(({ type }) => type)).toEqual(kept);
    expect(JSON.stringify(note)).toContain("last turn");
    await at.say("Well?", { sessionId });
    expect(at.model.rejected).toEqual([]);
    expect(await rebuild(await at.log(sessionId))).toHaveLength(4);
  });

  it("C13 L18 removes a call that the API abandoned from the middle only under a new prefix", async () => {
    const at = withEcho([
      { content: [search("srvtoolu_1"), ourCall("toolu_1")] },
      { content: [said("I do without."), ourCall("toolu_2")] },
      { text: "Done." },
      { text: "Bye." },
    ]);
    const { sessionId, stop } = await at.say("Go");
    expect(stop.type).toBe("end_turn");
    await at.say("Thanks", { sessionId });
    expect(at.model.rejected).toEqual([]);
    const log = await at.log(sessionId);
    const requests = await rebuild(log);
    expect(requests).toHaveLength(4);
    for (const group of Map.groupBy(requests, ({ prefixId }) => prefixId).values()) {
      assertExtends(group.map(({ request }) => request));
    }
    expect(new Set(requests.map(({ prefixId }) => prefixId)).size).toBe(2);
    expect(JSON.stringify(at.model.requests[2])).toContain("srvtoolu_1");
    expect(JSON.stringify(at.model.requests[3])).not.toContain("srvtoolu_1");
  });

  it("L18 reads a message that waited behind a call that the API never finished", async () => {
    const at: Setup = setup(
      {
        body: { tools: [...tools, { ...echoTool.spec }] } as never,
        rules: async (_, { n }) => {
          const { id = "" } = (await at.store.sessions.list({ userId: "u1" }))[0] ?? {};
          if (n === 0) return { content: [search("srvtoolu_1"), ourCall("toolu_1")] };
          if (n === 1)
            await at.pawl.run("tester", { userId: "u1", sessionId: id, input: "And this?" }).started;
          return { text: n === 1 ? "Done." : "This, too." };
        },
      },
      { tools: [echoTool], whenBusy: "queue" },
    );
    const { sessionId, stop, text } = await at.say("Go");
    expect({ type: stop.type, text }).toEqual({ type: "end_turn", text: "Done.\n\nThis, too." });
    expect(at.model.rejected).toEqual([]);
    expect(await rebuild(await at.log(sessionId))).toHaveLength(3);
  });
});
