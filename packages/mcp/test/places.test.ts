import fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import { settled } from "../../../test/support/settled.ts";
import { newPlaces } from "../src/connect/places.ts";

/** Places, and their users. */
function world(most: number) {
  const places = newPlaces(most);
  const order: string[] = [];
  const inUse: { userId: string; leave: () => void }[] = [];
  const over = new AbortController();
  const take = async (userId: string, own: AbortSignal = over.signal) => {
    const refusal = (why: string) => new Error(why);
    const signal = AbortSignal.any([own, over.signal]);
    const leave = await places.take(userId, { waitMs: 60_000, signal, refusal });
    order.push(userId);
    inUse.push({ userId, leave });
  };
  const leaveFirst = async (userId?: string) => {
    const index = inUse.findIndex((one) => userId === undefined || one.userId === userId);
    inUse.splice(index, 1)[0]?.leave();
    await Promise.resolve();
  };
  /** Ends what still waits. */
  const close = () => over.abort();
  return { take, leaveFirst, inUse, order, close };
}

it("B8 users take turns at the places of a server, however many requests each has", async () => {
  const { take, leaveFirst, order } = world(1);
  const waiting = ["m", "m", "m", "m", "a", "b", "a"].map((userId) => take(userId));
  for (const _ of waiting) {
    await settled();
    await leaveFirst();
  }
  await Promise.all(waiting);
  expect(order).toEqual(["m", "m", "a", "b", "m", "a", "m"]);
});

it("B8 one user has at most half of the places, so another's request begins at once", async () => {
  const { take, inUse, close } = world(8);
  onTestFinished(close);
  const all = Array.from({ length: 20 }, () => take("mallory"));
  void Promise.allSettled(all);
  await take("ada");
  expect(inUse.map(({ userId }) => userId)).toEqual([...Array(4).fill("mallory"), "ada"]);
});

it("B8 a request that is aborted while it waits gets no place, and costs nobody a turn", async () => {
  const { take, leaveFirst, order } = world(1);
  await take("m");
  const control = new AbortController();
  const aborted = take("a", control.signal);
  const next = take("b");
  control.abort();
  await expect(aborted).rejects.toThrow("aborted");
  await expect(take("c", AbortSignal.abort())).rejects.toThrow("aborted");
  await leaveFirst();
  await next;
  expect(order).toEqual(["m", "b"]);
});

it("B8 whatever happens, no place is lost, given twice, or empty while somebody may have it", async () => {
  const step = fc.oneof(
    fc.constantFrom("a", "b", "c").map((userId) => ({ do: "take" as const, userId })),
    fc.constantFrom("a", "b", "c").map((userId) => ({ do: "leave" as const, userId })),
    fc.constantFrom("a", "b", "c").map((userId) => ({ do: "abort" as const, userId })),
  );
  const run = async (most: number, steps: readonly { do: "take" | "leave" | "abort"; userId: string }[]) => {
    const { take, leaveFirst, inUse, close } = world(most);
    const share = Math.ceil(most / 2);
    const waiting: { userId: string; control: AbortController }[] = [];
    const begin = (userId: string) => {
      const entry = { userId, control: new AbortController() };
      waiting.push(entry);
      const gone = () => void waiting.splice(waiting.indexOf(entry), 1);
      take(userId, entry.control.signal).then(gone, gone);
    };
    for (const { do: what, userId } of steps) {
      if (what === "take") begin(userId);
      else if (what === "leave" && inUse.some((one) => one.userId === userId)) await leaveFirst(userId);
      else if (what === "abort") waiting.find((one) => one.userId === userId)?.control.abort();
      await settled();
      const of = (one: string) => inUse.filter((taken) => taken.userId === one).length;
      expect(inUse.length).toBeLessThanOrEqual(most);
      for (const one of ["a", "b", "c"]) {
        expect(of(one)).toBeLessThanOrEqual(share);
        const mayEnter = inUse.length < most && of(one) < share;
        if (mayEnter) expect(waiting.filter((entry) => entry.userId === one)).toEqual([]);
      }
    }
    close();
  };
  await fc.assert(fc.asyncProperty(fc.integer({ min: 1, max: 5 }), fc.array(step, { maxLength: 30 }), run), {
    numRuns: 60,
  });
});
