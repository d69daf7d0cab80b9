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
import type { Access, Leg, Tasks } from "../../loop/leg/leg.ts";
import type { LegFiles } from "../../loop/leg/leg-files.ts";
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
export interface AskedBy {
  caller?: JsonObject | undefined;
  credentials?: unknown;
}

/** For whom a leg begins, and how. */
export interface BegunBy extends AskedBy {
  /** The tools that the client offers for the run that starts. Default: those of the session's prefix. */
  clientTools?: readonly ToolSpec[];
  /** Whether an engine has woken the session. */
  isWoken?: boolean;
  /** Whether opening the session is not retried while the store is unavailable. Default: it is retried. */
  opensOnce?: boolean;
  /** The place that was taken for the leg. Default: one that is free, or the engine finds one. */
  place?: Place;
}

/** A leg's place in this process, which its end frees. */
export interface Place {
  leave(): void;
}

/** A timer for a run that waits for a time. */
export interface Wake {
  readonly runId: string;
  /** The time for which the run waits, ISO 8601. */
  readonly at: string;
  /** For whom the run then continues. */
  readonly from: AskedBy;
  /** What the timer has started; never settles if another leg continues the run. */
  readonly work: Promise<Work>;
  cancel(): void;
}

/** A leg at work in this process, or a run that was given to the engine, as requests see it. */
export interface Work {
  readonly done: Promise<LegOutcome>;
  /** Reads the events that other processes have stored, e.g. a stop request. */
  catchUp(): Promise<void>;
  /** Stops the run. */
  abort(): void;
  /** Leaves the run to another process, without ending it. */
  leave(reason: LeaveReason): void;
}

/** Why a process leaves a run, as the log says it. */
export type LeaveReason = EventData["run_left"]["reason"];

/** The parts of a runtime that its functions share. */
export interface Host {
  readonly agents: ReadonlyMap<string, Agent>;
  readonly store: EventStore;
  /** The same store, whose failed calls are not retried. */
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
  readonly engine: Engine | undefined;
  /** Whether the application has given the engine. Then the engine keeps the times for which runs wait. */
  readonly hasOwnEngine: boolean;
  /**
   * Whether a run that waits for a retry of its model may leave its place. Not on a platform that freezes a
   * process without work, unless the application's engine wakes it.
   */
  readonly mayLeave: boolean;
  /** The places for legs of this process. */
  readonly slots: Slots;
  /** Sets a timer if the leg's run waits for a time. */
  wakeLater(leg: Leg): void;
  /** Stops a run in whichever process works on it, and the run that it hands its message over to. */
  stopRun(start: RunStart): Promise<void>;
  /** The agents that were reported because they have open runs and this runtime lacks them. */
  readonly lacking: Set<string>;
  /** Returns the name under which this process holds leases. */
  holder(): string;
  readonly leaseTtlMs: number;
  readonly abortGraceMs: number;
  readonly pollMs: number;
  /** Runs that are being started, and sweeps. */
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
  /** Called with the id of a session whose run this process has handed over. */
  readonly handOvers: Set<(sessionId: string) => void>;
  /** A switch that is turned on when the runtime has shut down, so that readers end. */
  readonly over: Switch;
  /** Reports errors that no caller receives. Never throws, and returns nothing, whatever `onError` does. */
  report(error: unknown): void;
  deps(session: Session, run: Pick<Access, "caller" | "credentials">): unknown;
  readonly withoutCredentials: "ask" | "stop";
  readonly tasks: Tasks;
  /** Loads the code for tools of clients and of other sources. */
  offers(): Promise<typeof import("./with-offered.ts") & typeof import("./tools-that-fit.ts")>;
  newId(): string;
  readonly clock: Clock;
  readonly workLimits: WorkLimits | undefined;
}

/** Returns the error for the name of an agent that the runtime lacks. */
export function noSuchAgent({ agents }: Pick<Host, "agents">, name: string, more = ""): PawlError {
  const known = [...agents.keys()].join(", ");
  return new PawlError("not_found", `The runtime has no agent "${name}". It has: ${known}.${more}`);
}
