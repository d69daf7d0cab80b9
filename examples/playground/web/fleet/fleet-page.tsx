import { type RefObject, useEffect, useRef } from "react";
import { AgentSwitch } from "../agents/agent-switch.tsx";
import { FleetLink } from "../agents/fleet-link.tsx";
import { Drawer } from "../shell/drawer.tsx";
import { SkipLink } from "../shell/skip-link.tsx";
import type { Info } from "../shell/top-bar.tsx";
import { useLayout } from "../shell/use-layout.ts";
import { Wheel } from "../shell/wheel.tsx";
import "../styles/fleet.css";
import "../styles/fleet-runs.css";
import type { FleetView } from "./fleet-view.ts";
import { Numbers } from "./numbers.tsx";
import { Runs } from "./runs.tsx";
import { type Fleet, useFleet } from "./use-fleet.ts";
import { useNews } from "./use-news.ts";
import { aliveIn, Workers } from "./workers.tsx";

/** How many runs one press of the button sends, and how many workers the first press starts. */
const RUNS = 20;
const FIRST_WORKERS = 2;

/** Shows the fleet of workers, which visitors start, freeze and kill. */
export function FleetPage({ info }: { info: Info | undefined }) {
  const { hasSide, menuOver, showMenu } = useLayout("log");
  const close = () => showMenu(false);
  const menu = (
    <>
      <AgentSwitch served={info?.agents} onPick={close} />
      <FleetLink onPick={close} />
    </>
  );
  return (
    <div className={`page ${hasSide ? "page-side" : ""}`}>
      <SkipLink to="fleet" words="Skip to the fleet" />
      {hasSide && <aside className="side">{menu}</aside>}
      <main id="fleet" className="fleet-main" tabIndex={-1} aria-label="Fleet">
        <header className="top">
          {!hasSide && (
            <button
              type="button"
              className="icon-button"
              aria-label="Menu"
              data-testid="menu"
              onClick={() => showMenu(true)}
            >
              <svg viewBox="0 0 24 24" aria-hidden="true">
                <path d="M4 7h16M4 12h16M4 17h10" />
              </svg>
            </button>
          )}
          <p className="brand">
            <Wheel />
            Fleet
          </p>
        </header>
        <div className="fleet-scroll">
          <FleetContent />
        </div>
      </main>
      <Drawer side="left" label="Menu" open={menuOver} onClose={close}>
        {menu}
      </Drawer>
    </div>
  );
}

function FleetContent() {
  const fleet = useFleet();
  const { view, problem } = fleet;
  const news = useNews(view);
  const first = useRef<HTMLButtonElement>(null);
  useFocusAfter(view?.state, first);
  return (
    <div className="fleet" data-testid="fleet" data-state={view?.state}>
      <h1>Kill a worker. Lose nothing.</h1>
      <p className="fleet-lead">
        Workers are real processes on your machine, and they share one log in a file. Send them some runs, and
        kill a worker in the middle, or freeze it. Its runs continue from the last step in the log, as soon as
        another worker has a place.
      </p>
      <p className="fleet-note">
        A run is one task of an agent: here it waters six garden beds. Each bed is a step. No model is behind
        it: a script decides what comes next.
      </p>
      {view?.message !== undefined && (
        <p className="fleet-message" role="status" data-testid="fleet-message">
          {view.message}
        </p>
      )}
      {problem !== undefined && (
        <p className="fleet-problem" role="alert">
          {problem}
        </p>
      )}
      {view?.state === "off" && (
        <p className="fleet-buttons">
          <button
            type="button"
            className="fleet-first"
            ref={first}
            onClick={() => void fleet.start(FIRST_WORKERS)}
          >
            Start two workers
          </button>
        </p>
      )}
      {view?.state === "on" && <Running {...{ fleet, view, first }} />}
      <section hidden={news.length === 0}>
        <h2 id="fleet-happened">What happened</h2>
        <div role="log" aria-labelledby="fleet-happened" className="fleet-news" data-testid="fleet-news">
          {news.map(({ key, text }) => (
            <p key={key}>{text}</p>
          ))}
        </div>
      </section>
      {view?.state === "on" && <Runs view={view} />}
    </div>
  );
}

/** Moves the focus to the first button if it was on a button that the new state no longer has. */
function useFocusAfter(
  state: FleetView["state"] | undefined,
  first: RefObject<HTMLButtonElement | null>,
): void {
  const before = useRef(state);
  useEffect(() => {
    const isChange = before.current !== undefined && before.current !== state;
    before.current = state;
    if (isChange && document.activeElement === document.body) first.current?.focus();
  }, [state, first]);
}

interface RunningProps {
  fleet: Fleet;
  view: FleetView;
  first: RefObject<HTMLButtonElement | null>;
}

function Running({ fleet, view, first }: RunningProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { limits, runs } = view;
  const isFull = aliveIn(view).length >= limits.workers;
  const isSpent = runs.length + RUNS > limits.runs;
  return (
    <>
      <p className="fleet-buttons">
        <button
          type="button"
          className="fleet-first"
          ref={first}
          aria-disabled={isSpent}
          onClick={() => isSpent || void fleet.send(RUNS)}
        >
          Send {RUNS} runs
        </button>
        <button type="button" aria-disabled={isFull} onClick={() => isFull || void fleet.start(1)}>
          Start a worker
        </button>
        <button type="button" onClick={() => void fleet.end()}>
          Stop everything
        </button>
      </p>
      {(isFull || isSpent) && (
        <p className="fleet-note">
          {isFull && `At most ${limits.workers} workers at a time. `}
          {isSpent && `At most ${limits.runs} runs. Stop everything to begin again.`}
        </p>
      )}
      <Numbers view={view} />
      <Workers view={view} act={fleet.act} heading={heading} />
    </>
  );
}
