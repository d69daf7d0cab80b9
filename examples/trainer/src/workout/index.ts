export { type Adjusted, adjust, problemsOf } from "./adjust.ts";
export {
  type Exercise,
  type ExerciseInput,
  type ExerciseType,
  exerciseFields,
  exerciseInput,
  exerciseTypes,
  type Group,
  type GroupType,
  groupTypes,
} from "./exercise.ts";
export { MAX_EXERCISES } from "./fields.ts";
export {
  applyStep,
  currentWorkout,
  findExercise,
  type Step,
  stepOf,
  WORKOUT_ARTIFACT,
  type Workout,
  type WorkoutArtifact,
  type WorkoutPayload,
  workoutAfter,
} from "./fold.ts";
export { type Muscle, muscles } from "./muscles.ts";
export { inPlaceOf, removed } from "./operations.ts";
export { type Reconciled, reconcile } from "./reconcile.ts";
export { exerciseOf, type WorkoutInput, workoutInput, workoutOf } from "./workout.ts";
