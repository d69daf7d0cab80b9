import type { Engine, WokenHandler } from "@pawl/core/store";
import type { Dice } from "./dice.ts";
import type { Machine } from "./machine.ts";
import type { Timeline } from "./timeline.ts";
import type { Witness } from "./witness.ts";

/** An engine on a machine of its own, which wakes sessions at least once, or not at all if it has lost a wake. */
export interface FleetEngine {
  /** Until when it refuses every call and wakes nothing, in milliseconds of the timeline. */
  downUntil: number;
  readonly calls: number;
  /** Returns the engine as a machine sees it. */
  connect(machine: Machine): Engine;
}

export interface EngineHabits {
  /** Whether it gives a session to one worker at a time, and to the next one once it has given that one up. */
  isExclusive: boolean;
  /** After which silence of a worker its session goes to another one, in milliseconds. */
  heartbeatMs: number;
  /** How many wakes are lost, and how many come twice. */
  lost: number;
  twice: number;
  /** How often it gives up a worker that is alive. */
  mistaken: number;
  /** How far its clock is ahead, in milliseconds. */
  offsetMs: number;
  /** How many calls of one session in ten seconds in which its log does not change, are a fault. */
  idleCalls: number;
}

interface Worker {
  readonly machine: Machine;
  readonly handler: WokenHandler;
  readonly concurrency: number;
  readonly calls: Set<Call>;
  isLeaving: boolean;
}

interface Call {
  readonly sessionId: string;
  readonly worker: Worker;
  readonly control: AbortController;
}

/** A wake that waits for its time, or for a worker. */
interface Waiting {
  readonly sessionId: string;
  readonly due: number;
}

export function newFleetEngine(
  timeline: Timeline,
  dice: Dice,
  witness: Witness,
  habits: EngineHabits,
): FleetEngine {
  const workers = new Set<Worker>();
  const waiting = new Map<string, Waiting[]>();
  /** The sessions of an exclusive engine that a worker has. */
  const given = new Map<string, Call>();
  const storms = stormWatch(timeline, witness, habits.idleCalls);
  const travel = () => (dice.chance(0.01) ? dice.between(500, 5_000) : dice.between(1, 15));
  const counts = { calls: 0 };

  const forget = (one: Waiting) => {
    const left = (waiting.get(one.sessionId) ?? []).filter((other) => other !== one);
    if (left.length === 0) waiting.delete(one.sessionId);
    else waiting.set(one.sessionId, left);
  };
  const accept = (sessionId: string, due: number) => {
    const others = waiting.get(sessionId) ?? [];
    if (others.some((other) => other.due <= due)) return;
    const one = { sessionId, due };
    waiting.set(sessionId, [...others, one]);
    timeline.after(due - timeline.now(), () => offer(one));
  };
  const offer = (one: Waiting) => {
    if (!waiting.get(one.sessionId)?.includes(one)) return;
    if (timeline.now() < engine.downUntil) {
      timeline.after(engine.downUntil - timeline.now(), () => offer(one));
      return;
    }
    if (given.has(one.sessionId)) return;
    const free = [...workers].filter(
      ({ calls, concurrency, isLeaving }) => !isLeaving && calls.size < concurrency,
    );
    if (free.length === 0) {
      timeline.after(250, () => offer(one));
      return;
    }
    forget(one);
    give(one.sessionId, dice.pick(free));
  };
  const give = (sessionId: string, worker: Worker) => {
    const call: Call = { sessionId, worker, control: new AbortController() };
    worker.calls.add(call);
    if (habits.isExclusive) given.set(sessionId, call);
    counts.calls += 1;
    witness.note(`${sessionId} woken at ${worker.machine.name}`);
    const handle = () => {
      if (worker.isLeaving) return end(call, true);
      storms.called(sessionId);
      void worker.handler({ sessionId, signal: call.control.signal }).then(() => {
        timeline.after(travel(), () => end(call, false));
      });
    };
    timeline.after(travel(), handle, worker.machine);
    timeline.after(habits.heartbeatMs, () => beat(call));
  };
  const beat = (call: Call) => {
    const { worker, sessionId } = call;
    if (!worker.calls.has(call)) return;
    const { machine } = worker;
    const now = timeline.now();
    const isSilent = machine.isGone || machine.frozenUntil > now || machine.cutOffUntil > now;
    if (!isSilent && !dice.chance(habits.mistaken)) {
      timeline.after(habits.heartbeatMs, () => beat(call));
      return;
    }
    witness.note(`${sessionId} taken back from ${machine.name}`);
    if (machine.isGone) workers.delete(worker);
    timeline.after(travel(), () => call.control.abort(), machine);
    end(call, true);
  };
  const end = (call: Call, again: boolean) => {
    const { worker, sessionId } = call;
    if (!worker.calls.delete(call)) return;
    if (given.get(sessionId) === call) given.delete(sessionId);
    if (again) accept(sessionId, timeline.now() + dice.between(0, 1_000));
    for (const one of waiting.get(sessionId) ?? []) if (one.due <= timeline.now()) offer(one);
  };
  const clientOf = (machine: Machine): Engine => {
    const call = (work: () => void): Promise<void> =>
      new Promise((resolve, reject) => {
        const answer = (then: () => void) => timeline.after(travel(), then, machine);
        timeline.after(travel(), () => {
          const isOut = timeline.now() < engine.downUntil || timeline.now() < machine.cutOffUntil;
          if (isOut) return answer(() => reject(new Error("The engine is not available.")));
          work();
          answer(resolve);
        });
      });
    return {
      ...(habits.isExclusive && { isExclusive: true }),
      wake: async (sessionId, { afterMs = 0 } = {}) => {
        await call(() => {
          const due = timeline.now() + afterMs;
          if (!dice.chance(habits.lost)) accept(sessionId, due);
          if (dice.chance(habits.twice))
            timeline.after(dice.between(10, 8_000), () => accept(sessionId, Math.max(timeline.now(), due)));
        });
      },
      cancel: (sessionId) => call(() => waiting.delete(sessionId)),
      work: async (handler, { concurrency }) => {
        const worker: Worker = { machine, handler, concurrency, calls: new Set(), isLeaving: false };
        await call(() => workers.add(worker));
        return {
          stop: async () => {
            worker.isLeaving = true;
            workers.delete(worker);
            while (worker.calls.size > 0) await machine.sleep(20);
          },
        };
      },
    };
  };
  const engine: FleetEngine = {
    downUntil: 0,
    get calls() {
      return counts.calls;
    },
    connect: clientOf,
  };
  return engine;
}

/** Finds sessions that are woken again and again for nothing, which costs calls. */
function stormWatch(timeline: Timeline, witness: Witness, most: number) {
  const bySession = new Map<string, { seq: number; since: number; count: number }>();
  return {
    called: (sessionId: string): void => {
      const seq = witness.sessions.get(sessionId)?.row.lastSeq ?? 0;
      const now = timeline.now();
      const known = bySession.get(sessionId);
      if (known === undefined || known.seq !== seq || now - known.since > 10_000) {
        bySession.set(sessionId, { seq, since: now, count: 1 });
        return;
      }
      known.count += 1;
      if (known.count === most)
        witness.fault(
          `${sessionId} is woken in a loop, ${known.count} times in ${now - known.since} ms, while its log stands still`,
        );
    },
  };
}
