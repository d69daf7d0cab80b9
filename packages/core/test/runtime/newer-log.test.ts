import { expect, it } from "vitest";
import { changedEvents } from "../../../../test/support/changed-events.ts";
import { eachWay } from "../../../../test/support/each-way.ts";
import { assertSoundLog } from "../../../../test/support/invariants.ts";
import { type EventStore, memoryStore, type StoredEvent } from "../../src/index.ts";
import { eventLine, summaryOf, timelineOf } from "../../src/inspect.ts";
import type { NewEvent } from "../../src/store.ts";
import { newView, reduceView } from "../../src/view.ts";
import { setup, types } from "../support/setup.ts";
import { beforeAppend } from "../support/stores.ts";
import { ask, look } from "../support/tools.ts";

/** A store to which a newer process writes too: events of a type, and fields, that this one does not know. */
function newer(inner: EventStore): EventStore {
  let n = 0;
  const unknown = { type: "agent_moved", data: { run_id: "r", to: "a type of a later version" } };
  const writing = beforeAppend(inner, async (_, sessionId) => {
    n += 1;
    // Not before each one: an append that was refused because of this event is made again.
    if (n % 2 === 0) return;
    await inner.append(sessionId, [unknown as unknown as NewEvent], { appendId: `newer ${n}` });
  });
  return changedEvents(writing, (event) => {
    const data = { ...(event.data as object), of_a_later_version: { deep: [1] } };
    return { ...event, v: 2, data, hint: "an unknown field" } as unknown as StoredEvent;
  });
}

const script = [
  {
    tools: [
      { name: "look", id: "toolu_l" },
      { name: "ask", id: "toolu_q" },
    ],
  },
  { text: "Done." },
];

/** A conversation over several processes, each of which knows of the run only what it reads. */
async function conversation(store: EventStore) {
  const options = { tools: [ask, look] };
  const first = setup(script.slice(0, 1), options, { store });
  const { id: sessionId } = await store.sessions.create({ id: "s1", userId: "u1", agent: "tester" });
  await first.say("Go", { sessionId });
  const second = setup(script.slice(1), options, { store });
  const { text, stop } = await second.answer(sessionId, "toolu_q", "yes");
  const log = await second.log(sessionId);
  expect([...first.model.rejected, ...second.model.rejected]).toEqual([]);
  return { text, stop, log, messages: second.model.requests[0]?.messages };
}

it.each(eachWay("open"))(
  "F25 an older process continues and shows a log with events and fields that it does not know, %s",
  async (_, as) => {
    const plain = await conversation(memoryStore());
    const { log, ...mixed } = await conversation(as(newer(memoryStore())));
    const unknown = types(log).filter((type) => type === "agent_moved");
    expect(unknown.length).toBeGreaterThan(3);
    assertSoundLog(log);
    expect(mixed).toMatchObject({ text: plain.text, stop: plain.stop, messages: plain.messages });
    const shown = (events: readonly StoredEvent[]) =>
      events
        .reduce(reduceView, newView())
        .messages.map(({ role, parts }) => [role, parts.map(({ type }) => type)]);
    expect(shown(log)).toEqual(shown(plain.log));
    for (const event of log) expect(eventLine(event)).toContain(event.type);
    const moved = log.find(({ type }) => (type as string) === "agent_moved") as StoredEvent;
    expect(summaryOf(moved)).toBe("");
    const runs = timelineOf(log);
    expect(runs.map(({ turns }) => turns.length)).toEqual([2]);
  },
);
