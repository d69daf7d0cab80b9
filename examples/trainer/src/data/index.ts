export type { Distribution, Part, Progress } from "./distribution.ts";
export type { DoneWorkout } from "./history.ts";
export { equipmentText } from "./lines.ts";
export type {
  CategoryGoal,
  DoneExercise,
  Equipment,
  HistoryRow,
  Location,
  Measurement,
  MuscleGoal,
  Preference,
  Profile,
  Settings,
} from "./rows.ts";
export { type SectionOptions, type UserDataSection, userDataSections } from "./sections.ts";
export { type SeedOptions, seedTrainer } from "./seed/seed-trainer.ts";
export { dataSources } from "./sources.ts";
export { type TrainerData, type TrainerDataOptions, type TrainerDeps, trainerData } from "./trainer-data.ts";
