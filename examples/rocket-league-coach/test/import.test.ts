import { memoryStore, PawlError } from "@pawl/core";
import { expect, it } from "vitest";
import { beforeAppend } from "../../../packages/core/test/support/stores.ts";
import { aspEvents, billing, bodyOf, type Coaching, tokenOf } from "./support/coaching.ts";
import { setUp } from "./support/set-up.ts";

const here = setUp("import");

/** Stores a session as an earlier version did: with text only. */
async function olderSession(of: Coaching, userId: string): Promise<string> {
  const token = tokenOf(userId);
  const made = await bodyOf(await of.call("/chat/preflight", { message: "Old", request_id: "old" }, token));
  const rows = ["I lose boost fights", "", "Any tips?"].map((text) => `('user', '${text}')`);
  const answers = ["Which playlist?", "Use small pads."].map((text) => `('assistant', '${text}')`);
  const ordered = [rows[0], answers[0], rows[1], rows[2], answers[1], "('user', 'Thanks')"];
  for (const row of ordered)
    await here.db.query(
      `INSERT INTO rl_coach.chat_message (session_id, role, content, created_at)
       SELECT $1, role, content, now() FROM (VALUES ${row}) AS v (role, content)`,
      [made.session_id],
    );
  return made.session_id;
}

const EARLIER = [
  ["user", "I lose boost fights"],
  ["assistant", "Which playlist?"],
  ["user", "Any tips?"],
  ["assistant", "Use small pads."],
  ["user", "Thanks"],
  ["assistant", "(No answer was kept.)"],
];

it("X3 C12 a session of the older shape continues, with its text as it was and at no cost", async () => {
  const model = billing({ rules: () => ({ thinking: "They are back.", text: "Welcome back." }) });
  const of = await here.coach({ model });
  const session_id = await olderSession(of, "old1");
  const send = async (message: string) =>
    await aspEvents(await of.chat({ session_id, message }, tokenOf("old1")));
  const events = await send("I am back");
  expect(events.at(-1)).toEqual({ type: "message_stop", stop_reason: "end_turn" });
  const { messages = [] } = model.requests[0] ?? {};
  const texts = messages.map(({ role, content }) => [
    role,
    typeof content === "string" ? content : content.map(({ text }) => text).join("\n"),
  ]);
  expect(texts).toEqual([...EARLIER, ["user", "I am back"]]);
  await send("And again");
  expect(model.rejected).toEqual([]);
  expect(model.requests).toHaveLength(2);
  expect(model.requests[1]?.messages.length).toBe(9);
  // The reservation of the older session was never used, and has nothing to do with the copy.
  expect((await of.budget("old1")).used).toBe(model.billed);
  const read = await bodyOf(await of.call(`/sessions/${session_id}/messages`, undefined, tokenOf("old1")));
  expect(read.messages.slice(-4).map(({ content_text }) => content_text)).toEqual([
    "I am back",
    "Welcome back.",
    "And again",
    "Welcome back.",
  ]);
});

it("X3 a copy that breaks off is completed by the next message", async () => {
  const model = billing({ rules: () => ({ thinking: "Hm.", text: "Welcome back." }) });
  let now = Date.now();
  const log = memoryStore({ now: () => now });
  let appends = 0;
  const failing = beforeAppend(log, () => {
    appends += 1;
    if (appends > 5) throw new PawlError("store_unavailable", "The disk is full.");
  });
  const of = await here.coach({ model, store: failing });
  const session_id = await olderSession(of, "old2");
  const send = async (through: Coaching) =>
    await through.chat({ session_id, message: "Back" }, tokenOf("old2")).catch(() => undefined);
  expect((await send(of))?.status).toBe(503);
  expect(model.requests).toEqual([]);
  now += 60_000;
  const healed = await here.coach({ model, store: log });
  await expect
    .poll(
      async () => {
        await healed.front.runtime.sweep();
        return await (await send(healed))?.text();
      },
      { timeout: 25_000, interval: 500 },
    )
    .toContain("Welcome back.");
  const said = (await Array.fromAsync(log.read(session_id, { types: ["user_message"] }))).map(
    ({ data }) => (data as { message: string }).message,
  );
  expect(said).toEqual(["I lose boost fights", "Any tips?", "Thanks", "Back"]);
  expect(model.requests).toHaveLength(1);
  expect((await healed.budget("old2")).used).toBe(model.billed);
});

it("X3 F18 nobody gets another user's session by its id", async () => {
  const model = billing({ rules: () => ({ text: "Hello." }) });
  const of = await here.coach({ model });
  const session_id = await olderSession(of, "old3");
  expect((await of.chat({ session_id, message: "Hi" }, tokenOf("thief"))).status).toBe(404);
  expect((await of.chat({ session_id: "none", message: "Hi" }, tokenOf("thief"))).status).toBe(404);
  expect(await of.store.sessions.get(session_id)).toBeUndefined();
  expect((await of.chat({ session_id, message: "Hi" }, tokenOf("old3"))).status).toBe(200);
});
