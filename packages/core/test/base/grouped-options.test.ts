import { scriptedModel, testClock } from "@pawl/testing";
import { expect, it } from "vitest";
import { agent, memoryStore, runtime } from "../../src/index.ts";
import { code } from "../support/errors.ts";

const base = { name: "a", model: scriptedModel([]), instructions: "Help." };
const read = () => "Ada.";

it.each<[string, object, string]>([
  [
    "a function",
    { userData: read },
    '`userData` of agent("a") must be an object, `userData: { read, per, timeoutMs }`; got a function.',
  ],
  [
    "no object",
    { userData: null },
    '`userData` of agent("a") takes an object of options with `read`; got null.',
  ],
  ["no `read`", { userData: { per: "run" } }, '`userData` of agent("a") needs `read`, a function.'],
  [
    "a text",
    { userData: { read: "Ada" } },
    '`read` of `userData` of agent("a") must be a function; got a string.',
  ],
  ["an unknown key", { userData: { read, every: "run" } }, 'has no option "every".'],
  ["another `per`", { userData: { read, per: "day" } }, 'must be "turn" or "run"; got "day".'],
  [
    "no time",
    { userData: { read, timeoutMs: 0 } },
    '`timeoutMs` of `userData` of agent("a") must be a whole number from 1',
  ],
  ["the old `per`", { userData: { read }, userDataPer: "run" }, "Use `userData: { read, per, timeoutMs }`."],
  ["the old time limit", { userDataTimeoutMs: 50 }, "Use `userData: { read, per, timeoutMs }`."],
])("U6 agent() refuses `userData` with %s", (_what, options, message) => {
  const make = () => agent({ ...base, ...options } as never);
  expect(make).toThrow(message);
  expect(make).toThrow(expect.toSatisfy(code("config")));
});

it("U6 agent() fills the defaults of `userData` in", () => {
  const grouped = { read, per: undefined, timeoutMs: undefined } as never;
  expect(agent({ ...base, userData: grouped }).userData).toEqual({ read, per: "turn", timeoutMs: 5_000 });
  expect(agent(base).userData).toBeUndefined();
});

it.each<[string, object, string]>([
  ["leaseTtlMs", { leaseTtlMs: 5 }, "Use `times: { leaseTtlMs }`."],
  ["pollMs", { pollMs: 5 }, "Use `times: { pollMs }`."],
  ["abortGraceMs", { abortGraceMs: 5 }, "Use `times: { abortGraceMs }`."],
  ["handOverAfterMs", { handOverAfterMs: 5 }, "Use `times: { handOverAfterMs }`."],
  ["storeRetryMs", { storeRetryMs: [5] }, "Use `times: { storeRetryMs }`."],
  ["clock", { clock: testClock() }, "Use `testing: { clock }`."],
  ["newId", { newId: () => "id" }, "Use `testing: { newId }`."],
  ["a number as times", { times: 5 }, "`times` of runtime() must be an object; got a number."],
  ["an unknown time", { times: { leaseMs: 5 } }, '`times` of runtime() has no option "leaseMs".'],
  [
    "a time of another kind",
    { times: { pollMs: "5" } },
    "`pollMs` of `times` of runtime() must be a number; got a string.",
  ],
  [
    "a time out of range",
    { times: { pollMs: 0.5 } },
    "pollMs of `times` of runtime() must be a whole number from 1",
  ],
  ["an unknown double", { testing: { now: Date.now } }, '`testing` of runtime() has no option "now".'],
  [
    "ids of another kind",
    { testing: { newId: "id" } },
    "`newId` of `testing` of runtime() must be a function; got a string.",
  ],
])("U6 runtime() refuses %s", (_what, options, message) => {
  const make = () => runtime({ agents: [], store: memoryStore(), ...options } as never);
  expect(make).toThrow(message);
  expect(make).toThrow(expect.toSatisfy(code("config")));
});
