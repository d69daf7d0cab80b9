import { useId } from "react";
import type { Exercise } from "../../src/workout/exercise.ts";
import type { Talk } from "../base/seam.ts";
import { doseOf } from "../workout/dose.ts";
import type { Mark } from "../workout/story.ts";
import { ExerciseActions } from "./exercise-actions.tsx";
import { SetTicks } from "./set-ticks.tsx";

interface ExerciseItemProps {
  exercise: Exercise;
  mark: Mark | undefined;
  /** The actions in the conversation. Absent if the workout can no longer be changed. */
  talk: Talk | undefined;
}

/** One exercise: its name, its sets and its buttons. */
export function ExerciseItem({ exercise, mark, talk }: ExerciseItemProps) {
  const { id, exercise_name: name, order } = exercise;
  const title = useId();
  return (
    <li
      className="exercise"
      tabIndex={-1}
      data-exercise={id}
      aria-labelledby={title}
      data-testid="exercise"
      data-mark={mark}
    >
      <div className="exercise-head">
        <span className="exercise-order" aria-hidden="true">
          {order}
        </span>
        <h4 id={title}>{name}</h4>
        {mark !== undefined && <span className="exercise-mark">{mark}</span>}
      </div>
      <p className="dose" data-testid="dose">
        {doseOf(exercise).map((words) => (
          <span key={words}>{words}</span>
        ))}
      </p>
      <Muscles exercise={exercise} />
      <SetTicks exercise={exercise} disabled={talk === undefined} />
      <ExerciseActions exercise={exercise} talk={talk} />
    </li>
  );
}

function Muscles({ exercise: { muscles_utilized: muscles } }: { exercise: Exercise }) {
  if (muscles.length === 0) return null;
  const ordered = muscles.toSorted((a, b) => b.share - a.share);
  return (
    <ul className="muscles" aria-label="Muscles">
      {ordered.map(({ muscle, share }) => (
        <li key={muscle}>
          {muscle} <span>{Math.round(share * 100)} %</span>
        </li>
      ))}
    </ul>
  );
}
