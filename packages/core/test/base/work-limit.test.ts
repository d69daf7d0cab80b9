import { testClock } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { settled } from "../../../../test/support/settled.ts";
import { type HeldPlace, newWorkLimit, type WorkPlace } from "../../src/base/work-limit.ts";
import type { WorkBounds } from "../../src/base/work-usage.ts";
import { refusalOf } from "../support/file-runs.ts";

const NONE = { atOnce: 100, bytes: 1_000, waitMs: 1_000 };

/** A limit on a test clock, and what became of each request for a place, by its name. */
function limited(bounds: Partial<WorkBounds> = {}) {
  const clock = testClock();
  const limit = newWorkLimit(clock, "files", { ...NONE, ...bounds });
  const places = new Map<string, HeldPlace>();
  const refused = new Map<string, string>();
  const noted = (name: string, asked: Promise<WorkPlace>) =>
    void asked.then(
      (place) => places.set(name, place as HeldPlace),
      (error: Error & { code?: string }) => refused.set(name, error.code ?? error.message),
    );
  return {
    clock,
    limit,
    refused,
    enter: (name: string, asked: Partial<Parameters<typeof limit.enter>[0]> = {}) =>
      noted(name, limit.enter({ userId: name, ...asked })),
    hold: (name: string, asked: Partial<Parameters<typeof limit.enter>[0]> = {}) =>
      noted(name, limit.hold({ userId: name, ...asked })),
    place: (name: string) => places.get(name) as HeldPlace,
    admitted: async () => {
      await settled();
      return [...places.keys()].join(" ");
    },
  };
}

describe("a limit of work", () => {
  it("B7 lets so many work at once, and the others in their order", async () => {
    const { enter, admitted, place } = limited({ atOnce: 2 });
    for (const name of ["a", "b", "c", "d"]) enter(name);
    expect(await admitted()).toBe("a b");
    place("a").leave();
    place("a").leave();
    expect(await admitted()).toBe("a b c");
    place("c").rest();
    expect(await admitted()).toBe("a b c d");
  });

  it("B7 counts the bytes of those who work, and of those whose client still reads", async () => {
    const { enter, admitted, place } = limited({ bytes: 100 });
    enter("a", { bytes: 50 });
    enter("b", { bytes: 40 });
    enter("c", { bytes: 20 });
    expect(await admitted()).toBe("a b");
    place("b").rest();
    expect(await admitted()).toBe("a b");
    place("b").holds(30);
    expect(await admitted()).toBe("a b c");
    place("a").leave();
    enter("d", { bytes: 50 });
    expect(await admitted()).toBe("a b c d");
  });

  it("B7 lets a work that exceeds the limit begin alone, and one that grew beyond it end", async () => {
    const { enter, admitted, place } = limited({ bytes: 100 });
    enter("a", { bytes: 1_000 });
    enter("b");
    expect(await admitted()).toBe("a b");
    place("b").holds(500);
    enter("c");
    expect(await admitted()).toBe("a b");
    place("a").leave();
    expect(await admitted()).toBe("a b c");
    place("b").leave();
    enter("d", { bytes: 1_000 });
    expect(await admitted()).toBe("a b c");
    place("c").leave();
    expect(await admitted()).toBe("a b c d");
  });

  it("B7 gives one user half, and lets others pass meanwhile", async () => {
    const { enter, admitted, place } = limited({ atOnce: 4, bytes: 100 });
    for (const name of ["a1", "a2", "a3"]) enter(name, { userId: "a" });
    enter("b");
    expect(await admitted()).toBe("a1 a2 b");
    place("a1").holds(500);
    place("a2").leave();
    // What the user holds above a half keeps nobody else waiting.
    enter("c", { bytes: 50 });
    expect(await admitted()).toBe("a1 a2 b c");
    place("a1").leave();
    expect(await admitted()).toBe("a1 a2 b c a3");
  });

  it("B7 lets the work of runs come first, without half and without the bytes that clients read", async () => {
    const { enter, hold, admitted, place } = limited({ atOnce: 2, bytes: 100 });
    for (const name of ["x", "y"]) hold(name, { bytes: 45 });
    enter("guest");
    for (const name of ["r1", "r2", "r3"]) enter(name, { userId: "u", bytes: 40, isOfRun: true });
    expect(await admitted()).toBe("x y guest r1");
    place("guest").leave();
    expect(await admitted()).toBe("x y guest r1 r2");
    enter("late");
    place("r1").leave();
    expect(await admitted()).toBe("x y guest r1 r2 r3");
  });

  it("B7 lets those who hold bytes begin, however full it is", async () => {
    const { enter, hold, admitted, place, refused } = limited({ atOnce: 1, bytes: 100 });
    for (const name of ["a", "b"]) hold(name, { bytes: 50 });
    expect(await admitted()).toBe("a b");
    const begun: string[] = [];
    for (const name of ["a", "b"])
      void place(name)
        .begin()
        .then(() => begun.push(name));
    enter("c", { bytes: 10 });
    await settled();
    expect(begun).toEqual(["a"]);
    place("a").leave();
    await settled();
    expect(begun).toEqual(["a", "b"]);
    place("b").leave();
    expect(await admitted()).toBe("a b c");
    expect(refused.size).toBe(0);
  });
});

