import fc from "fast-check";
import { expect, it } from "vitest";
import { foldView, newView, reduceView, viewFold } from "../../src/view.ts";
import { anyLog } from "../support/any-log.ts";

it("B8 a fold of any log has the result of reduceView, event by event", async () => {
  await fc.assert(
    fc.asyncProperty(anyLog, fc.nat(80), async (events, place) => {
      const whole = events.reduce(reduceView, newView());
      const view = await foldView(events);
      expect(view).toEqual(whole);
      expect(JSON.parse(JSON.stringify(view))).toEqual(JSON.parse(JSON.stringify(whole)));
      // The fold is asked in the middle, and goes on. Another one begins with that view.
      const fold = viewFold();
      await fold.addAll(events.slice(0, place), () => undefined);
      const middle = fold.view();
      expect(middle).toEqual(events.slice(0, place).reduce(reduceView, newView()));
      for (const event of events.slice(place)) fold.add(event);
      expect(fold.view()).toEqual(whole);
      expect(fold.run).toEqual(whole.run);
      expect(await foldView(events.slice(place), middle)).toEqual(whole);
    }),
    { numRuns: 500 },
  );
});
