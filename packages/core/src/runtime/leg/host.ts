import type { Agent } from "../../agent/agent.ts";
import type { Clock } from "../../base/clock.ts";
import { PawlError } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Slots } from "../../base/slots.ts";
import type { Switch } from "../../base/switch.ts";
import type { Engine } from "../../engine/engine.ts";
import type { OwnUserFiles } from "../../files/user-files.ts";
import type { EventData } from "../../log/event-data.ts";
import type { Session } from "../../log/session-row.ts";
import type { EventStore } from "../../log/store/event-store.ts";
import type { LiveTail } from "../../log/store/live-tail.ts";
import type { Leg } from "../../loop/leg/leg.ts";
import type { Access } from "../../loop/leg/leg-access.ts";
import type { LegFiles } from "../../loop/leg/leg-files.ts";
import type { TaskRunner } from "../../loop/leg/task-types.ts";
import type { ToolSpec } from "../../model/content.ts";
import type { SessionWatches } from "../../readers/session-watch.ts";
import type { SessionState } from "../../session/state.ts";
import type { Callers } from "./callers.ts";
import type { RunStart } from "./run-handle.ts";
import type { WorkLimits } from "./work-limits.ts";

/** The session's state at the end of a leg. `settled` is `true` if the leg suspended or ended the run. */
export interface LegOutcome {
  state: SessionState;
  settled: boolean;
}

/** The caller of a run and its credentials, as given to `run()`. */
export interface CallerOptions {
  caller?: JsonObject | undefined;
  credentials?: unknown;
}

/** The request for which a leg begins: its caller, its credentials and options of the leg. */
export interface LegOptions extends CallerOptions {
  /** The tools that the client offers for the run that starts. Default: those of the session's prefix. */
  clientTools?: readonly ToolSpec[];
  /** Whether an engine has woken the session. */
  isWoken?: boolean;
  /** Whether opening the session fails at once if the store fails. Default: the call is retried. */
  opensOnce?: boolean;
  /**
   * The place that was already taken for the leg. Default: a free place of this process; without one,
   * the run is given to the engine.
   */
  place?: Place;
}

/** A place for one leg. A process has as many as its `concurrency`. */
export interface Place {
  /** Frees the place. */
  leave(): void;
}

/** A timer for a run that waits for a time. */
export interface Wake {
  readonly runId: string;
  /** The time until which the run waits, ISO 8601. */
  readonly at: string;
  /** The caller and credentials with which the run then continues. */
  readonly from: CallerOptions;
  /** The work that the timer starts. Never settles if another leg continues the run first. */
  readonly work: Promise<Work>;
  cancel(): void;
}

/** The handle of a leg that runs in this process, or of a run that was given to the engine. */
export interface Work {
  readonly done: Promise<LegOutcome>;
  /** Reads the events that other processes have stored, e.g. a stop request. */
  catchUp(): Promise<void>;
  /** Stops the run. */
  abort(): void;
  /** Leaves the run to another process, without ending it. */
  leave(reason: LeaveReason): void;
}

/** Why a process leaves a run: the `reason` of the event `run_left`. */
export type LeaveReason = EventData["run_left"]["reason"];

/** The parts of a runtime that its functions share. */
export interface Host {
  readonly agents: ReadonlyMap<string, Agent>;
  readonly store: EventStore;
  /** The same store without retries: a failed call rejects at once. */
  readonly storeOnce: EventStore;
  /** The users' files; `undefined` without the option `files`. */
  readonly files: OwnUserFiles | undefined;
  /** Makes a leg's access to the files of its session's user. */
  filesFor(session: Session): LegFiles;
  readonly tail: LiveTail;
  readonly watches: SessionWatches;
  /** The legs that run in this process, by session id. */
  readonly atWork: Map<string, Work>;
  /** The callers of the sessions whose lease this process has, by session id. */
  readonly callers: Map<string, Callers>;
  /**
   * Sessions whose recovery failed in this process, by id: the number of failures in a row, and when to try
   * again (`dueAt`, in milliseconds since 1970).
   */
  readonly setbacks: Map<string, { failures: number; dueAt: number }>;
  /** The timers for runs that wait for a time, by session id. */
  readonly wakes: Map<string, Wake>;
  /** Wakes sessions; `undefined` if this process runs everything itself. */
  engine: Engine | undefined;
  /** Whether the application has given the engine. Then the engine keeps the times for which runs wait. */
  readonly hasOwnEngine: boolean;
  /**
   * Whether a run may free its place while it waits to repeat a model call. `false` on a platform that
   * freezes idle processes, unless the application's engine wakes them.
   */
  mayLeave: boolean;
  /** The places for legs of this process. */
  readonly slots: Slots;
  /** Whether the application has given the option `concurrency`. */
  readonly hasLimit: boolean;
  /** Sets a timer if the leg's run waits for a time. */
  wakeLater(leg: Leg): void;
  /** Stops a run in any process, and the run that picks up its message if that was queued. */
  stopRun(start: RunStart): Promise<void>;
  /** Names of agents that have open runs but that this runtime lacks. Each one is reported once. */
  readonly lacking: Set<string>;
  /** The prototype of the runs of this runtime. */
  readonly notResult: object;
  /** Reports that a run failed which nobody awaits. `isBegun` is whether its message is stored. */
  unread(error: unknown, isBegun: boolean): void;
  /** The mistakes of the application that were reported. Each is reported once. */
  readonly mistakes: Set<string>;
  /** Returns the name under which this process holds leases. */
  holder(): string;
  readonly leaseTtlMs: number;
  readonly abortGraceMs: number;
  readonly pollMs: number;
  /** The sweeps and the starts of runs that are in progress. */
  readonly begins: Set<Promise<unknown>>;
  /** The reads from the store that are in progress, for readers and results. */
  readonly reads: Set<Promise<unknown>>;
  draining: boolean;
  /**
   * Whether the process continues to work after a request: `start()` was called, or the platform waits for
   * our promises.
   */
  staysAlive: boolean;
  /** Asks the platform to stay alive until the work has settled. */
  keepAlive(work: Promise<unknown>): void;
  /** How long a process may hold a lease without interruption, in milliseconds. */
  readonly handOverAfterMs: number;
  /** Listeners, which are called with the id of a session whose run this process has handed over. */
  readonly handOvers: Set<(sessionId: string) => void>;
  /** A switch that is turned on when the runtime has shut down, so that readers end. */
  readonly over: Switch;
  /**
   * Passes an error that no caller receives to the option `onError`. Never throws, even if `onError` does.
   */
  report(error: unknown): void;
  deps(session: Session, run: Pick<Access, "caller" | "credentials">): unknown;
  readonly withoutCredentials: "ask" | "stop";
  readonly tasks: TaskRunner<Leg>;
  /** Loads the code for tools that clients offer, and for the size limits of tool sources. */
  offers(): Promise<typeof import("./with-offered.ts") & typeof import("./tools-that-fit.ts")>;
  newId(): string;
  readonly clock: Clock;
  readonly workLimits: WorkLimits | undefined;
}

/** Returns the error for the name of an agent that the runtime lacks. */
export function noSuchAgent({ agents }: Pick<Host, "agents">, name: string, hint = ""): PawlError {
  const known = [...agents.keys()].join(", ");
  return new PawlError("not_found", `The runtime has no agent "${name}". It has: ${known}.${hint}`);
}
