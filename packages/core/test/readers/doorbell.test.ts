import { expect, it, vi } from "vitest";
import { settled } from "../../../../test/support/settled.ts";
import { Doorbell } from "../../src/readers/doorbell.ts";
import { setup } from "../support/setup.ts";

it("L10 shows text that arrives at once in a few deltas", async () => {
  const text = "one two three four five six seven eight nine ten ".repeat(20).trim();
  const { pawl } = setup([{ text }]);
  const events = await Array.fromAsync(pawl.run("tester", { userId: "u1", input: "Go" }));
  expect(events.filter(({ type }) => type === "text_delta").length).toBeLessThan(3);
});

it("L10 wakes a reader once for everything that arrives at once", async () => {
  const bell = new Doorbell();
  let woken = 0;
  const count = () => {
    woken += 1;
  };
  bell.wait(count);
  for (let n = 0; n < 3; n += 1) bell.ring();
  await settled();
  bell.wait(count);
  await settled();
  expect(woken).toBe(1);
  bell.ring();
  await settled();
  expect(woken).toBe(2);
});

it("wakes a reader that was busy when it rang", async () => {
  const bell = new Doorbell();
  bell.ring();
  await new Promise<void>((resolve) => bell.wait(resolve));
});

it("U4 sets no timer in the request that rings, which may end before it fires", async () => {
  const bell = new Doorbell();
  let woken = false;
  bell.wait(() => {
    woken = true;
  });
  const setTimer = vi.fn();
  vi.stubGlobal("setImmediate", setTimer);
  bell.ring();
  vi.unstubAllGlobals();
  expect(setTimer).not.toHaveBeenCalled();
  await settled();
  expect(woken).toBe(true);
});
