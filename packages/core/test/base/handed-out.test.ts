import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BatchIterator, type Supply } from "../../src/base/handed-out.ts";
import { askedSteps, batches, madeBatches, plainly, told } from "../support/asked-steps.ts";

/** Supplies the batches of a generator, which leave out empty ones. */
function supplied(all: AsyncGenerator<readonly number[]>, isOver = () => false): Supply<number> {
  const supply: Supply<number> = {
    fetch(to) {
      if (isOver()) return void all.return(undefined).then(() => to.end());
      all.next().then(
        ({ done, value }) => {
          if (done === true) to.end();
          else if (value.length > 0) to.batch(value);
          else supply.fetch(to);
        },
        (error: unknown) => to.fail(error),
      );
    },
    isOver,
    close: async () => void (await all.return(undefined)),
  };
  return supply;
}

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);

describe("HandedOut", () => {
  it("L16 behaves like a generator, whatever is called and when", async () => {
    const property = fc.asyncProperty(madeBatches, askedSteps, async (all, asked) => {
      const one = batches(...all);
      const other = batches(...all);
      const calls = new Set<Promise<unknown>>();
      const items = new BatchIterator(supplied(one.all), calls);
      expect(await told(items, asked)).toEqual(await told(plainly(other.all), asked));
      expect(one.seen.closed).toBe(other.seen.closed);
      expect(calls.size).toBe(0);
    });
    await fc.assert(property, { numRuns: 2_000 });
  });

  it("L16 U3 has its calls in the set until they settle", async () => {
    const calls = new Set<Promise<unknown>>();
    const items = new BatchIterator(supplied(batches([1, 2]).all), calls);
    const asked = [items.next(), items.next(), items.return()];
    expect([...calls]).toEqual(asked);
    await asked[0];
    await Promise.all(asked);
    expect(calls.size).toBe(0);
  });

  it("W1 ends in the middle of a batch once the supply is over", async () => {
    let over = false;
    const { all, seen } = batches([1, 2, 3]);
    const got: number[] = [];
    for await (const item of new BatchIterator(
      supplied(all, () => over),
      new Set(),
    )) {
      got.push(item);
      over = item === 2;
    }
    expect(got).toEqual([1, 2]);
    expect(seen.closed).toBe(true);
  });

  it("L16 answers many concurrent calls in order, and those after the end", async () => {
    const items = new BatchIterator(supplied(batches(numbers(20_000)).all), new Set());
    const asked = await Promise.all(Array.from({ length: 25_000 }, () => items.next()));
    expect(asked.flatMap(({ value }) => (value === undefined ? [] : [value]))).toEqual(numbers(20_000));
    expect(asked.at(-1)).toEqual({ done: true, value: undefined });
  });
});
