import type { Agent } from "../../agent/agent.ts";
import { hideInError } from "../../base/hide-in-error.ts";
import { lazy } from "../../base/once.ts";
import { errorEvent } from "../../log/error-event.ts";
import type { Session } from "../../log/session-row.ts";
import type { AcquiredLease } from "../../log/store/event-store.ts";
import { readShown } from "../../log/store/redacted.ts";
import type { Leg, LegRun } from "../../loop/leg/leg.ts";
import type { LegReport } from "../../loop/leg/leg-life.ts";
import type { LegReaders, LegRecords } from "../../loop/leg/progress.ts";
import type { SessionLog } from "../../loop/leg/session-log.ts";
import { loadParts, midwayQuestion, midwayWait } from "../../parts/at-hand.ts";
import type { SessionState } from "../../session/state.ts";
import { accessOfLeg } from "./access.ts";
import type { Callers, OwnAccess } from "./callers.ts";
import type { Host, LegOptions } from "./host.ts";
import { newLegLife, type OwnLegLife } from "./leg-life.ts";
import { readyAgent, storeChanges } from "./ready.ts";
import { isTaskSession } from "./task-session.ts";

/** A leg with the methods that only the runner calls. */
export interface OwnLeg extends Leg {
  readonly run: Writable<LegRun>;
  readonly life: OwnLegLife;
  /** Whether the leg's run is about to start. An earlier run of the session may still have to be ended. */
  readonly starts: boolean;
  /**
   * Gives the agent the tools that its function `tools` returns, and those that the client offers. Later
   * calls return the same promise. Rejects with `tools_failed`.
   */
  ready(): Promise<void>;
  /**
   * Starts the timers, and shows the leg's live state to readers in this process. Returns a function that
   * stops the timers.
   */
  begin(): () => void;
}

/** The parts of a leg that are made before it. */
interface LegParts {
  host: Host;
  session: Session;
  agent: Agent;
  log: SessionLog;
  lease: AcquiredLease;
  /** When the process hands the session over, in the clock's milliseconds. Default: never. */
  handOverAt?: number;
  /** See {@link LegRun.clockSetBack}. */
  clockSetBack?: LegRun["clockSetBack"];
  callers: Callers;
  access: OwnAccess;
  /** Whether the leg's run is about to start. Default: no, the leg continues the open run. */
  starts?: boolean;
  /** The tools that the client offers for the run that starts. Default: those of the session's prefix. */
  clientTools?: LegOptions["clientTools"];
}

/** Makes a leg of this process, without starting it. */
export function makeLeg(parts: LegParts): OwnLeg {
  const { host, session, agent, log, callers, lease, clientTools } = parts;
  const { store, tail } = host;
  const { id } = session;
  const useNewCaller = async () => {
    run.agent = await readyAgent(leg, agent, false, { load: host.offers });
    await storeChanges(leg);
  };
  const access = accessOfLeg(callers, parts.access, parts, () => life, useNewCaller);
  const life = newLegLife(
    host,
    agent,
    log,
    {
      mayLeave: () => host.mayLeave && access.credentials === undefined && !isTaskSession(session),
      renewLease: () => store.renew(lease, host.leaseTtlMs),
    },
    parts.handOverAt,
  );
  const run: Writable<LegRun> = {
    agent,
    agents: host.agents,
    session,
    files: host.filesFor(session),
    tasks: host.tasks,
    begunAt: lease.acquiredAt,
    clockSetBack: parts.clockSetBack,
    mayBegin: undefined,
    withoutCredentials: host.withoutCredentials,
    newId: host.newId,
    status: async () => (await store.sessions.get(id))?.status,
    // The store reads no other types than the options name.
    read: (options) => readShown(store, id, options) as AsyncIterable<never>,
  };
  const readers: Writable<LegReaders> = {
    live: { attempt: 0, parts: [], reports: [], agents: new Map() },
    touch: () => tail.touch(id),
  };
  const leg: Writable<OwnLeg> = {
    run,
    access,
    log,
    life,
    report: reporting(host, session, agent, log, life, callers.hide),
    readers,
    parts: {
      load: loadParts,
      question: midwayQuestion,
      wait: midwayWait,
    },
    once: {
      hooks: newHookProgress(log.state),
      userData: { turns: 0, failed: false },
      asks: { byKey: new Map(), reserved: new Set() },
      tasks: { byId: new Map(), agents: new Map(), working: new Map(), starting: 0 },
    },
    starts: parts.starts ?? false,
    ready: lazy(async () => {
      run.agent = await readyAgent(leg, agent, leg.starts, { specs: clientTools, load: host.offers });
    }),
    begin: () => {
      leg.starts = false;
      readers.live = tail.live(id);
      return life.begin();
    },
  };
  return leg;
}

type Writable<T> = { -readonly [field in keyof T]: T[field] };

function newHookProgress(state: SessionState): LegRecords["hooks"] {
  return {
    begun: false,
    turns: turnsSeenByHooks(state),
    stop: undefined,
    calling: undefined,
    questions: "",
    byMethod: new Map(),
    contexts: new Map(),
  };
}

/**
 * Returns the number of turns for which the `afterTurn` hooks were already called, as far as the log shows
 * it. These are all turns of the run if a hook has asked a question after the last one, and otherwise 0.
 */
function turnsSeenByHooks({ run }: SessionState): number {
  return run?.asked.some(({ before, turns }) => before === "turn" && turns === run.turns) ? run.turns : 0;
}

/** Makes the functions by which a leg reports errors. */
function reporting(
  host: Host,
  session: Session,
  agent: Agent,
  log: SessionLog,
  life: OwnLegLife,
  hide: Leg["access"]["hide"],
): LegReport {
  const notify: LegReport["notify"] = async (error) => {
    const runId = log.state.run?.runId ?? "";
    const context = { sessionId: session.id, userId: session.userId, runId, agent: agent.name };
    const { notifyHooks } = await loadParts();
    const failures = await notifyHooks(life, { agent, report: toFix }, error, context);
    if (failures.length > 0) await log.add(failures);
  };
  const toFix: LegReport["toFix"] = (error) => {
    host.report(hideInError(error, hide));
  };
  return {
    notify,
    toFix,
    mistakes: host.mistakes,
    reported: false,
    problem: undefined,
    failed(error) {
      this.reported = true;
      toFix(error);
    },
    logError: async (report, events = []) => {
      const error = hide(errorEvent(report));
      await log.add([...events, error]);
      await notify(error.data);
    },
    logLate: async (report) => {
      const options = { appendId: host.newId() };
      await host.store.append(session.id, [hide(errorEvent(report))], options).catch(() => undefined);
    },
  };
}
