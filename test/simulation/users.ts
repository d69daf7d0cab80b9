import { PawlError, type Runtime, type StoredEvent, type WhenBusy } from "@pawl/core";
import type { Dice } from "./dice.ts";
import type { Machine } from "./machine.ts";
import type { Timeline } from "./timeline.ts";
import type { Witness } from "./witness.ts";

/** The users of a fleet: they write, answer, stop, and try again on another machine until they are heard. */
export interface Users {
  /** Lets a user begin a session, and plans what else the user does there. */
  begin(sessionId: string): void;
  /** Shows the users what was stored, so that they answer questions. */
  see(event: StoredEvent): void;
  /** The number of requests that were not heard yet. */
  readonly open: number;
  readonly requests: number;
}

/** How long a user waits for a response before they try again, in milliseconds. */
const PATIENCE_MS = 25_000;

/** Errors after which a request is over. After all others the user tries again. */
const FINAL = ["already_answered", "unknown_call", "invalid_answer"] as const;

export function newUsers(
  timeline: Timeline,
  dice: Dice,
  witness: Witness,
  machines: readonly Machine[],
): Users {
  const counts = { open: 0, requests: 0 };
  /** Sends a request, to one machine after the other, until one has heard it. */
  const send = (what: string, request: (pawl: Runtime) => Promise<unknown>): void => {
    counts.open += 1;
    const attempt = () => {
      const machine = pickMachine();
      if (machine === undefined) return timeline.after(1_000, attempt);
      counts.requests += 1;
      let isOver = false;
      const over = (next: () => void) => {
        if (isOver) return;
        isOver = true;
        next();
      };
      const again = () => over(() => timeline.after(dice.between(300, 4_000), attempt));
      const heard = () =>
        over(() => {
          counts.open -= 1;
        });
      timeline.after(PATIENCE_MS, again);
      timeline.after(
        dice.between(1, 40),
        () => {
          request(machine.pawl as Runtime).then(heard, (error: unknown) => {
            if (FINAL.some((code) => PawlError.is(error, code))) return heard();
            if (!isExpected(error)) witness.fault(`${what}: ${String(error)}`);
            witness.note(`${what} at ${machine.name}: ${String(error)}`);
            again();
          });
        },
        machine,
      );
    };
    attempt();
  };
  const pickMachine = () => {
    const up = machines.filter(({ isGone, isLeaving }) => !isGone && !isLeaving);
    return up.length === 0 ? undefined : dice.pick(up);
  };
  const message = (sessionId: string, number: number) => {
    const whenBusy = dice.pick<WhenBusy>(["queue", "queue", "interrupt", "reject"]);
    const options = {
      userId: userOf(sessionId),
      sessionId,
      input: `${sessionId} says ${number}`,
      clientMessageId: `${sessionId}/${number}`,
      whenBusy,
    };
    const times = dice.chance(0.1) ? 2 : 1;
    for (let time = 0; time < times; time += 1)
      send(`${sessionId} message ${number}`, (pawl) => pawl.run("clerk", options).started);
  };
  const stop = (sessionId: string) =>
    send(`${sessionId} stop`, (pawl) => pawl.stop(sessionId, { userId: userOf(sessionId) }));
  return {
    get open() {
      return counts.open;
    },
    get requests() {
      return counts.requests;
    },
    begin: (sessionId) => {
      message(sessionId, 0);
      const later = (ms: number, act: () => void) => {
        counts.open += 1;
        timeline.after(ms, () => {
          counts.open -= 1;
          act();
        });
      };
      const more = dice.whole(0, 2);
      for (let number = 1; number <= more; number += 1)
        later(dice.between(500, 90_000), () => message(sessionId, number));
      if (dice.chance(0.15)) later(dice.between(1_000, 60_000), () => stop(sessionId));
    },
    see: (event) => {
      if (event.type !== "tool_suspended" || event.data.hidden) return;
      const { sessionId, seq, data } = event;
      // Of a question that expires, the default often comes first.
      const ms = dice.between(300, data.expires === undefined ? 20_000 : 60_000);
      const answers = [{ callId: data.call_id, question: seq, value: { text: "yes" } }];
      const options = { userId: userOf(sessionId), sessionId, answers };
      const times = dice.chance(0.15) ? 2 : 1;
      for (let time = 0; time < times; time += 1)
        timeline.after(ms, () =>
          send(`${sessionId} answer ${seq}`, (pawl) => pawl.run("clerk", options).started),
        );
    },
  };
}

/** Errors with which a process may refuse a request, so that the user has to try again. */
function isExpected(error: unknown): boolean {
  return (["session_busy", "store_unavailable", "draining", "not_found"] as const).some((code) =>
    PawlError.is(error, code),
  );
}

const userOf = (sessionId: string) => `user of ${sessionId}`;
