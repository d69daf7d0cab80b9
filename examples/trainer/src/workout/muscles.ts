/** The muscles that an exercise can name. */
export const muscles = [
  "Chest",
  "Back",
  "Shoulders",
  "Biceps",
  "Triceps",
  "Abs",
  "Lower Back",
  "Quadriceps",
  "Hamstrings",
  "Glutes",
  "Calves",
  "Trapezius",
  "Abductors",
  "Adductors",
  "Forearms",
  "Neck",
] as const;

/** One of the sixteen muscles. */
export type Muscle = (typeof muscles)[number];
