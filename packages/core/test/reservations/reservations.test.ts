import { reservationsContract, testClock } from "@pawl/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareToModel, reservationSteps } from "../../../../test/support/reservation-model.ts";
import { memoryReservations } from "../../src/index.ts";
import { RESERVATION_TTL_MS } from "../../src/store.ts";

describe("memoryReservations", () => {
  const make = async () => ({ reservations: memoryReservations() });
  for (const { name, run } of reservationsContract(make)) it(name, run);
});

describe("memoryReservations under an injected clock", () => {
  const make = async () => {
    const clock = testClock();
    return { reservations: memoryReservations({ clock }), advance: clock.advance };
  };
  for (const { name, run } of reservationsContract(make)) it(name, run);

  it("E10 a reservation lasts five minutes unless said otherwise, and not a moment longer", async () => {
    const clock = testClock();
    const reservations = memoryReservations({ clock });
    await reservations.reserve({ account: "a", id: "1", amount: 7, limit: 10 });
    await clock.advance(RESERVATION_TTL_MS - 1);
    expect(await reservations.balance("a")).toEqual({ used: 0, held: 7 });
    const renewed = await reservations.renew("1", 0);
    expect(renewed).toMatchObject({ expiresAt: new Date(clock.now() + 300_000).toISOString() });
    await clock.advance(300_000);
    expect(await reservations.balance("a")).toEqual({ used: 0, held: 0 });
  });

  it("E10 agrees with a simple reference model for any sequence of calls", async () => {
    await fc.assert(
      fc.asyncProperty(reservationSteps, async (steps) => {
        let now = 0;
        const clock = { now: () => now };
        const wait = async (ms: number) => {
          now += ms;
        };
        await compareToModel(memoryReservations({ clock }), steps, wait);
      }),
      { numRuns: 500 },
    );
  });
});
