import { createContext, runInContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { jsonLoss, storableJson, storableObject } from "../../src/base/json-loss.ts";

class Plan {
  steps = ["pack"];
}
const cycle: { self?: unknown } = {};
cycle.self = cycle;
const deep = (levels: number): unknown => (levels === 0 ? 1 : { a: deep(levels - 1) });

describe("U6 values that JSON would change without notice", () => {
  it.each<[unknown, string]>([
    [{ roles: new Set(["a"]) }, "caller.roles is an instance of Set"],
    [{ org: { teams: [{}, new Map()] } }, "caller.org.teams[1] is an instance of Map"],
    [{ can: () => true }, "caller.can is a function"],
    [{ id: 1n }, "caller.id is a bigint"],
    [{ id: Symbol("x") }, "caller.id is a symbol"],
    [{ plan: new Plan() }, "caller.plan is an instance of Plan"],
    [{ at: /x/ }, "caller.at is an instance of RegExp"],
    [{ error: new TypeError("x") }, "caller.error is an instance of TypeError"],
    [{ bytes: new Uint8Array(1) }, "caller.bytes is an instance of Uint8Array"],
    [{ n: Number.NaN }, "caller.n is NaN"],
    [{ n: Number.POSITIVE_INFINITY }, "caller.n is Infinity"],
    [{ list: [1, undefined] }, "caller.list[1] is undefined"],
    [undefined, "caller is undefined"],
    [new Plan(), "caller is an instance of Plan"],
    [Promise.resolve(), "caller is an instance of Promise"],
  ])("%o are named by their place, and never shown", (value, message) => {
    expect(jsonLoss(value, "caller")).toBe(message);
  });

  it("U6 so are a cycle and a value that is nested too deep", () => {
    expect(jsonLoss(cycle, "caller")).toMatch(/is nested too deep, or contains itself$/);
    expect(jsonLoss(deep(500), "caller")).toBeUndefined();
    expect(jsonLoss(deep(501), "caller")).toMatch(/nested too deep/);
  });

  it("U6 JSON is fine, and so are dates, undefined fields, and objects without a prototype or of another realm", () => {
    const bare = Object.assign(Object.create(null), { a: 1 });
    const other: unknown = runInContext("({ list: [{ a: 1 }] })", createContext());
    for (const value of [{}, [], null, "x", 0, { a: [{ b: null }] }, { a: undefined }, bare, other])
      expect(jsonLoss(value, "caller")).toBeUndefined();
    const at = { at: new Date(0), url: new URL("http://x/"), no: undefined };
    expect(storableJson(at, "data")).toEqual({ at: "1970-01-01T00:00:00.000Z", url: "http://x/" });
  });

  it("U6 an object must be one, also as JSON", () => {
    const wrong = "`caller` must be an object that JSON can represent";
    for (const value of ["x", [], null, new Date(0)])
      expect(() => storableObject(value, "caller")).toThrow(`${wrong}.`);
    expect(() => storableObject({ roles: new Set() }, "caller")).toThrow(
      `${wrong}; caller.roles is an instance of Set.`,
    );
  });
});