describe("a place that grows", () => {
  const grown = (place: HeldPlace, bytes: number, signal?: AbortSignal) => {
    const outcome = { is: "" };
    place.grow(bytes, signal).then(
      () => {
        outcome.is = "grown";
      },
      (error: Error & { code?: string }) => {
        outcome.is = error.code ?? error.message;
      },
    );
    return outcome;
  };

  it("B7 waits for room, before what is new and after what may begin or is of a run", async () => {
    const { enter, hold, admitted, place } = limited({ bytes: 100 });
    for (const name of ["a", "b", "c"]) hold(name, { bytes: 30 });
    await settled();
    const b = grown(place("b"), 45);
    enter("new", { bytes: 5 });
    enter("run", { bytes: 5, isOfRun: true });
    expect(await admitted()).toBe("a b c run");
    expect(b.is).toBe("");
    await place("c").begin();
    place("a").holds(20);
    expect(await admitted()).toBe("a b c run");
    expect(b.is).toBe("grown");
    place("run").leave();
    expect(await admitted()).toBe("a b c run new");
  });

  it("B7 gets half of one user at most, and more than there is if it is alone", async () => {
    const { hold, admitted, place } = limited({ bytes: 100 });
    hold("a1", { userId: "a", bytes: 0 });
    await admitted();
    const alone = grown(place("a1"), 500);
    await settled();
    expect(alone.is).toBe("grown");
    place("a1").holds(10);
    hold("a2", { userId: "a", bytes: 10 });
    await admitted();
    const more = grown(place("a2"), 45);
    hold("b", { bytes: 50 });
    expect(await admitted()).toBe("a1 a2 b");
    expect(more.is).toBe("");
    place("a1").leave();
    await settled();
    expect(more.is).toBe("grown");
  });

  it("B7 is refused after its time, and frees what it holds", async () => {
    const { clock, hold, admitted, place } = limited({ bytes: 100 });
    for (const name of ["a", "b"]) hold(name, { bytes: 50 });
    await admitted();
    const left = new AbortController();
    const outcomes = [grown(place("a"), 60), grown(place("b"), 60, left.signal)];
    left.abort(new Error("left"));
    await clock.advance(1_000);
    expect(outcomes.map(({ is }) => is)).toEqual(["overloaded", "left"]);
    place("a").leave();
    const then = grown(place("b"), 60);
    await settled();
    expect(then.is).toBe("grown");
  });
});

