import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { oneByOne } from "../../src/model.ts";
import { askedSteps, batches, madeBatches, plainly, told } from "../support/asked-steps.ts";

describe("oneByOne", () => {
  it("yields the items of all batches, skips empty ones, and ends", async () => {
    const { all, seen } = batches([1, 2], [], [3]);
    const items = oneByOne(all);
    expect(await Array.fromAsync(items)).toEqual([1, 2, 3]);
    expect(seen.closed).toBe(true);
    expect(await items.next()).toEqual({ done: true, value: undefined });
  });

  it("answers concurrent calls of next in order", async () => {
    const items = oneByOne(batches([1], [2, 3], [4]).all);
    const asked = await Promise.all(Array.from({ length: 6 }, () => items.next()));
    expect(asked.map(({ value }) => value)).toEqual([1, 2, 3, 4, undefined, undefined]);
  });

  it("ends its batches when it is left early: by break, by an error and by a scope", async () => {
    const left = batches([1, 2], [3]);
    for await (const _ of oneByOne(left.all)) break;
    expect(left.seen.closed).toBe(true);

    const scoped = batches([1, 2]);
    {
      await using items = oneByOne(scoped.all);
      await items.next();
    }
    expect(scoped.seen.closed).toBe(true);

    const thrown = batches([1, 2]);
    const items = oneByOne(thrown.all);
    await items.next();
    await expect(items.throw(new Error("enough"))).rejects.toThrow("enough");
    expect(thrown.seen.closed).toBe(true);
    expect(await items.next()).toEqual({ done: true, value: undefined });
  });

  it("throws the error of its batches after the items before it, and then ends", async () => {
    const items = oneByOne(batches([1], new Error("broken")).all);
    expect(await items.next()).toEqual({ done: false, value: 1 });
    await expect(items.next()).rejects.toThrow("broken");
    expect(await items.next()).toEqual({ done: true, value: undefined });
  });

  it("ends in the middle of a batch once isOver returns true", async () => {
    let over = false;
    const { all, seen } = batches([1, 2, 3]);
    const got: number[] = [];
    for await (const item of oneByOne(all, () => over)) {
      got.push(item);
      over = item === 2;
    }
    expect(got).toEqual([1, 2]);
    expect(seen.closed).toBe(true);
  });
});

it("L16 oneByOne behaves like a generator, whatever is called and when", async () => {
  const property = fc.asyncProperty(madeBatches, askedSteps, async (all, asked) => {
    const one = batches(...all);
    const other = batches(...all);
    expect(await told(oneByOne(one.all), asked)).toEqual(await told(plainly(other.all), asked));
    expect(one.seen.closed).toBe(other.seen.closed);
  });
  await fc.assert(property, { numRuns: 2_000 });
});
