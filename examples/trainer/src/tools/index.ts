import type { DataSource } from "@pawl/knowledge";
import { dataSources, type TrainerDeps } from "../data/index.ts";
import { adjustExercise } from "./adjust-exercise.ts";
import { fetchData } from "./fetch-data.ts";
import { generateWorkout } from "./generate-workout.ts";
import { idle } from "./idle.ts";
import { logWorkout } from "./log-workout.ts";
import { messageAskUser } from "./message-ask-user.ts";
import { messageNotifyUser } from "./message-notify-user.ts";
import { removeExercise } from "./remove-exercise.ts";
import { setCurrentLocation } from "./set-current-location.ts";
import { swapExercise } from "./swap-exercise.ts";

export type { AdjustedExercise } from "./adjust-exercise.ts";
export type { FetchedData } from "./fetch-data.ts";
export type { Generated, WorkoutSummary } from "./generate-workout.ts";
export type { Logged } from "./log-workout.ts";
export type { Notified } from "./message-notify-user.ts";
export type { RemovedExercise } from "./remove-exercise.ts";
export type { LocationSet } from "./set-current-location.ts";
export type { Swapped } from "./swap-exercise.ts";

export interface TrainerToolsOptions {
  /** Creates the ids of exercises. Default: random UUIDs. */
  newId?: () => string;
  /** The sources that `fetch_data` can read. Default: {@link dataSources}. */
  sources?: readonly DataSource<TrainerDeps>[];
}

/**
 * Creates the trainer's ten tools, for messages, workouts, data and locations. They read {@link TrainerDeps}
 * from `deps`.
 *
 * @example
 * ```ts
 * import { trainerTools } from "@pawl/example-trainer";
 *
 * console.log(trainerTools().map(({ name }) => name));
 * // [ "message_notify_user", "message_ask_user", "idle", … ]
 * ```
 */
export function trainerTools({
  newId = () => crypto.randomUUID(),
  sources = dataSources(),
}: TrainerToolsOptions = {}) {
  return [
    messageNotifyUser,
    messageAskUser,
    idle,
    generateWorkout(newId),
    swapExercise(newId),
    adjustExercise,
    removeExercise,
    logWorkout,
    fetchData(sources),
    setCurrentLocation,
  ];
}