describe("work that waits for a limit", () => {
  it("B7 is refused with `overloaded` after its time, and makes room for those behind it", async () => {
    const { clock, limit, enter, hold, admitted, refused, place } = limited({ bytes: 100 });
    enter("a", { bytes: 50 });
    hold("b", { bytes: 20 });
    enter("large", { bytes: 50 });
    await clock.advance(500);
    enter("small", { bytes: 10 });
    expect(await admitted()).toBe("a b");
    await clock.advance(500);
    expect(await admitted()).toBe("a b small");
    expect([...refused]).toEqual([["large", "overloaded"]]);
    enter("run", { bytes: 90, isOfRun: true });
    await clock.advance(60_000);
    expect([...refused]).toHaveLength(1);
    place("a").leave();
    expect(await admitted()).toBe("a b small run");
    const refusal = limit.enter({ userId: "x", bytes: 200 }).catch((error: unknown) => error);
    await clock.advance(1_000);
    expect(await refusal).toMatchObject({ code: "overloaded", details: { retryAfterMs: 5_000 } });
  });

  it("B7 is refused at once if too many wait already, in all or of its user", async () => {
    const { limit, enter, refused } = limited({ atOnce: 1 });
    enter("a");
    for (let count = 0; count < 200; count += 1) enter(`u${count}`, { userId: "u" });
    expect(await refusalOf(limit.enter({ userId: "u" }))).toContain("overloaded: Too many files are in use");
    for (let count = 0; count < 800; count += 1) enter(`${count}`);
    await settled();
    expect(refused.size).toBe(0);
    expect(await refusalOf(limit.enter({ userId: "v" }))).toContain("overloaded");
  });

  it("B7 leaves the line when it is aborted, with the reason, also before it came", async () => {
    const { clock, enter, hold, admitted, refused, place } = limited({ bytes: 100 });
    const control = new AbortController();
    enter("a", { bytes: 50 });
    hold("b", { bytes: 40 });
    enter("gone", { bytes: 50, signal: control.signal });
    enter("next", { bytes: 10 });
    expect(await admitted()).toBe("a b");
    control.abort(new Error("left"));
    expect(await admitted()).toBe("a b next");
    enter("never", { signal: control.signal });
    await settled();
    expect([...refused]).toEqual([
      ["gone", "left"],
      ["never", "left"],
    ]);
    // An abort after it was let in changes nothing.
    const late = new AbortController();
    place("a").leave();
    enter("in", { bytes: 50, signal: late.signal });
    expect(await admitted()).toBe("a b next in");
    late.abort();
    await clock.advance(10_000);
    expect(refused.size).toBe(2);
  });
});

it("B7 hundreds of works that end, fail and are aborted at random leave nothing behind", async () => {
  for (let seed = 1; seed <= 20; seed += 1) {
    let state = seed;
    const random = (below: number) => {
      state = (state * 48_271) % 2_147_483_647;
      return state % below;
    };
    const clock = testClock();
    const bounds = { atOnce: 3, bytes: 1_000 };
    const limit = newWorkLimit(clock, "files", { ...bounds, waitMs: 50 });
    const now = { inProgress: 0, bytes: 0 };
    let most = 0;
    const outcomes = new Set<string>();
    const one = async (index: number) => {
      const control = new AbortController();
      if (random(4) === 0) clock.after(random(40), () => control.abort("aborted"));
      const bytes = random(600);
      const isHeld = random(3) === 0;
      const asked = { userId: `u${index % 3}`, bytes, signal: control.signal, isOfRun: random(5) === 0 };
      const place = await (isHeld ? limit.hold(asked) : limit.enter(asked));
      try {
        if (isHeld) await (place as HeldPlace).begin(control.signal);
        now.inProgress += 1;
        most = Math.max(most, now.inProgress);
        await new Promise<void>((resolve) => clock.after(random(30), resolve));
        now.inProgress -= 1;
        if (random(3) === 0) throw "failed";
        place.rest();
        await new Promise<void>((resolve) => clock.after(random(30), resolve));
      } finally {
        place.leave();
      }
    };
    const all = Array.from({ length: 200 }, (_, index) =>
      one(index).then(
        () => outcomes.add("ended"),
        (error: unknown) => outcomes.add((error as { code?: string }).code ?? String(error)),
      ),
    );
    let left = true;
    void Promise.all(all).then(() => {
      left = false;
    });
    for (let round = 0; left && round < 10_000; round += 1) await clock.advance(1);
    expect(left).toBe(false);
    expect(most).toBe(3);
    expect([...outcomes].toSorted()).toEqual(["aborted", "ended", "failed", "overloaded"]);
    // Everything was given back: as much as fits begins at once.
    const last = await Promise.all(["x", "y", "z"].map((userId) => limit.enter({ userId, bytes: 333 })));
    expect(last).toHaveLength(3);
  }
});
