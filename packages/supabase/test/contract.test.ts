import { withBlobs } from "@pawl/core";
import { eventStoreContract } from "@pawl/testing";
import { afterAll, beforeAll, describe, it } from "vitest";
import { supabaseBlobs, supabaseStore } from "../src/index.ts";
import { noStack, type Stack, stack } from "./support/stack.ts";

describe.skipIf(noStack !== undefined)("over PostgREST and supabase-js, with the service's key", () => {
  let project: Stack;
  beforeAll(async () => {
    project = await stack();
  }, 60_000);
  afterAll(() => project?.stop());

  describe("E9 supabaseStore", () => {
    const make = async () => ({ store: supabaseStore(project.service()) });
    for (const { name, run } of eventStoreContract(make)) it(name, run);
  });

  // Every event is a blob here, and every blob a request: what is not about payloads is left to the store above.
  const about = /^E1|taken key|repeated|hostile/;
  describe("E9 withBlobs over supabaseStore and supabaseBlobs", () => {
    const make = async () => {
      const client = project.service();
      return { store: withBlobs(supabaseStore(client), supabaseBlobs(client), { aboveBytes: 0 }) };
    };
    for (const { name, run } of eventStoreContract(make)) if (about.test(name)) it(name, run);
  });
});
