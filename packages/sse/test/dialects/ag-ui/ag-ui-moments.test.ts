import { type Reply, scriptedModel } from "@pawl/testing";
import { expect, it } from "vitest";
import { pause } from "../../../../../test/support/pause.ts";
import { soak } from "../../../../../test/support/soak.ts";
import { agUi } from "../../../src/index.ts";
import {
  type Agent,
  errorOf,
  httpAgent,
  reloaded,
  run,
  say,
  talk,
  type Version,
} from "../../support/agents.ts";
import { eventually } from "../../support/chat.ts";
import { serve } from "../../support/served.ts";

const dialect = agUi();
const PAGES = soak(40, 200);
const slow = { deltas: 12, delayPerEventMs: 8 };
const words = "one two three four five six seven eight nine ten";
const script: Reply[] = [
  {
    thinking: "Let me see.",
    text: `A ${words}`,
    tools: [{ id: "l1", name: "look", input: { what: "it" } }],
    ...slow,
  },
  { text: `B ${words}`, deltas: 12, delayPerEventMs: 40 },
  { text: `C ${words}`, tools: [{ id: "q1", name: "confirm", input: { question: "Sure?" } }], ...slow },
  { text: `D ${words}`, ...slow },
];
const whole = [
  "user first",
  "reasoning Let me see.",
  `assistant A ${words} look({"what":"it"})`,
  "tool found it",
  `assistant B ${words}`,
  "user second",
  `assistant C ${words} confirm({"question":"Sure?"})`,
  'tool {"yes":true}',
  `assistant D ${words}`,
];

/** A generator with a seed, so that a failure can be seen again. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/** Messages in the order of the thread: what a page shows may end anywhere in it, and has nothing twice. */
function expectPart(shown: readonly string[]) {
  expect(shown.length).toBeLessThanOrEqual(whole.length);
  shown.forEach((message, at) => {
    const isLast = at === shown.length - 1;
    if (isLast) expect(whole[at]?.startsWith(message)).toBe(true);
    else expect(message).toBe(whole[at]);
  });
}

it.each(["0.0.59", "1.0"] as const)(
  `W4 K6 a page that is reloaded at any of ${PAGES} moments has every word, and none twice (AG-UI %s)`,
  async (version: Version) => {
    const served = await serve(scriptedModel(script), { dialect, whenBusy: "queue", maxStreams: 1_000 });
    const next = random(7);
    const first = httpAgent(version, served);
    let isOver = false;
    /** Comes back as long as the thread goes on: with each connect it has all that there is by then. */
    const page = async (ms: number): Promise<Agent> => {
      await pause(ms, "a page is loaded at a random moment");
      const agent = await reloaded(version, served, first.threadId);
      for (let wasOver = false; !wasOver; ) {
        wasOver = isOver;
        await agent.connectAgent();
        expectPart(talk(agent));
      }
      return agent;
    };
    const told = say(first, "first");
    await eventually(() => talk(first).length > 1);
    const pages = Array.from({ length: PAGES }, () => page(next() * 1_600));
    await eventually(() => talk(first).at(-1)?.startsWith("assistant B") === true);
    const second = await reloaded(version, served, first.threadId);
    const [, events] = await Promise.all([told, say(second, "second")]);
    expect(errorOf(events)).toBeUndefined();
    expect(talk(second)).toEqual(whole.slice(0, 7));
    await pause(100, "pages are loaded while the question is open");
    const resume = second.pendingInterrupts.map(({ id }) => ({
      interruptId: id,
      status: "resolved",
      payload: { yes: true },
    }));
    await run(second, { resume });
    isOver = true;
    for (const agent of await Promise.all(pages)) expect(talk(agent)).toEqual(whole);
    expect(talk(second)).toEqual(whole);
    expect(served.errors).toEqual([]);
  },
  60_000,
);
