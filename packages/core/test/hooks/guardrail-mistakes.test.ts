import { describe, expect, it } from "vitest";
import { expectPrinted } from "../../../../test/support/printed.ts";
import { type GuardrailOptions, guardrail, PawlError } from "../../src/index.ts";
import { setup } from "../support/setup.ts";

/** Returns how a run with this guardrail ends: the developer's text. */
async function causeOf(options: object): Promise<string | undefined> {
  expectPrinted("guardrail");
  const hooks = [guardrail(options as GuardrailOptions)];
  const { stop } = await setup([{ text: "A long answer, whose beginning was shown." }], { hooks }).say("Hi");
  return (stop as { cause?: string }).cause;
}

describe("F34 U6 a mistake in a guardrail is named in the words of its options", () => {
  const ofInput = '`input` must return nothing, or { block: "a sentence" }; got';
  const ofOutput = '`output` must return nothing, { block: "a sentence" } or { replace }; got';
  it.each([
    ["input", { blocked: true }, `${ofInput} { blocked }.`],
    ["input", { replace: "a" }, `${ofInput} { replace }.`],
    ["input", true, `${ofInput} a boolean.`],
    ["output", { block: true }, `${ofOutput} { block }.`],
    ["output", "a", `${ofOutput} a string.`],
    ["output", { replace: 5 }, "a text can be replaced only by a string; got a number."],
  ])("F34 U6 if its %s returns %j", async (method, returned, text) => {
    expect(await causeOf({ [method]: () => returned })).toContain(`of "guardrail": ${text}`);
  });

  it("F34 U6 if it replaces what readers have been shown", async () => {
    const output: GuardrailOptions["output"] = ({ complete }) => (complete ? { replace: "Z" } : undefined);
    expect(await causeOf({ every: 4, output })).toContain("the replacement must begin with what readers");
  });

  it.each([
    [{ input: () => undefined, every: 10 }, "`every` of guardrail() needs `output`, which is missing."],
    [{ output: () => undefined, beside: true }, "`beside` of guardrail() needs `input`, which is missing."],
  ])("F34 U6 if an option has no method that uses it (%#)", (options, text) => {
    expect(() => guardrail(options)).toThrow(new PawlError("config", text));
  });
});
