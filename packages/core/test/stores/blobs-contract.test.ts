import { eventStoreContract } from "@pawl/testing";
import { describe, it } from "vitest";
import { memoryBlobs, memoryStore, withBlobs } from "../../src/index.ts";

/** 0: every payload is a blob. 24: in most batches some are, among them those that share a batch with small ones. */
describe.each([0, 24])("E9 withBlobs above %i bytes", (aboveBytes) => {
  const make = async () => ({ store: withBlobs(memoryStore(), memoryBlobs(), { aboveBytes }) });
  for (const { name, run } of eventStoreContract(make)) it(name, run);
});
