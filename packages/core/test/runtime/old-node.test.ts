import { expect, it } from "vitest";
import { memoryStore, runtime } from "../../src/index.ts";

it("U5 says which Node it needs, and not in the middle of the first run", () => {
  const { withResolvers } = Promise;
  try {
    Object.assign(Promise, { withResolvers: undefined });
    expect(() => runtime({ agents: [], store: memoryStore() })).toThrow(
      `runtime() needs Node 22.18 or newer; this is Node ${process.versions.node}.`,
    );
  } finally {
    Object.assign(Promise, { withResolvers });
  }
});
