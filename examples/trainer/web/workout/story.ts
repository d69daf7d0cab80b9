import type { JsonObject } from "@pawl/core";
import type { ViewMessage } from "@pawl/core/view";
import type { Exercise } from "../../src/workout/exercise.ts";
import type { Workout } from "../../src/workout/fold.ts";
import { applyStep, WORKOUT_ARTIFACT, type WorkoutArtifact } from "../../src/workout/fold.ts";
import { fieldsOf, type ToolPart, textIn } from "../base/seam.ts";

/** The kind of an exercise's change since its workout was delivered. */
export type Mark = "swapped" | "adjusted";

/** A workout in the state that its card shows. */
export interface CardState {
  artifactId: string;
  workout: Workout;
  marks: ReadonlyMap<string, Mark>;
  /** The number of exercises that were logged. Present once the workout has ended. */
  logged?: { count: number; total: number };
}

/** The workouts and questions of a conversation. */
export interface Story {
  /** The workouts, by artifact id. */
  cards: ReadonlyMap<string, CardState>;
  /** The id of the call that delivered the latest workout. Only that workout's card is open. */
  delivery: string | undefined;
  /** The active workout. */
  current: CardState | undefined;
  /** The user's answers to closed questions, by call. */
  answers: ReadonlyMap<string, string>;
  /** How many workouts were logged. */
  logged: number;
}

/** Derives the workouts and answers from a conversation's calls, in order. */
export function storyOf(messages: readonly ViewMessage[]): Story {
  const delivered = deliveredIn(messages);
  const answers = new Map<string, string>();
  let asked: string[] = [];
  let delivery: string | undefined;
  let training: Training = { cards: new Map(), workout: undefined, logged: 0 };
  for (const message of messages) {
    if (message.role === "user") {
      for (const callId of asked) answers.set(callId, message.text);
      asked = [];
    }
    for (const part of message.parts) {
      if (part.type !== "tool" || part.phase !== "done") continue;
      if (part.toolName === "message_ask_user") asked.push(part.callId);
      if (deliveryOf(part) !== undefined) delivery = part.callId;
      training = after(training, part, delivered);
    }
  }
  const { cards, workout, logged } = training;
  return { cards, delivery, current: cards.get(workout?.artifact_id ?? ""), answers, logged };
}

/** The state of the workouts after a number of calls. */
interface Training {
  cards: ReadonlyMap<string, CardState>;
  /** The active workout. */
  workout: Workout | undefined;
  logged: number;
}

type Delivered = ReadonlyMap<string, WorkoutArtifact>;

/** Applies a call that succeeded. */
function after(before: Training, part: ToolPart, delivered: Delivered): Training {
  const result = fieldsOf(part.result);
  const { toolName } = part;
  const artifact = delivered.get(textIn(result.artifact_id) ?? "");
  const workout = applyStep(before.workout, { toolName, success: true, result, artifact });
  const cards = new Map(before.cards);
  if (toolName === "log_workout") {
    const card = cards.get(before.workout?.artifact_id ?? "");
    const [count, total] = [Number(result.logged_count), Number(result.total_in_workout)];
    if (card !== undefined) cards.set(card.artifactId, { ...card, logged: { count, total } });
    return { cards, workout, logged: before.logged + 1 };
  }
  if (workout !== undefined && workout !== before.workout) {
    const { artifact_id: artifactId } = workout;
    const marks = marked(cards.get(artifactId)?.marks, part, result);
    cards.set(artifactId, { artifactId, workout, marks });
  }
  return { ...before, cards, workout };
}

/** Returns the workout that a call delivered, if any. */
export function deliveryOf({ toolName, result, phase }: ToolPart): WorkoutArtifact | undefined {
  const { artifact_id: id, type, payload } = fieldsOf(fieldsOf(result).artifact);
  const isWorkout = type === WORKOUT_ARTIFACT && Array.isArray(fieldsOf(payload).exercises);
  if (toolName !== "message_notify_user" || phase !== "done" || typeof id !== "string") return undefined;
  return isWorkout ? { artifact_id: id, type, payload: fieldsOf(payload) } : undefined;
}

/**
 * Finds the delivered workouts. One call creates a workout and a later one delivers it, so all calls are
 * searched before any is applied.
 */
function deliveredIn(messages: readonly ViewMessage[]): Delivered {
  const found = messages
    .flatMap(({ parts }) => parts)
    .flatMap((part) => (part.type === "tool" ? (deliveryOf(part) ?? []) : []));
  return new Map(found.map((artifact) => [artifact.artifact_id, artifact]));
}

function marked(
  before: CardState["marks"] = new Map(),
  { toolName }: ToolPart,
  result: JsonObject,
): CardState["marks"] {
  const swapped = toolName === "swap_exercise" ? textIn(result.new_id) : undefined;
  const adjusted = toolName === "adjust_exercise" ? textIn(result.exercise_id) : undefined;
  if (swapped !== undefined) return new Map(before).set(swapped, "swapped");
  return adjusted === undefined ? before : new Map(before).set(adjusted, "adjusted");
}

/** Groups exercises in order; those of a group stay together. */
export function groupsOf(exercises: readonly Exercise[]): (readonly [Exercise, ...Exercise[]])[] {
  const groups: [Exercise, ...Exercise[]][] = [];
  for (const exercise of exercises.toSorted((a, b) => a.order - b.order)) {
    const last = groups.at(-1);
    const isSame = exercise.group !== undefined && last?.[0].group?.id === exercise.group.id;
    if (isSame) last?.push(exercise);
    else groups.push([exercise]);
  }
  return groups;
}
