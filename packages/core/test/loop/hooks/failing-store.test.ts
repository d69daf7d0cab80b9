import { expect, it } from "vitest";
import { memoryStore, PawlError } from "../../../src/index.ts";
import { code } from "../../support/errors.ts";
import { named, sound } from "../../support/hooks.ts";
import { setup, user } from "../../support/setup.ts";
import { beforeAppend, has } from "../../support/stores.ts";

it("E1 a store that fails under a hook ends the leg and not the run, which is resumed by a sweep", async () => {
  const base = memoryStore();
  let down = false;
  const store = beforeAppend(base, (events) => {
    if (down && has(events, "note")) throw new PawlError("store_unavailable", "disk full");
  });
  const hooks = [
    named("a", {
      beforeTurn: async (_plan, { append }) => {
        await append({ type: "note", data: { text: "x" } });
        return undefined;
      },
    }),
  ];
  down = true;
  const world = setup([{ text: "Ok." }, { text: "Fine." }], { hooks }, { store });
  const run = world.pawl.run("tester", { ...user, input: "Go" });
  const { sessionId } = await run.started;
  await expect(run.result).rejects.toSatisfy(code("store_unavailable"));
  expect(await world.of(sessionId, "run_ended")).toEqual([]);
  down = false;
  expect(await world.pawl.sweep({ wait: true })).toBe(1);
  expect(await world.of(sessionId, "run_ended")).toMatchObject([{ data: { stop: { type: "end_turn" } } }]);
  await sound(world, sessionId);
});
