import { expect, it, vi } from "vitest";
import { newPacer } from "../../src/base/pacer.ts";
import { countedTurns } from "../support/counted-turns.ts";

it("B8 one caller begins in a turn of the event loop, in the order of their calls", async () => {
  const pace = newPacer();
  const turns = countedTurns();
  const begun: number[] = [];
  const call = async (n: number) => {
    await pace();
    turns.count();
    begun.push(n);
  };
  await Promise.all(Array.from({ length: 20 }, (_, n) => call(n)));
  expect(begun).toEqual(Array.from({ length: 20 }, (_, n) => n));
  expect(turns.most()).toBe(1);
});

it("B8 callers that come in other turns do not wait", async () => {
  const pace = newPacer();
  for (let n = 0; n < 3; n += 1) {
    let begun = false;
    void pace().then(() => {
      begun = true;
    });
    await Promise.resolve();
    await Promise.resolve();
    expect(begun).toBe(true);
    await new Promise((resolve) => setImmediate(resolve));
  }
});

it("B8 the others go on if the callback of the turn never comes, e.g. because its request is over", async () => {
  const pace = newPacer();
  const turns = countedTurns();
  const dropped = vi.spyOn(globalThis, "setImmediate").mockImplementation(() => ({}) as never);
  await pace();
  dropped.mockRestore();
  const begun: number[] = [];
  const call = async (n: number) => {
    await pace();
    turns.count();
    begun.push(n);
  };
  await Promise.all(Array.from({ length: 20 }, (_, n) => call(n)));
  expect(begun).toEqual(Array.from({ length: 20 }, (_, n) => n));
  expect(turns.most()).toBe(1);
});
