import fc from "fast-check";

/** Returns batches, and whether their generator was ended. */
export function batches(...made: (readonly number[] | Error)[]) {
  const seen = { closed: false };
  async function* all() {
    try {
      for (const batch of made) {
        if (batch instanceof Error) throw batch;
        yield batch;
      }
    } finally {
      seen.closed = true;
    }
  }
  return { all: all(), seen };
}

/** Yields what a generator would make of batches. */
export async function* plainly(all: AsyncGenerator<readonly number[]>) {
  for await (const batch of all) for (const item of batch) yield item;
}

type Step = "next" | "return" | "throw" | "wait";

/**
 * Makes calls, each without waiting for those before it unless a step is `wait`. Returns their results, and
 * the order in which they settled.
 */
export async function told(items: AsyncGenerator<number, void, undefined>, steps: readonly Step[]) {
  const results: unknown[] = [];
  const order: number[] = [];
  let asked: Promise<unknown>[] = [];
  const keep = (at: number) => (result: unknown) => {
    results[at] = result;
    order.push(at);
  };
  for (const [at, step] of steps.entries()) {
    if (step === "wait") {
      await Promise.all(asked);
      asked = [];
      continue;
    }
    const result = step === "throw" ? items.throw(new Error("enough")) : items[step]();
    asked.push(result.then(keep(at), (error: Error) => keep(at)(error.message)));
  }
  await Promise.all(asked);
  return { results, order };
}

/** Batches that may break. */
export const madeBatches = fc.array(
  fc.oneof({ weight: 4, arbitrary: fc.array(fc.nat(), { maxLength: 3 }) }, fc.constant(new Error("broken"))),
  { maxLength: 4 },
);

/** Calls of an iterator. */
export const askedSteps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom<Step>("next") },
    { weight: 3, arbitrary: fc.constantFrom<Step>("wait") },
    { weight: 1, arbitrary: fc.constantFrom<Step>("return", "throw") },
  ),
  { maxLength: 12 },
);
