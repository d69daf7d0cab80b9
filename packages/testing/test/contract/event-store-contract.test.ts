import { eventStoreContract, type StoreUnderTest } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { underTest, wrongStores } from "./wrong-stores.ts";

/** Which cases fail, and what they say. */
async function failures(make: () => StoreUnderTest): Promise<Record<string, string>> {
  const failed: Record<string, string> = {};
  for (const { name, run } of eventStoreContract(async () => make())) {
    try {
      await run();
    } catch (error) {
      failed[name] = (error as Error).message;
    }
  }
  return failed;
}

describe("eventStoreContract", () => {
  it("E2 finds nothing in a store that is right", async () => {
    expect(await failures(() => underTest())).toEqual({});
  });

  it.each(wrongStores)("E2 catches a store that %s", async (_what, caughtBy, mistake) => {
    expect(Object.keys(await failures(() => underTest(mistake)))).toEqual([caughtBy]);
  });

  it("E2 says that a store accepted what it should have refused", async () => {
    const failed = await failures(() =>
      underTest((store) => ({
        append: async (id, events, options) =>
          events.length === 0 ? [] : await store.append(id, events, options),
      })),
    );
    expect(
      failed["E2 refuses an append without events, one key twice in a batch, and what is not JSON"],
    ).toBe('expected a PawlError "invalid_input", but the call succeeded');
  });

  it("E2 says that a store gave no lease although none is live", async () => {
    const failed = await failures(() => underTest(() => ({ acquire: async () => undefined })));
    expect(failed["E2 looks at the lease first, then at the place, then at keys"]).toBe(
      'acquire returned no lease for "leg", although no other lease is live',
    );
  });
});
