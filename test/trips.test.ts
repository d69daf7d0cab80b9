import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { noStack } from "../packages/supabase/test/support/stack.ts";
import { LIMITS } from "../scripts/lib/limits.mjs";
import { testDatabase } from "./support/postgres.ts";
import { type CountedStore, countedStores } from "./support/trip-stores.ts";
import { stories, tell } from "./support/trip-stories.ts";

/**
 * The number of appends from the model's first request on: two for a turn with tools, one for the last turn
 * and the end of the run, and one for a run that begins to wait.
 */
const APPENDS: Readonly<Record<string, number>> = {
  "new session": LIMITS.callsOfLastTurn,
  "second message": LIMITS.callsOfLastTurn,
  "one tool": LIMITS.callsOfToolTurn + LIMITS.callsOfLastTurn,
  "four tools": LIMITS.callsOfToolTurn + LIMITS.callsOfLastTurn,
  question: 2,
  answer: LIMITS.callsOfLastTurn,
};

/** Once the run has started, a handler's stream reads the log beside it. */
const OF_READERS = ["read", "session"];

describe.each(Object.entries(countedStores))("trips to the store, %s", (name, make) => {
  let counted: CountedStore | undefined;
  beforeAll(async () => {
    if (name !== "Supabase" || noStack === undefined) counted = await make(() => testDatabase());
  }, 60_000);
  afterAll(() => counted?.close());

  it.each(stories)("R1 the model is asked after two trips: $name", async (story) => {
    if (counted === undefined) return;
    const { store, trips } = counted;
    const { first } = await tell(store, trips, story, "run");
    expect(first.map(({ kind }) => kind)).toEqual(["open", "append"]);
    expect(first).toHaveLength(LIMITS.callsBeforeModel);
    const served = await tell(store, trips, story, "handler");
    const kinds = served.first.map(({ kind }) => kind);
    expect(kinds.slice(0, 2)).toEqual(["open", "append"]);
    expect(kinds.slice(2).filter((kind) => !OF_READERS.includes(kind))).toEqual([]);
  });

  it.each(stories)("R1 a handler with an option adds at most two reads before them: $name", async (story) => {
    if (counted === undefined) return;
    const { store, trips } = counted;
    const told = async (way: "handler with onClientGone" | "handler with admit") => {
      const kinds = (await tell(store, trips, story, way)).first.map(({ kind }) => kind);
      return kinds.slice(0, kinds.indexOf("append") + 1);
    };
    expect(await told("handler with onClientGone")).toEqual(["open", "append"]);
    // The row of the session, and whether the message is stored already.
    const checks = "answer" in story.request || story.before.length === 0 ? ["session"] : ["session", "read"];
    expect(await told("handler with admit")).toEqual([...checks, "open", "append"]);
  });

  it.each(stories)("R2 what follows at once is stored in the same append: $name", async (story) => {
    if (counted === undefined) return;
    const { store, trips } = counted;
    const appends = APPENDS[story.name] ?? Number.NaN;
    const { rest } = await tell(store, trips, story, "run");
    const kinds = rest.map(({ kind }) => kind);
    // Before a run waits, it asks whether the session still takes answers.
    const session = story.name === "question" ? 1 : 0;
    expect(kinds.filter((kind) => kind === "append")).toHaveLength(appends);
    expect(kinds).toHaveLength(appends + session);
    const served = await tell(store, trips, story, "handler");
    const inHandler = served.rest.map(({ kind }) => kind).filter((kind) => !OF_READERS.includes(kind));
    expect(inHandler).toEqual(Array.from({ length: appends }, () => "append"));
  });
});
