import type { ExerciseInput } from "../../workout/index.ts";

/** An exercise of the sample user, and how much it grows. */
export interface Known {
  exercise: ExerciseInput;
  /** The growth every second week: in kilograms, or in seconds or repetitions for exercises without load. */
  step: number;
}

type Shares = Readonly<Record<string, number>>;

const muscles = (shares: Shares) =>
  Object.entries(shares).map(([muscle, share]) => ({ muscle, share })) as ExerciseInput["muscles_utilized"];
const goals = (shares: Shares) => Object.entries(shares).map(([goal, share]) => ({ goal, share }));

function lift(name: string, load: number, step: number, of: Shares, reps = 8): Known {
  return {
    step,
    exercise: {
      exercise_name: name,
      exercise_type: "reps",
      sets: 3,
      reps: [reps, reps, reps],
      rest_sec: reps <= 6 ? 150 : 90,
      load_each: [load, load, load],
      load_unit: "kg",
      muscles_utilized: muscles(of),
      goals_addressed: goals(
        reps <= 6 ? { strength: 0.8, hypertrophy: 0.2 } : { hypertrophy: 0.6, strength: 0.4 },
      ),
      reasoning: "One of the lifts that progress is measured by.",
    },
  };
}

function bodyweight(name: string, reps: number, of: Shares): Known {
  return {
    step: 1,
    exercise: {
      exercise_name: name,
      exercise_type: "reps",
      sets: 3,
      reps: [reps, reps, reps - 1],
      rest_sec: 90,
      muscles_utilized: muscles(of),
      goals_addressed: goals({ strength: 0.5, hypertrophy: 0.5 }),
      reasoning: "Needs nothing but a bar or the floor.",
    },
  };
}

const plank: Known = {
  step: 5,
  exercise: {
    exercise_name: "Plank",
    exercise_type: "hold",
    sets: 3,
    hold_sec: [40, 40, 35],
    rest_sec: 45,
    muscles_utilized: muscles({ Abs: 0.7, "Lower Back": 0.3 }),
    goals_addressed: goals({ core: 1 }),
    reasoning: "A steady trunk for everything else.",
  },
};

const run: Known = {
  step: 0,
  exercise: {
    exercise_name: "Easy run",
    exercise_type: "duration",
    duration_min: 25,
    distance: 4,
    distance_unit: "km",
    muscles_utilized: muscles({ Quadriceps: 0.4, Calves: 0.3, Hamstrings: 0.3 }),
    goals_addressed: goals({ endurance: 1 }),
    reasoning: "Keeps the base without costing recovery.",
  },
};

const rower: Known = {
  step: 0,
  exercise: {
    exercise_name: "Rowing intervals",
    exercise_type: "intervals",
    rounds: 8,
    work_sec: 40,
    rest_sec: 50,
    muscles_utilized: muscles({ Back: 0.5, Quadriceps: 0.3, Biceps: 0.2 }),
    goals_addressed: goals({ endurance: 0.8, strength: 0.2 }),
    reasoning: "Short, and hard enough.",
  },
};

/** The sample user's workouts, which they do in rotation. */
export const sessions: readonly { title: string; exercises: readonly Known[] }[] = [
  {
    title: "Push",
    exercises: [
      lift("Dumbbell bench press", 16, 1, { Chest: 0.6, Triceps: 0.25, Shoulders: 0.15 }),
      lift("Dumbbell shoulder press", 10, 1, { Shoulders: 0.7, Triceps: 0.3 }),
      bodyweight("Push-up", 12, { Chest: 0.6, Triceps: 0.25, Abs: 0.15 }),
      lift("Overhead triceps extension", 8, 0.5, { Triceps: 1 }, 10),
      plank,
    ],
  },
  {
    title: "Pull",
    exercises: [
      bodyweight("Pull-up", 5, { Back: 0.65, Biceps: 0.25, Forearms: 0.1 }),
      lift("One-arm dumbbell row", 18, 1, { Back: 0.7, Biceps: 0.2, Trapezius: 0.1 }),
      lift("Dumbbell curl", 8, 0.5, { Biceps: 0.85, Forearms: 0.15 }, 10),
      rower,
    ],
  },
  {
    title: "Legs",
    exercises: [
      lift("Back squat", 55, 2.5, { Quadriceps: 0.5, Glutes: 0.35, Hamstrings: 0.15 }, 6),
      lift("Romanian deadlift", 50, 2.5, { Hamstrings: 0.5, Glutes: 0.3, "Lower Back": 0.2 }),
      lift("Standing calf raise", 30, 1, { Calves: 1 }, 12),
      run,
    ],
  },
];
