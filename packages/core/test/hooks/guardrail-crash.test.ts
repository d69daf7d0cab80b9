import { testClock } from "@pawl/testing";
import { expect, it } from "vitest";
import { crashingStore } from "../../../../test/support/crashing-store.ts";
import { assertSoundLog } from "../../../../test/support/invariants.ts";
import { type EventStore, guardrail, memoryStore, type StoredEvent } from "../../src/index.ts";
import { setup } from "../support/setup.ts";
import { calling, echo } from "../support/tools.ts";

const SECRET = "4711-SECRET";
const mask = (value: unknown) => JSON.parse(JSON.stringify(value).replaceAll(SECRET, "***"));

const guard = (beside: boolean) =>
  guardrail({
    beside,
    every: 10,
    input: ({ text }) => (text.includes("evil") ? { block: "No." } : undefined),
    output: ({ text, value }) => {
      if (text.includes("worse")) return { block: "Not that." };
      return text.includes(SECRET) ? { replace: mask(value ?? text) } : undefined;
    },
  });

const stories: { [title: string]: { input: string; texts: string[]; stop: string; last: string } } = {
  "a message that is blocked": { input: "An evil thing", texts: [], stop: "blocked", last: "" },
  "a masked call and text": { input: "Hi", texts: [SECRET, SECRET], stop: "end_turn", last: "It is ***." },
  "a blocked answer": { input: "Hi", texts: [SECRET, "worse"], stop: "blocked", last: "" },
};

/** The first process dies at this append. Others go on until the run is over. */
async function told(title: string, beside: boolean, at: number, when: "before" | "after") {
  const { input, texts } = stories[title] as (typeof stories)[string];
  const clock = testClock();
  let now = clock.now();
  const base = memoryStore({ now: () => now });
  await base.sessions.create({ id: "s1", userId: "u1", agent: "tester" });
  const requests: unknown[] = [];
  const process = (store: EventStore) => {
    const rules = ({ messages }: { messages: readonly unknown[] }) => {
      requests.push(messages);
      const [call, text] = texts;
      const isSecond = JSON.stringify(messages).includes("echo ***");
      return isSecond
        ? { text: `It is ${text}.` }
        : call === undefined
          ? { text: "Evil is easy." }
          : { tools: [calling("echo", call)] };
    };
    const tools = [echo("echo", { idempotent: true }).tool];
    return setup({ rules } as never, { hooks: [guard(beside)], tools }, { store, onError: () => undefined });
  };
  const first = crashingStore(base, at, when);
  await process(first)
    .say(input, { sessionId: "s1" })
    .catch(() => undefined);
  for (let left = 5; left > 0; left -= 1) {
    now += 60_000;
    const log = await Array.fromAsync(base.read("s1"));
    const next = process(base);
    if (log.length === 0) await next.say(input, { sessionId: "s1" });
    else if (!log.some(({ type }) => type === "run_ended")) {
      await next.pawl.sweep();
      await Array.fromAsync(next.pawl.follow("s1", { afterSeq: log.length, untilIdle: true }));
    }
  }
  const log: StoredEvent[] = await Array.fromAsync(base.read("s1"));
  return { log, requests, appends: first.appends };
}

const cases = Object.keys(stories).flatMap((title) => [true, false].map((beside) => ({ title, beside })));

it.each(cases)(
  "F34 R1 $title, killed at every append: nothing gets through (beside: $beside)",
  async ({ title, beside }) => {
    const { stop, last } = stories[title] as (typeof stories)[string];
    const whole = await told(title, beside, Number.POSITIVE_INFINITY, "before");
    const ways = Array.from({ length: whole.appends }, (_, at) => at + 1).flatMap((at) => [
      { at, when: "before" as const },
      { at, when: "after" as const },
    ]);
    for (const { at, when } of ways) {
      const { log, requests } = await told(title, beside, at, when);
      assertSoundLog(log);
      const ends = log.flatMap((event) => (event.type === "run_ended" ? [event.data.stop.type] : []));
      expect(ends, `${when} ${at}`).toEqual([stop]);
      const answers = log.flatMap((event) => (event.type === "assistant_message" ? event.data.content : []));
      expect(JSON.stringify(log.filter(({ type }) => type !== "error"))).not.toContain("4711-S");
      expect(JSON.stringify(answers)).not.toContain("easy");
      expect(JSON.stringify(answers)).toContain(last);
      if (title === "a message that is blocked" && !beside) expect(requests).toEqual([]);
    }
  },
);
