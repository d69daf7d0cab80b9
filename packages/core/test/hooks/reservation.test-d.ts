import { describe, it } from "vitest";
import { memoryReservations, reservation } from "../../src/index.ts";

const account = { reservations: memoryReservations(), account: "u" };

describe("E10 the numbers of reservation()", () => {
  it("are in tokens or in US dollars, fixed or of the run", () => {
    reservation({ ...account, limit: 10, amount: 5 });
    reservation({ ...account, limitUsd: 0.3, amountUsd: ({ userId }) => userId.length });
  });

  it("are never in both, and never one alone", () => {
    // @ts-expect-error an amount in tokens of a limit in dollars
    reservation({ ...account, limitUsd: 0.3, amount: 5 });
    // @ts-expect-error both
    reservation({ ...account, limit: 10, amount: 5, amountUsd: 0.1 });
    // @ts-expect-error no amount
    reservation({ ...account, limitUsd: 0.3 });
  });
});
