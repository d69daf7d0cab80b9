import fc from "fast-check";
import { expect, test } from "vitest";
import {
  addWaiting,
  endWork,
  type FairQueue,
  newFairQueue,
  removeWaiting,
  takeWaiting,
} from "../../src/engine/fair-queue.ts";

const waiting = (name: string) => ({ sessionId: name, userId: name[0] ?? "" });

function queueOf(...names: string[]): FairQueue {
  const queue = newFairQueue();
  for (const name of names) addWaiting(queue, waiting(name));
  return queue;
}

function takeAll(queue: FairQueue): string[] {
  const taken: string[] = [];
  for (let next = takeWaiting(queue); next !== undefined; next = takeWaiting(queue))
    taken.push(next.sessionId);
  return taken;
}

test("users take turns, and so do the sessions of a user", () => {
  expect(takeAll(queueOf("a1", "a2", "a3", "b1", "c1", "c2"))).toEqual(["a1", "b1", "c1", "a2", "c2", "a3"]);
});

test("a session waits once, however often it is woken", () => {
  expect(takeAll(queueOf("a1", "a1", "b1", "a1"))).toEqual(["a1", "b1"]);
});

test("a session that is woken at work waits once its work is over", () => {
  const queue = queueOf("a1");
  takeWaiting(queue);
  addWaiting(queue, waiting("a1"));
  expect(takeAll(queue)).toEqual([]);
  endWork(queue, "a1");
  expect(takeAll(queue)).toEqual(["a1"]);
  endWork(queue, "a1");
  expect(takeAll(queue)).toEqual([]);
});

test("a session that is taken out does not cost its user the turn", () => {
  const queue = queueOf("a1", "a2", "b1");
  removeWaiting(queue, "a1");
  removeWaiting(queue, "x1");
  expect(takeAll(queue)).toEqual(["a2", "b1"]);
});

test("whatever happens, nobody waits twice, works twice or is forgotten", () => {
  const names = fc.constantFrom("a1", "a2", "b1", "b2", "c1");
  const step = fc.oneof(
    names.map((name) => ({ do: "add" as const, name })),
    names.map((name) => ({ do: "remove" as const, name })),
    names.map((name) => ({ do: "end" as const, name })),
    fc.constant({ do: "take" as const, name: "" }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const queue = newFairQueue();
      const wanted = new Set<string>();
      const working = new Set<string>();
      const again = new Set<string>();
      const act = {
        add: (name: string) => {
          addWaiting(queue, waiting(name));
          (working.has(name) ? again : wanted).add(name);
        },
        remove: (name: string) => {
          removeWaiting(queue, name);
          wanted.delete(name);
        },
        end: (name: string) => {
          endWork(queue, name);
          working.delete(name);
          if (again.delete(name)) wanted.add(name);
        },
        take: () => {
          const next = takeWaiting(queue)?.sessionId;
          expect(next === undefined).toBe(wanted.size === 0);
          if (next === undefined) return;
          expect(wanted.delete(next)).toBe(true);
          working.add(next);
        },
      };
      for (const { do: what, name } of steps) {
        act[what](name);
        expect(new Set(queue.users.keys())).toEqual(wanted);
        expect(new Set([...queue.lines.values()].flatMap((line) => [...line]))).toEqual(wanted);
        expect(new Set(queue.atWork.keys())).toEqual(working);
      }
    }),
  );
});
