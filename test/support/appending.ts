import { randomUUID } from "node:crypto";
import type { EventStore } from "@pawl/core";
import type pg from "pg";
import { expect } from "vitest";

/** An acknowledged event. */
export interface Acknowledged {
  sessionId: string;
  seq: number;
  /** The event's text, unique among all events. */
  mark: string;
}

/**
 * Appends batches of one to three events with `workers` workers, to the sessions that `where` chooses, until
 * `over` returns true. With `again`, a rejected append is repeated under the same append id after `again`
 * resolves; otherwise its error is thrown.
 */
export async function appending(
  store: EventStore,
  workers: number,
  options: {
    where(worker: number, turn: number): string;
    over(): boolean;
    again?(error: unknown): Promise<void>;
  },
): Promise<Acknowledged[]> {
  const acknowledged: Acknowledged[] = [];
  const work = async (worker: number) => {
    for (let turn = 0; !options.over(); turn += 1) {
      const sessionId = options.where(worker, turn);
      const appendId = randomUUID();
      const marks = Array.from({ length: 1 + (turn % 3) }, (_, place) => `${worker}:${turn}:${place}`);
      const events = marks.map((mark) => ({
        type: "probe.mark" as const,
        data: { mark, pad: "x".repeat(300) },
      }));
      for (let stored = false; !stored; )
        try {
          const rows = await store.append(sessionId, events, { appendId });
          stored = true;
          for (const [at, row] of rows.entries())
            acknowledged.push({ sessionId, seq: row.seq, mark: marks[at] ?? "none" });
        } catch (error) {
          if (options.again === undefined) throw error;
          await options.again(error);
        }
    }
  };
  await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)));
  return acknowledged;
}

/** Asserts that the log has exactly the acknowledged events, each once, at its number, without gaps. */
export async function assertAllThere(pool: pg.Pool, acknowledged: readonly Acknowledged[]): Promise<void> {
  const { rows } = await pool.query<Acknowledged>(
    `SELECT session_id AS "sessionId", sequence_number AS seq, data ->> 'mark' AS mark FROM agent_session_events
     WHERE event_type = 'probe.mark' ORDER BY session_id, sequence_number`,
  );
  const order = (a: Acknowledged, b: Acknowledged) =>
    a.sessionId < b.sessionId ? -1 : a.sessionId > b.sessionId ? 1 : a.seq - b.seq;
  const expected = acknowledged.toSorted(order);
  expect(rows.length).toBe(expected.length);
  // Compares all events at once: one assertion per event would take too long.
  expect(
    rows.findIndex((row, at) => order(row, expected[at] ?? row) !== 0 || row.mark !== expected[at]?.mark),
  ).toBe(-1);
  const { rows: gaps } = await pool.query(
    `SELECT s.id, s.last_sequence, count(e.sequence_number)::int, max(e.sequence_number)
     FROM agent_sessions s LEFT JOIN agent_session_events e ON e.session_id = s.id
     GROUP BY s.id HAVING count(e.sequence_number) <> s.last_sequence
       OR coalesce(max(e.sequence_number), 0) <> s.last_sequence`,
  );
  expect(gaps).toEqual([]);
  // Per session, a worker's appends must be in the order in which it made them.
  const last = new Map<string, number>();
  for (const { sessionId, mark } of rows) {
    const [worker, turn = "", place = ""] = mark.split(":");
    const now = Number(turn) * 10 + Number(place);
    expect(now).toBeGreaterThan(last.get(`${sessionId} ${worker}`) ?? -1);
    last.set(`${sessionId} ${worker}`, now);
  }
}
