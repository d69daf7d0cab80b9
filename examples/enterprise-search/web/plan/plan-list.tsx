import type { ToolExecution } from "@pawl/planning";
import { sourceName, toolName } from "../base/sources.ts";
import { clipped, counted, durationOf, listed } from "../base/words.ts";
import type { ShownPlan, ShownTask, TaskChange, TaskState } from "../runs/plan.ts";

const STATES: Readonly<Record<TaskState, string>> = {
  waiting: "Waiting",
  next: "Next",
  running: "In progress",
  done: "Done",
  blocked: "Blocked",
  left: "Not done",
};

const AUTHORS: Readonly<Record<TaskChange["by"], string>> = { reviewer: "the review", agent: "the agent" };

/** The most characters of a title and of a note. */
const TITLE = 160;
const NOTE = 240;

/** A plan as a checklist. Tasks that others have to precede name them by their numbers. */
export function PlanList({ plan }: { plan: ShownPlan }) {
  const numbers = new Map(plan.tasks.map(({ id }, at) => [id, String(at + 1)]));
  return (
    <ol className="es-tasks" data-testid="es-tasks">
      {plan.tasks.map((task) => (
        <Task key={task.id} task={task} numbers={numbers} />
      ))}
      {plan.removed.map(({ id, title, change }) => (
        <li
          key={`removed-${id}`}
          className="es-task es-task-removed"
          data-testid="es-task"
          data-state="removed"
        >
          <span className="es-task-mark" aria-hidden="true" />
          <span className="es-task-words">
            <del>{clipped(title, TITLE)}</del> <Change change={change} />
          </span>
        </li>
      ))}
    </ol>
  );
}

function Task({ task, numbers }: { task: ShownTask; numbers: ReadonlyMap<string, string> }) {
  const { title, state, change, dependsOn, note, call, by } = task;
  const after = dependsOn.flatMap((id) => numbers.get(id) ?? []);
  const showsAfter = after.length > 0 && (state === "waiting" || state === "blocked" || state === "left");
  return (
    <li className={`es-task es-task-${state}`} data-testid="es-task" data-state={state}>
      <span className="es-task-mark" aria-hidden="true">
        {numbers.get(task.id)}
      </span>
      <span className="es-task-words">
        <span className="unseen">{STATES[state]}: </span>
        {clipped(title, TITLE)}
        {showsAfter && <span className="es-task-after"> after {listed(after)}</span>}
        {change && (
          <>
            {" "}
            <Change change={change} />
          </>
        )}
        {note !== "" && <span className="es-task-note">{clipped(note, NOTE)}</span>}
      </span>
      <span className="es-task-facts">{factsOf(call, by, state)}</span>
    </li>
  );
}

function Change({ change: { by, kind } }: { change: TaskChange }) {
  return (
    <span className={`es-change es-change-${kind}`} data-testid="es-change">
      {kind} by {AUTHORS[by]}
    </span>
  );
}

/** What the task's call has found, and how long it took. */
function factsOf(call: ToolExecution | undefined, by: string, state: TaskState): string {
  const source = sourceOf(call, by);
  if (call === undefined) return source;
  if (state === "running" || call.status === "running") return source;
  const found = call.status === "error" ? "failed" : counted(call.fragments.length, "result", "results");
  const time = call.durationMs === null ? [] : [durationOf(call.durationMs)];
  return [source, found, ...time].join(" · ");
}

/** The source of a task. It is known before the call, so that nothing moves when that comes. */
function sourceOf(call: ToolExecution | undefined, by: string): string {
  if (typeof call?.connector === "string") return sourceName(call.connector);
  return by.startsWith("search_") ? sourceName(by.slice("search_".length)) : clipped(by && toolName(by), 40);
}
