import { expect, it } from "vitest";
import { memoryStore, PawlError } from "../../src/index.ts";
import { setup } from "../support/setup.ts";
import { beforeAppend, has } from "../support/stores.ts";

it("R2 L3 a stop condition of the application is not shown a run that is not stored", async () => {
  const seen: string[] = [];
  const store = beforeAppend(memoryStore(), (events) => {
    if (has(events, "run_started")) throw new PawlError("store_unavailable", "down");
  });
  const stopWhen = [
    ({ runId }: { runId: string }) => {
      seen.push(runId);
      return undefined;
    },
  ];
  const { say } = setup([{ text: "Done." }], { stopWhen }, { store });
  await expect(say("Go")).rejects.toMatchObject({ code: "store_unavailable" });
  expect(seen).toEqual([]);
});
