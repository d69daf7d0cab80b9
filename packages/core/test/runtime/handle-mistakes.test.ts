import { describe, expect, it } from "vitest";
import { expectPrinted } from "../../../../test/support/printed.ts";
import { settled } from "../../../../test/support/settled.ts";
import { PawlError } from "../../src/index.ts";
import { setup, until, user } from "../support/setup.ts";

function heard(script = [{ text: "Hi." }]) {
  const errors: PawlError[] = [];
  const world = setup(script, {}, { onError: (error) => errors.push(error as PawlError) });
  return { ...world, errors };
}

const lost = { ...user, sessionId: "unknown", input: "Hi" };

describe("a run that fails and that nobody awaits", () => {
  it("B5 is reported once, with its code and what to do", async () => {
    const { pawl, errors } = heard();
    pawl.run("tester", lost);
    await until(() => errors.length > 0);
    await settled();
    expect(errors).toMatchObject([
      {
        code: "not_found",
        message:
          "A run failed, and nobody awaits it: There is no such session. Await `run.result` or `run.started`, and handle its rejection.",
      },
    ]);
    expect(PawlError.is(errors[0]?.cause, "not_found")).toBe(true);
  });

  it("B5 is printed by default", async () => {
    expectPrinted("pawl: A run failed, and nobody awaits it: There is no such session.");
    setup([]).pawl.run("tester", lost);
    await settled();
  });

  it("B5 is not reported if anything reads it, or if it does not fail", async () => {
    const { pawl, errors } = heard([{ text: "Hi." }, { text: "Hi." }]);
    await expect(pawl.run("tester", lost).result).rejects.toMatchObject({ code: "not_found" });
    await expect(pawl.run("tester", lost).started).rejects.toMatchObject({ code: "not_found" });
    await expect(Array.fromAsync(pawl.run("tester", lost))).rejects.toMatchObject({ code: "not_found" });
    await expect(Array.fromAsync(pawl.run("tester", lost).textStream)).rejects.toMatchObject({
      code: "not_found",
    });
    pawl.run("tester", lost).on("run_ended", () => undefined);
    pawl.run("tester", { ...user, input: "Go" });
    await settled();
    expect(errors).toEqual([]);
  });
});

describe("fields of a result that are read from the run", () => {
  it("B5 U6 `const { text } = await pawl.run(…)` is reported once, with the fix", async () => {
    const { pawl, errors } = heard([{ text: "Hi." }, { text: "Hi." }]);
    const run = pawl.run("tester", { ...user, input: "Go" });
    const { text, stop } = (await run) as unknown as { text?: string; stop?: object };
    expect([text, stop]).toEqual([undefined, undefined]);
    await run.result;
    await until(() => errors.length > 0);
    expect(
      ((await pawl.run("tester", { ...user, input: "Go" })) as unknown as { pending?: [] }).pending,
    ).toBe(undefined);
    await settled();
    expect(errors).toMatchObject([
      {
        code: "config",
        message:
          "`text` is not on the run that run() returns, but on its result. Write `const { text } = await pawl.run(…).result`.",
      },
    ]);
  });

  it("B5 a run that is printed or compared reports nothing", async () => {
    const { pawl, errors } = heard();
    const run = pawl.run("tester", { ...user, input: "Go" });
    expect(Object.keys({ ...run })).toEqual(["started", "result", "textStream", "on", "off"]);
    JSON.stringify(run);
    expect(`${run}`).toBe("[object Object]");
    await run.result;
    await settled();
    expect(errors).toEqual([]);
  });
});
