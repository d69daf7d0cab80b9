/** The state of a worker process. `failed`: it ended by itself. */
export type WorkerState = "starting" | "ready" | "frozen" | "stopping" | "stopped" | "killed" | "failed";

/** A worker process, as the page shows it. */
export interface WorkerView {
  /** A name that is unique in the fleet. It begins with the letter that marks the worker's steps. */
  name: string;
  state: WorkerState;
  /** Whether its `/readyz` says that it is ready; `null` if it does not answer. */
  ready: boolean | null;
  /** Why it ended by itself, as it has printed it; `null` if it did not. */
  why: string | null;
  /** The runs that it works on, by its `/metrics`; `null` if it does not answer. */
  active: number | null;
}

/** A run, as the log has it. */
export interface RunView {
  /** Counts from 1. */
  number: number;
  /** `waiting`: no worker has it. `failed`: it ended without its answer. */
  state: "waiting" | "running" | "done" | "failed";
  /** The worker that has it; `null` if none has. A worker that has died keeps it until its lease is over. */
  worker: string | null;
  /** The workers that did its steps, in order. */
  steps: readonly string[];
  /** The workers from which another one took it over, because they fell silent. */
  lostBy: readonly string[];
}

/** What the workers' `/metrics` say together. Counts of workers that have ended are those read last. */
export interface FleetMetrics {
  active: number;
  waiting: number;
  stranded: number;
  takeovers: number;
  /** How many waiting runs were begun, and how long they had waited on average, in seconds. */
  wakes: number;
  wakeSeconds: number;
}

/** The fleet of this server. */
export interface FleetView {
  /** `elsewhere`: another browser uses it. `unavailable`: this server has none. */
  state: "off" | "on" | "elsewhere" | "unavailable";
  /** Why it is not on, for the visitor. */
  message?: string;
  /** Whether this system can freeze a process. */
  canFreeze: boolean;
  /** `places`: the most runs that one worker works on at a time. `steps`: the steps of a run. */
  limits: { workers: number; runs: number; places: number; steps: number; strandedSeconds: number };
  metrics: FleetMetrics;
  workers: readonly WorkerView[];
  runs: readonly RunView[];
}
