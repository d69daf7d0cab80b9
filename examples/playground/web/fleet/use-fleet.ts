import { useCallback, useEffect, useRef, useState } from "react";
import type { FleetView } from "./fleet-view.ts";

/** How long the page waits before it asks again, in milliseconds: while something happens, and otherwise. */
const BUSY_MS = 500;
const QUIET_MS = 2_000;

const URL = "/api/fleet";
const NO_ANSWER = "The playground does not answer. The page keeps trying.";

/** The fleet, and what the visitor can do to it. */
export interface Fleet {
  view: FleetView | undefined;
  /** Why the last request failed, for the visitor. */
  problem: string | undefined;
  /** Each resolves once the fleet after it is shown. */
  start(count: number): Promise<void>;
  send(count: number): Promise<void>;
  act(worker: string, action: string): Promise<void>;
  end(): Promise<void>;
}

/** Shows the fleet of the server, and asks for it again and again while the page is visible. */
export function useFleet(): Fleet {
  const [view, setView] = useState<FleetView>();
  const [problem, setProblem] = useState<{ text: string; byAction: boolean }>();
  const requests = useRef({ sent: 0, shown: 0 });
  const ask = useCallback(async (path: string, init?: RequestInit): Promise<FleetView | undefined> => {
    requests.current.sent += 1;
    const number = requests.current.sent;
    const byAction = init?.method !== undefined;
    try {
      const response = await fetch(`${URL}${path}`, init);
      const body = await response.json();
      if (!response.ok) throw new Refused(body?.error?.message ?? NO_ANSWER);
      // An answer that was overtaken by a later one is old.
      if (number < requests.current.shown) return undefined;
      requests.current.shown = number;
      setView(body);
      // A refusal stays until the next action.
      setProblem((now) => (byAction || now?.byAction === false ? undefined : now));
      return body;
    } catch (error) {
      setProblem({ text: error instanceof Refused ? error.message : NO_ANSWER, byAction });
      return undefined;
    }
  }, []);
  useEffect(() => keepAsking(() => ask("")), [ask]);
  const post = async (path: string, body: object) => {
    const headers = { "content-type": "application/json" };
    await ask(path, { method: "POST", headers, body: JSON.stringify(body) });
  };
  return {
    view,
    problem: problem?.text,
    start: (count) => post("/workers", { count }),
    send: (count) => post("/runs", { count }),
    act: (worker, action) => post(`/workers/${encodeURIComponent(worker)}`, { action }),
    end: async () => void (await ask("", { method: "DELETE" })),
  };
}

class Refused extends Error {}

/** Asks until the returned function is called; not while nobody can see the page. */
function keepAsking(ask: () => Promise<FleetView | undefined>): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const next = async (): Promise<void> => {
    clearTimeout(timer);
    if (document.hidden) return;
    const view = await ask();
    clearTimeout(timer);
    if (!isOver) timer = setTimeout(next, view !== undefined && isBusy(view) ? BUSY_MS : QUIET_MS);
  };
  const onSeen = () => void next();
  document.addEventListener("visibilitychange", onSeen);
  void next();
  return () => {
    isOver = true;
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", onSeen);
  };
}

function isBusy({ state, workers, runs }: FleetView): boolean {
  const changing = workers.some((worker) => worker.state === "starting" || worker.state === "stopping");
  return (
    state === "on" && (changing || runs.some((run) => run.state === "waiting" || run.state === "running"))
  );
}
