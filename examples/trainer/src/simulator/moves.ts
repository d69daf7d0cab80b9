import type { JsonObject } from "@pawl/core";

/** An exercise that the simulated trainer knows. */
export interface Move {
  name: string;
  /** The equipment that the move needs, in the words of locations; absent for bodyweight moves. */
  needs?: string;
  /** The part of the body, by which users ask for exercises. */
  part: "chest" | "back" | "legs" | "shoulders" | "arms" | "core" | "cardio";
  type: "reps" | "hold" | "duration" | "intervals";
  muscles: readonly (readonly [muscle: string, share: number])[];
  /** In kilograms, for one set of ten. */
  load?: number;
}

/**
 * Creates a move of type `reps`. `muscles` lists muscles with their shares in percent; `load` is in
 * kilograms.
 */
function reps(part: Move["part"], name: string, muscles: string, needs?: string, load?: number): Move {
  const extra = { ...(needs !== undefined && { needs }), ...(load !== undefined && { load }) };
  return { name, part, type: "reps", muscles: shares(muscles), ...extra };
}

function shares(text: string): Move["muscles"] {
  return text.split(", ").map((one) => {
    const at = one.lastIndexOf(" ");
    return [one.slice(0, at), Number(one.slice(at + 1)) / 100] as const;
  });
}

/** All moves: grouped by part of the body, the most demanding first. */
export const moves: readonly Move[] = [
  reps("chest", "Barbell bench press", "Chest 60, Triceps 25, Shoulders 15", "barbell", 50),
  reps("chest", "Dumbbell bench press", "Chest 65, Triceps 20, Shoulders 15", "dumbbell", 16),
  reps("chest", "Incline dumbbell press", "Chest 55, Shoulders 30, Triceps 15", "dumbbell", 14),
  reps("chest", "Cable fly", "Chest 85, Shoulders 15", "cable", 10),
  reps("chest", "Push-up", "Chest 60, Triceps 25, Abs 15"),
  reps("chest", "Wide push-up", "Chest 75, Triceps 25"),
  reps("chest", "Close-grip push-up", "Triceps 60, Chest 40"),
  reps("back", "Pull-up", "Back 65, Biceps 25, Forearms 10", "pull-up"),
  reps("back", "One-arm dumbbell row", "Back 70, Biceps 20, Trapezius 10", "dumbbell", 20),
  reps("back", "Lat pulldown", "Back 70, Biceps 30", "cable", 45),
  reps("back", "Superman", "Lower Back 70, Glutes 30"),
  reps("back", "Reverse snow angel", "Back 50, Shoulders 30, Trapezius 20"),
  reps("legs", "Barbell squat", "Quadriceps 50, Glutes 35, Hamstrings 15", "barbell", 60),
  reps("legs", "Goblet squat", "Quadriceps 55, Glutes 30, Abs 15", "dumbbell", 20),
  reps("legs", "Romanian deadlift", "Hamstrings 50, Glutes 30, Lower Back 20", "dumbbell", 20),
  reps("legs", "Split squat", "Quadriceps 50, Glutes 35, Adductors 15"),
  reps("legs", "Hip bridge", "Glutes 70, Hamstrings 30"),
  reps("legs", "Calf raise", "Calves 100"),
  reps("shoulders", "Dumbbell shoulder press", "Shoulders 70, Triceps 30", "dumbbell", 12),
  reps("shoulders", "Lateral raise", "Shoulders 90, Trapezius 10", "dumbbell", 6),
  reps("shoulders", "Pike push-up", "Shoulders 65, Triceps 35"),
  reps("arms", "Dumbbell curl", "Biceps 85, Forearms 15", "dumbbell", 10),
  reps("arms", "Overhead triceps extension", "Triceps 100", "dumbbell", 10),
  reps("arms", "Bench dip", "Triceps 70, Chest 20, Shoulders 10"),
  { name: "Plank", part: "core", type: "hold", muscles: shares("Abs 75, Lower Back 25") },
  { name: "Side plank", part: "core", type: "hold", muscles: shares("Abs 70, Abductors 30") },
  reps("core", "Dead bug", "Abs 100"),
  { name: "Jumping jacks", part: "cardio", type: "intervals", muscles: shares("Calves 50, Shoulders 50") },
  { name: "Easy run", part: "cardio", type: "duration", muscles: shares("Quadriceps 50, Calves 50") },
];

/** Moves that are left out if the user's preferences match the expression. */
const ruledOutBy: ReadonlyMap<string, RegExp> = new Map([
  ["Dumbbell shoulder press", /\bno overhead/i],
  ["Pike push-up", /\bno overhead/i],
  ["Overhead triceps extension", /\bno overhead/i],
  ["Bench dip", /\bno dips?\b/i],
]);

/**
 * Returns the moves that the equipment allows and the preferences do not rule out. If the equipment is
 * unknown, returns only bodyweight moves.
 */
export function possible(equipment: string, preferences = ""): Move[] {
  const there = equipment.toLowerCase();
  return moves.filter(
    ({ name, needs }) =>
      (needs === undefined || there.includes(needs)) && !ruledOutBy.get(name)?.test(preferences),
  );
}

/** Returns a move in the form that the tools take. */
export function exerciseOf(move: Move, { order, sets = 3, unit = "kg" }: ExerciseOptions): JsonObject {
  return {
    exercise_name: move.name,
    exercise_type: move.type,
    order,
    ...fieldsOf(move, sets, unit),
    muscles_utilized: move.muscles.map(([muscle, share]) => ({ muscle, share })),
    goals_addressed: [{ goal: move.part === "cardio" ? "endurance" : "strength", share: 1 }],
    reasoning: reasonOf(move),
  };
}

interface ExerciseOptions {
  order: number;
  sets?: number;
  unit?: string;
}

function fieldsOf({ type, load }: Move, sets: number, unit: string): JsonObject {
  const each = (value: number) => Array.from({ length: sets }, () => value);
  switch (type) {
    case "hold":
      return { sets, hold_sec: each(40), rest_sec: 45 };
    case "duration":
      return { duration_min: 20 };
    case "intervals":
      return { rounds: 8, work_sec: 20, rest_sec: 10 };
    default:
      return {
        sets,
        reps: each(10),
        rest_sec: 75,
        ...(load !== undefined && {
          load_each: each(unit === "lb" ? Math.round(load * 2.2) : load),
          load_unit: unit,
        }),
      };
  }
}

function reasonOf({ needs, muscles }: Move): string {
  const first = muscles[0]?.[0] ?? "the whole body";
  return needs === undefined
    ? `Trains ${first.toLowerCase()} with nothing but your own weight.`
    : `Trains ${first.toLowerCase()} with the equipment you have here.`;
}
