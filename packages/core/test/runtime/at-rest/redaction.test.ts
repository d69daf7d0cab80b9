import { describe, expect, it } from "vitest";
import * as z from "zod";
import { assertRebuilds } from "../../../../../test/support/rebuild.ts";
import { readShown, type StoredEvent, tool } from "../../../src/index.ts";
import { newView, reduceView } from "../../../src/view.ts";
import { named } from "../../support/hooks.ts";
import { type Setup, setup, user } from "../../support/setup.ts";
import { askWith } from "../../support/tools.ts";

const look = tool({
  name: "look",
  description: "Looks.",
  input: z.object({ where: z.string() }),
  execute: ({ where }) => `secret result in ${where}`,
});
const ask = askWith(z.object({ question: z.string() }));
const script = [
  {
    thinking: "Hm.",
    text: "secret words",
    tools: [{ name: "look", id: "toolu_1", input: { where: "secret place" } }],
  },
  { tools: [{ name: "ask", id: "toolu_2", input: { question: "secret question" } }] },
  { thinking: "So.", text: "Done." },
  { text: "Later." },
  { text: "Bye." },
];

async function begun(): Promise<{ world: Setup; sessionId: string }> {
  const world = setup(script, { tools: [look, ask] });
  const { sessionId } = await world.say("secret message");
  await world.answer(sessionId, "toolu_2", "secret answer");
  return { world, sessionId };
}

async function everywhere(world: Setup, sessionId: string): Promise<Record<string, string>> {
  const { messages, pending } = await world.pawl.view(sessionId, user);
  const followed: StoredEvent[] = [];
  for await (const event of world.pawl.follow(sessionId)) {
    if ("seq" in event) followed.push(event);
    if ("seq" in event && event.seq === (await world.log(sessionId)).length) break;
  }
  return {
    view: JSON.stringify([messages, pending]),
    replayed: JSON.stringify(followed.reduce(reduceView, newView()).messages),
    followed: JSON.stringify(followed),
    read: JSON.stringify(await Array.fromAsync(readShown(world.store, sessionId))),
  };
}

