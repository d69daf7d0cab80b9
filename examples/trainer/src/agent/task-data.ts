import type { TaskData } from "@pawl/knowledge";

/** The sources that the initializer should choose for each kind of request. Other kinds need no data. */
export const taskData: readonly TaskData[] = [
  {
    task: "Making or changing a workout",
    sources: ["category_goals", "muscle_goals", "active_preferences", "workout_history"],
  },
  { task: "Setting or discussing goals", sources: ["category_goals", "muscle_goals"] },
  {
    task: "Progress and statistics: workout_history reaching back as far as the question does",
    sources: ["workout_history", "category_goals"],
  },
  { task: "Places and equipment", sources: ["all_locations"] },
  { task: "Preferences, likes and injuries", sources: ["active_preferences"] },
];
