import { memo } from "react";
import type { FleetView, RunView } from "./fleet-view.ts";

/** Shows every run as a row of steps, with the letters of the workers that did them. */
export function Runs({ view }: { view: FleetView }) {
  const { runs, workers, limits } = view;
  const tones = new Map(workers.map(({ name }, index) => [name, index % 4]));
  const done = runs.filter(({ state }) => state === "done").length;
  const failed = runs.filter(({ state }) => state === "failed").length;
  return (
    <section aria-labelledby="fleet-runs">
      <h2 id="fleet-runs">Runs</h2>
      {runs.length === 0 ? (
        <p className="fleet-note">None yet. Send some: each waters six garden beds, one second a bed.</p>
      ) : (
        <>
          <p className="fleet-note" data-testid="fleet-done">
            {done} of {runs.length} done{failed > 0 && `, ${failed} given up`}. Each box is a step, with the
            first letter of the worker that did it. ↻ marks a run that another worker took over.
          </p>
          <ol className="fleet-runs">
            {runs.map(({ steps, lostBy, ...run }) => (
              <Run
                key={run.number}
                {...run}
                steps={steps.join()}
                lostBy={lostBy.join()}
                tones={steps.map((name) => tones.get(name) ?? 0).join()}
                tone={tones.get(run.worker ?? "") ?? 0}
                of={limits.steps}
              />
            ))}
          </ol>
        </>
      )}
    </section>
  );
}

interface RunProps extends Pick<RunView, "number" | "state" | "worker"> {
  /** Lists with commas, so that an unchanged run is not rendered again. */
  steps: string;
  lostBy: string;
  tones: string;
  tone: number;
  of: number;
}

const Run = memo(function Run({ number, state, worker, steps, lostBy, tones, tone, of }: RunProps) {
  const names = listOf(steps);
  const lost = listOf(lostBy);
  const colours = listOf(tones);
  return (
    <li className={`fleet-run fleet-run-${state}`} data-testid="fleet-run" data-state={state}>
      <span className="unseen">{sentenceOf({ number, state, worker, names, lost, of })}</span>
      <span className="fleet-run-number" aria-hidden="true">
        {number}
      </span>
      <span className="fleet-steps" aria-hidden="true">
        {Array.from({ length: of }, (_, index) => {
          const name = names[index];
          const isNow = index === names.length && state === "running";
          const kind =
            name !== undefined ? `fleet-tone-${colours[index]}` : isNow ? `fleet-now fleet-tone-${tone}` : "";
          return (
            <span key={index} className={`fleet-step ${kind}`}>
              {name?.[0] ?? (isNow ? worker?.[0] : "")}
            </span>
          );
        })}
      </span>
      <span className="fleet-run-mark" aria-hidden="true">
        {lost.length > 0 && "↻"}
        {state === "done" && "✓"}
        {state === "failed" && "✗"}
      </span>
    </li>
  );
});

function listOf(text: string): string[] {
  return text === "" ? [] : text.split(",");
}

interface Said extends Pick<RunView, "number" | "state" | "worker"> {
  names: readonly string[];
  lost: readonly string[];
  of: number;
}

function sentenceOf({ number, state, worker, names, lost, of }: Said): string {
  const place = `${names.length} of ${of} steps`;
  const now = {
    waiting: `waiting, ${place}`,
    running: `with ${worker}, ${place}`,
    done: `done by ${[...new Set(names)].join(" and ")}`,
    failed: `given up, ${place}`,
  }[state];
  return `Run ${number}: ${now}.${lost.length > 0 ? ` Taken over from ${[...new Set(lost)].join(" and ")}.` : ""}`;
}
