import { describe, expect, it } from "vitest";
import { type AgentState, createAgentClient, until } from "../src/index.ts";

/** A client whose state is set by hand. */
function byHand() {
  let state = { phase: "idle" } as AgentState;
  const listeners = new Set<() => void>();
  return {
    getState: () => state,
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    set: (phase: AgentState["phase"]) => {
      state = { ...state, phase };
      for (const listener of listeners) listener();
    },
    listeners,
  };
}

describe("until", () => {
  it("K1 resolves to the state: at once if it is there, otherwise when it is reached", async () => {
    const client = byHand();
    expect(await until(client, ({ phase }) => phase === "idle")).toBe(client.getState());
    const waits = until(client, ({ phase }) => phase === "suspended");
    client.set("streaming");
    expect(client.listeners.size).toBe(1);
    client.set("suspended");
    const state = client.getState();
    client.set("idle");
    expect(await waits).toBe(state);
    expect(client.listeners.size).toBe(0);
  });

  it("K1 rejects with the signal's reason, or with the condition's error", async () => {
    const client = byHand();
    const stop = new AbortController();
    const waits = until(client, () => false, stop.signal);
    stop.abort(new Error("Enough."));
    await expect(waits).rejects.toThrow("Enough.");
    await expect(until(client, () => true, stop.signal)).rejects.toThrow("Enough.");
    const asks = until(client, ({ phase }) => {
      if (phase !== "idle") throw new Error("What?");
      return false;
    });
    client.set("streaming");
    await expect(asks).rejects.toThrow("What?");
    expect(client.listeners.size).toBe(0);
  });
});

describe("createAgentClient", () => {
  it("K1 requires the URL where the agent is served", () => {
    for (const url of ["", undefined]) {
      expect(() => createAgentClient({ url: url as string })).toThrow(/`url` must be/);
    }
  });
});
