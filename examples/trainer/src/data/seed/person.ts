import type { Equipment } from "../rows.ts";

// The data of the sample user. Days are relative to today.

export const person = {
  display_name: "Sam",
  sex: "male",
  birth_date: "1994-03-18",
  height_cm: 181,
  experience: "intermediate",
};

export const settings = {
  weight_unit: "kg",
  distance_unit: "km",
  session_minutes: 50,
  sessions_per_week: 3,
};

export const categoryGoals = [
  { category: "strength", weight: 0.4, description: "Squat one and a half times my own weight" },
  { category: "hypertrophy", weight: 0.3, description: "A broader back and chest" },
  { category: "endurance", weight: 0.2, description: "Run 10 km without a break in spring" },
  { category: "core", weight: 0.1, description: null },
];

export const muscleGoals = [
  { muscle: "Back", weight: 0.9 },
  { muscle: "Chest", weight: 0.8 },
  { muscle: "Quadriceps", weight: 0.7 },
  { muscle: "Glutes", weight: 0.6 },
  { muscle: "Hamstrings", weight: 0.6 },
  { muscle: "Shoulders", weight: 0.5 },
  { muscle: "Abs", weight: 0.5 },
  { muscle: "Triceps", weight: 0.4 },
  { muscle: "Biceps", weight: 0.4 },
  { muscle: "Calves", weight: 0.3 },
  { muscle: "Lower Back", weight: 0.3 },
];

/** `from` and `to` count days from today. Without `to` a preference has no end. */
export const preferences: readonly { kind: string; description: string; from: number; to?: number }[] = [
  { kind: "injury", description: "Left shoulder is sore: no overhead pressing, no dips", from: -4, to: 10 },
  { kind: "dislike", description: "No burpees", from: -200 },
  { kind: "schedule", description: "Never more than 50 minutes on weekdays", from: -120 },
  { kind: "focus", description: "Emphasis on the back this month", from: -12, to: 18 },
];

const range = (from: number, to: number, step: number): number[] =>
  Array.from({ length: Math.round((to - from) / step) + 1 }, (_, at) => from + at * step);

export const locations: readonly {
  name: string;
  description: string;
  equipment: Equipment[];
  current_location: boolean;
}[] = [
  {
    name: "Home Gym",
    description: "Garage, room for one",
    current_location: true,
    equipment: [
      { name: "Dumbbells", kind: "free_weights", weights_kg: range(4, 24, 2) },
      { name: "Adjustable bench" },
      { name: "Pull-up bar" },
      { name: "Resistance bands", kind: "bands" },
    ],
  },
  {
    name: "City Gym",
    description: "Large, crowded after six",
    current_location: false,
    equipment: [
      { name: "Barbell and rack", kind: "free_weights", weights_kg: range(20, 180, 2.5).slice(0, 20) },
      { name: "Dumbbells", kind: "free_weights", weights_kg: range(2, 40, 2) },
      { name: "Cable tower", kind: "machine" },
      { name: "Leg press", kind: "machine" },
      { name: "Treadmill", kind: "cardio" },
      { name: "Rowing machine", kind: "cardio" },
    ],
  },
  {
    name: "Hotel room",
    description: "When travelling",
    current_location: false,
    equipment: [{ name: "Resistance bands", kind: "bands" }],
  },
];
