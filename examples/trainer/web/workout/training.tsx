import type { JsonObject } from "@pawl/core";
import { createContext, useContext, useMemo, useRef } from "react";
import type { Exercise } from "../../src/workout/exercise.ts";
import type { FrameProps } from "../base/seam.ts";
import type { Story } from "./story.ts";
import { type Ticks, useTicks } from "./ticks.ts";
import { useStory } from "./use-story.ts";

/** The state that the parts of one conversation share. */
interface Training {
  story: Story;
  ticks: Ticks;
}

const TrainingContext = createContext<Training | undefined>(undefined);

export function useTraining(): Training {
  const training = useContext(TrainingContext);
  if (training === undefined) throw new Error("useTraining() works only inside a TrainingFrame.");
  return training;
}

/**
 * Wraps the conversation. Provides the shown workout to its parts, and sends the workout's progress with each
 * message.
 */
export function TrainingFrame({ agent, messages, children }: FrameProps) {
  const story = useStory(messages);
  const ticks = useTicks(agent.sessionId);
  const training = useMemo(() => ({ story, ticks }), [story, ticks]);
  const latest = useRef(training);
  latest.current = training;
  const talking = useMemo(
    () => ({
      ...agent,
      send: ((text, options) =>
        agent.send(text, { ...options, extra: extraOf(latest.current) })) satisfies typeof agent.send,
    }),
    [agent],
  );
  return <TrainingContext value={training}>{children(talking)}</TrainingContext>;
}

/**
 * Describes the active workout as the user sees it. The server takes only the ticked sets from it; the
 * exercises come from the log.
 */
function extraOf({ story: { current }, ticks }: Training): JsonObject {
  if (current === undefined) return {};
  const exercises = current.workout.exercises.map((exercise) => ({
    id: exercise.id,
    exercise_name: exercise.exercise_name,
    exercise_type: exercise.exercise_type,
    ...progressOf(exercise, ticks.doneOf(exercise).length),
  }));
  return { currentWorkout: { artifact_id: current.artifactId, exercises } };
}

function progressOf({ exercise_type: type }: Exercise, done: number): JsonObject {
  if (type === "duration") return { completed: done > 0 };
  return type === "intervals" ? { completed_rounds: done } : { completed_sets: done };
}
