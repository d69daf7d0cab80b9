import { expect, it } from "vitest";
import { family, task } from "../../support/family.ts";
import { named } from "../../support/hooks.ts";

const hooks = (called: string[]) => [
  named("watch", {
    beforeRun: () => void called.push("beforeRun"),
    beforeModel: () => void called.push("beforeModel"),
  }),
];

it.each([
  ["has hooks", true],
  ["has none", false],
])("E10 L3 a process that has lost the caller's lease begins no sub-agent that %s", async (_, isWatched) => {
  const called: string[] = [];
  const world = family([{ tools: task("toolu_a") }, { text: "Done." }], [{ text: "Found." }], {
    ...(isWatched && { callee: { hooks: hooks(called) } }),
  });
  const store = { ...world.base, renew: async () => false };
  world.say(world.boot(store)).catch(() => undefined);
  await expect.poll(async () => (await world.log(`s1:toolu_a`)).at(-1)?.type).toBe("run_ended");
  expect({ called, asked: world.callee.requests.length }).toEqual({ called: [], asked: 0 });
});

it("E10 L3 a sub-agent's hooks are called once the caller's lease is renewed", async () => {
  const called: string[] = [];
  const callee = { hooks: hooks(called) };
  const world = family([{ tools: task("toolu_a") }, { text: "Done." }], [{ text: "Found." }], { callee });
  const renew: typeof world.base.renew = async (...given) => {
    called.push("renew");
    return await world.base.renew(...given);
  };
  await world.say(world.boot({ ...world.base, renew }));
  expect(called).toEqual(["renew", "beforeRun", "beforeModel"]);
});
