export { dailyBudget, dailyBudgetTokens } from "./agent/daily-budget.ts";
export { DEFAULT_MODEL, modelChoice, trainerModels } from "./agent/models.ts";
export { type SessionLogOptions, withSessionLog } from "./agent/session-log.ts";
export {
  DROP_RESULTS_ABOVE,
  type TrainerOptions,
  trainer,
} from "./agent/trainer.ts";
export { type LocalIssuer, type LocalIssuerOptions, localIssuer } from "./auth/local-issuer.ts";
export {
  type CategoryGoal,
  type Distribution,
  type DoneExercise,
  type DoneWorkout,
  dataSources,
  type Equipment,
  type HistoryRow,
  type Location,
  type Measurement,
  type MuscleGoal,
  type Part,
  type Preference,
  type Profile,
  type Progress,
  type SectionOptions,
  type SeedOptions,
  type Settings,
  seedTrainer,
  type TrainerData,
  type TrainerDataOptions,
  type TrainerDeps,
  trainerData,
  type UserDataSection,
  userDataSections,
} from "./data/index.ts";
export { type AgentApiOptions, agentApi } from "./http/agent-api.ts";
export type { ChatAnswer, ClientResponse } from "./http/client-response.ts";
export { CURRENT_WORKOUT, trainerExtra } from "./http/extra.ts";
export type { WireEvent, WireSession } from "./http/wire-session.ts";
export { type TrainerRulesOptions, trainerRules } from "./simulator/rules.ts";
export {
  type AdjustedExercise,
  type FetchedData,
  type Generated,
  type LocationSet,
  type Logged,
  type Notified,
  type RemovedExercise,
  type Swapped,
  type TrainerToolsOptions,
  trainerTools,
  type WorkoutSummary,
} from "./tools/index.ts";
export {
  type Adjusted,
  adjust,
  applyStep,
  currentWorkout,
  type Exercise,
  type ExerciseInput,
  type ExerciseType,
  exerciseInput,
  exerciseTypes,
  findExercise,
  type Group,
  type GroupType,
  groupTypes,
  type Muscle,
  muscles,
  type Reconciled,
  reconcile,
  removed,
  type Step,
  stepOf,
  WORKOUT_ARTIFACT,
  type Workout,
  type WorkoutArtifact,
  type WorkoutInput,
  type WorkoutPayload,
  workoutAfter,
  workoutInput,
  workoutOf,
} from "./workout/index.ts";
