import { expect, it } from "vitest";
import { memoryReservations, type Reservations } from "../src/index.ts";
import { budget } from "./support/budget.ts";
import { setup } from "./support/setup.ts";

it("E10 L4 a grant that comes after the run has ended is given back at once", async () => {
  const inner = memoryReservations();
  const over = Promise.withResolvers<void>();
  const granted = Promise.withResolvers<void>();
  const reservations: Reservations = {
    ...inner,
    reserve: async (request) => {
      await over.promise;
      const answer = await inner.reserve(request);
      granted.resolve();
      return answer;
    },
  };
  const { hook, balance } = budget({ reservations });
  const world = setup([], { hooks: [hook], limits: { wallClockMs: 20 } });
  expect((await world.say("Go")).stop.type).toBe("deadline");
  over.resolve();
  await granted.promise;
  await expect.poll(balance).toEqual({ used: 0, held: 0 });
});
