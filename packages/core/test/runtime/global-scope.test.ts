import { scriptedModel } from "@pawl/testing";
import { afterEach, expect, it, vi } from "vitest";
import { eachWay } from "../../../../test/support/each-way.ts";
import { agent, type EventStore, memoryStore, runtime } from "../../src/index.ts";
import { user } from "../support/setup.ts";

afterEach(() => void vi.unstubAllGlobals());

/** As in the global scope of a Cloudflare Worker. */
function forbidEffects(): void {
  const refuse = (what: string) => () => {
    throw new Error(`Disallowed operation called within global scope: ${what}.`);
  };
  const { subtle } = crypto;
  vi.stubGlobal("crypto", { subtle, randomUUID: refuse("ids"), getRandomValues: refuse("random values") });
  vi.stubGlobal("AbortController", refuse("an AbortController"));
  vi.stubGlobal("setTimeout", refuse("a timer"));
}

it("U4 makes a runtime in a scope that forbids random values, timers and AbortControllers", async () => {
  forbidEffects();
  const greeter = agent({
    name: "greeter",
    model: scriptedModel([{ text: "Hello." }]),
    instructions: "Greet.",
  });
  const pawl = runtime({ agents: [greeter], store: memoryStore() });
  vi.unstubAllGlobals();
  expect((await pawl.run("greeter", { ...user, input: "Hi" }).result).text).toBe("Hello.");
});

it.each(eachWay("open"))("U4 names each runtime once, for all its leases, in a store %s", async (_, as) => {
  const inner = memoryStore();
  const holders: string[] = [];
  const store: EventStore = {
    ...inner,
    open: async (wanted) => {
      holders.push(wanted.holder);
      return await inner.open?.(wanted);
    },
    acquire: async (id, holder, ttl) => {
      holders.push(holder);
      return await inner.acquire(id, holder, ttl);
    },
  };
  const model = scriptedModel([{ text: "One." }, { text: "Two." }]);
  const greeter = agent({ name: "greeter", model, instructions: "Greet." });
  const pawl = runtime({ agents: [greeter], store: as(store) });
  for (const input of ["Hi", "Hi again"]) await pawl.run("greeter", { ...user, input }).result;
  expect(new Set(holders.map((holder) => holder.split("/")[0])).size).toBe(1);
  expect(new Set(holders).size).toBe(2);
});
