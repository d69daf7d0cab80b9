import { useId } from "react";
import type { Exercise } from "../../src/workout/exercise.ts";
import type { Workout } from "../../src/workout/fold.ts";
import type { Talk } from "../base/seam.ts";
import { setsOf } from "../workout/dose.ts";
import { logRequest } from "../workout/requests.ts";
import { type CardState, groupsOf } from "../workout/story.ts";
import type { Ticks } from "../workout/ticks.ts";
import { useTraining } from "../workout/training.tsx";
import { ExerciseGroup } from "./exercise-group.tsx";
import { ExerciseItem } from "./exercise-item.tsx";

interface WorkoutCardProps {
  artifactId: string;
  /** The id of the call that delivered the workout. */
  callId: string;
  talk: Talk;
}

/** A workout in its current state. It collapses to one line when another one is delivered. */
export function WorkoutCard({ artifactId, callId, talk }: WorkoutCardProps) {
  const { cards, delivery, current } = useTraining().story;
  const state = cards.get(artifactId);
  if (state === undefined) return null;
  const { workout } = state;
  if (delivery !== callId) {
    return (
      <details className="workout workout-old" data-testid="workout-old">
        <summary>
          <span className="workout-old-title">{workout.title}</span>
          <span className="workout-old-words">
            {countWords(workout)}
            {state.logged === undefined ? ", an earlier one" : ", logged"}
          </span>
        </summary>
        <Exercises state={state} talk={undefined} />
      </details>
    );
  }
  return <OpenCard state={state} talk={current?.artifactId === artifactId ? talk : undefined} />;
}

interface OpenCardProps {
  state: CardState;
  /** The actions in the conversation. Absent if the workout has ended. */
  talk: Talk | undefined;
}

function OpenCard({ state, talk }: OpenCardProps) {
  const title = useId();
  const { workout, logged } = state;
  return (
    <section className="workout" aria-labelledby={title} data-testid="workout" data-from-top>
      <header className="workout-head">
        <h3 id={title}>{workout.title}</h3>
        <p>{summaryOf(workout).join(" · ")}</p>
      </header>
      <Exercises state={state} talk={talk} />
      {talk !== undefined && <LogButton workout={workout} talk={talk} />}
      {logged !== undefined && (
        <p className="workout-logged" data-testid="workout-logged">
          <span className="chip-mark" aria-hidden="true" />
          Logged: {logged.count} of {logged.total} exercises
        </p>
      )}
    </section>
  );
}

function Exercises({ state: { workout, marks }, talk }: OpenCardProps) {
  return (
    <ol className="exercises">
      {groupsOf(workout.exercises).map((group) => {
        const [first] = group;
        const items = group.map((exercise) => (
          <ExerciseItem key={exercise.id} exercise={exercise} mark={marks.get(exercise.id)} talk={talk} />
        ));
        if (first.group === undefined) return items;
        return (
          <ExerciseGroup key={first.group.id} group={first.group}>
            {items}
          </ExerciseGroup>
        );
      })}
    </ol>
  );
}

function LogButton({ workout, talk }: { workout: Workout; talk: Talk }) {
  const { ticks } = useTraining();
  const done = doneIn(workout, ticks);
  const all = workout.exercises.reduce((sum, exercise) => sum + setsOf(exercise), 0);
  const doneOf = (exercise: Exercise): number => ticks.doneOf(exercise).length;
  return (
    <footer className="workout-foot">
      <p className="workout-done" data-testid="workout-done">
        {done === 0 ? "Tick off sets while you train." : `${done} of ${all} sets done`}
      </p>
      <button
        type="button"
        className="primary"
        disabled={talk.busy}
        data-testid="log-workout"
        onClick={() => talk.say(logRequest(workout, doneOf))}
      >
        {done === 0 ? "Log all as done" : "Log workout"}
      </button>
    </footer>
  );
}

function doneIn({ exercises }: Workout, ticks: Ticks): number {
  return exercises.reduce((sum, exercise) => sum + ticks.doneOf(exercise).length, 0);
}

function countWords({ exercises }: Workout): string {
  return exercises.length === 1 ? "1 exercise" : `${exercises.length} exercises`;
}

function summaryOf(workout: Workout): string[] {
  const { estimated_duration_min: minutes, difficulty } = workout;
  return [
    countWords(workout),
    ...(minutes === undefined ? [] : [`about ${minutes} min`]),
    ...(difficulty === undefined ? [] : [difficulty]),
  ];
}
