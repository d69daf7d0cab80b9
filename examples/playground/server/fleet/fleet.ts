import { PawlError } from "@pawl/core";
import type { FleetView } from "../../web/fleet/fleet-view.ts";
import { STEPS } from "./agent.ts";
import { ELSEWHERE, fleetOwner } from "./fleet-owner.ts";
import { type OpenFleet, openFleet, type Pace } from "./open-fleet.ts";
import { builtCommand, type WorkerProcess } from "./worker-process.ts";

/** What a visitor can do to a worker. */
export const ACTIONS = ["stop", "kill", "freeze", "thaw"] as const;
type Action = (typeof ACTIONS)[number];

/** How many workers may be alive, and how many runs may be sent to one fleet. */
export const MOST_WORKERS = 4;
export const MOST_RUNS = 200;

const PACE: Pace = { stepMs: 1_000, leaseMs: 2_000, strandedMs: 10_000, places: 5 };

/** How long a fleet runs without a request of its visitor before it is stopped, in milliseconds. */
const IDLE_MS = 5 * 60_000;

/** Options of `serverFleet()`. */
export interface FleetOptions {
  /** How workers work. Default: a step takes one second, and a lease two. */
  pace?: Partial<Pace>;
  /** Default: 5 minutes, in milliseconds. */
  idleMs?: number;
  /** The file of the command `pawl`. Default: the built one. */
  command?: string;
  /** Whether a process can be frozen here. Default: not on Windows, which has no such signal. */
  canFreeze?: boolean;
  onError?(error: unknown): void;
}

/**
 * The fleet of this server: at most one. It belongs to the visitor who started it. Its methods throw a
 * `PawlError` with a message for the visitor.
 */
export interface ServerFleet {
  view(userId: string): Promise<FleetView>;
  /** Starts workers. The first ones create the fleet. */
  start(userId: string, count: number): void;
  /** Sends messages, each of which begins a run. */
  send(userId: string, count: number): Promise<void>;
  act(userId: string, worker: string, action: Action): void;
  /** Ends the visitor's fleet: kills its workers and deletes its log. */
  end(userId: string): Promise<void>;
  /** Ends every fleet. */
  close(): Promise<void>;
}

/** Prepares the fleet. Nothing is started before a visitor does it. */
export function serverFleet(options: FleetOptions = {}): ServerFleet {
  const { idleMs = IDLE_MS, command, onError = console.error } = options;
  const canFreeze = options.canFreeze ?? process.platform !== "win32";
  const pace = { ...PACE, ...options.pace };
  const owner = fleetOwner(idleMs, onError);
  const empty = (state: FleetView["state"], message?: string) =>
    emptyView({ state, message, canFreeze, pace });
  const neededBy = (userId: string): OpenFleet => {
    const fleet = owner.of(userId);
    if (fleet === undefined) throw new PawlError("not_found", NOT_RUNNING);
    return fleet;
  };
  return {
    view: async (userId) => {
      if (owner.isElsewhere(userId)) return empty("elsewhere", ELSEWHERE);
      const seen = await owner.of(userId)?.look();
      return { ...empty(seen === undefined ? "off" : "on"), ...seen };
    },
    start: (userId, count) => {
      let fleet = owner.of(userId);
      const alive = fleet?.workers.filter(({ isAlive }) => isAlive).length ?? 0;
      if (alive + count > MOST_WORKERS) throw new PawlError("invalid_input", tooMany(alive));
      if (fleet === undefined) {
        fleet = openFleet(command ?? builtCommand(), pace, onError);
        owner.give(userId, fleet);
      }
      for (let i = 0; i < count; i += 1) fleet.start();
    },
    send: async (userId, count) => {
      const fleet = neededBy(userId);
      if (fleet.sent + count > MOST_RUNS) throw new PawlError("invalid_input", tooManyRuns(fleet.sent));
      await fleet.send(userId, count);
    },
    act: (userId, name, action) => {
      const worker = neededBy(userId).workers.find((one) => one.name === name);
      if (worker === undefined) throw new PawlError("not_found", "There is no such worker.");
      if (action === "freeze" && !canFreeze) throw new PawlError("invalid_input", NO_FREEZE);
      if (!isPossible(worker, action))
        throw new PawlError("invalid_input", `${name} is ${worker.state}, so this is not possible now.`);
      worker[action]();
    },
    end: async (userId) => {
      if (owner.of(userId) !== undefined) await owner.end();
    },
    close: owner.end,
  };
}

/** What the page shows where no fleet may be started. */
export function noFleet(message: string): FleetView {
  return emptyView({ state: "unavailable", message, canFreeze: false, pace: PACE });
}

const NOT_RUNNING = "The fleet is not running. Start a worker first.";
const NO_FREEZE = "This system cannot freeze a process. Kill the worker instead.";

function tooMany(alive: number): string {
  return `At most ${MOST_WORKERS} workers can be alive at a time; ${alive} are. Stop or kill one first.`;
}

function tooManyRuns(sent: number): string {
  return `A fleet takes ${MOST_RUNS} runs; ${sent} were sent. Stop everything and start again to send more.`;
}

function isPossible({ state, isAlive }: WorkerProcess, action: Action): boolean {
  if (action === "kill") return isAlive;
  if (action === "thaw") return state === "frozen";
  return state === "ready";
}

interface Empty extends Pick<FleetView, "state" | "canFreeze"> {
  message: string | undefined;
  pace: Pace;
}

function emptyView({ state, message, canFreeze, pace }: Empty): FleetView {
  return {
    state,
    ...(message !== undefined && { message }),
    canFreeze,
    limits: {
      workers: MOST_WORKERS,
      runs: MOST_RUNS,
      places: pace.places,
      steps: STEPS,
      strandedSeconds: pace.strandedMs / 1_000,
    },
    metrics: { active: 0, waiting: 0, stranded: 0, takeovers: 0, wakes: 0, wakeSeconds: 0 },
    workers: [],
    runs: [],
  };
}
