import type { EventStore, StoredEvent } from "@pawl/core";
import { recordOf } from "@pawl/planning";
import { expect } from "vitest";
import { crashingStore } from "../../../../test/support/crashing-store.ts";
import { assertSoundLog } from "../../../../test/support/invariants.ts";
import type { CompanySearch } from "../../src/index.ts";
import {
  expectPlannerKnowsRecord,
  expectPromptsEqualRecord,
  logOf,
  remembering,
  saidTo,
  storyProcess,
  told,
} from "./alex-story.ts";

/** A store for one telling, and what lets the leases of a dead process end. */
interface Place {
  store: EventStore;
  wait(): Promise<void>;
}

/** Events that a crash may add: it says so, what was in flight begins again, and a lost answer is charged. */
const MAY_BE_MORE: readonly StoredEvent["type"][] = ["run_recovered", "llm_request", "tool_started"];
const isCounted = ({ type, data }: StoredEvent) =>
  !MAY_BE_MORE.includes(type) && (type !== "spending" || Object(data).by === "planning");

/**
 * Tells the story of the two Alexes once, and then again for each append: the process dies before or after
 * it, and another one continues. Compares each telling with the first one. `every`: at every which append.
 */
export async function crashEverywhere(
  found: CompanySearch,
  place: () => Place | Promise<Place>,
  { every = 1 }: { every?: number } = {},
): Promise<{ appends: number; crashes: number }> {
  const { search, asked } = remembering(found);
  const first = await place();
  const counting = crashingStore(first.store, 0, "before");
  const whole = await telling(counting, first.store, search);
  const effects = asked.length;
  expect(whole.models).toEqual({ agent: 2, planner: 3 });
  const { appends } = counting;
  let crashes = 0;
  for (let at = 1; at <= appends; at += every)
    for (const when of ["before", "after"] as const) {
      asked.length = 0;
      const { store, wait } = await place();
      const where = `${when} append ${at}`;
      const dying = crashingStore(store, at, when);
      const dead = storyProcess(dying, search);
      await dead.tell().catch(() => undefined);
      // Two results may share an append, so a telling may have fewer.
      if (!dying.dead && at > appends - 3) break;
      expect(dying.dead, where).toBe(true);
      crashes += 1;
      await wait();
      const after = await telling(store, store, search, dead);
      expect([where, after.text]).toEqual([where, whole.text]);
      expect([where, after.record]).toEqual([where, whole.record]);
      expect([where, after.types]).toEqual([where, whole.types]);
      // The model is asked the same. Only the request that was in flight is repeated.
      expect([where, new Set(after.said)]).toEqual([where, new Set(whole.said)]);
      expect(after.said.length - whole.said.length, where).toBeLessThanOrEqual(1);
      // The searches of the interrupted turn, or the reads for one plan, may run once more.
      expect(asked.length - effects, where).toBeLessThanOrEqual(4);
      assertSoundLog(after.log, dying.acknowledged);
    }
  return { appends, crashes };
}

async function telling(
  store: EventStore,
  base: EventStore,
  search: CompanySearch,
  dead?: ReturnType<typeof storyProcess>,
) {
  const process = storyProcess(store, search);
  const { text, stop } = await process.tell();
  expect(stop.type).toBe("end_turn");
  const all = [...(dead ? [dead] : []), process];
  for (const { model, planner } of all) expect([...model.rejected, ...planner.rejected]).toEqual([]);
  const log = await logOf(base);
  const requests = all.flatMap(({ model }) => model.requests);
  expectPromptsEqualRecord(log, requests);
  expectPlannerKnowsRecord(
    log,
    all.flatMap(({ planner }) => planner.requests),
  );
  return {
    ...{ text, log, record: told(recordOf(log)) },
    types: log.filter(isCounted).map(({ type }) => type),
    said: all.flatMap(({ model, planner }) => saidTo(model, planner)),
    models: { agent: requests.length, planner: all.flatMap(({ planner }) => planner.requests).length },
  };
}
