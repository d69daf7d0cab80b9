import type { PGlite } from "@electric-sql/pglite";
import { memoryFiles } from "@pawl/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newPglite } from "../../../../test/support/new-pglite.ts";
import { type DayPlans, memoryDayPlans, postgresDayPlans } from "../../src/index.ts";
import { saving, scriptedCoach } from "../support/harness.ts";

let db: PGlite;
let inPostgres: DayPlans;

beforeAll(async () => {
  db = await newPglite();
  inPostgres = await postgresDayPlans(db);
});
afterAll(() => db.close());

const places: [string, () => DayPlans][] = [
  ["Postgres", () => inPostgres],
  ["memory", memoryDayPlans],
];

describe.each(places)("day plans in %s", (_, place) => {
  const plan = (more: object = {}) => ({
    file_type: "day-plan",
    content: "- [ ] **9:00** Write\n- [x] Call Mum\n- no task",
    ...more,
  });

  it("X1 stores a plan in the table too, with intention and priorities; the last one of a day counts", async () => {
    const plans = place();
    const files = memoryFiles();
    const attributes = { intention: "Finish; DROP TABLE coach.day_plans;--", priorities: ["Write"] };
    const { ask } = await scriptedCoach(
      [...saving(plan()), ...saving(plan({ attributes })), ...saving(plan({ file_name: "2026-11-22" }))],
      undefined,
      { files, plans },
    );
    const { sessionId } = await ask({ input: "Plan" });
    const path = "day-plans/2026-11-21.md";
    expect(await plans.get("ada", "2026-11-21")).toEqual({
      day: "2026-11-21",
      path,
      priorities: ["9:00 Write", "Call Mum"],
    });
    await ask({ sessionId, input: "Again" });
    expect(await plans.get("ada", "2026-11-21")).toEqual({ day: "2026-11-21", path, ...attributes });
    await ask({ sessionId, input: "Tomorrow" });
    expect((await plans.get("ada", "2026-11-22"))?.path).toBe("day-plans/2026-11-22.md");
    expect(await plans.get("eve", "2026-11-21")).toBeUndefined();
    expect(await files.list("ada/day-plans")).toHaveLength(2);
  });

  it("X1 attack: a NUL in what goes into a column is refused before anything is written", async () => {
    const evil = { ...plan(), attributes: { intention: "a\0b", priorities: ["c\0"] } };
    const { ask, files } = await scriptedCoach(saving(evil), undefined, { plans: place() });
    const { actions } = await ask({ input: "Plan", userId: "mallory" });
    expect(actions).toMatchObject([{ success: false, result: expect.stringContaining("NUL") }]);
    expect(await files.list()).toEqual([]);
  });

  it("X1 reports a table that fails to the model, and repeating the call succeeds", async () => {
    const plans = place();
    let isDown = true;
    const failing: DayPlans = {
      get: plans.get,
      save: async (...saved) => {
        if (isDown) throw new Error("The day plans cannot be reached.");
        await plans.save(...saved);
      },
    };
    const { ask } = await scriptedCoach([...saving(plan()), ...saving(plan())], undefined, {
      plans: failing,
    });
    const { sessionId, actions } = await ask({ input: "Plan", userId: "bob" });
    expect(actions).toMatchObject([{ success: false }]);
    isDown = false;
    expect((await ask({ sessionId, input: "Again", userId: "bob" })).actions).toMatchObject([
      { success: true },
    ]);
    expect(await plans.get("bob", "2026-11-21")).toBeDefined();
  });
});

it("X1 may create its table repeatedly", async () => {
  const again = await postgresDayPlans(db);
  expect(await again.get("nobody", "2026-11-21")).toBeUndefined();
});
