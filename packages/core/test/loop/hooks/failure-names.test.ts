import { expect, it } from "vitest";
import { PawlError } from "../../../src/index.ts";
import { named } from "../../support/hooks.ts";
import { setup } from "../../support/setup.ts";

it("H1 U6 names the hook and the agent of a run that a hook ends, to `onError`", async () => {
  const reported: Error[] = [];
  const own = new PawlError("invalid_input", "The quota is unknown.", { details: { quota: "a" } });
  const throws = (name: string, cause: Error) =>
    named(name, {
      beforeRun: () => {
        throw cause;
      },
    });
  for (const cause of [own, new TypeError("x is not a function")])
    await setup([], { hooks: [throws("consent", cause)] }, { onError: (e) => reported.push(e as Error) }).say(
      "Go",
    );
  expect(reported.map(({ message }) => message)).toEqual([
    'beforeRun of "consent" (agent "tester"): The quota is unknown.',
    'beforeRun of "consent" (agent "tester"): x is not a function',
  ]);
  expect(reported[0]).toMatchObject({ code: "invalid_input", details: { quota: "a" }, cause: own });
  expect(reported[1]?.cause).toBeInstanceOf(TypeError);
});
