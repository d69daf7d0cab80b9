import { expect, it } from "vitest";
import type { RuntimeOptions } from "../../src/index.ts";
import { code } from "../support/errors.ts";
import { setup } from "../support/setup.ts";

/** Runs five runs to their end. Returns how many of them asked the model at the same time, at most. */
async function mostAtOnce(start: { concurrency?: number }, options: Partial<RuntimeOptions<unknown>> = {}) {
  let [now, most] = [0, 0];
  const rules = async () => {
    now += 1;
    most = Math.max(most, now);
    await new Promise((resolve) => setImmediate(resolve));
    now -= 1;
    return { text: "Done." };
  };
  const { pawl } = setup({ rules }, {}, options);
  pawl.start(start);
  const runs = Array.from({ length: 5 }, () => pawl.run("tester", { userId: "u1", input: "Go" }).result);
  for (const { stop } of await Promise.all(runs)) expect(stop.type).toBe("end_turn");
  await pawl.drain();
  return most;
}

it("Q1 Q5 start({ concurrency }) limits a runtime without this option, and the runs above it wait", async () => {
  expect(await mostAtOnce({})).toBe(5);
  expect(await mostAtOnce({ concurrency: 2 })).toBe(2);
});

it("Q1 Q5 the option of the runtime comes before that of start()", async () => {
  expect(await mostAtOnce({ concurrency: 5 }, { concurrency: 1 })).toBe(1);
});

it.each([[{ concurrency: 0 }], [{ concurrency: 1.5 }], [{ concurency: 1 }]])(
  "U6 start(%j) is refused, and nothing starts",
  async (options) => {
    const { pawl } = setup([]);
    expect(() => pawl.start(options as object)).toThrow(expect.toSatisfy(code("config")));
    await pawl.drain();
  },
);
