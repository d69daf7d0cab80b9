import fc from "fast-check";
import { expect, it, onTestFinished, vi } from "vitest";
import { toJsonSchema, tool } from "../../src/index.ts";
import { isRegularExpression, untrustedSchema } from "../../src/tools.ts";

/** Returns whether the platform accepts it. */
function isValid(text: string): boolean {
  try {
    return new RegExp(text, "u") !== undefined;
  } catch {
    return false;
  }
}

const PIECES = [
  ...["\\p{L}", "\\P{Script=Greek}", "\\p{None}", "\\p{}", "\\p", "{L}", "\\p{", "\\p{L", "}", "\\\\"],
  ...["[", "]", "[^", "-", "a", "z", "\\d", "(", "(?:", "(?<n>", ")", "|", "*", "+?", "{2,3}", "\\k<n>"],
  ...["^", "$", ".", "\\1", "\\u{1f464}", "\\u", "\\c", "👤", "\n"],
];

it("B7 T1 a regular expression is valid if the platform accepts it", () => {
  const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 8 }).map((pieces) => pieces.join(""));
  let valid = 0;
  const agrees = (one: string) => {
    valid += isValid(one) ? 1 : 0;
    expect([one, isRegularExpression(one)]).toEqual([one, isValid(one)]);
  };
  fc.assert(fc.property(text, agrees), { numRuns: 3_000 });
  expect(valid).toBeGreaterThan(100);
  for (const first of PIECES) for (const second of PIECES) agrees(`${first}${second}`);
});

it("B7 a class by a property of Unicode in a stranger's schema is compiled once, however often it is there", () => {
  const compiled: string[] = [];
  const Plain = RegExp;
  const Counting = class extends Plain {
    constructor(pattern: string | RegExp, flags?: string) {
      super(pattern, flags);
      compiled.push(String(pattern));
    }
  };
  vi.stubGlobal("RegExp", Counting);
  onTestFinished(() => void vi.unstubAllGlobals());
  const make = (pattern: string) =>
    tool({
      name: "a",
      description: "",
      input: untrustedSchema({ type: "object", properties: { a: { type: "string", pattern } } }),
      execute: () => "",
    });
  const shown = make("\\p{Lu}".repeat(14_000));
  expect(JSON.stringify(toJsonSchema(shown.input))).toContain("\\\\p{Lu}\\\\p{Lu}");
  expect(compiled.filter((pattern) => pattern.includes("\\p"))).toEqual(["\\p{Lu}"]);
  make(`x${"\\p{Lu}".repeat(14_000)}`);
  expect(compiled.filter((pattern) => pattern.includes("\\p"))).toHaveLength(1);
  expect(() => make("\\p{Lu}\\p{Nothing}")).toThrow("invalid regular expression");
});
