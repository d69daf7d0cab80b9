import type { RefObject } from "react";
import type { FleetView, WorkerView } from "./fleet-view.ts";
import type { Fleet } from "./use-fleet.ts";

const ENDED = new Set(["stopped", "killed", "failed"]);

/** Returns the workers that are alive. */
export function aliveIn({ workers }: FleetView): WorkerView[] {
  return workers.filter(({ state }) => !ENDED.has(state));
}

interface WorkersProps {
  view: FleetView;
  act: Fleet["act"];
  heading: RefObject<HTMLHeadingElement | null>;
}

/** Shows the workers, with buttons for each. */
export function Workers({ view, act, heading }: WorkersProps) {
  const { workers, limits, canFreeze } = view;
  const ended = workers.filter(({ state }) => ENDED.has(state));
  const actThenFocus = async (name: string, action: string) => {
    await act(name, action);
    // The buttons of a worker that has ended are gone.
    setTimeout(() => document.activeElement === document.body && heading.current?.focus());
  };
  return (
    <section aria-labelledby="fleet-workers">
      <h2 id="fleet-workers" ref={heading} tabIndex={-1}>
        Workers
      </h2>
      <p className="fleet-note">
        {aliveIn(view).length === 0
          ? "None is alive. Runs wait until you start one: nothing is lost."
          : HINT[canFreeze ? "freeze" : "kill"]}
      </p>
      <ul className="fleet-workers">
        {workers.map((worker, index) =>
          ENDED.has(worker.state) ? null : (
            <Worker
              key={worker.name}
              worker={worker}
              tone={index % 4}
              places={limits.places}
              canFreeze={canFreeze}
              act={actThenFocus}
            />
          ),
        )}
      </ul>
      {ended.length > 0 && (
        <p className="fleet-note" data-testid="fleet-ended">
          Ended: {ended.map(({ name, state, why }) => `${name} (${why ?? state})`).join(", ")}.
        </p>
      )}
    </section>
  );
}

const KILL = "Kill ends one at once. Stop lets it finish its steps.";
const FREEZE = "Freeze makes one stand still, as on a machine that hangs. Thaw lets it go on.";
const HINT = { kill: KILL, freeze: `${FREEZE} ${KILL}` };

interface WorkerProps {
  worker: WorkerView;
  tone: number;
  places: number;
  canFreeze: boolean;
  act: (name: string, action: string) => void;
}

function Worker({ worker, tone, places, canFreeze, act }: WorkerProps) {
  const { name, state, active } = worker;
  const isFrozen = state === "frozen";
  const works = state === "ready" || isFrozen;
  return (
    <li className={`fleet-worker fleet-worker-${state}`} data-testid={`worker-${name}`} data-state={state}>
      <p className="fleet-name">
        <span className={`fleet-step fleet-tone-${tone}`} aria-hidden="true">
          {name[0]}
        </span>
        {name}
      </p>
      <p className="fleet-state">{stateWords(worker, places)}</p>
      <progress
        className={`fleet-load fleet-tone-${tone}`}
        max={places}
        value={active ?? 0}
        aria-hidden="true"
      />
      <p className="fleet-actions">
        {canFreeze && works && (
          <button
            type="button"
            aria-label={`${isFrozen ? "Thaw" : "Freeze"} ${name}`}
            onClick={() => act(name, isFrozen ? "thaw" : "freeze")}
          >
            {isFrozen ? "Thaw" : "Freeze"}
          </button>
        )}
        <button
          type="button"
          className="fleet-kill"
          aria-label={`Kill ${name}`}
          onClick={() => act(name, "kill")}
        >
          Kill
        </button>
        {state === "ready" && (
          <button type="button" aria-label={`Stop ${name}`} onClick={() => act(name, "stop")}>
            Stop
          </button>
        )}
      </p>
    </li>
  );
}

function stateWords({ state, ready, active }: WorkerView, places: number): string {
  if (state === "starting") return "Starting…";
  if (state === "frozen") return ready === null ? "Frozen: it does not answer" : "Freezing…";
  if (state === "stopping") return "Finishing its steps…";
  if (ready === null || active === null) return "Does not answer";
  const runs = active === 1 ? "1 run" : `${active} runs`;
  if (!ready) return `Not ready: ${runs}`;
  return active === 0
    ? "Ready, has nothing to do"
    : active >= places
      ? `Full: ${runs}`
      : `Ready: ${runs} of ${places}`;
}
