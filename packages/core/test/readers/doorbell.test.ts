import { expect, it, vi } from "vitest";
import { doorbell } from "../../src/readers/doorbell.ts";
import { settled } from "../support/settled.ts";
import { setup } from "../support/setup.ts";

it("L10 shows text that arrives at once in a few deltas", async () => {
  const text = "one two three four five six seven eight nine ten ".repeat(20).trim();
  const { pawl } = setup([{ text }]);
  const events = await Array.fromAsync(pawl.run("tester", { userId: "u1", input: "Go" }));
  expect(events.filter(({ type }) => type === "text_delta").length).toBeLessThan(3);
});

it("L10 wakes a reader once for everything that arrives at once", async () => {
  const bell = doorbell([]);
  let woken = 0;
  const count = () => {
    woken += 1;
  };
  void bell.wait().then(count);
  for (let n = 0; n < 3; n += 1) bell.ring();
  await settled();
  void bell.wait().then(count);
  await settled();
  expect(woken).toBe(1);
  bell.ring();
  await settled();
  expect(woken).toBe(2);
});

it("wakes a reader that was busy when it rang", async () => {
  const bell = doorbell([]);
  bell.ring();
  await bell.wait();
});

it("U4 sets no timer in the request that rings, which may end before it fires", async () => {
  const bell = doorbell([]);
  let woken = false;
  void bell.wait().then(() => {
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
