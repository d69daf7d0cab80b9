import { expect, it } from "vitest";
import { localTail, memoryStore } from "../src/index.ts";
import { openLog } from "../src/session/log.ts";
import { newSessionState } from "../src/session/state.ts";

const note = (text: string) => ({ type: "note", data: { text } }) as const;

async function opened() {
  const store = memoryStore();
  await store.sessions.create({ id: "s", userId: "u", agent: "a" });
  const lease = await store.acquire("s", "me", 60_000);
  if (lease === undefined) throw new Error("no lease");
  const state = newSessionState("s");
  let ids = 0;
  const newId = () => `id${++ids}`;
  const log = openLog({ store, tail: localTail(), state, lease, newId, onEvent: () => undefined });
  const others = async (text: string) => await store.append("s", [note(text)], { appendId: text });
  return { store, log, others };
}

it("E2 an append at the tip means the tip that its caller has seen, however long it waits for its turn", async () => {
  const { store, log, others } = await opened();
  await log.append([note("first")]);
  await others("a message that came");
  const catchingUp = log.catchUp();
  // The caller has not seen the message: it is folded in before this has its turn.
  await expect(log.append([note("last")], { atTip: true })).rejects.toMatchObject({ code: "conflict" });
  await catchingUp;
  expect(log.state.lastSeq).toBe(2);
  await log.append([note("last")], { atTip: true });
  expect(await Array.fromAsync(store.read("s"))).toHaveLength(3);
});

it("E2 an append at the tip that waits behind one of the same leg is looked at again", async () => {
  const { log } = await opened();
  const before = log.append([note("a report")]);
  await expect(log.append([note("last")], { atTip: true })).rejects.toMatchObject({ code: "conflict" });
  await before;
  await log.append([note("last")], { atTip: true });
  expect(log.state.lastSeq).toBe(2);
});