describe("a redaction", () => {
  it.each([
    ["user_message", ["secret message"]],
    ["assistant_message", ["secret words", "secret place"]],
    ["tool_result", ["secret result"]],
  ] as const)(
    "of a %s is not sent, shown or read any more, and begins a new prefix",
    async (type, secrets) => {
      const { world, sessionId } = await begun();
      const [event] = await world.of(sessionId, type);
      await world.pawl.redact(sessionId, event?.seq ?? 0, user);
      const { stop } = await world.say("Go on", { sessionId });
      expect(stop.type).toBe("end_turn");
      const sent = JSON.stringify(world.model.requests.at(-1)?.messages);
      const places = { ...(await everywhere(world, sessionId)), sent };
      for (const [place, text] of Object.entries(places)) {
        expect(text, place).toContain("[redacted]");
        // A result quotes its call's arguments: who takes back the one has to take back the other.
        for (const secret of secrets)
          expect(text.replace(/secret result in secret place/g, ""), place).not.toContain(secret);
      }
      expect(sent).not.toContain('"thinking"');
      expect(await world.of(sessionId, "prefix")).toHaveLength(2);
      expect(world.model.rejected).toEqual([]);
      await assertRebuilds([await world.log(sessionId)], world.model.requests);
    },
  );

  it("takes the question with the answer that asked it, and the user's answer with its result", async () => {
    const { world, sessionId } = await begun();
    const asked = (await world.of(sessionId, "assistant_message"))[1];
    const result = (await world.of(sessionId, "tool_result"))[1];
    await world.pawl.redact(sessionId, asked?.seq ?? 0, user);
    await world.pawl.redact(sessionId, result?.seq ?? 0, user);
    for (const text of Object.values(await everywhere(world, sessionId))) {
      expect(text).not.toContain("secret question");
      expect(text).not.toContain("secret answer");
    }
    expect((await world.of(sessionId, "redaction")).map(({ data }) => data.of)).toEqual([
      "assistant_message",
      "tool_call",
      "tool_suspended",
      "tool_answered",
      "tool_result",
    ]);
  });

  it("takes the input that a hook has given a call, of a tool that has run and of one that asks", async () => {
    const hook = named("changes", {
      beforeTool: ({ tool }) => ({
        input: tool.name === "look" ? { where: "hidden place" } : { question: "hidden question" },
      }),
    });
    const world = setup(
      [
        {
          tools: [
            { name: "look", id: "toolu_1", input: { where: "a" } },
            { name: "ask", id: "toolu_2", input: { question: "b" } },
          ],
        },
        { text: "Done." },
      ],
      { tools: [look, ask], hooks: [hook] },
    );
    const { sessionId } = await world.say("Go");
    await world.answer(sessionId, "toolu_2", "yes");
    expect(JSON.stringify(await world.of(sessionId, "tool_started"))).toContain("hidden place");
    expect(JSON.stringify(await world.of(sessionId, "tool_suspended"))).toContain("hidden question");
    for (const type of ["assistant_message", "tool_result"] as const) {
      for (const { seq } of (await world.of(sessionId, type)).filter(({ data }) =>
        JSON.stringify(data).includes("toolu_"),
      ))
        await world.pawl.redact(sessionId, seq, user);
    }
    for (const [place, text] of Object.entries(await everywhere(world, sessionId)))
      expect(text, place).not.toContain("hidden");
  });

  it("of knowledge that no request has covered yet is never sent", async () => {
    const { world, sessionId } = await begun();
    const [event] = await world.store.append(
      sessionId,
      [{ type: "knowledge", data: { source: "web", data: "secret fact" } }],
      { appendId: "k" },
    );
    await world.pawl.redact(sessionId, event?.seq ?? 0, user);
    await world.say("Go on", { sessionId });
    const sent = JSON.stringify(world.model.requests.at(-1)?.messages);
    expect(sent).toContain('<knowledge source=\\"web\\">\\n[redacted]');
    expect(sent).not.toContain("secret fact");
  });

  it("of user data names the prefix it stands in; what is known by then is told anew", async () => {
    let name = "secret name";
    const world = setup([{ text: "Hi." }, { text: "Hi." }], { userData: { read: () => name } });
    const { sessionId } = await world.say("Hello");
    const [prefix] = await world.of(sessionId, "prefix");
    await world.pawl.redact(sessionId, prefix?.seq ?? 0, user);
    name = "another name";
    await world.say("Go on", { sessionId });
    const sent = JSON.stringify(world.model.requests[1]);
    expect(sent).not.toContain("secret name");
    expect(sent).toContain("another name");
    expect((await everywhere(world, sessionId)).read).not.toContain("secret name");
    expect(world.model.rejected).toEqual([]);
  });

  it("E2 leaves the store's row as it is: history is never rewritten", async () => {
    const { world, sessionId } = await begun();
    const before = await world.log(sessionId);
    await world.pawl.redact(sessionId, 3, user);
    expect((await world.log(sessionId)).slice(0, before.length)).toEqual(before);
  });

  it("E11 is for the owner only, on an idle session, and for events with content", async () => {
    const { world, sessionId } = await begun();
    const redact = (seq: number, userId = "u1") => world.pawl.redact(sessionId, seq, { userId });
    await expect(redact(3, "u2")).rejects.toMatchObject({ code: "not_found" });
    await expect(redact(1)).rejects.toMatchObject({ code: "invalid_input" });
    await expect(redact(999)).rejects.toMatchObject({ code: "invalid_input" });
    const waiting = setup(script.slice(1), { tools: [look, ask] });
    const { sessionId: other } = await waiting.say("Go");
    await expect(waiting.pawl.redact(other, 3, user)).rejects.toMatchObject({ code: "session_busy" });
  });
});
