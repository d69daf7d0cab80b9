import { expect, it } from "vitest";
import { newCircuit } from "../../src/model.ts";
import { TimeUp } from "../../src/tools.ts";

function world(failures = 2) {
  let time = 0;
  const circuit = newCircuit({
    failures,
    coolDownMs: 1_000,
    now: () => time,
    refusal: (leftMs) => new Error(`${leftMs} ms left`),
  });
  /** Makes a call, and returns how it went. */
  const call = (
    outcome: "ok" | "fails",
    { caller, signal }: { caller?: string; signal?: AbortSignal } = {},
  ) => {
    try {
      const one = circuit.begin(caller);
      if (outcome === "ok") one.succeeded();
      else one.failed(1, signal);
      one.over();
      return outcome;
    } catch (error) {
      return (error as Error).message;
    }
  };
  return {
    circuit,
    call,
    pass: (ms: number) => {
      time += ms;
    },
  };
}

it("B8 L12 a call that was aborted has not failed, however often", () => {
  const { call } = world();
  const signal = AbortSignal.abort();
  for (let n = 0; n < 20; n += 1) expect(call("fails", { signal })).toBe("fails");
});

it("B8 L12 a call whose time limit is over has failed", () => {
  const { call } = world();
  const signal = AbortSignal.abort(new TimeUp(5));
  expect([call("fails", { signal }), call("fails", { signal }), call("ok")]).toEqual([
    "fails",
    "fails",
    "1000 ms left",
  ]);
});

it("B8 L12 after the pause each caller has a trial of its own, so that nobody waits for another's", () => {
  const { circuit, call, pass } = world(1);
  call("fails");
  pass(1_000);
  const hanging = circuit.begin("mallory");
  expect(call("ok", { caller: "mallory" })).toBe("1000 ms left");
  expect(call("ok", { caller: "ada" })).toBe("ok");
  // It began before the circuit was closed again.
  hanging.failed(1);
  hanging.over();
  expect(call("ok", { caller: "mallory" })).toBe("ok");
});

it("L12 a failed trial opens the circuit for the whole time, and others that began with it change nothing", () => {
  const { circuit, call, pass } = world(1);
  call("fails");
  pass(1_000);
  const [first, second] = [circuit.begin("a"), circuit.begin("b")];
  first.failed(1);
  pass(500);
  second.failed(1);
  expect(call("ok", { caller: "c" })).toBe("500 ms left");
  second.succeeded();
  expect(call("ok", { caller: "c" })).toBe("ok");
});
