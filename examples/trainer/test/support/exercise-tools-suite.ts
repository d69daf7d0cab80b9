import type { Json, ToolContext } from "@pawl/core";
import { describe, expect, it } from "vitest";
import { type TrainerData, type TrainerDeps, trainerTools } from "../../src/index.ts";
import { bench, type Call, generate, last } from "./bench.ts";
import { at, group, groups, intervals, plank, press, run } from "./exercises.ts";

/** Tests the tools that change the active workout. `open` returns the data of an open database. */
export function exerciseToolsSuite(open: () => TrainerData): void {
  describe("12.4 the tools for exercises", () => {
    describe.each<[string, (id: string) => Json]>([
      ["an id", (id) => id],
      ["an order number", () => "2"],
      ["an order number that is a number", () => 2],
    ])("X2 exercises by %s", (_, key) => {
      const second = async (made: Awaited<ReturnType<typeof bench>>) => at(await made.workout(), 2).id;

      it("X2 swap_exercise replaces one, which keeps its place and its group", async () => {
        const made = await bench(open());
        await made.calls(generate(press(group("superset", 1)), plank(group("superset", 2)), run()));
        const id = await second(made);
        const { actions } = await made.calls([
          "swap_exercise",
          { exercise_id: key(id), new_exercise: intervals({ order: 9 }), reason: "hurts" },
        ]);
        expect(last(actions)).toMatchObject({
          success: true,
          old_exercise: { id, exercise_name: "Plank" },
          new_exercise: { exercise_name: "Sprints", order: 2, group: { type: "superset", position: 2 } },
        });
        const workout = await made.workout();
        expect(at(workout, 2)).toEqual(last(actions).new_exercise);
        expect(at(workout, 2).id).toBe(last(actions).new_id);
        expect(last(actions).new_id).not.toBe(id);
      });

      it("X2 adjust_exercise changes one, and says what it was", async () => {
        const made = await bench(open());
        await made.calls(generate());
        const id = await second(made);
        const { actions } = await made.calls([
          "adjust_exercise",
          { exercise_id: key(id), adjustments: { hold_sec: [50, 45] } },
        ]);
        expect(last(actions)).toEqual({
          success: true,
          exercise_id: id,
          exercise_name: "Plank",
          adjustments: { hold_sec: [50, 45] },
          old_values: { hold_sec: [40, 30] },
        });
        expect(at(await made.workout(), 2)).toMatchObject({ id, hold_sec: [50, 45] });
      });

      it("X2 remove_exercise takes one out and numbers the others anew", async () => {
        const made = await bench(open());
        await made.calls(
          generate(
            press(),
            plank(group("giant_set", 1)),
            run(group("giant_set", 2)),
            press(group("giant_set", 3)),
          ),
        );
        const id = await second(made);
        const { actions } = await made.calls(["remove_exercise", { exercise_id: key(id) }]);
        expect(last(actions)).toMatchObject({
          success: true,
          removed_exercise: { id, exercise_name: "Plank" },
          remaining_count: 3,
        });
        const workout = await made.workout();
        expect(workout?.exercises.map(({ order }) => order)).toEqual([1, 2, 3]);
        expect(groups(workout!)).toEqual([undefined, "superset:1", "superset:2"]);
      });
    });

    it("X2 exercises that are not there, and a workout that is not there, are errors that say so", async () => {
      const made = await bench(open());
      const calls = (exercise_id: string): Call[] => [
        ["swap_exercise", { exercise_id, new_exercise: press() }],
        ["adjust_exercise", { exercise_id, adjustments: { sets: 2 } }],
        ["remove_exercise", { exercise_id }],
        ["log_workout", { completed_exercises: [{ exercise_id }] }],
      ];
      const none = await made.calls(...calls("1"));
      for (const { success, result } of none.actions)
        expect([success, String(result)]).toEqual([false, expect.stringContaining("no active workout")]);
      const lost = await made.calls(generate(), ...calls("9"), ...calls("'; DROP TABLE x; --"));
      for (const { success, result } of lost.actions.slice(1))
        expect([success, String(result)]).toEqual([
          false,
          expect.stringContaining("There are: 1. Bench press; 2. Plank; 3. Easy run"),
        ]);
      expect((await made.workout())?.exercises).toHaveLength(3);
    });

    it("X2 adjust_exercise prevents changing id and exercise_type, by their names", async () => {
      const made = await bench(open());
      await made.calls(generate());
      const before = await made.workout();
      for (const field of ["id", "exercise_type", "type", "order"]) {
        const { actions } = await made.calls([
          "adjust_exercise",
          { exercise_id: "1", adjustments: { [field]: "hold", sets: 4 } },
        ]);
        const [action] = actions;
        expect([action?.success, String(action?.result)]).toEqual([
          false,
          expect.stringContaining(`${field} is protected`),
        ]);
      }
      expect(await made.workout()).toEqual(before);
    });

    it("X2 taking out exercise 1 twice takes out two", async () => {
      const made = await bench(open());
      await made.calls(
        generate(),
        ["remove_exercise", { exercise_id: "1" }],
        ["remove_exercise", { exercise_id: "1" }],
      );
      expect((await made.workout())?.exercises.map(({ exercise_name }) => exercise_name)).toEqual([
        "Easy run",
      ]);
    });

    it("X2 log_workout ends the active workout, and writes what was done to the history", async () => {
      const made = await bench(open());
      const { actions } = await made.calls(generate(press(), plank(), run(), intervals()), [
        "log_workout",
        {
          completed_exercises: [
            { exercise_id: "3", actual_duration_min: 12 },
            { exercise_id: "1", completed_sets: 2, actual_reps: [10, 9], actual_load: [62.5] },
            { exercise_id: "4", completed_rounds: 0 },
          ],
          workout_notes: "Tired",
        },
      ]);
      expect(last(actions)).toEqual({ success: true, logged_count: 2, total_in_workout: 4 });
      expect(await made.workout()).toBeUndefined();
      const rows = await open().history(made.userId, { daysBack: 1 });
      expect(
        rows.map(({ exercise_name, workout_notes, performed_on }) => [
          exercise_name,
          workout_notes,
          performed_on,
        ]),
      ).toEqual([
        ["Bench press", "Tired", "2026-11-21"],
        ["Easy run", "Tired", "2026-11-21"],
      ]);
      expect(rows[0]?.exercise).toMatchObject({
        sets: 2,
        planned_sets: 3,
        reps: [10, 9],
        load_each: [62.5, 62.5],
        load_unit: "kg",
      });
      expect(rows[1]?.exercise).toMatchObject({ duration_min: 12 });
      const { weeks } = await open().progress(made.userId, { weeks: 1 });
      expect(weeks[0]?.volume_kg).toBeGreaterThanOrEqual(1_187.5);
    });

    it.each<[string, object[]]>([
      ["nothing that was done", [{ exercise_id: "1", completed_sets: 0 }]],
      ["an exercise twice", [{ exercise_id: "1" }, { exercise_id: "1" }]],
      ["values that do not fit the sets", [{ exercise_id: "1", completed_sets: 2, actual_reps: [1, 2, 3] }]],
      ["negative sets", [{ exercise_id: "1", completed_sets: -1 }]],
      ["endless repetitions", [{ exercise_id: "1", actual_reps: [1e308] }]],
      ["no exercise", []],
      ["ten thousand", Array.from({ length: 10_000 }, () => ({ exercise_id: "1" }))],
    ])("X2 log_workout refuses %s, and the workout goes on", async (_, completed_exercises) => {
      const made = await bench(open());
      const { actions } = await made.calls(generate(), ["log_workout", { completed_exercises }]);
      expect(actions.at(-1)?.success).toBe(false);
      expect(await made.workout()).toBeDefined();
      expect(await open().history(made.userId, { daysBack: 1 })).toEqual([]);
    });

    it("X2 W5 a database that fails is told to nobody, and the workout goes on", async () => {
      const fail = () => Promise.reject(new Error("connect ECONNREFUSED 10.0.0.7 password=hunter2"));
      const made = await bench({ ...open(), logWorkout: fail, setCurrentLocation: fail });
      const { actions } = await made.calls(
        generate(),
        ["log_workout", { completed_exercises: [{ exercise_id: "1" }] }],
        ["set_current_location", { location_name: "City Gym" }],
      );
      expect(actions.map(({ success }) => success)).toEqual([true, false, false]);
      expect(JSON.stringify(await made.log())).not.toMatch(/hunter2|ECONNREFUSED/);
      expect(await made.workout()).toBeDefined();
    });

    it("X2 log_workout cut off between the write and its result is run again and is one history", async () => {
      const made = await bench(open());
      await made.calls(generate());
      const events = await made.log();
      const log = trainerTools().find(({ name }) => name === "log_workout");
      const context = {
        userId: made.userId,
        idempotencyKey: `${made.userId}:7:call`,
        deps: { trainer: open() },
        read: async function* () {
          yield* events;
        },
      } as unknown as ToolContext<TrainerDeps>;
      const input = { completed_exercises: [{ exercise_id: "1" }, { exercise_id: "2" }] };
      const results = [await log?.execute?.(input, context), await log?.execute?.(input, context)];
      expect(results[1]).toEqual(results[0]);
      expect(await open().history(made.userId, { daysBack: 1 })).toHaveLength(2);
    });
  });
}
